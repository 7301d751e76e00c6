// Codes of integer formats as 64-bit numbers.
#ifndef TILESIM_SIM_MACHINE_DATA_INTEGERS_H_
#define TILESIM_SIM_MACHINE_DATA_INTEGERS_H_

#include <cstdint>

#include "ir/values/dtype.h"

namespace tilesim::machine {

// u64 as the int64 of the same bits.
inline int64_t IntegerOf(values::DType type, uint64_t code) {
  int unused = 64 - values::BitsOf(type);
  uint64_t top = code << unused;
  return values::Info(type).is_signed() ? static_cast<int64_t>(top) >> unused
                                        : static_cast<int64_t>(top >> unused);
}

}  // namespace tilesim::machine

#endif  // TILESIM_SIM_MACHINE_DATA_INTEGERS_H_
