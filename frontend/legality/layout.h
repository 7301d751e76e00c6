// Rules about where a box lies in memory. Each reports what does not fit.
#ifndef TILESIM_FRONTEND_LEGALITY_LAYOUT_H_
#define TILESIM_FRONTEND_LEGALITY_LAYOUT_H_

#include <string_view>

#include "frontend/legality/op_check.h"

namespace tilesim::frontend {

// A box of whole rows of an unswizzled shared tile.
void DenseRows(OpCheck& c, int operand, std::string_view source);
// A box whose elements are neighbours in memory.
void Dense(OpCheck& c, int operand, std::string_view source);
// A matrix operand that a shared memory descriptor can describe
// (hardware.md E.1, E.2): swizzled.
void Described(OpCheck& c, int operand, std::string_view source);
// The box starts where the op needs it (StartRule), as far as that is known.
void Placed(OpCheck& c, int operand);

}  // namespace tilesim::frontend

#endif  // TILESIM_FRONTEND_LEGALITY_LAYOUT_H_
