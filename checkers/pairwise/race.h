// race/raw, race/war, race/waw: two accesses to the same bytes, at least one a
// write, that nothing orders.
#ifndef TILESIM_CHECKERS_PAIRWISE_RACE_H_
#define TILESIM_CHECKERS_PAIRWISE_RACE_H_

#include <string>
#include <vector>

#include "checkers/pairwise/checker.h"

namespace tilesim::checkers::pairwise {

class Race : public Checker {
 public:
  std::span<const ir::Code> codes() const override;
  void OnConflict(const Context& context, const Conflict& conflict) override;
  void OnEnd(const Context& context) override;

 private:
  // A conflict of lanes: told if there is no other between the same two ops.
  struct OfLanes {
    ir::Code code;
    std::string same;
    ir::Diagnostic diagnostic;
  };

  std::vector<OfLanes> of_lanes_;
};

}  // namespace tilesim::checkers::pairwise

#endif  // TILESIM_CHECKERS_PAIRWISE_RACE_H_
