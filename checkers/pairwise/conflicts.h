// Finds conflicting accesses in one run. Of each place it keeps the accesses
// whose bytes nobody has overwritten since; an overwritten byte can conflict
// with nothing that does not conflict with the overwriting as well.
#ifndef TILESIM_CHECKERS_PAIRWISE_CONFLICTS_H_
#define TILESIM_CHECKERS_PAIRWISE_CONFLICTS_H_

#include <functional>
#include <map>
#include <vector>

#include "checkers/pairwise/checker.h"
#include "checkers/pairwise/history.h"
#include "checkers/pairwise/lanes.h"

namespace tilesim::checkers::pairwise {

class Conflicts {
 public:
  using Sink = std::function<void(const Conflict&)>;

  // `tensor`: the order of kind kTensor.
  Conflicts(const run::Log& log, order::LateOrder& tensor,
            footprint::Footprints& footprints);

  // The accesses of an event that `order` has just finished.
  void Add(const order::Order& order, order::Accesses accesses,
           const Sink& sink);

 private:
  void Compare(const order::Order& order, const footprint::Place& place,
               const order::Access& later, const Sink& sink);
  void CompareLanes(const order::Order& order, const footprint::Place& place,
                    const order::Access& earlier, const order::Access& later,
                    const Sink& sink);
  void Keep(const footprint::Place& place, order::Access access);

  const run::Log& log_;
  order::LateOrder& tensor_;
  Lanes lanes_;
  std::vector<bool> boxes_;  // globals whose elements have bytes of their own
  std::map<footprint::Place, History> history_;
};

}  // namespace tilesim::checkers::pairwise

#endif  // TILESIM_CHECKERS_PAIRWISE_CONFLICTS_H_
