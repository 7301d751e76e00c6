// Finds conflicting accesses in one run. Of each place it keeps the accesses
// whose bytes nobody has overwritten since; an overwritten byte can conflict
// with nothing that does not conflict with the overwriting as well.
#ifndef TILESIM_CHECKERS_CHECKS_CONFLICTS_H_
#define TILESIM_CHECKERS_CHECKS_CONFLICTS_H_

#include <functional>
#include <map>
#include <vector>

#include "checkers/checks/checker.h"
#include "checkers/checks/history.h"

namespace tilesim::checkers {

class Conflicts {
 public:
  using Sink = std::function<void(const Conflict&)>;

  // `tensor`: the order of kind kTensor.
  Conflicts(const Log& log, LateOrder& tensor);

  // The accesses of an event that `order` has just finished.
  void Add(const Order& order, Accesses accesses, const Sink& sink);

 private:
  void Compare(const Order& order, const Place& place, const Access& later,
               const Sink& sink);
  void Keep(const Place& place, Access access);

  LateOrder& tensor_;
  std::vector<bool> boxes_;  // globals whose elements have bytes of their own
  std::map<Place, History> history_;
};

}  // namespace tilesim::checkers

#endif  // TILESIM_CHECKERS_CHECKS_CONFLICTS_H_
