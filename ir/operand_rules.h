// Operands that only a run knows, and the numbers they may be: what legality
// asks of a constant holds of a variable as well, and `check` and `run` ask it
// of every op that is executed.
#ifndef TILESIM_IR_OPERAND_RULES_H_
#define TILESIM_IR_OPERAND_RULES_H_

#include <cstdint>
#include <optional>
#include <string>

#include "ir/bind.h"
#include "ir/code.h"
#include "ir/concrete.h"

namespace tilesim::ir {

// The pending count of an mbarrier has 20 bits (PTX 9.7.13.15.2).
inline constexpr int64_t kMaxArrivals = (1 << 20) - 1;
// Of a CTA (PTX 9.7.13.1, barrier).
inline constexpr int64_t kNamedBarriers = 16;

struct NumberRange {
  int64_t low = 0;
  int64_t high = 0;
  Code code;  // of a number outside
};

// nullopt: the operand is no number, or may be any.
std::optional<NumberRange> RangeOf(const BoundKernel& kernel, const OpInfo& op,
                                   int operand);

struct WrongOperand {
  Code code;  // parity/range, arrival-count/range, cluster/mask or /remote
  std::string message;
};
// The first that the op must not have.
std::optional<WrongOperand> WrongOperandOf(const BoundKernel& kernel,
                                           const ConcreteOp& op);

}  // namespace tilesim::ir

#endif  // TILESIM_IR_OPERAND_RULES_H_
