// What tcgen05 ops share: addresses in tensor memory, operands of an mma.
#ifndef TILESIM_HWTESTS_EMIT_TCGEN05_OPERANDS_H_
#define TILESIM_HWTESTS_EMIT_TCGEN05_OPERANDS_H_

#include <optional>
#include <string>

#include "hwtests/emit/matrix_operand.h"

namespace tilesim::hwtests {

// "_pair" with .cta_group::2.
std::string PairSuffix(const OpEmitter& e);

// The address of a tile's first element: lane in bits 16 on, column below.
std::string TmemAddress(OpEmitter& e, const TileRef& tile);

// The same of scale factors (ir/tmem.h).
std::string ScaleAddress(OpEmitter& e, const TileRef& tile);

// Operands d, a, b of either mma.
struct Tcgen05Operands {
  InstructionShape shape;
  std::optional<MatrixOperand> a;  // absent: tensor memory
  MatrixOperand b;
  int64_t instructions = 0;  // along K
};

// `scales`: the tile of A's scale factors. nullopt after a diagnostic.
std::optional<Tcgen05Operands> Tcgen05OperandsOf(OpEmitter& e,
                                                 const TileRef* scales);

std::string Tcgen05DescriptorText(const MatrixOperand& m);

}  // namespace tilesim::hwtests

#endif  // TILESIM_HWTESTS_EMIT_TCGEN05_OPERANDS_H_
