// registers/order: a warpgroup changes its number of registers again before
// all of its warps have synchronised (PTX 9.7.19.5).
#ifndef TILESIM_CHECKERS_PAIRWISE_REGISTER_COUNTS_H_
#define TILESIM_CHECKERS_PAIRWISE_REGISTER_COUNTS_H_

#include <cstdint>
#include <map>
#include <utility>

#include "checkers/pairwise/checker.h"

namespace tilesim::checkers::pairwise {

class RegisterCounts : public Checker {
 public:
  std::span<const ir::Code> codes() const override;
  void OnOp(const Context& context, int32_t event) override;

 private:
  struct Change {
    int32_t event;
    absl::InlinedVector<order::Mark, 4> marks;  // of its warps
    uint32_t warps = 0;                         // that have executed it
  };
  static bool JoinsIn(const run::Log& log, const Change& change, int32_t event,
                      uint32_t warps);
  // By CTA and warpgroup: the last one.
  std::map<std::pair<int32_t, int32_t>, Change> last_;
};

}  // namespace tilesim::checkers::pairwise

#endif  // TILESIM_CHECKERS_PAIRWISE_REGISTER_COUNTS_H_
