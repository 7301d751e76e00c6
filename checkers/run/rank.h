// Which CTA goes on where several could: the one that comes first does all that
// it can before the others do anything, and asks again for what it waits for
// after each op of theirs. So it sees each number that a word is on the way,
// and the last one sees none that others have gone on from.
#ifndef TILESIM_CHECKERS_RUN_RANK_H_
#define TILESIM_CHECKERS_RUN_RANK_H_

#include <algorithm>
#include <cstdint>
#include <vector>

#include "sim/machine/state.h"

namespace tilesim::checkers::run {

enum class Rank : uint8_t { kNone, kFirstGoesOn, kLastGoesOn };

inline std::vector<int32_t> StrandsByRank(const machine::State& state,
                                          Rank rank) {
  std::vector<int32_t> ctas(state.ctas.size());
  for (size_t i = 0; i < ctas.size(); ++i) ctas[i] = static_cast<int32_t>(i);
  if (rank == Rank::kLastGoesOn) std::reverse(ctas.begin(), ctas.end());
  std::vector<int32_t> out;
  for (int32_t cta : ctas) {
    const auto& strands = state.ctas[cta].strands;
    out.insert(out.end(), strands.begin(), strands.end());
  }
  return out;
}

}  // namespace tilesim::checkers::run

#endif  // TILESIM_CHECKERS_RUN_RANK_H_
