#include "checkers/order/agents.h"

namespace tilesim::checkers::order {
using run::Event;
using run::Log;

namespace {

using Masks = absl::InlinedVector<uint32_t, 2>;

// Divides the classes so that each lies inside or outside `mask`.
void Refine(Masks& classes, uint32_t mask) {
  for (size_t i = 0, n = classes.size(); i < n; ++i) {
    uint32_t inside = classes[i] & mask, outside = classes[i] & ~mask;
    if (inside == 0 || outside == 0) continue;
    classes[i] = inside;
    classes.push_back(outside);
  }
}

}  // namespace

Agents::Agents(const Log& log, Unit unit)
    : warps_(static_cast<int32_t>(log.code->bound.block / ir::kWarpThreads)) {
  std::vector<Masks> classes(static_cast<size_t>(log.ctas) * warps_,
                             Masks{ir::kAllLanes});
  for (const Event& e : log.events) {
    if (unit == Unit::kWarps) break;
    for (int w = 0; w < e.threads().warps; ++w)
      Refine(classes[e.cta * warps_ + e.threads().first_warp + w],
             e.threads().lanes);
  }
  of_warp_.resize(classes.size());
  for (size_t i = 0; i < classes.size(); ++i) {
    for (uint32_t lanes : classes[i]) {
      of_warp_[i].push_back(size());
      agents_.push_back({static_cast<int32_t>(i) / warps_,
                         static_cast<int32_t>(i) % warps_, lanes});
    }
  }
}

const Agents::List& Agents::Of(int32_t cta,
                               const ir::ThreadSet& threads) const {
  Who who{cta, threads.first_warp, threads.warps, threads.lanes};
  if (last_ != nullptr && last_->first == who) return last_->second;
  auto [known, fresh] = known_.try_emplace(who);
  last_ = &*known;
  if (!fresh) return known->second;
  for (int w = 0; w < threads.warps; ++w) {
    for (int32_t agent : of_warp_[cta * warps_ + threads.first_warp + w]) {
      if ((agents_[agent].lanes & threads.lanes) != 0)
        known->second.push_back(agent);
    }
  }
  return known->second;
}

}  // namespace tilesim::checkers::order
