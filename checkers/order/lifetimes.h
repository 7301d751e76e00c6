// Shared memory of another CTA of the cluster lives from that CTA's start to
// the end of its last thread: whoever touches it must know of the first and be
// known before the second (hardware.md A.9).
#ifndef TILESIM_CHECKERS_ORDER_LIFETIMES_H_
#define TILESIM_CHECKERS_ORDER_LIFETIMES_H_

#include <cstdint>
#include <vector>

#include "checkers/order/entries.h"
#include "checkers/report/findings.h"

namespace tilesim::checkers::order {

// Whether a thread of the CTA has done something before what `clock` knows.
bool HasStarted(const Order& order, const Clock& clock, int32_t cta);

class Lifetimes {
 public:
  // `order` is the enforced one.
  Lifetimes(const Order& order, report::Findings& findings)
      : order_(order), findings_(findings) {}

  // After the order has finished the event.
  void After(int32_t event);
  void End();

 private:
  struct Access {
    int32_t event;
    int32_t target;  // CTA
    int32_t operation;
    Mark mark;
  };

  void Add(int32_t event, int32_t target, int32_t operation);
  bool Outlives(const Access& access) const;
  void Report(const Access& access, std::string_view what);

  const Order& order_;
  report::Findings& findings_;
  std::vector<Access> accesses_;
  std::vector<Clock> finals_;  // by agent
};

}  // namespace tilesim::checkers::order

#endif  // TILESIM_CHECKERS_ORDER_LIFETIMES_H_
