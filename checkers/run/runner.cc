#include "checkers/run/runner.h"

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <tuple>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/hash/hash.h"
#include "checkers/run/blocking.h"
#include "checkers/run/control_memory.h"
#include "checkers/run/peeks.h"
#include "checkers/run/recurrence.h"
#include "checkers/run/run_end.h"
#include "checkers/run/run_state.h"
#include "checkers/run/turns.h"
#include "ir/cat.h"
#include "sim/machine/data/memory.h"
#include "sim/machine/machine.h"

namespace tilesim::checkers::run {

namespace {

using ir::EffectKind;
using ir::Milestone;
using machine::Strand;

// Turns in which strands only polled before the next operation moves on.
constexpr int kIdleTurns = 2;
// More than these before it is taken to go round for ever.
constexpr int kSurelyRound = 8;

}  // namespace

class Runner : public machine::ScalarObserver {
 public:
  Runner(const machine::Code& code, const RunOptions& options)
      : code_(code),
        options_(options),
        patience_(options.patient),
        tiles_in_loops_(code) {
    log_.code = &code;
    if (options.peeks && options.path == nullptr) peeks_ = PeeksOf(code);
    MakeMemory();
    MakeMachine();
    Launch();
  }

  void Run() {
    if (options_.path != nullptr) {
      Follow(*options_.path);
    } else {
      while (!TooLong() && GoOn() && Round()) {
      }
    }
    log_.iterations.went_on_as = at_.iterations.went_on_as();
    EndRun(code_, *machine_, at_, log_);
  }

  Log& log() { return log_; }

  void Control(const machine::State& state, int32_t strand,
               const machine::Instr& instr, const machine::Who& who) override {
    if (tiles_in_loops_.any())
      at_.iterations.Control(tiles_in_loops_, strand, state.strands[strand].pc);
    if (options_.observer == nullptr) return;
    at_.pace.Control(code_, state, strand, instr);
    options_.observer->Control(state, strand, instr, who);
  }
  void Divided(int32_t strand, int32_t other) override {
    at_.iterations.Divided(strand, other);
    if (options_.observer == nullptr) return;
    at_.pace.Divided(strand, other);
    options_.observer->Divided(strand, other);
  }
  void Absorbed(int32_t strand, int32_t other) override {
    at_.iterations.Absorbed(strand, other);
    if (options_.observer != nullptr)
      options_.observer->Absorbed(strand, other);
  }

  std::shared_ptr<const RunState> Save() const {
    bool all = (memory_ == nullptr || same_memory_) &&
               machine_->findings().empty() && options_.path == nullptr;
    if (!all) return nullptr;
    auto out = std::make_shared<RunState>(at_);
    out->events = log_.events.size();
    out->operations = log_.operations.size();
    out->trips = log_.trips;
    out->undetermined = log_.undetermined;
    return out;
  }

  void Restore(const RunState& state, RunObserver* observer) {
    at_ = state;
    options_.observer = observer;
    log_.events.resize(at_.events);
    log_.operations.resize(at_.operations);
    auto& noted = log_.iterations.of;
    noted.erase(noted.lower_bound(static_cast<int32_t>(at_.events)),
                noted.end());
    for (Operation& o : log_.operations) {
      for (int32_t* event : {&o.read, &o.done}) {
        if (*event >= static_cast<int32_t>(at_.events)) *event = -1;
      }
    }
    log_.trips = at_.trips;
    log_.undetermined = at_.undetermined;
    log_.findings.clear();
    log_.finished = log_.faulted = false;
    MakeMachine();
  }

 private:
  using Flight = RunState::Flight;

  // A machine has found nothing as yet.
  void MakeMachine() {
    machine_ = std::make_unique<machine::Machine>(
        std::vector<const machine::Code*>{&code_}, memory_.get(),
        options_.path == nullptr ? machine::Grouping::kTogether
                                 : machine::Grouping::kWarps);
    const bool observed = options_.observer || tiles_in_loops_.any();
    machine_->Observe(observed ? this : nullptr);
  }

  void Launch() {
    at_.state = machine_->Start();
    for (int64_t i = 0; i < options_.clusters; ++i)
      machine_->Launch(at_.state, 0, options_.cluster + i);
    at_.state.grids[0].next_cluster = options_.cluster + options_.clusters;
    HandOut();
    log_.ctas = static_cast<int32_t>(at_.state.ctas.size());
  }

  void MakeMemory() {
    const Environment* e = options_.environment;
    if (e != nullptr) log_.ticket = e->ticket, log_.flags = e->flags;
    for (Flags& f : log_.flags) SetCluster(options_.cluster, f);
    memory_ = MakeControlMemory(code_, e ? e->inputs : machine::Inputs());
    same_memory_ = memory_ && e != nullptr && HoldsTheSame(code_, *e);
  }

  // The answer to the next request of cluster launch control.
  void HandOut() {
    if (options_.environment == nullptr || !options_.environment->handed_out)
      return;
    const auto& all = *options_.environment->handed_out;
    at_.state.grids[0].next_cluster =
        at_.requests < all.size()
            ? all[at_.requests]
            : code_.bound.ctas() / code_.bound.cluster_size();
    ++at_.requests;
  }

  bool GoOn() {
    return options_.observer == nullptr ||
           options_.observer->Turn(at_.state, log_);
  }

  void Follow(const Path& path) {
    machine_->SettleAll(at_.state);
    for (const Move& move : path) {
      size_t before = log_.events.size();
      size_t faults = at_.faulted.size();
      bool made = move.operation < 0 ? Execute(move) : Complete(move);
      if (!made && at_.faulted.size() == faults) continue;
      for (size_t i = before; i < log_.events.size(); ++i)
        log_.events[i].move = static_cast<int32_t>(log_.made.size());
      log_.made.push_back(move);
      machine_->SettleAll(at_.state);
      TellSignals();  // of threads that have ended
    }
    log_.torso = MayGoOn();
  }

  bool Execute(const Move& move) {
    bool there =
        move.cta >= 0 && move.cta < log_.ctas && at_.state.ctas[move.cta].live;
    if (!there) return false;
    int32_t strand = StrandOf(at_.state, move);
    return strand >= 0 && at_.faulted.count(strand) == 0 &&
           StepOne(strand) != Moved::kNo;
  }

  bool Complete(const Move& move) {
    auto order = orders_.find({move.cta, move.warp, move.operation});
    if (order == orders_.end()) return false;
    auto flight = at_.in_flight.find(order->second);
    if (flight == at_.in_flight.end()) return false;
    Flight f = flight->second;
    bool read = at_.state.inflight[f.slot].read;
    if (!machine_->MayFinish(at_.state, f.slot) ||
        (read && move.milestone == Milestone::kRead))
      return false;
    if (move.milestone == Milestone::kDone && !read)
      Reach(f.slot, f.id, Milestone::kRead);
    Reach(f.slot, f.id, move.milestone);
    if (move.milestone == Milestone::kDone) at_.in_flight.erase(flight);
    return true;
  }

  // Whether the path could have been longer.
  bool MayGoOn() {
    machine::State copy = at_.state;
    for (size_t i = 0; i < copy.strands.size(); ++i) {
      auto strand = static_cast<int32_t>(i);
      machine::Signal signal;
      if (copy.strands[i].status == Strand::Status::kRunning &&
          at_.faulted.count(strand) == 0 &&
          machine_->op_at(copy, copy.strands[i]) != nullptr &&
          !machine_->BlockedOn(copy, strand, signal))
        return true;
    }
    return std::any_of(at_.in_flight.begin(), at_.in_flight.end(),
                       [&](const auto& flight) {
                         return machine_->MayFinish(copy, flight.second.slot);
                       });
  }

  bool TooLong() {
    if (static_cast<int64_t>(log_.events.size()) < options_.max_events)
      return false;
    log_.AddUndetermined(
        options_.short_of > 0
            ? ir::Cat("what comes before what takes more than ",
                      options_.short_of,
                      " bytes to know of the run, which was "
                      "cut after ",
                      options_.max_events, " events")
            : ir::Cat("the run is longer than ", options_.max_events,
                      options_.another_cut
                          ? " events, and was cut there as that of a cluster "
                            "before was cut"
                          : " events and was cut"));
    at_.cut = true;
    return true;
  }

  // Compiled code may poll in ways that InVain does not see. What it does see
  // ends before.
  bool GoesRound() {
    if (code_.guide == nullptr || options_.observer != nullptr) return false;
    if (recurrence_.IsHere(at_.state, ChangesSoFar(code_))) ++times_here_;
    return times_here_ > kSurelyRound;
  }

  bool Round() {
    if (GoesRound()) {
      recurrence_.Forget();
      times_here_ = 0;
      at_.recurs = !MoveOldest();
      return !at_.recurs;
    }
    bool turned = Turn();
    if (!options_.early) return turned || MoveOldest();
    return MoveAll() || turned;
  }

  // Every operation that may end does so.
  bool MoveAll() {
    bool moved = false;
    std::vector<uint64_t> orders;
    for (const auto& [order, flight] : at_.in_flight) orders.push_back(order);
    for (uint64_t order : orders) {
      while (at_.in_flight.count(order) != 0 && Advance(order)) moved = true;
    }
    return moved;
  }

  bool Alive(int32_t strand) const {
    Strand::Status status = at_.state.strands[strand].status;
    return (status == Strand::Status::kRunning ||
            status == Strand::Status::kInNamed) &&
           at_.faulted.count(strand) == 0;
  }

  // -1: it cannot execute anything, or is part of another now.
  int32_t Find(int32_t cta, int first_warp) const {
    for (int32_t i : at_.state.ctas[cta].strands) {
      if (at_.state.strands[i].threads.first_warp == first_warp)
        return Alive(i) ? i : -1;
    }
    return -1;
  }

  // An op of every strand that can. False: none could, or they only poll.
  bool Turn() {
    Turned turned;
    if (options_.early) {
      GoOnBehind(turned);
    } else if (options_.rank != Rank::kNone) {
      GoOnFirst(turned);
    } else {
      for (size_t i = 0; i < at_.state.strands.size(); ++i) {
        auto strand = static_cast<int32_t>(i);
        if (!at_.awaited.Still(at_.state, strand) && Alive(strand))
          turned.Add(Go(strand));
      }
    }
    at_.idle = turned.moved || !turned.polled ? 0 : at_.idle + 1;
    return turned.moved || (turned.polled && at_.idle < kIdleTurns);
  }

  enum class Moved { kNo, kPolled, kYes };

  struct Turned {
    bool moved = false, polled = false;
    void Add(Moved m) {
      moved |= m == Moved::kYes;
      polled |= m == Moved::kPolled;
    }
  };

  // By rank, the first strand that does more than ask in vain; those before it
  // have asked.
  void GoOnFirst(Turned& turned) {
    for (int32_t strand : StrandsByRank(at_.state, options_.rank)) {
      if (turned.moved) return;
      if (!at_.awaited.Still(at_.state, strand) && Alive(strand))
        turned.Add(Go(strand));
    }
  }

  // Where it is now, as a rule the same; -1: as Find.
  int32_t Find(const NamedStrand& named) const {
    bool there = NameOf(at_.state.strands[named.strand]) == named.who &&
                 Alive(named.strand);
    return there ? named.strand : Find(named.who.first, named.who.second);
  }

  // Of the strands that can move, those that are furthest behind.
  void GoOnBehind(Turned& turned) {
    do {
      NameStrands(at_.state, strands_, named_);
    } while (Settle(named_));
    std::erase_if(named_,
                  [&](NamedStrand& n) { return (n.strand = Find(n)) < 0; });
    std::vector<Pace::Position> positions;
    positions.reserve(named_.size());
    for (const NamedStrand& n : named_)
      positions.push_back(at_.pace.Of(code_, at_.state, n.strand));
    FromBehind(
        positions, [&](size_t i) { turned.Add(Segment(named_[i])); },
        [&] { return turned.moved; });
  }

  // Every strand to its next op, which may be in another turn of a loop. True:
  // some are others now, and not there yet.
  bool Settle(const std::vector<NamedStrand>& all) {
    bool others = false;
    for (const NamedStrand& n : all) others |= Settle(Find(n));
    return others;
  }

  bool Settle(int32_t strand) {
    if (strand < 0 || AtOp(strand) || at_.awaited.Still(at_.state, strand))
      return false;
    machine::StepResult r = machine_->Settle(at_.state, strand);
    Remember(strand, r);
    return r.merged || !r.strands.empty();
  }

  bool AtOp(int32_t strand) const {
    const Strand& s = at_.state.strands[strand];
    return s.status == Strand::Status::kRunning &&
           machine_->op_at(at_.state, s) != nullptr;
  }

  // Ops up to one that can block, or to another turn of a loop.
  Moved Segment(const NamedStrand& named) {
    bool moved = false;
    for (int32_t last = -1;;) {
      Settle(Find(named));
      int32_t strand = Find(named);
      int32_t pc = strand < 0 ? -1 : at_.state.strands[strand].pc;
      if (pc <= last) break;
      Moved now = StepOne(strand);
      if (now == Moved::kPolled) return now;
      if (now == Moved::kNo) break;
      moved = true;
      if (log_.events.empty() || CanBlock(log_.events.back())) break;
      last = pc;
    }
    return moved ? Moved::kYes : Moved::kNo;
  }

  void TellSignals() {
    signals_.clear();
    machine_->TakeSignals(signals_);
    for (const machine::Signal& s : signals_) at_.awaited.Raised(s);
  }

  void Remember(int32_t strand, const machine::StepResult& r) {
    TellSignals();
    at_.awaited.Stepped(at_.state, strand, r);
  }

  Moved Go(int32_t strand) {
    if (!patience_.any()) return StepOne(strand);
    Settle(strand);
    if (!Alive(strand)) return Moved::kYes;  // it came to its end
    if (!AtOp(strand)) return Moved::kNo;
    BarrierLife b;
    Patience::Now now = patience_.At(*machine_, at_.state, strand, b);
    if (now == Patience::Now::kNotYet) return Moved::kNo;
    if (now == Patience::Now::kAsItIs) return StepOne(strand);
    ++at_.state.ctas[b.cta].mbarriers[b.index].phase;
    Moved moved = StepOne(strand);
    --at_.state.ctas[b.cta].mbarriers[b.index].phase;
    if (moved == Moved::kNo) return moved;
    for (BarrierUse& use : log_.events.back().uses) --use.phase;
    patience_.Saw(log_);
    return moved;
  }

  Moved StepOne(int32_t strand) {
    const size_t first = log_.events.size();
    Moved moved = StepPart(strand);
    while (moved == Moved::kYes && parts_left_) moved = StepPart(strand);
    log_.AreParts(first);
    return moved;
  }

  Moved StepPart(int32_t strand) {
    parts_left_ = false;
    if (at_.awaited.Still(at_.state, strand)) return Moved::kNo;
    int32_t cta = at_.state.strands[strand].cta;
    machine::StepResult r = machine_->Step(at_.state, strand);
    Remember(strand, r);
    using Kind = machine::StepResult::Kind;
    // Those that left it on the way may have a turn to come.
    if (r.kind == Kind::kBlocked)
      return r.strands.empty() ? Moved::kNo : Moved::kYes;
    if (r.kind == Kind::kFault) {
      at_.faulted.insert(strand);
      return Moved::kNo;
    }
    if (r.kind == Kind::kExited || r.op < 0) return Moved::kYes;
    parts_left_ = r.parts_left;
    Event& event = log_.events.emplace_back();
    event.op = r.op;
    event.instance =
        log_.instances.Of(code_.ops[r.op], machine_->last_concrete());
    at_.Locate(cta, event);
    if (r.round) event.generation = r.round->generation;
    event.uses = r.uses;
    TakeAsNo(code_, peeks_, strand, at_.state, event);
    Issue(r, event);
    Count(event);
    NoteIterations(strand, r.op);
    patience_.Saw(log_);
    if (Has(event, EffectKind::kClcCancel)) HandOut();
    if (options_.observer != nullptr)
      options_.observer->Executed(*machine_, at_.state, strand, event);
    return InVain(strand, event) ? Moved::kPolled : Moved::kYes;
  }

  // Whether a thread has polled, and is where it was with what it knew when it
  // did before: as long as nobody else moves it stays there.
  bool InVain(int32_t strand, const Event& event) {
    std::pair<int32_t, int32_t> who{event.cta, event.threads().first_warp};
    if (!Polls(event)) {
      at_.polled.erase(who);
      return false;
    }
    const Strand& s = at_.state.strands[strand];
    return !at_.polled[who]
                .insert(absl::HashOf(event.op, s.pc, s.slots))
                .second;
  }

  void Issue(const machine::StepResult& r, Event& event) {
    auto at = static_cast<int32_t>(log_.events.size()) - 1;
    for (int32_t slot : r.issued) {
      const machine::InFlight& f = at_.state.inflight[slot];
      auto id = static_cast<int32_t>(log_.operations.size());
      log_.operations.push_back(
          OperationOf(f, event.concrete().info().async, at));
      event.issued.push_back(id);
      at_.in_flight[f.order] = {slot, id};
      if (options_.path == nullptr) continue;
      int16_t warp = static_cast<int16_t>(event.threads().first_warp);
      auto cta = static_cast<int16_t>(event.cta);
      orders_[{cta, warp, issued_[{cta, warp}]++}] = f.order;
    }
  }

  void NoteIterations(int32_t strand, int32_t op) {
    if (!tiles_in_loops_.Has(op)) return;
    const auto event = static_cast<int32_t>(log_.events.size()) - 1;
    log_.iterations.of[event] = at_.iterations.Of(tiles_in_loops_, strand, op);
  }

  void Count(Event& event) {
    int64_t& n =
        at_.executed[{event.cta, event.threads().first_warp, event.op}];
    event.nth = n++;
    log_.trips = std::max(log_.trips, n);
  }

  bool Polls(const Event& event) {
    if (peeks_.asks.count(event.op) != 0) return false;
    if (Has(event, EffectKind::kTest)) {
      log_.AddUndetermined("control depends on mbarrier.test_wait");
      return true;
    }
    bool reads =
        Has(event, EffectKind::kRead) && !Has(event, EffectKind::kWrite);
    return code_.ops[event.op].control && reads;
  }

  // CTAs have the slots in which they were launched.
  // The oldest operation that may move does so, one milestone.
  bool MoveOldest() {
    for (auto& [order, flight] : at_.in_flight) {
      if (Advance(order)) return true;
    }
    return false;
  }

  bool Advance(uint64_t order) {
    Flight flight = at_.in_flight.at(order);
    if (!machine_->MayFinish(at_.state, flight.slot)) return false;
    bool read = at_.state.inflight[flight.slot].read;
    Reach(flight.slot, flight.id, read ? Milestone::kDone : Milestone::kRead);
    if (read) at_.in_flight.erase(order);
    at_.idle = 0;
    return true;
  }

  void Reach(int32_t slot, int32_t id, Milestone milestone) {
    size_t findings = machine_->findings().size();
    machine::BarrierUses uses = machine_->Reach(at_.state, slot, milestone);
    TellSignals();
    for (size_t i = findings; i < machine_->findings().size(); ++i)
      log_.faulted |= machine_->findings()[i].severity == ir::Severity::kError;
    auto at = static_cast<int32_t>(log_.events.size());
    Event& event = log_.events.emplace_back();
    const Event& issue = log_.issue_of(id);
    Operation& o = log_.operations[id];
    bool done = milestone == Milestone::kDone;
    event.kind = done ? Event::Kind::kDone : Event::Kind::kRead;
    event.cta = issue.cta;
    event.cluster = issue.cluster;
    event.op = issue.op;
    event.operation = id;
    event.instance = issue.instance;
    event.uses = std::move(uses);
    (done ? o.done : o.read) = at;
  }

  const machine::Code& code_;
  RunOptions options_;
  std::unique_ptr<machine::Memory> memory_;
  bool same_memory_ = false;  // all through the run
  Peeks peeks_;
  std::unique_ptr<machine::Machine> machine_;
  RunState at_;
  Log log_;
  // Along a path: operations by who issued them, and as the how-manieth.
  std::map<std::tuple<int16_t, int16_t, int32_t>, uint64_t> orders_;
  std::map<std::pair<int16_t, int16_t>, int32_t> issued_;
  Patience patience_;
  const TilesInLoops tiles_in_loops_;
  Recurrence recurrence_;
  int times_here_ = 0;
  bool parts_left_ = false;  // StepResult::parts_left
  // Reused.
  std::vector<machine::Signal> signals_;
  std::vector<int32_t> strands_;
  std::vector<NamedStrand> named_;
};

CanonicalRun::CanonicalRun(const machine::Code& code, const RunOptions& options)
    : runner_(std::make_unique<Runner>(code, options)) {}
CanonicalRun::~CanonicalRun() = default;

void CanonicalRun::Run() { runner_->Run(); }
Log& CanonicalRun::log() { return runner_->log(); }

std::shared_ptr<const RunState> CanonicalRun::Save() const {
  return runner_->Save();
}

void CanonicalRun::Restore(const RunState& state, RunObserver* observer) {
  runner_->Restore(state, observer);
}

}  // namespace tilesim::checkers::run
