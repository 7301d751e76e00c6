// Strands: who is inside a scope, dividing and merging.
#include <algorithm>
#include <bit>
#include <optional>
#include <string>
#include <utility>

#include "ir/cat.h"
#include "sim/machine/machine.h"
#include "sim/machine/slots.h"

namespace tilesim::machine {
namespace {

// The part of a strand's threads inside scopes: a set of warps, of the CTA, and
// lanes of each.
struct Part {
  uint32_t warps;
  uint32_t lanes;
  uint32_t electors;
};

uint32_t WarpRange(int64_t low, int64_t high) {
  low = std::clamp<int64_t>(low, 0, ir::kMaxWarps);
  high = std::clamp<int64_t>(high, low, ir::kMaxWarps);
  return static_cast<uint32_t>((uint64_t{1} << high) - (uint64_t{1} << low));
}

uint32_t LaneRange(int64_t low, int64_t high) {
  low = std::clamp<int64_t>(low, 0, ir::kWarpThreads);
  high = std::clamp<int64_t>(high, 0, ir::kWarpThreads);
  if (high <= low) return 0;
  uint64_t upto = (uint64_t{1} << high) - 1;
  return static_cast<uint32_t>(upto & ~((uint64_t{1} << low) - 1));
}

uint32_t WarpsOf(ir::Scope::Kind kind, int64_t low, int64_t high) {
  constexpr int64_t kWarps = ir::kWarpgroupWarps;
  switch (kind) {
    case ir::Scope::Kind::kWarps:
      return WarpRange(low, high);
    case ir::Scope::Kind::kWarpgroups:
      return WarpRange(low * kWarps, high * kWarps);
    case ir::Scope::Kind::kThreads:
      return WarpRange(low / ir::kWarpThreads, ir::WarpsOf(high));
    case ir::Scope::Kind::kLanes:
    case ir::Scope::Kind::kElect:
      break;
  }
  return WarpRange(0, ir::kMaxWarps);
}

// False: the scope cuts through several warps differently; divide them first.
bool NarrowLanes(ir::Scope::Kind kind, int64_t low, int64_t high, Part& part) {
  if (kind == ir::Scope::Kind::kLanes) part.lanes &= LaneRange(low, high);
  if (kind == ir::Scope::Kind::kElect) {
    // One of one is known.
    if ((part.lanes & (part.lanes - 1)) != 0) part.electors = part.lanes;
    part.lanes &= -part.lanes;
  }
  if (kind != ir::Scope::Kind::kThreads || part.warps == 0) return true;
  std::optional<uint32_t> lanes;
  for (int w = 0; w < ir::kMaxWarps; ++w) {
    if ((part.warps >> w & 1) == 0) continue;
    uint32_t here = LaneRange(low - int64_t{w} * ir::kWarpThreads,
                              high - int64_t{w} * ir::kWarpThreads);
    if (lanes && here != *lanes) return false;
    lanes = here;
  }
  part.lanes &= *lanes;
  return true;
}

}  // namespace

void Machine::Narrow(State& state, int32_t strand, const Instr& instr,
                     StepResult& result) {
  const Code& code = code_of(state.ctas[state.strands[strand].cta]);
  Strand& s = state.strands[strand];
  Who who = WhoIs(state, s);
  const int first = s.threads.first_warp, end = first + s.threads.warps;
  Part part{WarpRange(first, end), s.threads.lanes, s.threads.electors};
  for (int k = 0; k < instr.count;) {
    uint32_t united = 0;
    do {
      const CompiledScope& scope = code.scopes[instr.a + k];
      int64_t low = Evaluate(code, scope.low, s.slots.data(), who).value_or(0);
      int64_t high =
          Evaluate(code, scope.high, s.slots.data(), who).value_or(0);
      // `warp e` compiles high as e (+1 when constant).
      if (!scope.high.constant && high == low) high = low + 1;
      const uint32_t warps = part.warps & WarpsOf(scope.kind, low, high);
      Part alone{warps, part.lanes, part.electors};
      if (!NarrowLanes(scope.kind, low, high, alone)) {
        SplitForVaries(state, strand, Varies::kWarp, result);
        return;  // the same instruction again, one warp at a time
      }
      united |= warps;
      part.lanes = alone.lanes;  // of united warps all
      part.electors = alone.electors;
    } while (++k < instr.count && code.scopes[instr.a + k].also);
    part.warps = united;
  }
  if (part.warps == 0 || part.lanes == 0) {
    s.pc = instr.b;
    return;
  }
  // The first neighbours that are inside go on. Those behind them execute the
  // same instruction again, if some are inside.
  const int in = std::countr_zero(part.warps);
  const int out = in + std::countr_one(part.warps >> in);
  const int32_t here = s.pc;
  if (in > first) SplitOff(state, strand, first, in - first, instr.b, result);
  if (end > out) {
    bool more = (part.warps & ~WarpRange(0, out)) != 0;
    SplitOff(state, strand, out, end - out, more ? here : instr.b, result);
  }
  Strand& self = state.strands[strand];
  self.frames.push_back({self.threads.lanes, self.threads.electors, self.role});
  self.threads.lanes = part.lanes;
  self.threads.electors = part.electors;
  if (instr.role >= 0) self.role = static_cast<int16_t>(instr.role);
  ++self.pc;
}

int32_t Machine::SplitOff(State& state, int32_t strand, int first_warp,
                          int warps, int32_t pc, StepResult& result) {
  int32_t slot = TakeSlot(state.strands, state.free_strands);
  state.strands[slot] = state.strands[strand];
  Strand& other = state.strands[slot];
  other.threads.first_warp = static_cast<uint16_t>(first_warp);
  other.threads.warps = static_cast<uint16_t>(warps);
  other.pc = pc;
  Strand& self = state.strands[strand];
  if (first_warp == self.threads.first_warp)
    self.threads.first_warp = static_cast<uint16_t>(first_warp + warps);
  self.threads.warps = static_cast<uint16_t>(self.threads.warps - warps);
  Cta& cta = state.ctas[self.cta];
  cta.strands.push_back(slot);
  // Operations in flight belong to both: each waits for its own share.
  for (int32_t f : cta.inflight) {
    auto& owners = state.inflight[f].owners;
    if (std::find(owners.begin(), owners.end(), strand) != owners.end())
      owners.push_back(slot);
  }
  result.strands.push_back(slot);
  if (observer_ != nullptr) observer_->Divided(strand, slot);
  return slot;
}

void Machine::SplitForVaries(State& state, int32_t strand, Varies varies,
                             StepResult& result) {
  int unit = varies == Varies::kWarp ? 1 : ir::kWarpgroupWarps;
  for (;;) {
    const Strand& s = state.strands[strand];
    int first = s.threads.first_warp, end = first + s.threads.warps;
    int next = (first / unit + 1) * unit;
    if (next >= end) return;
    // The strand keeps the first unit; the last one splits off.
    int last = (end - 1) / unit * unit;
    SplitOff(state, strand, last, end - last, s.pc, result);
  }
}

void Machine::FinishNamed(State& state, int32_t strand, StepResult& result) {
  Strand& s = state.strands[strand];
  const NamedBarrier& b = state.ctas[s.cta].named[s.waiting];
  if (b.generation == s.generation) {
    result.kind = StepResult::Kind::kBlocked;
    result.signal = {Signal::Kind::kNamed, s.cta, s.waiting};
    return;
  }
  s.status = Strand::Status::kRunning;
  if (grouping_ == Grouping::kTogether && TryMerge(state, strand))
    result.merged = true;
}

// What the other has in flight and this strand has not is waited for as of the
// same age: as old as the oldest, where nothing is so old.
void Machine::JoinGroups(State& state, int32_t strand, int32_t other) {
  for (size_t kind = 0; kind < ir::kGroupKinds; ++kind) {
    GroupQueue& q = state.strands[strand].groups[kind];
    const GroupQueue& theirs = state.strands[other].groups[kind];
    if (theirs.groups.empty() || q == theirs) continue;
    if (q.groups.empty()) {
      q = theirs;
      continue;
    }
    for (int32_t f : state.ctas[state.strands[strand].cta].inflight) {
      InFlight& op = state.inflight[f];
      auto owned = [&](int32_t by) {
        return std::find(op.owners.begin(), op.owners.end(), by) !=
               op.owners.end();
      };
      if (static_cast<size_t>(op.group) != kind || op.is_track ||
          !owned(other) || owned(strand))
        continue;
      uint32_t age = theirs.next - op.number;
      op.number = age <= q.next ? q.next - age : q.groups.front().number;
      auto at = std::lower_bound(
          q.groups.begin(), q.groups.end(), op.number,
          [](const GroupQueue::Group& g, uint32_t n) { return g.number < n; });
      if (at == q.groups.end() || at->number != op.number)
        at = q.groups.insert(at, {op.number, 0, 0});
      at->unread += op.read ? 0 : 1;
      ++at->undone;
    }
  }
}

void Machine::Absorb(State& state, int32_t strand, int32_t other) {
  JoinGroups(state, strand, other);
  Strand& s = state.strands[strand];
  Strand& o = state.strands[other];
  s.threads.first_warp = std::min(s.threads.first_warp, o.threads.first_warp);
  s.threads.warps = static_cast<uint16_t>(s.threads.warps + o.threads.warps);
  Cta& cta = state.ctas[s.cta];
  for (int32_t f : cta.inflight) {
    auto& owners = state.inflight[f].owners;
    auto it = std::find(owners.begin(), owners.end(), other);
    if (it == owners.end()) continue;
    owners.erase(it);
    if (std::find(owners.begin(), owners.end(), strand) == owners.end())
      owners.push_back(strand);
  }
  Remove(cta.strands, other);
  if (observer_ != nullptr) observer_->Absorbed(strand, other);
  o = Strand();
  state.free_strands.push_back(other);
}

void Machine::CompareScalars(const State& state, const Strand& a,
                             const Strand& b) {
  const Code& code = code_of(state.ctas[a.cta]);
  const Instr& op = code.instrs[a.pc];
  for (int16_t slot : code.live[a.pc]) {
    if (a.slots[slot] == b.slots[slot]) continue;
    const auto& names = code.kernel().slot_names;
    bool named = static_cast<size_t>(slot) < names.size();
    std::string limit =
        ir::Cat("on line ", op.span.text_line(),
                " the warps of a warpgroup have different ", "values of ",
                named ? names[slot] : "a bound of a loop",
                ", of which only one is followed");
    if (std::find(limits_.begin(), limits_.end(), limit) == limits_.end())
      limits_.push_back(std::move(limit));
  }
}

bool Machine::MayMerge(const State& state, const Strand& a,
                       const Strand& b) const {
  auto idle = [](const Strand& s) {
    return std::all_of(s.groups.begin(), s.groups.end(),
                       [](const GroupQueue& q) { return q.groups.empty(); });
  };
  auto follows = [](const Strand& first, const Strand& second) {
    return first.threads.first_warp + first.threads.warps ==
           second.threads.first_warp;
  };
  bool same = a.pc == b.pc && a.role == b.role && a.status == b.status &&
              a.threads.lanes == b.threads.lanes &&
              a.threads.electors == b.threads.electors &&
              a.frames == b.frames && a.cluster_phase == b.cluster_phase &&
              a.cluster_arrived == b.cluster_arrived;
  if (!same || (!follows(a, b) && !follows(b, a)) || !idle(a) || !idle(b))
    return false;
  const Code& code = code_of(state.ctas[a.cta]);
  return std::all_of(
      code.live[a.pc].begin(), code.live[a.pc].end(),
      [&](int16_t slot) { return a.slots[slot] == b.slots[slot]; });
}

bool Machine::MergeWaiting(State& state, int32_t strand, int32_t other) {
  if (!MayMerge(state, state.strands[strand], state.strands[other]))
    return false;
  Absorb(state, other, strand);
  return true;
}

// Leaving a named barrier: into a neighbour that is still inside it.
bool Machine::TryMerge(State& state, int32_t strand) {
  Strand& s = state.strands[strand];
  s.status = Strand::Status::kInNamed;
  for (int32_t other : state.ctas[s.cta].strands) {
    const Strand& o = state.strands[other];
    if (other == strand || o.waiting != s.waiting ||
        o.generation != s.generation)
      continue;
    if (MergeWaiting(state, strand, other)) return true;
  }
  s.status = Strand::Status::kRunning;
  return false;
}

}  // namespace tilesim::machine
