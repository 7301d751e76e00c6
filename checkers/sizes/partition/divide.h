// The ways to divide a cell. Each writes something for a symbol that takes all
// its values, in one of the cells that it is divided into, and none in two:
// whatever is in the cell is in one of those. Those with the smallest instances
// come first.
#ifndef TILESIM_CHECKERS_SIZES_PARTITION_DIVIDE_H_
#define TILESIM_CHECKERS_SIZES_PARTITION_DIVIDE_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "checkers/sizes/partition/size_cell.h"

namespace tilesim::checkers::sizes::partition {

using SizeCells = std::vector<SizeCell>;

// From so many steps on, those of a stride are not checked one by one, but as
// whole strides and a rest.
constexpr int64_t kLongStride = 3;

// Its lowest values are a cell each.
SizeCells Lowest(const SizeCell& cell, algebra::Symbol symbol, int64_t values);

// Every so many steps are a cell.
SizeCells Spread(const SizeCell& cell, algebra::Symbol symbol, int64_t times);

// Where a number is negative, and where it is not; nullopt: it depends on more
// than one symbol, or the first `least` values of that are not all alike.
std::optional<SizeCells> Cut(const SizeCell& cell,
                             const algebra::Polynomial& number, int64_t least);

// A number that becomes less by `step` in each turn of a loop decides by how
// often that goes into it, and by what is left:
//
//   n + 12 q - 5    n = 1584 t + rest - 12 q, 0 <= rest < 1584
//
// `t` takes the place of a symbol that there is one of; `rest` is a new one.
// nullopt: it may be negative in other ways than by its base, or has been
// counted.
std::optional<SizeCell> Counted(const SizeCell& cell,
                                const algebra::Polynomial& number,
                                int64_t step);

// Where a number is negative, and where it is not, if it has a symbol once, or
// once less: that becomes how far it is from there. With both, each where it is
// above.
//
//   n - q       n = n' + q;       q = q' + n + 1
//   n - 64 q    n = n' + 64 q;    n = 64 q - 1 - n', 0 <= n' < 64 q
//
// nullopt: it has no such symbol; or not both, and it is not to be `by_one`.
std::optional<SizeCells> Compared(const SizeCell& cell,
                                  const algebra::Polynomial& number,
                                  bool by_one);

// The clusters of a dimension, or by their numbers, are told apart, from the
// first or the last on; `clusters` are there.
SizeCell Placed(const SizeCell& cell, int d,
                const algebra::Polynomial& clusters, bool from_last);

}  // namespace tilesim::checkers::sizes::partition

#endif  // TILESIM_CHECKERS_SIZES_PARTITION_DIVIDE_H_
