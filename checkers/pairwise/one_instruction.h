// What one instruction does to itself:
//
//   threads write the same bytes, in compiled code, where each has an address;
//   of `.tile` text warps, or warpgroups, that have a register tile each and
//   store all of them to one box
//   an operand that it writes lies over another one that it reads: a product
//   over the matrix that it multiplies
#ifndef TILESIM_CHECKERS_PAIRWISE_ONE_INSTRUCTION_H_
#define TILESIM_CHECKERS_PAIRWISE_ONE_INSTRUCTION_H_

#include "checkers/pairwise/checker.h"

namespace tilesim::checkers::pairwise {

class OneInstruction : public Checker {
 public:
  std::span<const ir::Code> codes() const override;
  void OnOp(const Context& context, int32_t event) override;
  void OnAccesses(const Context& context,
                  const order::Accesses& accesses) override;

 private:
  static void Tell(const Context& context, const run::Event& e, int operand);
  static void TellHeld(const Context& context, const run::Event& e, int operand,
                       int held);
  static void Over(const Context& context, const order::Access& write,
                   const order::Access& read);

  run::OpInstanceSet seen_;
};

}  // namespace tilesim::checkers::pairwise

#endif  // TILESIM_CHECKERS_PAIRWISE_ONE_INSTRUCTION_H_
