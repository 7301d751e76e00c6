#include "checkers/order/agents.h"

#include <algorithm>

namespace tilesim::checkers::order {
using run::Event;
using run::Log;

namespace {

using Masks = Agents::Masks;

// Of lanes 0 to i at most one a place: more than any warp divides into. Should
// there be more, those beyond are taken for the lowest lane of theirs.
constexpr size_t kElections = 32;

// Divides the classes so that each lies inside or outside `mask`.
void Refine(Masks& classes, uint64_t mask) {
  for (size_t i = 0, n = classes.size(); i < n; ++i) {
    uint64_t inside = classes[i] & mask, outside = classes[i] & ~mask;
    if (inside == 0 || outside == 0) continue;
    classes[i] = inside;
    classes.push_back(outside);
  }
}

// Divides each class of several lanes.
void Twin(Masks& classes) {
  for (size_t i = 0, n = classes.size(); i < n; ++i) {
    const uint32_t lanes = static_cast<uint32_t>(classes[i]);
    if ((lanes & (lanes - 1)) == 0) continue;
    const uint64_t lowest = lanes & -lanes;
    classes.push_back(classes[i] & ~lowest);
    classes[i] = lowest;
  }
}

}  // namespace

Agents::Agents(const Log& log, Unit unit)
    : at_once_(unit == Unit::kWarps),
      warps_(static_cast<int32_t>(log.code->bound.block / ir::kWarpThreads)) {
  std::vector<Masks> classes(static_cast<size_t>(log.ctas) * warps_,
                             Masks{ir::kAllLanes});
  const bool whole = unit == Unit::kWarps || unit == Unit::kParts;
  if (!whole) FindElections(log, classes);
  for (const Event& e : log.events) {
    if (whole) break;
    for (int w = 0; w < e.threads().warps; ++w)
      Refine(classes[e.cta * warps_ + e.threads().first_warp + w],
             LanesOf(e.threads()));
  }
  if (unit == Unit::kTwins) {
    for (Masks& masks : classes) Twin(masks);
  }
  of_warp_.resize(classes.size());
  elected_of_warp_.resize(classes.size());
  for (size_t i = 0; i < classes.size(); ++i) {
    for (uint64_t lanes : classes[i]) {
      of_warp_[i].push_back(size());
      agents_.push_back({static_cast<int32_t>(i) / warps_,
                         static_cast<int32_t>(i) % warps_, lanes});
      if (agents_.back().only_elected())
        elected_of_warp_[i].push_back(size() - 1);
    }
  }
}

// Nobody is elected in a warp but by itself.
void Agents::FindElections(const Log& log, std::vector<Masks>& classes) {
  for (const Event& e : log.events) {
    uint32_t among = e.threads().electors;
    if (among == 0) continue;
    auto known = std::find(elections_.begin(), elections_.end(), among);
    const int64_t i = known - elections_.begin();
    if (i == kElections) continue;
    if (known == elections_.end()) elections_.push_back(among);
    for (int w = 0; w < e.threads().warps; ++w)
      classes[e.cta * warps_ + e.threads().first_warp + w][0] |=
          uint64_t{1} << (ir::kWarpThreads + i);
  }
}

Agents::List Agents::Among(const Agent& elected) const {
  uint32_t among = 0;
  for (size_t i = 0; i < elections_.size(); ++i) {
    if ((elected.lanes >> (ir::kWarpThreads + i) & 1) != 0)
      among |= elections_[i];
  }
  List out;
  for (int32_t i : of_warp_[elected.cta * warps_ + elected.warp]) {
    if ((agents_[i].lanes & among) != 0) out.push_back(i);
  }
  return out;
}

uint64_t Agents::LanesOf(const ir::ThreadSet& threads) const {
  uint64_t elected = 0;
  for (size_t i = 0; i < elections_.size(); ++i) {
    uint64_t one = uint64_t{1} << (ir::kWarpThreads + i);
    if (threads.electors == elections_[i]) return one;
    if ((elections_[i] & ~threads.lanes) == 0) elected |= one;
  }
  return threads.lanes | elected;
}

const Agents::List& Agents::Of(int32_t cta,
                               const ir::ThreadSet& threads) const {
  Who who{cta, threads.first_warp, threads.warps, threads.lanes,
          threads.electors};
  if (last_ != nullptr && last_->first == who) return last_->second;
  auto [known, fresh] = known_.try_emplace(who);
  last_ = &*known;
  if (!fresh) return known->second;
  uint64_t lanes = LanesOf(threads);
  for (int w = 0; w < threads.warps; ++w) {
    for (int32_t agent : of_warp_[cta * warps_ + threads.first_warp + w]) {
      if ((agents_[agent].lanes & lanes) != 0) known->second.push_back(agent);
    }
  }
  return known->second;
}

Agents::List Agents::In(const Agent& agent) const {
  List out;
  for (int32_t i : of_warp_[agent.cta * warps_ + agent.warp]) {
    if ((agents_[i].lanes & ~agent.lanes) == 0) out.push_back(i);
  }
  return out;
}

}  // namespace tilesim::checkers::order
