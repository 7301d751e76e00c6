#include "hwtests/emit/hex_text.h"

namespace tilesim::hwtests {

std::string HexText(uint64_t value, int digits) {
  std::string text;
  for (; value != 0 || digits > 0; value >>= 4, --digits)
    text.insert(text.begin(), "0123456789abcdef"[value & 15]);
  return "0x" + text;
}

}  // namespace tilesim::hwtests
