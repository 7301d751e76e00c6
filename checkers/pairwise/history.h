// The accesses to a place that later ones are compared with. Those that reach
// to nothing of interest are passed over many at a time.
#ifndef TILESIM_CHECKERS_PAIRWISE_HISTORY_H_
#define TILESIM_CHECKERS_PAIRWISE_HISTORY_H_

#include <algorithm>
#include <utility>
#include <vector>

#include "checkers/order/access.h"

namespace tilesim::checkers::pairwise {

class History {
 public:
  void Add(order::Access access) {
    if (blocks_.empty() || blocks_.back().all.size() == kBlock)
      blocks_.push_back({access.reach, false, {}});
    Block& last = blocks_.back();
    last.writes |= access.write;
    last.reach.begin = std::min(last.reach.begin, access.reach.begin);
    last.reach.end = std::max(last.reach.end, access.reach.end);
    last.all.push_back(std::move(access));
  }

  // Calls f(earlier) for those that may have bytes within `reach`, oldest
  // first. For `only_writes` it need not be called for reads: operations that
  // nobody waits for leave thousands.
  template <typename F>
  void ForNear(const footprint::Interval& reach, bool only_writes, F f) const {
    for (const Block& block : blocks_) {
      if (only_writes && !block.writes) continue;
      if (!block.reach.Overlaps(reach)) continue;
      for (const order::Access& a : block.all) {
        if (a.reach.Overlaps(reach)) f(a);
      }
    }
  }

  // The same for an f that takes bytes away; who has none left is forgotten.
  template <typename F>
  void ChangeNear(const footprint::Interval& reach, F f) {
    bool gone = false;
    for (Block& block : blocks_) {
      if (!block.reach.Overlaps(reach)) continue;
      bool emptied = false;
      for (order::Access& a : block.all) {
        if (!a.reach.Overlaps(reach)) continue;
        f(a);
        emptied |= a.bytes.empty();
      }
      if (!emptied) continue;
      std::erase_if(block.all,
                    [](const order::Access& a) { return a.bytes.empty(); });
      gone |= block.all.empty();
    }
    if (gone)
      std::erase_if(blocks_, [](const Block& b) { return b.all.empty(); });
  }

 private:
  static constexpr size_t kBlock = 16;
  struct Block {
    footprint::Interval reach;  // that all of it lies in
    bool writes = false;        // there may be one
    std::vector<order::Access> all;
  };

  std::vector<Block> blocks_;
};

}  // namespace tilesim::checkers::pairwise

#endif  // TILESIM_CHECKERS_PAIRWISE_HISTORY_H_
