// The accesses to a place that later ones are compared with. Those far from
// some bytes are passed over many at a time.
#ifndef TILESIM_CHECKERS_CHECKS_HISTORY_H_
#define TILESIM_CHECKERS_CHECKS_HISTORY_H_

#include <algorithm>
#include <utility>
#include <vector>

#include "checkers/checks/access.h"

namespace tilesim::checkers {

class History {
 public:
  void Add(Access access) {
    if (blocks_.empty() || blocks_.back().all.size() == kBlock)
      blocks_.push_back({access.bytes.hull(), {}});
    Block& last = blocks_.back();
    const Interval& hull = access.bytes.hull();
    last.hull.begin = std::min(last.hull.begin, hull.begin);
    last.hull.end = std::max(last.hull.end, hull.end);
    last.all.push_back(std::move(access));
  }

  // Calls f(earlier) for those that may have bytes in the hull, oldest first.
  template <typename F>
  void ForNear(const Interval& hull, F f) const {
    for (const Block& block : blocks_) {
      if (!block.hull.Overlaps(hull)) continue;
      for (const Access& a : block.all) {
        if (a.bytes.hull().Overlaps(hull)) f(a);
      }
    }
  }

  // The same for an f that takes bytes away; who has none left is forgotten.
  template <typename F>
  void ChangeNear(const Interval& hull, F f) {
    bool gone = false;
    for (Block& block : blocks_) {
      if (!block.hull.Overlaps(hull)) continue;
      bool emptied = false;
      for (Access& a : block.all) {
        if (!a.bytes.hull().Overlaps(hull)) continue;
        f(a);
        emptied |= a.bytes.empty();
      }
      if (!emptied) continue;
      std::erase_if(block.all, [](const Access& a) { return a.bytes.empty(); });
      gone |= block.all.empty();
    }
    if (gone)
      std::erase_if(blocks_, [](const Block& b) { return b.all.empty(); });
  }

 private:
  static constexpr size_t kBlock = 16;
  struct Block {
    Interval hull;  // that all of it lies in
    std::vector<Access> all;
  };

  std::vector<Block> blocks_;
};

}  // namespace tilesim::checkers

#endif  // TILESIM_CHECKERS_CHECKS_HISTORY_H_
