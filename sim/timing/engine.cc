#include "sim/timing/engine.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <utility>

#include "ir/cat.h"
#include "sim/timing/addresses.h"
#include "sim/timing/polls.h"

namespace tilesim::timing {
namespace {

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
  for (size_t i = 0; i < sms_.size(); ++i) {
    sms_[i].tpc = placer_.TpcOf(static_cast<int>(i));
    sms_[i].side = placer_.SideOf(static_cast<int>(i));
    sms_[i].turns = placer_.PartOfCpc(static_cast<int>(i));
  }
  chip_.gpcs = static_cast<double>(gpcs_.size());
  roles_.resize(machine.kernels());
  read_shows_.resize(machine.kernels());
  others_wait_.resize(machine.kernels());
  only_asks_.resize(machine.kernels());
  addresses_.resize(machine.kernels());
  loads_ahead_.resize(machine.kernels());
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
      loads_ahead_[k] = LoadsAhead(code);
      others_wait_[k] = OthersWait(code);
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
    load.tensor += sm.products;
    load.loaded += sm.port.busy() * arch_.l2_port;
  }
  const double all = load.cycles * static_cast<double>(sms_.size());
  load.tensor = std::min(load.tensor / all, 1.0);
  load.loaded /= all;
  load.hbm = chip_.moved.hbm() / all;
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

// A strand need not be born in a role: most walk into it. Each of its warps is
// counted once in it, however often `elect` divides them.
void Engine::NoteRole(int32_t strand) {
  Clock& c = clocks_[strand];
  c.role = state_.strands[strand].role;
  if (c.role == c.counted) return;
  c.counted = c.role;
  const ir::ThreadSet& threads = state_.strands[strand].threads;
  const uint64_t warps = ((uint64_t{1} << threads.warps) - 1)
                         << threads.first_warp;
  uint64_t& seen = seen_[{numbers_[c.cta], c.role}];
  RoleOf(state_.ctas[c.cta].kernel, c.role).warps +=
      std::popcount(warps & ~seen);
  seen |= warps;
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
  pollers_.Report(machine_, state_);
  for (const Pollers::Circling& p : pollers_.all()) {
    const machine::Strand& s = state_.strands[p.strand];
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
