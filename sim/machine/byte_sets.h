// Sets of bytes that no box describes: what each thread of an op touches, as
// its guide has found. Boxes of compiled code are in one dimension; where one
// is not all touched, it has the number of a set, whose bytes count from its
// start. Of registers, a set has their numbers.
#ifndef TILESIM_SIM_MACHINE_BYTE_SETS_H_
#define TILESIM_SIM_MACHINE_BYTE_SETS_H_

#include <algorithm>
#include <compare>
#include <cstdint>
#include <map>
#include <vector>

#include "ir/concrete.h"

namespace tilesim::machine {

// The set of a box; -1: it is all of it. (It is kept in a start that a box of
// one dimension does not use, so that other sets are other operands.)
inline int32_t SetOf(const ir::TileValue& box) {
  return static_cast<int32_t>(box.start[1]) - 1;
}
inline void PutSet(int32_t set, ir::TileValue& box) { box.start[1] = set + 1; }

class ByteSets {
 public:
  struct Run {
    int64_t begin = 0, end = 0;
    friend auto operator<=>(const Run&, const Run&) = default;
  };
  // What those lanes of those warps touch, all of them all of it.
  struct Part {
    int32_t first_warp = 0, warps = 0;
    uint32_t lanes = ir::kAllLanes;
    std::vector<Run> runs;

    bool Has(const ir::ThreadSet& t) const {
      return first_warp < t.first_warp + t.warps &&
             t.first_warp < first_warp + warps && (lanes & t.lanes) != 0;
    }
    friend auto operator<=>(const Part&, const Part&) = default;
  };
  using Parts = std::vector<Part>;

  // The number of a set; equal sets have one.
  int32_t Of(Parts parts) {
    auto [at, fresh] = numbers_.try_emplace(std::move(parts),
                                            static_cast<int32_t>(sets_.size()));
    if (fresh) sets_.push_back(&at->first);
    return at->second;
  }
  const Parts& operator[](int32_t set) const { return *sets_[set]; }

  // Calls f(run) for what those threads touch.
  template <typename F>
  void ForRuns(int32_t set, const ir::ThreadSet& threads, F f) const {
    for (const Part& part : *sets_[set]) {
      if (!part.Has(threads)) continue;
      for (const Run& run : part.runs) f(run);
    }
  }
  // How many they touch, each thread counted for itself.
  int64_t BytesOf(int32_t set, const ir::ThreadSet& threads) const {
    int64_t bytes = 0;
    for (const Part& part : *sets_[set]) {
      const int first = std::max<int>(part.first_warp, threads.first_warp);
      const int end = std::min<int>(part.first_warp + part.warps,
                                    threads.first_warp + threads.warps);
      const int lanes = __builtin_popcount(part.lanes & threads.lanes);
      for (const Run& run : part.runs)
        bytes += std::max(0, end - first) * lanes * (run.end - run.begin);
    }
    return bytes;
  }

 private:
  std::map<Parts, int32_t> numbers_;
  std::vector<const Parts*> sets_;
};

}  // namespace tilesim::machine

#endif  // TILESIM_SIM_MACHINE_BYTE_SETS_H_
