// How elements lie in the 32-bit columns of a lane of tensor memory.
#ifndef TILESIM_IR_TMEM_H_
#define TILESIM_IR_TMEM_H_

#include "ir/bind.h"

namespace tilesim::ir {

inline constexpr int kColumnBits = 32;

// From one element of a lane to the next. An accumulator has a column an
// element, also of 16 bits; other tiles are packed (hardware.md A.8). Its
// columns say which of the two a tile is.
inline int StepBits(const BoundDecl& tmem) {
  int bits = values::BitsOf(tmem.dtype);
  bool unpacked = bits == kColumnBits / 2 && tmem.rank > 0 &&
                  tmem.columns == tmem.shape[tmem.rank - 1];
  return unpacked ? kColumnBits : bits;
}

}  // namespace tilesim::ir

#endif  // TILESIM_IR_TMEM_H_
