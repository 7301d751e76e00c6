// Families: clusters in grids of many sizes, as polynomials.
#ifndef TILESIM_CHECKERS_SIZES_STATE_FAMILY_H_
#define TILESIM_CHECKERS_SIZES_STATE_FAMILY_H_

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include "checkers/run/flags.h"
#include "checkers/run/ticket.h"
#include "checkers/sizes/algebra/facts.h"
#include "checkers/sizes/algebra/symbolic.h"
#include "checkers/sizes/state/text_bounds.h"

namespace tilesim::checkers::sizes::state {

// `of` and `by` are the same number.
struct Rewrite {
  algebra::Polynomial of;  // without a base
  algebra::Polynomial by;
};

// The same number, with what is known of it: in each term that has the first
// term of an `of` as a factor, all of that is replaced.
algebra::Polynomial Rewritten(algebra::Polynomial number,
                              const std::vector<Rewrite>& rewrites);

// A global tensor, by dimension.
struct TensorShape {
  std::vector<algebra::Symbolic> extents;
  std::vector<algebra::Symbolic> strides;  // elements
};

// Those whose parameters, by slot, and whose position are these, for all values
// of the symbols in them that are known to be possible.
struct Family {
  std::map<int32_t, algebra::Polynomial> params;
  std::array<algebra::Polynomial, 3>
      cta;  // added to a CTA's position in the grid
  std::array<algebra::Symbolic, 3> grid;  // CTAs (launch_shape.h)
  std::vector<Rewrite> known;
  // Clusters that cluster launch control hands out to the one that runs.
  std::optional<algebra::Polynomial> handed_out;
  // What the CTA draws in the run, and the number that is in all of them.
  std::optional<run::Ticket> ticket;
  algebra::Polynomial number;
  std::optional<algebra::Polynomial> count;  // CTAs that draw from its word
  std::vector<run::Flags> flags;  // that the CTA finds set when it asks
  // Of the tensors of which ops name what must be there (launch_shape.h).
  std::map<int32_t, TensorShape> shapes;
  std::set<BoxSide> inside;  // that the text shows to be (text_bounds.h)
  algebra::Facts facts;
};

}  // namespace tilesim::checkers::sizes::state

#endif  // TILESIM_CHECKERS_SIZES_STATE_FAMILY_H_
