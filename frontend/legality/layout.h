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
// The box starts at a multiple of so many bytes, if its start is known.
void ByteAligned(OpCheck& c, int operand, int64_t bytes,
                 std::string_view source);
// The box of a swizzled tile starts at a panel, and at a multiple of the eight
// rows after which the pattern repeats.
void OnPattern(OpCheck& c, int operand, std::string_view source);
// A matrix operand that a shared memory descriptor can describe
// (hardware.md E.1, E.2): swizzled, eight rows aligned, along K a multiple of
// `k` elements; the other way round when transposed.
void Descriptor(OpCheck& c, int operand, int64_t k, std::string_view source);

}  // namespace tilesim::frontend

#endif  // TILESIM_FRONTEND_LEGALITY_LAYOUT_H_
