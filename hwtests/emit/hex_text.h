// Numbers of the lowered code in base 16.
#ifndef TILESIM_HWTESTS_EMIT_HEX_TEXT_H_
#define TILESIM_HWTESTS_EMIT_HEX_TEXT_H_

#include <cstdint>
#include <string>

namespace tilesim::hwtests {

// "0x" and at least so many digits.
std::string HexText(uint64_t value, int digits = 1);

}  // namespace tilesim::hwtests

#endif  // TILESIM_HWTESTS_EMIT_HEX_TEXT_H_
