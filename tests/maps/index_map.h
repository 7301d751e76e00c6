// Random kernels whose CTAs each store at places that index arithmetic names,
// with `/` and `%` by parameters: as a program, and as the list of places.
#ifndef TILESIM_TESTS_MAPS_INDEX_MAP_H_
#define TILESIM_TESTS_MAPS_INDEX_MAP_H_

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "ir/bind.h"
#include "tests/maps/expression.h"

namespace tilesim::checkers::maps {

// Values that a parameter may have.
struct Domain {
  std::string name;
  int64_t low = 1, high = 12, step = 1;
};

using Place = std::vector<int64_t>;

struct IndexMap {
  // How a CTA comes by the values of `t` for which it stores.
  enum class Turns {
    kOne,         // `first`
    kPersistent,  // from `first` by grid.x below `end`
    kPiece        // from `first` by 1 below `end`
  };

  std::string form;   // which kind of arithmetic
  std::string store;  // which op
  std::vector<Domain> domains;
  std::vector<E> permitted;  // conditions on sizes
  std::vector<E> grid;       // three
  Turns turns = Turns::kOne;
  E first, end;
  std::vector<E> conditions;  // under which CTAs store: 0 or 1
  std::vector<E> index;
  // Extents of the tensor; none: larger than places are.
  std::vector<E> shape;
  // Words that a store covers, beginning at the last index.
  int64_t words = 1;

  std::string Text() const;
  bool Permits(const ir::Overrides& sizes) const;
  // Whether two stores of one launch, by different CTAs, meet.
  bool CollidesAt(const ir::Overrides& sizes) const;
  // Whether a CTA stores beyond the tensor.
  bool LeavesAt(const ir::Overrides& sizes) const;
  // At sizes of at most `top` each.
  bool CollidesUpTo(int64_t top) const;
  bool LeavesUpTo(int64_t top) const;

 private:
  bool AnyUpTo(int64_t top,
               const std::function<bool(const ir::Overrides&)>& is) const;
};

IndexMap RandomIndexMap(uint64_t seed);

}  // namespace tilesim::checkers::maps

#endif  // TILESIM_TESTS_MAPS_INDEX_MAP_H_
