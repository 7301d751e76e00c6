// race/waw in one box: strides of a tensor put two of its elements at one
// place, and an op writes both, in no order that is promised.
#ifndef TILESIM_CHECKERS_PAIRWISE_ONE_BOX_H_
#define TILESIM_CHECKERS_PAIRWISE_ONE_BOX_H_

#include "checkers/pairwise/checker.h"

namespace tilesim::checkers::pairwise {

class OneBox : public Checker {
 public:
  std::span<const ir::Code> codes() const override;
  void OnOp(const Context& context, int32_t event) override;

 private:
  run::OpInstanceSet seen_;
};

}  // namespace tilesim::checkers::pairwise

#endif  // TILESIM_CHECKERS_PAIRWISE_ONE_BOX_H_
