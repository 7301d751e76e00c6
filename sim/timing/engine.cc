#include "sim/timing/engine.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "ir/cat.h"
#include "ir/ops/all.h"

namespace tilesim::timing {
namespace {

using machine::Signal;
using machine::StepResult;

// Microseconds when only time is wanted, well below a second with values.
constexpr int64_t kEventsBetweenLooks = 64;
constexpr int64_t kEventsBetweenPaces = 4096;

// Whether anything can tell when an operation has read its sources: data moves
// then, something is signalled, or a group's sources are waited for (.read).
bool ReadShows(const machine::CompiledOp& op) {
  if (op.moves_data == ir::Milestone::kRead ||
      ir::GroupOf(op.op->info->async, op.fixed) == ir::GroupKind::kBulk)
    return true;
  ir::EffectSink sink;
  ir::EffectsOf(op.fixed, sink);
  return std::any_of(
      sink.effects().begin(), sink.effects().end(), [](const ir::Effect& e) {
        return e.at == ir::Milestone::kRead && !e.Is(ir::kAccesses);
      });
}

// Whether its code is long: register tiles are worked on word by word.
bool HasTiles(const machine::Code& code) {
  const auto& decls = code.bound.decls;
  return std::any_of(decls.begin(), decls.end(), [](const ir::BoundDecl& d) {
    return d.space == ir::Space::kReg;
  });
}

// wgmma of a batch whose operands change from turn to turn: their descriptors
// are computed before its first one. Those of the two ways of a branch are two
// batches. Of each op how many, at the first of its batch, else 0.
std::vector<int> AddressesOf(const machine::Code& code) {
  std::vector<int> out(code.ops.size());
  int32_t first = -1;  // of the batch
  for (const machine::Instr& instr : code.instrs) {
    if (instr.kind == machine::Instr::Kind::kSet) continue;
    const bool product =
        instr.kind == machine::Instr::Kind::kOp &&
        code.ops[instr.a].op->info->async == ir::AsyncUnit::kWgmma &&
        !code.ops[instr.a].varying.empty();
    if (!product) {
      first = -1;
      continue;
    }
    if (first < 0) first = instr.a;
    ++out[first];
  }
  return out;
}

}  // namespace

Engine::Engine(machine::Machine& machine, const arch::Arch& arch,
               EngineOptions options)
    : machine_(machine),
      arch_(arch),
      options_(std::move(options)),
      state_(machine.Start()),
      paths_(options_.observer != nullptr ? PathPool::kMany : PathPool::kFew),
      placer_(arch),
      chip_(arch, InL2Before()),
      sms_(static_cast<size_t>(arch.sms)),
      gpcs_(static_cast<size_t>(placer_.gpcs())),
      slots_(sms_.size()),
      kernel_from_(machine.kernels()),
      events_(options_.ties),
      last_path_(&paths_) {
  for (size_t k = 0; k < machine.kernels(); ++k)
    prices_.push_back(machine.guide(static_cast<int>(k)).prices());
  tensors_ = TensorKeys();
  for (size_t i = 0; i < sms_.size(); ++i)
    sms_[i].number = static_cast<int32_t>(i);
  for (size_t i = 0; i < sms_.size(); ++i)
    sms_[i].tpc = placer_.TpcOf(static_cast<int>(i));
  chip_.gpcs = static_cast<double>(gpcs_.size());
  roles_.resize(machine.kernels());
  read_shows_.resize(machine.kernels());
  only_asks_.resize(machine.kernels());
  addresses_.resize(machine.kernels());
  op_stats_.resize(machine.kernels());
  size_t code_size = 0;
  for (size_t k = 0; k < machine.kernels(); ++k) {
    const auto& names = machine.code(static_cast<int>(k)).kernel().roles;
    roles_[k].resize(names.size() + 1);
    for (size_t i = 0; i < names.size(); ++i) roles_[k][i + 1].name = names[i];
    roles_[k][0].name = "all threads";
    const machine::Code& code = machine.code(static_cast<int>(k));
    long_code_.push_back(HasTiles(code));
    op_stats_[k].resize(code.ops.size());
    for (const machine::CompiledOp& op : code.ops) {
      read_shows_[k].push_back(ReadShows(op));
      only_asks_[k].push_back(OnlyAsks(code, op));
    }
    if (prices_[k] == nullptr) {
      addresses_[k] = AddressesOf(code);
    } else {
      for (size_t op = 0; op < code.ops.size(); ++op)
        addresses_[k].push_back(
            prices_[k]->Addresses(static_cast<int32_t>(op)));
    }
    code_from_.push_back(code_size);
    code_size += code.ops.size() + names.size();
  }
  for (SmUnits& sm : sms_) sm.code.resize(code_size);
}

Cycle Engine::UnitTime(double t) const {
  return std::max(now_, static_cast<Cycle>(std::ceil(t)));
}

void Engine::Push(Cycle at, Event::Kind kind, int32_t id, uint32_t version) {
  if (at < now_) std::abort();  // scheduling in the past is a bug of ours
  events_.Push({at, id, version, kind});
}

RunStats Engine::Run() {
  TryLaunch();
  while (!events_.empty() && !faulted_ && !stopped_ && !too_long_) {
    Event e = events_.Pop();
    now_ = e.at;
    ++processed_;
    if (TooLong()) break;
    switch (e.kind) {
      case Event::Kind::kStrand:
        if (clocks_[e.id].version == e.version && !clocks_[e.id].blocked)
          RunStrand(e.id);
        break;
      case Event::Kind::kLaunch:
        TryLaunch();
        break;
      default:
        Reach(e);
    }
    Look();
  }
  TellOpenWaits();
  RunStats stats = Summarise();
  stats.interrupted = stopped_;
  stats.too_long = too_long_;
  return stats;
}

// Of a run that hangs: what nobody ended.
void Engine::TellOpenWaits() {
  for (size_t i = 0; i < clocks_.size(); ++i) {
    const Clock& c = clocks_[i];
    if (c.blocked && watched_[c.cta])
      options_.observer->OnWait(state_, static_cast<int32_t>(i), c.signal, {},
                                c.since, now_);
  }
}

bool Engine::TooLong() {
  too_long_ = options_.max_cycles > 0 && now_ > options_.max_cycles;
  return too_long_;
}

// What the SMs did in so many cycles.
Load Engine::LoadBy(Cycle cycles) const {
  Load load;
  load.cycles = static_cast<double>(std::max<Cycle>(cycles, 1));
  for (const SmUnits& sm : sms_) {
    load.tensor += sm.tensor.busy();
    load.loaded += sm.port.busy() * arch_.l2_port;
  }
  const double all = load.cycles * static_cast<double>(sms_.size());
  load.tensor = std::min(load.tensor / all, 1.0);
  load.loaded /= all;
  return load;
}

// L2 and HBM have their own clock.
void Engine::SetPace() {
  next_pace_ = processed_ + kEventsBetweenPaces;
  chip_.pace = ClockMhz(arch_, LoadBy(now_)) / arch_.clock_mhz;
}

// Now and then: does somebody want the run to stop, or to know how far it is?
void Engine::Look() {
  if (processed_ < next_look_) return;
  if (processed_ >= next_pace_) SetPace();
  if (load_.due(now_)) load_.Look(now_, sms_, chip_);
  next_look_ = processed_ + kEventsBetweenLooks;
  if (options_.progress) {
    int64_t done = 0, all = 0;
    for (size_t k = 0; k < machine_.kernels(); ++k) {
      done += state_.grids[k].finished_ctas;
      all += machine_.code(static_cast<int>(k)).bound.ctas();
    }
    options_.progress(done, all);
  }
  stopped_ = options_.stop != nullptr && options_.stop->load();
}

RoleStats& Engine::RoleOf(int kernel, int role) {
  return roles_[kernel][role + 1];
}

// --- strands ----------------------------------------------------------------

// A strand need not be born in a role: most walk into it. It is counted once.
void Engine::NoteRole(int32_t strand) {
  Clock& c = clocks_[strand];
  c.role = state_.strands[strand].role;
  if (c.role == c.counted || (c.role < 0 && c.counted >= -1)) return;
  c.counted = c.role;
  ++RoleOf(state_.ctas[c.cta].kernel, c.role).strands;
}

void Engine::RunStrand(int32_t strand) {
  uint32_t version = clocks_[strand].version;
  for (;;) {
    if (AwaitsLoad(strand)) return;
    StepResult r = machine_.Step(state_, strand);
    if (!GoesOn(strand, r)) return;
    for (int32_t gone : r.absorbed) EndStrand(gone, now_);
    for (int32_t born : r.strands) Adopt(born, now_, clocks_[strand].path);
    if (r.merged) {
      EndStrand(strand, now_);
      return;
    }
    Clock& clock = clocks_[strand];
    if (r.kind == StepResult::Kind::kExited) {
      last_path_ = clock.path;
      EndStrand(strand, now_);
      Dispatch(last_path_, SourceOf(strand, -1));
      return;
    }
    if (r.kind == StepResult::Kind::kFault) {
      faulted_ = true;
      return;
    }
    if (r.kind == StepResult::Kind::kBlocked) {
      clock.asked = BehindControl(strand, r);
      Block(strand, r.signal);
      Dispatch(clocks_[strand].path, SourceOf(strand, r.op));
      return;
    }
    Executed(strand, r);
    // Go on without the queue when nothing else happens before.
    Clock& after = clocks_[strand];
    if (after.since > now_) {
      if (!events_.empty() && events_.next() <= after.since) {
        Push(after.since, Event::Kind::kStrand, strand, version);
        return;
      }
      now_ = after.since;
    }
    ++processed_;
    Look();
    if (stopped_ || TooLong()) return;
  }
}

// Everything that may happen next is in the queue: if it is as much as there
// are strands that go round, it is that those ask again.
bool Engine::GoesOn(int32_t strand, const StepResult& r) {
  bool alone = r.kind == StepResult::Kind::kExecuted && !r.merged &&
               r.strands.empty() && r.absorbed.empty();
  int kernel = state_.ctas[clocks_[strand].cta].kernel;
  if (!alone || !only_asks_[kernel][r.op]) {
    pollers_.Changed();
    return true;
  }
  pollers_.Asked(strand, state_.strands[strand],
                 machine_.code(kernel).ops[r.op]);
  if (pollers_.circling() <= events_.size()) return true;
  for (const Pollers::Circling& p : pollers_.all()) {
    const machine::Strand& s = state_.strands[p.strand];
    machine_.Report(
        state_, s.cta, p.op, "deadlock/loop",
        ir::Cat("`", machine_.RoleName(state_, s),
                "` polls for ever: nothing is in flight, and nobody else goes "
                "on who could change what it polls"),
        "whoever is to change it must come to do so without waiting for those "
        "that poll, and be resident beside them");
    Clock& c = clocks_[p.strand];
    c.blocked = true;
    c.signal = {machine::Signal::Kind::kPoll, s.cta, kPollsForEver};
    c.at_op = static_cast<int32_t>(
        p.op - machine_.code_of(state_.ctas[s.cta]).ops.data());
    c.since = std::max(c.since, now_);
  }
  faulted_ = true;
  return false;
}

SmUnits* Engine::PartnerOf(const machine::Cta& cta, const ir::ConcreteOp& op) {
  if (op.info().async != ir::AsyncUnit::kTcgen05 || !ir::ops::IsPair(op))
    return nullptr;
  const machine::Cluster& cluster = state_.clusters[cta.cluster];
  size_t rank = cta.rank ^ 1u;
  return rank < cluster.ctas.size() ? &sms_[seats_[cluster.ctas[rank]].sm]
                                    : nullptr;
}

CostContext Engine::ContextOf(const ir::ConcreteOp& op, int32_t cta,
                              int32_t group_threads, Cycle now) {
  const machine::Cta& c = state_.ctas[cta];
  const int sm = seats_[cta].sm;
  return {arch_,
          PricedKernel(c.kernel),
          op,
          sms_[sm],
          PartnerOf(c, op),
          gpcs_[placer_.GpcOf(sm)],
          chip_,
          tensors_[c.kernel],
          static_cast<double>(now),
          group_threads,
          0,
          prices_[c.kernel] != nullptr,
          seats_[cta].slot};
}

// Cycles of the scalars on the way to an op.
double Engine::ControlOf(const StepResult& r) const {
  return r.control * arch_.scalar_issue + r.tests * arch_.scalar_branch +
         r.divisions * arch_.scalar_divide;
}

// Charges the op just executed and puts what it issued on the clock. The
// strand's next instant is left in Clock::since.
void Engine::Executed(int32_t strand, const StepResult& r) {
  ++ops_;
  int32_t cta = state_.strands[strand].cta;
  const machine::Code& code = machine_.code_of(state_.ctas[cta]);
  const machine::CompiledOp& op = code.ops[r.op];
  const int kernel = state_.ctas[cta].kernel;
  const bool compiled = prices_[kernel] != nullptr;
  const ir::ConcreteOp& concrete =
      PricedOp(kernel, r.op, machine_.last_concrete());
  // Scalars on the way to it come first.
  const Cycle begins =
      compiled
          ? BehindControl(strand, r)
          : now_ + Rounded(ControlOf(r) + op.divisions * arch_.scalar_divide);
  CostContext context =
      ContextOf(concrete, cta, GroupOf(kernel, op, concrete), begins);
  context.addresses = addresses_[state_.ctas[cta].kernel][r.op];
  NoteReady(strand, op, context);
  Cost cost = CostOf(context);
  Schedule first;
  for (size_t i = 0; i < r.issued.size(); ++i) {
    Schedule s = Issue(strand, op, concrete, r.issued[i], begins,
                       i == 0 ? nullptr : &first);
    if (i == 0) first = s;
  }
  // A slow unit hides that instructions are fetched.
  double fetch = FetchCode(
      context, strand, r.op,
      compiled ? 1 + InstructionsOf(r.passed) : InstructionsOf(context));
  Cycle end = begins + Rounded(std::max(fetch, cost.busy));
  // One that was woken had asked before.
  if (Cycle asked = std::exchange(clocks_[strand].asked, -1);
      asked >= 0 && Waits(r))
    end = std::max(now_, asked + end - begins);
  end = std::max(end, EarliestPass(strand, r));
  // What waits for loaded registers is the tile, if one is written.
  int32_t loaded =
      cost.latency > 0 && concrete.is_tile(0) ? concrete.tile(0).decl : -1;
  if (compiled) loaded = -1;
  TellPhases(r.uses);
  Dispatch(clocks_[strand].path, SourceOf(strand, r.op),
           begins - now_ + Rounded(cost.seen));
  Clock& c = clocks_[strand];
  Cycle busy = end - now_;
  Spend(strand, r.op, cost.cause, end);
  NoteRole(strand);
  RoleOf(kernel, c.role).busy += static_cast<double>(busy);
  OpStats& stats = op_stats_[kernel][r.op];
  ++stats.executed;
  stats.busy += static_cast<double>(busy);
  if (watched_[cta]) options_.observer->OnWork(state_, strand, &op, now_, end);
  if (loaded >= 0) {
    const Cycle at = end + Rounded(cost.latency);
    NoteLoad(strand, {loaded, at, cost.goes_on});
    c.all_ready = std::max(c.all_ready, at);
  }
  if (compiled && cost.latency > 0)
    NoteLoad(strand, {-2 - r.op, end + Rounded(cost.latency), false});
  c.since = end;
}

// An SM fetches instructions while it runs them for the first time. The first
// ones are there with the launch.
double Engine::FetchCode(const CostContext& context, int32_t strand, int op,
                         double here) {
  const int kernel = state_.ctas[clocks_[strand].cta].kernel;
  constexpr double kThere = 256;  // 4 KB (calibration.json start.instructions)
  SmUnits& sm = context.sm;
  const size_t from = code_from_[kernel];
  if (sm.code[from + op] || arch_.code_fetch == 0) return 0;
  sm.code[from + op] = true;
  sm.instructions += here;
  const double fetched = std::min(sm.instructions - kThere, here);
  double jump = 0;
  const int role = state_.strands[strand].role;
  if (role >= 0 && long_code_[kernel] &&
      !sm.code[from + RoleAt(kernel, role)]) {
    sm.code[from + RoleAt(kernel, role)] = true;
    // All SMs want the same line at about the same time.
    double now = static_cast<double>(now_);
    jump = chip_.hot_line.Take(now, arch_.hot_line) - now + arch_.code_jump;
  }
  return std::max(0.0, fetched) * arch_.code_fetch + jump;
}

// `earlier`: the schedule of a multicast's first destination.
Schedule Engine::Issue(int32_t strand, const machine::CompiledOp& op,
                       const ir::ConcreteOp& concrete, int32_t inflight,
                       Cycle begins, const Schedule* earlier) {
  if (flights_.size() <= static_cast<size_t>(inflight))
    flights_.resize(inflight + 1);
  const machine::InFlight& f = state_.inflight[inflight];
  Flight& flight = flights_[inflight];
  ++flight.version;
  flight.from = begins;
  flight.path = clocks_[strand].path;
  if (watched_[f.cta])
    options_.observer->OnIssue(state_, strand, inflight, begins);
  const int32_t cta = numbers_[f.cta];
  PathKey key{state_.ctas[f.cta].kernel, static_cast<int16_t>(f.op),
              Cause::kIssue};
  if (f.is_track) {
    // Done once everything it follows is done; what it follows is known.
    Follow(inflight, begins + 1);
    flight.path.Add(key, cta, flight.done);
    Push(flight.done, Event::Kind::kDone, inflight, flight.version);
    return {};
  }
  int32_t served = f.cta;
  if (f.destination >= 0)
    served = state_.clusters[state_.ctas[f.cta].cluster].ctas[f.destination];
  CostContext context =
      ContextOf(concrete, served, GroupOf(key.kernel, op, concrete), begins);
  context.addresses = addresses_[state_.ctas[f.cta].kernel][f.op];
  Schedule s = ScheduleOf(context, f.destination, earlier);
  flight.done = UnitTime(s.done);
  flight.path.Add(key, cta, begins);
  double until = static_cast<double>(begins);
  for (int i = 0; i < kCauses; ++i) {
    if (s.chain.cycles[i] <= 0) continue;
    until += s.chain.cycles[i];
    key.cause = static_cast<Cause>(i);
    flight.path.Add(key, cta, std::min(Rounded(until), flight.done));
  }
  flight.path.Add(key, cta, flight.done);
  if (s.port != nullptr) {
    s.port->Keep(s.request);
    flight.port = s.port;
    flight.request = s.request;
    flight.after = s.after;
    flight.waits = s.waits;
  }
  if (s.read < s.done && read_shows_[state_.ctas[f.cta].kernel][f.op])
    Push(UnitTime(s.read), Event::Kind::kRead, inflight, flight.version);
  Push(flight.done, Event::Kind::kDone, inflight, flight.version);
  return s;
}

void Engine::Reach(const Event& e) {
  if (flights_[e.id].version != e.version || !state_.inflight[e.id].live)
    return;
  if (PutOff(e)) return;
  pollers_.Changed();
  Path path = flights_[e.id].path;
  int32_t cta = state_.inflight[e.id].cta;
  const Source source = SourceOf(e);
  if (e.kind == Event::Kind::kRead) {
    TellPhases(machine_.Reach(state_, e.id, ir::Milestone::kRead));
    Dispatch(path, source);
    return;
  }
  if (!machine_.MayFinish(state_, e.id)) {
    // Something it follows ends in this very cycle, later in the queue, or has
    // been put off.
    Follow(e.id, now_ + 1);
    Push(flights_[e.id].done, Event::Kind::kDone, e.id, e.version);
    return;
  }
  if (watched_[cta])
    options_.observer->OnOperation(state_, e.id, flights_[e.id].from, now_);
  if (!state_.inflight[e.id].is_track) {
    OpStats& stats = op_stats_[source.kernel][source.op];
    ++stats.flights;
    stats.flight_cycles += static_cast<double>(now_ - flights_[e.id].from);
  }
  ++flights_[e.id].version;
  flights_[e.id].path = Path();
  TellPhases(machine_.Reach(state_, e.id, ir::Milestone::kDone));
  Dispatch(path, source);
}

Source Engine::SourceOf(int32_t strand, int32_t op) const {
  return {-1, strand, now_, op, state_.ctas[clocks_[strand].cta].kernel};
}

Source Engine::SourceOf(const Event& e) const {
  const machine::InFlight& f = state_.inflight[e.id];
  return {e.id, -1, now_, f.op, state_.ctas[f.cta].kernel};
}

int32_t Engine::OpOf(int32_t strand) const {
  const machine::Strand& s = state_.strands[strand];
  const machine::Code& code = machine_.code_of(state_.ctas[s.cta]);
  // One that is in a named barrier stands behind its op.
  const bool inside = s.status == machine::Strand::Status::kInNamed;
  const int32_t pc = inside ? s.pc - 1 : s.pc;
  if (pc < 0 || code.instrs[pc].kind != machine::Instr::Kind::kOp) return -1;
  return code.instrs[pc].a;
}

void Engine::Spend(int32_t strand, int32_t op, Cause cause, Cycle until) {
  Clock& c = clocks_[strand];
  c.path.Add({state_.ctas[c.cta].kernel, static_cast<int16_t>(op), cause},
             numbers_[c.cta], until);
}

void Engine::TellObserver(const machine::BarrierUses& uses) {
  for (const machine::BarrierUse& use : uses) {
    bool begins = use.completes || use.kind == ir::EffectKind::kInit;
    if (begins && watched_[use.barrier.cta])
      options_.observer->OnPhase(state_, use, now_);
  }
}

// --- ends -------------------------------------------------------------------

void Engine::EndStrand(int32_t strand, Cycle at) {
  Clock& c = clocks_[strand];
  // One that is absorbed may have been told to be busy for longer.
  if (watched_[c.cta]) {
    options_.observer->OnStrandEnd(
        state_, strand, c.blocked ? &c.signal : nullptr, std::max(at, c.since));
  }
  ++c.version;
  c.blocked = false;
  c.path = Path();
}

void Engine::CtaExited(int32_t cta, const Path& path) {
  const ir::BoundKernel& bound = machine_.code_of(state_.ctas[cta]).bound;
  placer_.Release(bound, seats_[cta]);
  slots_[seats_[cta].sm] &= ~(uint64_t{1} << seats_[cta].slot);
  if (now_ >= last_end_) last_path_ = path;
  last_end_ = std::max(last_end_, now_);
  ctas_run_[numbers_[cta]].end = now_;
  if (options_.observer != nullptr)
    options_.observer->OnCtaEnd(state_, cta, now_);
  TryLaunch();
}

}  // namespace tilesim::timing
