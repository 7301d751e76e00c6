// race/raw, race/war, race/waw: two accesses to the same bytes, at least one a
// write, that nothing orders.
#ifndef TILESIM_CHECKERS_PAIRWISE_RACE_H_
#define TILESIM_CHECKERS_PAIRWISE_RACE_H_

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "checkers/pairwise/checker.h"
#include "checkers/pairwise/unread.h"

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

  // In PTX all of shared memory is one thing: where else the same was found.
  struct Places {
    report::Finding* finding = nullptr;
    std::vector<std::pair<int32_t, int32_t>> lines;  // later, earlier
  };
  void Note(const Context& context, const Conflict& conflict,
            const std::string& same, report::Finding* found);

  std::vector<OfLanes> of_lanes_;
  std::map<std::string, Places> places_;
  Unread unread_;
};

}  // namespace tilesim::checkers::pairwise

#endif  // TILESIM_CHECKERS_PAIRWISE_RACE_H_
