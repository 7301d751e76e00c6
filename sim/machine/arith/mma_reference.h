// The tensor-core rule for one element of D of one instruction, slowly and
// plainly: sign, integer significand and exponent of every term, 128-bit sums.
//
// Written straight from docs/h200-readings.md 1.2. It shares no code with
// mma.h (it even decodes by itself), so that their agreement means something.
//
// Units: codes as in ir/values/dtype.h. a and b have rule.k codes; scales have
// rule.k / rule.scale_block codes, or none. D and C are codes of rule.d.
// Errors: none; spans of another length are our own bug and abort.
#ifndef TILESIM_SIM_MACHINE_ARITH_MMA_REFERENCE_H_
#define TILESIM_SIM_MACHINE_ARITH_MMA_REFERENCE_H_

#include <cstdint>
#include <span>

#include "ir/values/dtype.h"
#include "sim/machine/arith/mma_rule.h"

namespace tilesim::arith {

struct ReferenceOperand {
  DType type;
  std::span<const uint32_t> codes;
  std::span<const uint32_t> scales = {};
};

uint32_t ReferenceElement(const MmaRule& rule, const ReferenceOperand& a,
                          const ReferenceOperand& b, uint32_t c);

}  // namespace tilesim::arith

#endif  // TILESIM_SIM_MACHINE_ARITH_MMA_REFERENCE_H_
