// Queries of cluster launch control, as the text of a loop has them.
#ifndef TILESIM_CHECKERS_GRID_QUERY_H_
#define TILESIM_CHECKERS_GRID_QUERY_H_

#include <algorithm>
#include <cstdint>
#include <optional>
#include <set>
#include <vector>

#include "absl/functional/function_ref.h"
#include "ir/program.h"

namespace tilesim::checkers::grid {

// The operands of a query that get the coordinates of a cluster, and the one
// that says whether there is one.
struct Query {
  const ir::Op* op = nullptr;
  int32_t canceled = -1;  // slots
  std::vector<int32_t> coordinates;
  // Behind it in its block: what is made of the answer, `x = x + cluster.rank`.
  std::vector<const ir::Stmt*> adjusts;

  bool Answers(int32_t slot) const {
    return slot == canceled ||
           std::count(coordinates.begin(), coordinates.end(), slot) != 0;
  }
};

// The query of the body of a loop, which comes to it in each iteration, if what
// is set behind it is made of its answer and of what the loop does not set;
// the loop sets `set`. `query_of`: nullopt of an op that is none.
std::optional<Query> OnlyQuery(
    const ir::Block& body, const std::set<int32_t>& set,
    absl::FunctionRef<std::optional<Query>(const ir::Op&)> query_of);

}  // namespace tilesim::checkers::grid

#endif  // TILESIM_CHECKERS_GRID_QUERY_H_
