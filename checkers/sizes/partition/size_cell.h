// A cell of the size partition: a part of what a kernel may be launched with,
// clusters in grids of all sizes, as polynomials over natural numbers.
//
//   S = 128 + 128 s, CTAs s - q, 0 <= q <= s    whatever s and q are
//
// A cell is divided by writing something else for one of its symbols: s = 0 and
// s + 1 for s; 4 s, 4 s + 1 ... 4 s + 3. The instance that stands for it has 0
// for all of them.
#ifndef TILESIM_CHECKERS_SIZES_PARTITION_SIZE_CELL_H_
#define TILESIM_CHECKERS_SIZES_PARTITION_SIZE_CELL_H_

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "checkers/sizes/algebra/facts.h"
#include "checkers/sizes/algebra/polynomial.h"
#include "checkers/sizes/state/symbols.h"

namespace tilesim::checkers::sizes::partition {

// A symbol that is still there.
struct Axis {
  std::string name;    // what it says something of
  int64_t stride = 1;  // first steps of it that are one now
  int64_t steps = 0;   // that lie below
};

// Where a cell has its clusters in one dimension of the grid; or which numbers
// they draw, of those that count in a word.
struct Placing {
  algebra::Polynomial at, clusters;  // of so many
};

class SizeCell {
 public:
  // Parameters that may vary, and where.
  std::vector<algebra::Polynomial> params;
  // What a parameter that is counted in tiles lacks of the last one; else 0.
  std::vector<algebra::Polynomial> lacking;
  std::array<std::optional<Placing>, state::kTicketDim + 1> positions;
  // Clusters that cluster launch control hands out to one. There are as many as
  // that takes: parameters that are `loose`, by index, decide nothing else, and
  // have their lowest value here.
  std::optional<algebra::Polynomial> handed_out;
  std::set<size_t> loose;
  algebra::Facts facts;
  std::map<algebra::Symbol, Axis> axes;

  bool open() const { return !axes.empty(); }
  bool placed() const;  // in some dimension of the grid
  // `value`, in which it may be itself, in place of a symbol.
  void Replace(algebra::Symbol symbol, const algebra::Polynomial& value);
  // Leaves its lowest value, or so many of them out.
  void Close(algebra::Symbol symbol);
  void Raise(algebra::Symbol symbol, int64_t by = 1);

  // Leaves out what the facts do, at the low end of the symbols. False: nothing
  // is left.
  bool Settle();
  // Whether its instance is one of it: no fact says that it is not.
  bool HasInstance() const;

 private:
  bool Apply(const algebra::Polynomial& fact, bool& changed);
};

}  // namespace tilesim::checkers::sizes::partition

#endif  // TILESIM_CHECKERS_SIZES_PARTITION_SIZE_CELL_H_
