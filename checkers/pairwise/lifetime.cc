#include "checkers/pairwise/lifetime.h"

#include <algorithm>

#include "checkers/run/peeks.h"

namespace tilesim::checkers::pairwise {
using order::Ends;
using order::Reach;

std::span<const ir::Code> Lifetime::codes() const {
  static constexpr ir::Code kCodes[] = {"cluster/lifetime"};
  return kCodes;
}

// Each of the threads that execute the event reaches there.
void Lifetime::OnEvent(const Context& context, int32_t event) {
  const run::Event& e = context.log.events[event];
  if (e.kind == run::Event::Kind::kOp) {
    for (const run::BarrierUse& use : e.uses) {
      if (!use.Is(ir::kAsks) || run::IsPeek(use)) continue;
      int64_t& last = seen_.try_emplace(use.barrier, use.phase).first->second;
      last = std::max(last, use.phase);
    }
  }
  order::ForEachReach(context.log, event, [&](Reach reach) {
    for (int32_t agent : context.order.agents().Of(e)) {
      reach.mark = context.order.mark(agent);
      all_.push_back(reach);
    }
  });
}

// A signal that counted in a phase which a thread of the CTA has seen to be
// over, or in one before it.
bool Lifetime::HasSeen(const run::Log& log, const Reach& reach) const {
  if (reach.use < 0) return false;
  const run::BarrierUse& use = log.events[reach.event].uses[reach.use];
  const auto last = seen_.find(use.barrier);
  return last != seen_.end() && last->second >= use.phase;
}

// Of what is asynchronous the certificate knows more: which milestones come
// before which, whoever has a part of them. It is over when somebody has waited
// for it. What a thread does itself is over for those that a release of it
// reaches, and where it was seen, whatever that orders.
void Lifetime::OnEnd(const Context& context) {
  if (all_.empty() || !context.log.finished) return;
  const std::vector<Reach> all = all_;
  const auto executed =
      std::stable_partition(all_.begin(), all_.end(),
                            [](const Reach& r) { return r.operation >= 0; });
  if (executed != all_.end()) {
    order::LateOrder released(context.log, context.order.agents(),
                              order::Order::Kind::kReleased);
    const Ends ends(released.AtEnd());
    for (auto reach = executed; reach != all_.end(); ++reach) {
      if (!ends.Outlives(*reach) && !HasSeen(context.log, *reach) &&
          !ends.HasRead(*reach))
        Report(context, *reach, "may have ended when");
    }
    all_.erase(executed, all_.end());
  }
  if (all_.empty()) return;
  const Ends told(context.any_sem.AtEnd());
  std::erase_if(all_, [&](const Reach& r) { return told.Outlives(r); });
  if (all_.empty()) return;
  const Ends enforced(context.enforced.AtEnd());
  for (const Reach& reach : all_) {
    if (!enforced.Outlives(reach))
      Report(context, reach, enforced.EndsWhen(reach, all));
  }
}

void Lifetime::Report(const Context& context, const Reach& reach,
                      std::string_view what) {
  order::ReportLifetime(context.log, reach, what, context.findings);
}

}  // namespace tilesim::checkers::pairwise
