#include "checkers/explore/search_state.h"

#include <algorithm>

#include "absl/hash/hash.h"
#include "checkers/run/runner.h"
#include "sim/machine/deadlock.h"
#include "sim/machine/targets.h"

namespace tilesim::checkers::explore {
using run::LeftToOrder;
using run::Move;
using run::StrandOf;

namespace {

using ir::EffectKind;
using ir::Milestone;
using machine::Strand;

constexpr int kThreadsPerWarp = 32;

// Which op it is, with what operands.
uint64_t HashOf(int32_t op, const ir::ConcreteOp& concrete) {
  uint64_t out = absl::HashOf(op, concrete.threads.first_warp,
                              concrete.threads.warps, concrete.threads.lanes);
  for (size_t i = 0; i < concrete.info().operands.size(); ++i) {
    const ir::OperandValue& o = concrete.operands[i];
    const ir::TileValue& t = o.tile;
    out = absl::HashOf(out, o.kind, o.number, o.barrier.index, o.barrier.cta,
                       t.decl, t.index, t.cta, t.start, t.extent);
  }
  return out;
}

}  // namespace

size_t BytesOf(const SearchState& p) {
  const auto of = [](const auto& all) { return all.size() * sizeof all[0]; };
  size_t bytes = sizeof p + of(p.memory) + of(p.history) + of(p.read) +
                 of(p.issuers) + of(p.executed) + of(p.state.strands) +
                 of(p.state.inflight) + of(p.state.ctas);
  for (const machine::Strand& s : p.state.strands) bytes += of(s.slots);
  for (const machine::Cta& c : p.state.ctas)
    bytes += of(c.mbarriers) + of(c.words);
  for (const machine::InFlight& f : p.state.inflight) bytes += of(f.varying);
  constexpr size_t kNode = 64;  // of a map, beside what it holds
  return bytes + kNode * (p.shared_history.size() + p.shared_read.size());
}

Explorer::Explorer(const machine::Code& code, const Options& options)
    : code_(code),
      options_(options),
      warps_(static_cast<int32_t>(code.bound.block / kThreadsPerWarp)),
      snapshot_(
          code,
          static_cast<int32_t>(options.clusters * code.bound.cluster_size()),
          options.environment == nullptr ? machine::Inputs()
                                         : options.environment->inputs),
      machine_({&code}, snapshot_.memory(), machine::Grouping::kWarps),
      visible_(FindVisible(code)),
      read_matters_(options.both_milestones
                        ? std::vector<bool>(code.ops.size(), true)
                        : FindReadMatters(code)) {}

SearchState Explorer::Start() {
  SearchState p;
  p.state = machine_.Start();
  for (int64_t i = 0; i < options_.clusters; ++i)
    machine_.Launch(p.state, 0, options_.cluster + i);
  size_t ctas = p.state.ctas.size();
  p.state.grids[0].next_cluster = options_.cluster + options_.clusters;
  HandOut(p);
  p.issued.resize(ctas * warps_);
  p.uses.resize(p.issued.size());
  p.executed.resize(p.issued.size());
  p.history.resize(snapshot_.words());
  p.read.resize(p.issued.size() * p.history.size());
  machine_.SettleAll(p.state);
  snapshot_.Save(p.memory);
  TakeFindings();
  return p;
}

void Explorer::TakeFindings() {
  findings_.clear();
  for (const ir::Diagnostic& f : machine_.findings()) {
    // Who judges the schedule tells its warnings.
    bool stops = f.severity == ir::Severity::kError && !LeftToOrder(f);
    if (stops) findings_.push_back(f);
  }
}

// What the next request of cluster launch control finds.
void Explorer::HandOut(SearchState& p) const {
  if (options_.environment == nullptr || !options_.environment->handed_out)
    return;
  const auto& all = *options_.environment->handed_out;
  auto next = static_cast<size_t>(p.requests);
  p.state.grids[0].next_cluster =
      next < all.size() ? all[next]
                        : code_.bound.ctas() / code_.bound.cluster_size();
}

bool Explorer::Make(SearchState& p, const Move& move) {
  machine_.ForgetFindings();
  snapshot_.Restore(p.memory);
  bool made = move.operation < 0 ? Step(p, move) : Reach(p, move);
  // Control code is nobody else's business: every strand stands at an op or
  // inside a barrier, always.
  if (made) machine_.SettleAll(p.state);
  snapshot_.Save(p.memory);
  TakeFindings();
  return made && findings_.empty();
}

int32_t Explorer::SlotOf(const SearchState& p, const Move& move) const {
  Issuer wanted{move.cta, move.warp, move.operation};
  for (size_t i = 0; i < p.state.inflight.size(); ++i) {
    if (p.state.inflight[i].live && p.issuers[i] == wanted)
      return static_cast<int32_t>(i);
  }
  return -1;
}

bool Explorer::Step(SearchState& p, const Move& move) {
  int32_t strand = StrandOf(p.state, move);
  if (strand < 0) return false;
  for (bool parts_left = true; parts_left;) {
    if (!StepPart(p, move, strand, &parts_left)) return false;
  }
  return true;
}

bool Explorer::StepPart(SearchState& p, const Move& move, int32_t strand,
                        bool* parts_left) {
  machine::StepResult r = machine_.Step(p.state, strand);
  if (r.kind != machine::StepResult::Kind::kExecuted) return false;
  *parts_left = r.parts_left;
  // A warpgroup's op is its first warp's.
  const ir::ConcreteOp& concrete = machine_.last_concrete();
  auto warp = static_cast<int16_t>(concrete.threads.first_warp);
  size_t index = WarpIndex(move.cta, warp);
  Executed& executed = p.executed[index];
  auto assign = [&](const Use& use) {
    Assign(p, absl::HashOf(move.cta, warp, p.uses[index]++), executed.trace,
           use, r.op);
  };
  if (r.round && r.round->named())
    assign({{move.cta, -1 - r.round->id, 0}, r.round->generation});
  const ir::ThreadSet& threads = concrete.threads;
  for (const machine::BarrierUse& use : r.uses)
    assign({use.barrier, use.phase,
            absl::HashOf(threads.lanes, threads.electors, use.sem, use.scope,
                         use.ForCluster())});
  if (code_.ops[r.op].control)
    Words(p, {move.cta, warp}, concrete, Milestone::kIssue);
  Trace(executed, r.op, concrete);
  for (int32_t slot : r.issued) {
    if (p.issuers.size() <= static_cast<size_t>(slot))
      p.issuers.resize(slot + 1);
    p.issuers[slot] = {move.cta, warp, p.issued[index]++};
  }
  return true;
}

bool Explorer::Reach(SearchState& p, const Move& move) {
  int32_t slot = SlotOf(p, move);
  if (slot < 0) return false;
  const machine::InFlight f = p.state.inflight[slot];
  if (!f.read && move.milestone == Milestone::kDone)
    ReachOne(p, slot, f, Milestone::kRead, move);
  ReachOne(p, slot, f, move.milestone, move);
  return true;
}

void Explorer::ReachOne(SearchState& p, int32_t slot,
                        const machine::InFlight& f, Milestone milestone,
                        const Move& move) {
  uint64_t nth = 0;
  for (const machine::BarrierUse& use :
       machine_.Reach(p.state, slot, milestone))
    Assign(p,
           absl::HashOf(move.cta, move.warp, move.operation, milestone, nth++),
           0, {use.barrier, use.phase}, f.op);
  if (!f.is_track && code_.ops[f.op].control)
    Words(p, move, machine_.ConcreteOf(p.state, f), milestone);
}

void Explorer::Trace(Executed& executed, int32_t op,
                     const ir::ConcreteOp& concrete) {
  sink_.Clear();
  ir::EffectsOf(concrete, sink_);
  bool accesses = false, orders = false;
  for (const ir::Effect& e : sink_.effects()) {
    // Uses of barriers are told by their phases.
    if (e.Is(ir::kUsesBarrier)) continue;
    const bool memory = e.Is(ir::kAccesses) && concrete.is_tile(e.operand) &&
                        concrete.tile(e.operand).space != ir::Space::kReg;
    accesses = accesses || memory;
    orders = orders || !e.Is(ir::kAccesses);
  }
  // Words that decide control: see Word.
  if (code_.ops[op].control) accesses = false;
  if (!accesses && (!orders || executed.last == op)) return;
  executed.trace = absl::HashOf(executed.trace, HashOf(op, concrete));
  executed.last = op;
}

uint64_t Explorer::OrderOf(const SearchState& p) {
  uint64_t out = p.assignment;
  for (const Executed& e : p.executed) out = absl::HashOf(out, e.trace);
  return out;
}

// What a read may rely on of earlier writes follows from all of them and their
// order. A read that finds what its warp has read before tells it nothing: so a
// thread that polls in vain stays where it is.
void Explorer::Words(SearchState& p, const Move& move,
                     const ir::ConcreteOp& concrete, Milestone milestone) {
  sink_.Clear();
  ir::EffectsOf(concrete, sink_);
  auto size = static_cast<int32_t>(code_.bound.cluster_size());
  for (const ir::Effect& e : sink_.effects()) {
    if (e.kind == EffectKind::kClcCancel && e.at == milestone) {
      ++p.requests;
      HandOut(p);
    }
    if (!e.Is(ir::kAccesses) || e.at != milestone ||
        !concrete.is_tile(e.operand))
      continue;
    const ir::TileValue& tile = concrete.tile(e.operand);
    for (int rank : machine::RanksMeant(e, concrete, size)) {
      int32_t cta = move.cta - concrete.cluster_rank + rank;
      Snapshot::Words words = snapshot_.WordsOf(cta, tile);
      const size_t warp = WarpIndex(move.cta, move.warp);
      for (int32_t word = words.begin; word < words.end; ++word)
        Word(p, move, e.kind, word, p.history[word],
             p.read[warp * p.history.size() + word]);
      const bool found = code_.guide != nullptr && e.sem != ir::Sem::kWeak &&
                         tile.space == ir::Space::kShared;
      if (found) SharedAccess(p, move, e, cta, tile.start[0]);
    }
  }
}

// Shared memory of compiled code has no declarations, which would be its words.
// What a strong read relies on depends on whose write it finds, not on the
// value. An atomic that leaves the word as its warp has left it before is a
// poll in vain.
void Explorer::SharedAccess(SearchState& p, const Move& move,
                            const ir::Effect& effect, int32_t cta,
                            int32_t place) {
  const int64_t at = int64_t{cta} << 32 | place;
  const size_t warp = WarpIndex(move.cta, move.warp);
  SharedWord& word = p.shared_history[at];
  uint64_t& read = p.shared_read[{warp, at}];
  if (effect.kind != EffectKind::kWrite)
    return Word(p, move, effect.kind, -1 - at, word.history, read);
  const bool atomic = std::any_of(
      sink_.effects().begin(), sink_.effects().end(), [&](const ir::Effect& f) {
        return f.kind == EffectKind::kRead && f.operand == effect.operand;
      });
  const bool releases =
      effect.sem != ir::Sem::kRelaxed && effect.sem != ir::Sem::kAcquire;
  std::optional<uint64_t> value;
  for (const machine::KnownWord& w : p.state.ctas[cta].words) {
    if (w.at == place) value = w.value;
  }
  const uint64_t trace = p.executed[warp].trace;
  if (atomic && !releases && read == word.history && value &&
      value == word.value && word.warp == warp && word.trace == trace)
    return;
  Word(p, move, effect.kind, -1 - at, word.history, read);
  word.value = value;
  word.warp = warp;
  word.trace = trace;
  if (atomic) read = word.history;
}

void Explorer::Word(SearchState& p, const Move& move, EffectKind kind,
                    int64_t word, uint64_t& history, uint64_t& read) {
  const size_t warp = WarpIndex(move.cta, move.warp);
  if (kind == EffectKind::kRead && read != history) {
    p.assignment += absl::HashOf(move, p.uses[warp]++, p.executed[warp].trace,
                                 word, history);
    read = history;
  } else if (kind == EffectKind::kWrite) {
    history = absl::HashOf(history, move, p.uses[warp]++);
  }
}

void Explorer::Assign(SearchState& p, uint64_t who, uint64_t after,
                      const Use& use, int32_t op) {
  p.assignment += absl::HashOf(who, after, use.barrier, use.phase, use.how);
  auto [first, fresh] = first_use_.try_emplace(who, use);
  const machine::BarrierLife& b = first->second.barrier;
  bool same = b.cta == use.barrier.cta && b.index == use.barrier.index;
  if (fresh || !same || first->second.phase == use.phase) return;
  bool told = std::any_of(deviations_.begin(), deviations_.end(),
                          [&](const Deviation& d) { return d.op == op; });
  if (told) return;
  deviations_.push_back({op, b.cta, b.index, {first->second.phase, use.phase}});
}

bool Explorer::Finished(const SearchState& p) const {
  return std::all_of(
      p.state.strands.begin(), p.state.strands.end(),
      [](const Strand& s) { return s.status == Strand::Status::kFree; });
}

std::vector<ir::Diagnostic> Explorer::Stuck(const SearchState& p) {
  machine::State copy = p.state;
  return machine::ExplainDeadlock(machine_, copy);
}

}  // namespace tilesim::checkers::explore
