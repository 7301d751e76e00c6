// What stands for a cell: a family, and clusters of the cell's instance that
// are judged and walked for it.
#ifndef TILESIM_CHECKERS_SIZES_REPRESENTATIVE_H_
#define TILESIM_CHECKERS_SIZES_REPRESENTATIVE_H_

#include <cstdint>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "checkers/sizes/family.h"
#include "checkers/sizes/size_cell.h"

namespace tilesim::checkers::sizes {

// Of more clusters in one grid, not each is looked at.
constexpr int64_t kMaxClusters = 32;

struct Representative {
  Family family;
  std::set<int64_t> clusters;
  // Nothing but these clusters is in the cell.
  bool alone = false;
};

// The parameters of a cell, in its order.
using Varied = std::vector<const ir::Param*>;
// Two of them, by index, that count by their product, which the first has.
using Factors = std::optional<std::pair<Symbol, Symbol>>;

// `code` keeps its parameters and is bound for the instance, whose grid may
// have no such clusters: nullopt.
std::optional<Representative> RepresentativeOf(const SizeCell& cell,
                                               const machine::Code& code,
                                               const Varied& params,
                                               const Factors& factors);

}  // namespace tilesim::checkers::sizes

#endif  // TILESIM_CHECKERS_SIZES_REPRESENTATIVE_H_
