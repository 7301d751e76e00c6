// Engine: ops that are executed, and the operations that they put in flight.
#include <algorithm>
#include <utility>

#include "ir/ops/all.h"
#include "sim/timing/engine.h"

namespace tilesim::timing {
namespace {

void Count(double busy, const Cost& cost, OpStats* op) {
  ++op->executed;
  op->busy += busy;
  op->bank_cycles += cost.bank_cycles;
  op->least_bank_cycles += cost.least_bank_cycles;
}

}  // namespace

using machine::StepResult;

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
  const double control = ControlOf(r) + op.divisions * arch_.scalar_divide;
  const Cycle begins =
      compiled ? BehindControl(strand, r) : now_ + Rounded(control);
  CostContext context =
      ContextOf(concrete, cta, GroupOf(kernel, op, concrete), begins);
  context.addresses = addresses_[kernel][r.op];
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
  const Cycle asked = std::exchange(clocks_[strand].asked, -1);
  if (asked >= 0 && Waits(r)) end = std::max(now_, asked + end - begins);
  end = std::max(end, EarliestPass(strand, r, asked >= 0));
  // What waits for loaded registers is the tile, if one is written.
  const ir::TileValue* loaded =
      cost.latency > 0 && concrete.is_tile(0) && !compiled ? &concrete.tile(0)
                                                           : nullptr;
  TellPhases(r.uses);
  Dispatch(clocks_[strand].path, SourceOf(strand, r.op),
           begins - now_ + Rounded(cost.seen));
  Clock& c = clocks_[strand];
  const auto busy = static_cast<double>(end - now_);
  Spend(strand, r.op, cost.cause, end);
  NoteRole(strand);
  RoleOf(kernel, c.role).busy += busy;
  Count(busy, cost, &op_stats_[kernel][r.op]);
  if (watched_[cta]) options_.observer->OnWork(state_, strand, &op, now_, end);
  NoteResult(strand, r.op, loaded, end, cost);
  c.since = end;
}

// When what the op leaves in registers is there: the tile `loaded`, unless none
// is awaited.
void Engine::NoteResult(int32_t strand, int32_t op, const ir::TileValue* loaded,
                        Cycle end, const Cost& cost) {
  const int kernel = state_.ctas[clocks_[strand].cta].kernel;
  if (loaded != nullptr) {
    const Cycle at = LoadedAhead(strand, op, end, end + Rounded(cost.latency));
    NoteLoad(strand, {.key = loaded->decl,
                      .element = loaded->index,
                      .at = at,
                      .first = std::min(
                          at, end + Rounded(cost.first.value_or(cost.latency))),
                      .op = op,
                      .cause = cost.cause,
                      .goes_on = cost.goes_on,
                      .work = cost.work});
  }
  if (prices_[kernel] != nullptr && cost.latency > 0)
    NoteLoad(strand, {.key = -2 - op,
                      .at = end + Rounded(cost.latency),
                      .op = op,
                      .cause = cost.cause});
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
    Cycle done = begins + 1;
    for (int32_t other : state_.ctas[f.cta].inflight) {
      const machine::InFlight& o = state_.inflight[other];
      if (!machine_.Follows(state_, f, o)) continue;
      if (flights_[other].done > done) {
        done = flights_[other].done;
        flight.path = flights_[other].path;
      }
    }
    flight.path.Add(key, cta, done);
    flight.done = done;
    Push(done, Event::Kind::kDone, inflight, flight.version);
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
    flight.read_before = s.read_before;
  }
  if (s.read < s.done && read_shows_[state_.ctas[f.cta].kernel][f.op])
    Push(UnitTime(s.read), Event::Kind::kRead, inflight, flight.version);
  Push(flight.done, Event::Kind::kDone, inflight, flight.version);
  return s;
}

// Others have asked since for what it waits for: again when that is there.
bool Engine::PutOff(const Event& e) {
  Flight& flight = flights_[e.id];
  if (flight.port == nullptr) return false;
  const double finish = flight.port->Finish(flight.request) + flight.after;
  if (e.kind == Event::Kind::kRead) {
    const Cycle read = UnitTime(finish - flight.read_before);
    if (read > now_) Push(read, Event::Kind::kRead, e.id, e.version);
    return read > now_;
  }
  const Cycle done = UnitTime(finish);
  if (done > now_) {
    const machine::InFlight& f = state_.inflight[e.id];
    flight.path.Add(
        {state_.ctas[f.cta].kernel, static_cast<int16_t>(f.op), Cause::kL2},
        numbers_[f.cta], done);
    flight.done = done;
    Push(done, Event::Kind::kDone, e.id, e.version);
    return true;
  }
  std::exchange(flight.port, nullptr)->Release(flight.request);
  return false;
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
    // Something it follows ends in this very cycle, later in the queue.
    Push(now_ + 1, Event::Kind::kDone, e.id, e.version);
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

}  // namespace tilesim::timing
