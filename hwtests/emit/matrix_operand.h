// A shared-memory operand of wgmma or tcgen05.mma: how its descriptor is made
// and how it moves along K.
#ifndef TILESIM_HWTESTS_EMIT_MATRIX_OPERAND_H_
#define TILESIM_HWTESTS_EMIT_MATRIX_OPERAND_H_

#include <cstdint>
#include <optional>
#include <string>

#include "hwtests/emit/descriptor.h"
#include "hwtests/emit/op_emitter.h"

namespace tilesim::hwtests {

struct MatrixOperand {
  std::string address;  // of the first instruction's part
  MatrixLayout layout;
  bool mn_major = false;
  int64_t mn = 0;  // rows of A, or of B as N x K
  int64_t k = 0;   // elements
  // Along K: instruction i starts `step` bytes after the one before, and where
  // a panel ends `panel_step` bytes after the start of the panel before.
  int64_t first = 0;  // instructions into its first panel
  int64_t step = 0;
  int64_t per_panel = 0;  // instructions a panel; 0: all in one
  int64_t panel_step = 0;

  // What is added to the descriptor for instruction `kk`, as text: "2 * kk".
  std::string Advance(const std::string& kk, int64_t instructions) const;
};

// Tile operand `i` of the op as a matrix operand, K cut into pieces of 32
// bytes (`k_bytes` wide). nullopt after a diagnostic.
std::optional<MatrixOperand> MatrixOperandOf(OpEmitter& e, int i);

}  // namespace tilesim::hwtests

#endif  // TILESIM_HWTESTS_EMIT_MATRIX_OPERAND_H_
