// Shared memory of another CTA of the cluster lives from that CTA's start to
// the end of its last thread: whoever touches it must know of the first and be
// known before the second (hardware.md A.9).
#ifndef TILESIM_CHECKERS_ORDER_LIFETIMES_H_
#define TILESIM_CHECKERS_ORDER_LIFETIMES_H_

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "checkers/order/entries.h"
#include "checkers/report/findings.h"

namespace tilesim::checkers::order {

// Whether a thread of the CTA has done something before what `clock` knows.
bool HasStarted(const Order& order, const Clock& clock, int32_t cta);

// Something of one CTA in another, `target`.
struct Reach {
  int32_t event = 0;
  int32_t target = 0;
  // Asynchronous: over when somebody has waited for it. -1: the event itself,
  // which is over when a release of its thread says so, or when somebody has
  // seen what it did there.
  int32_t operation = -1;
  // The event itself: a use of an mbarrier, of its uses; a strong access to
  // memory, its operand.
  int8_t use = -1, strong = -1;
  Mark mark{};
};

// Calls each(Reach), without a mark, for what the event touches in other CTAs
// of its cluster.
void ForEachReach(const run::Log& log, int32_t event,
                  const std::function<void(const Reach&)>& each);

// What the agents of an order know at the end of the run.
class Ends {
 public:
  explicit Ends(const Order& order);
  // Whether the target's last thread knows that it is over.
  bool Outlives(const Reach& reach) const;
  // Whether a thread of the target has read a word as the event itself left it.
  bool HasRead(const Reach& reach) const;
  // What is told of one that it does not outlive. Of compiled code, signals of
  // a thread's tcgen05.commits are told apart, behind which it has seen that of
  // a later one: PTX does not say that they come in order.
  std::string_view EndsWhen(const Reach& reach,
                            const std::vector<Reach>& all) const;

 private:
  using ThreadAndTarget = std::pair<int32_t, int32_t>;  // agent, CTA
  std::optional<ThreadAndTarget> CommitOf(const Reach& reach) const;

  const Order& order_;
  std::vector<Clock> finals_;  // by agent
  // Where the last tcgen05.commit was issued that the target has seen.
  mutable std::optional<std::map<ThreadAndTarget, int32_t>> last_seen_;
};

void ReportLifetime(const run::Log& log, const Reach& reach,
                    std::string_view what, report::Findings& findings);

// Of all schedules, beside the conditions of the certificate.
class Lifetimes {
 public:
  // `order` is the enforced one.
  Lifetimes(const Order& order, report::Findings& findings)
      : order_(order), findings_(findings) {}

  // After the order has finished the event.
  void After(int32_t event);
  void End();

 private:
  void Add(Reach reach);

  const Order& order_;
  report::Findings& findings_;
  std::vector<Reach> all_;
};

}  // namespace tilesim::checkers::order

#endif  // TILESIM_CHECKERS_ORDER_LIFETIMES_H_
