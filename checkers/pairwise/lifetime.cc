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
  order::ForEachReach(
      context.log, event, [&](int32_t target, int32_t operation) {
        for (int32_t agent :
             context.order.agents().Of(context.log.events[event]))
          all_.push_back({event, target, operation, context.order.mark(agent)});
      });
}

// Of what is asynchronous the certificate knows more: which milestones come
// before which, whoever has a part of them.
void Lifetime::OnEnd(const Context& context) {
  if (all_.empty() || !context.log.finished) return;
  const Ends told(context.any_sem.AtEnd());
  std::erase_if(all_, [&](const Reach& r) { return told.Outlives(r); });
  if (all_.empty()) return;
  const Ends enforced(context.enforced.AtEnd());
  for (const Reach& reach : all_) {
    if (reach.operation >= 0 && enforced.Outlives(reach)) continue;
    order::ReportLifetime(context.log, reach, "may have ended when",
                          context.findings);
  }
}

}  // namespace tilesim::checkers::pairwise
