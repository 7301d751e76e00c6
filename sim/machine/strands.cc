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
  guide_of(state.ctas[self.cta]).Divide(self, other);
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

void Machine::Absorb(State& state, int32_t strand, int32_t other, bool forced) {
  JoinGroups(state, strand, other);
  Strand& s = state.strands[strand];
  Strand& o = state.strands[other];
  guide_of(state.ctas[s.cta]).Join(*this, state, s, o, forced);
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
  return guide_of(state.ctas[a.cta]).MayJoin(a, b);
}

bool Machine::MergeWaiting(State& state, int32_t strand, int32_t other) {
  if (!MayMerge(state, state.strands[strand], state.strands[other]))
    return false;
  Absorb(state, other, strand, false);
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
