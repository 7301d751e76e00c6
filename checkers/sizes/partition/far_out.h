// Sizes far out. Where in global memory iterations are that lie far apart is
// not shown: what they do to each other there is tried, once for each symbol,
// in the cell in which a step of it is largest. Places that come again are
// further apart there than anywhere, so what comes again within so many steps
// is seen.
#ifndef TILESIM_CHECKERS_SIZES_PARTITION_FAR_OUT_H_
#define TILESIM_CHECKERS_SIZES_PARTITION_FAR_OUT_H_

#include <cstdint>
#include <map>
#include <vector>

#include "checkers/sizes/partition/size_cell.h"

namespace tilesim::checkers::sizes::partition {

class FarOut {
 public:
  // A cell that has been shown.
  void Note(const SizeCell& cell);
  void Clear() { noted_.clear(); }

  // For each symbol the cell, and it.
  struct Noted {
    algebra::Symbol symbol;
    const SizeCell& cell;
  };
  std::vector<Noted> all() const;

  // By how many steps a symbol is raised, one after another until that gives
  // sizes that are permitted.
  static std::vector<int64_t> Tries();

 private:
  struct Largest {
    int64_t step;
    SizeCell cell;
  };
  std::map<algebra::Symbol, Largest> noted_;
};

}  // namespace tilesim::checkers::sizes::partition

#endif  // TILESIM_CHECKERS_SIZES_PARTITION_FAR_OUT_H_
