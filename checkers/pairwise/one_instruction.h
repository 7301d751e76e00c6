// Threads that write the same bytes in one instruction of compiled code. Boxes
// of
// `.tile` text give each thread its own; addresses need not.
#ifndef TILESIM_CHECKERS_PAIRWISE_ONE_INSTRUCTION_H_
#define TILESIM_CHECKERS_PAIRWISE_ONE_INSTRUCTION_H_

#include "checkers/pairwise/checker.h"

namespace tilesim::checkers::pairwise {

class OneInstruction : public Checker {
 public:
  std::span<const ir::Code> codes() const override;
  void OnOp(const Context& context, int32_t event) override;

 private:
  run::OpInstanceSet seen_;
};

}  // namespace tilesim::checkers::pairwise

#endif  // TILESIM_CHECKERS_PAIRWISE_ONE_INSTRUCTION_H_
