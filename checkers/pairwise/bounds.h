// bounds/*: boxes that reach outside what they name. Of tensor memory also
// lanes that a warp does not reach.
// layout/*, tcgen05/lanes: boxes that do not start where the op needs it, as a
// counter or a rank says (of constants legality says it).
#ifndef TILESIM_CHECKERS_PAIRWISE_BOUNDS_H_
#define TILESIM_CHECKERS_PAIRWISE_BOUNDS_H_

#include "checkers/pairwise/checker.h"

namespace tilesim::checkers::pairwise {

class Bounds : public Checker {
 public:
  std::span<const ir::Code> codes() const override;
  void OnOp(const Context& context, int32_t event) override;

 private:
  run::OpInstanceSet seen_;
};

}  // namespace tilesim::checkers::pairwise

#endif  // TILESIM_CHECKERS_PAIRWISE_BOUNDS_H_
