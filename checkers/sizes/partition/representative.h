// What stands for a cell: a family that has everything in the cell as a member,
// and clusters of the cell's instance that are judged and run for it. Where it
// is not said which cluster is meant, the family's position is a symbol of its
// own: what is shown of it is shown of all of them, and any one will do.
#ifndef TILESIM_CHECKERS_SIZES_PARTITION_REPRESENTATIVE_H_
#define TILESIM_CHECKERS_SIZES_PARTITION_REPRESENTATIVE_H_

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "checkers/sizes/partition/size_cell.h"
#include "checkers/sizes/state/family.h"

namespace tilesim::checkers::sizes::partition {

// Of more clusters in one grid, not each is checked.
constexpr int64_t kMaxClusters = 32;

struct Representative {
  state::Family family;
  std::set<int64_t> clusters;
  // Nothing but these clusters is in the cell.
  bool alone = false;
};

// The parameters of a cell, in its order.
using Varied = std::vector<const ir::Param*>;
// Two of them, by index, that count by their product, which the first has.
using Factors = std::optional<std::pair<algebra::Symbol, algebra::Symbol>>;
// Those that are counted in tiles of so many steps, by index.
using Tiles = std::map<algebra::Symbol, int64_t>;

// `code` keeps its parameters and is bound for the instance, whose grid may
// have no such clusters: nullopt.
std::optional<Representative> RepresentativeOf(const SizeCell& cell,
                                               const machine::Code& code,
                                               const Varied& params,
                                               const Factors& factors,
                                               const Tiles& tiles);

}  // namespace tilesim::checkers::sizes::partition

#endif  // TILESIM_CHECKERS_SIZES_PARTITION_REPRESENTATIVE_H_
