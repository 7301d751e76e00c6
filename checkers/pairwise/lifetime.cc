#include "checkers/pairwise/lifetime.h"

#include <algorithm>

namespace tilesim::checkers::pairwise {
using order::Ends;
using order::Reach;

std::span<const ir::Code> Lifetime::codes() const {
  static constexpr ir::Code kCodes[] = {"cluster/lifetime"};
  return kCodes;
}

// Each of the threads that execute the event reaches there.
void Lifetime::OnEvent(const Context& context, int32_t event) {
  order::ForEachReach(context.log, event, [&](Reach reach) {
    for (int32_t agent : context.order.agents().Of(context.log.events[event])) {
      reach.mark = context.order.mark(agent);
      all_.push_back(reach);
    }
  });
}

// Of what is asynchronous the certificate knows more: which milestones come
// before which, whoever has a part of them. It is over when somebody has waited
// for it, and a signal when somebody has seen it, whatever either orders.
void Lifetime::OnEnd(const Context& context) {
  if (all_.empty() || !context.log.finished) return;
  const std::vector<Reach> all = all_;
  const auto weak = std::stable_partition(
      all_.begin(), all_.end(), [](const Reach& r) { return !r.weak; });
  if (weak != all_.end()) {
    order::LateOrder released(context.log, context.order.agents(),
                              order::Order::Kind::kReleased);
    const Ends ends(released.AtEnd());
    for (auto reach = weak; reach != all_.end(); ++reach) {
      if (!ends.Outlives(*reach))
        Report(context, *reach, "may have ended when");
    }
    all_.erase(weak, all_.end());
  }
  if (all_.empty()) return;
  const Ends told(context.any_sem.AtEnd());
  std::erase_if(all_, [&](const Reach& r) { return told.Outlives(r); });
  if (all_.empty()) return;
  const Ends enforced(context.enforced.AtEnd());
  for (const Reach& reach : all_) {
    if (reach.operation < 0 || !enforced.Outlives(reach))
      Report(context, reach, enforced.EndsWhen(reach, all));
  }
}

void Lifetime::Report(const Context& context, const Reach& reach,
                      std::string_view what) {
  order::ReportLifetime(context.log, reach, what, context.findings);
}

}  // namespace tilesim::checkers::pairwise
