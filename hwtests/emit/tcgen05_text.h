// The text of one tcgen05.ld or .st wrapper, .32x32b: made for the number of
// registers that a kernel moves.
#ifndef TILESIM_HWTESTS_EMIT_TCGEN05_TEXT_H_
#define TILESIM_HWTESTS_EMIT_TCGEN05_TEXT_H_

#include <cstdint>
#include <string>

namespace tilesim::hwtests {

struct TmemMove {
  bool load = true;
  int64_t registers = 1;  // a power of two, at most 128
  bool real = true;       // float registers
  bool halves = false;    // a register for the low halves of two columns
};

std::string TmemMoveName(const TmemMove& move);  // "tcgen05_ld_x32"
std::string TmemMoveText(const TmemMove& move);

}  // namespace tilesim::hwtests

#endif  // TILESIM_HWTESTS_EMIT_TCGEN05_TEXT_H_
