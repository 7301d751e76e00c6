// Whether operators that are not defined for each right operand (operators.h)
// get one for which they are, at every size and in every CTA: asked of the
// solver, with what the text says of the operand and of when it is evaluated.
#ifndef TILESIM_CHECKERS_GRID_DEFINED_H_
#define TILESIM_CHECKERS_GRID_DEFINED_H_

#include <optional>
#include <vector>

#include "checkers/grid/accesses.h"
#include "checkers/grid/example.h"

namespace tilesim::checkers::grid {

// It was not shown of the operator.
struct Undefined {
  const ir::Expr* expr = nullptr;
  // Where it would not be defined if nothing but the text that was followed
  // decided.
  std::optional<Example> where;
};

// Empty: all are defined. One of each place of the text.
std::vector<Undefined> NotShownDefined(const Accesses& accesses);

}  // namespace tilesim::checkers::grid

#endif  // TILESIM_CHECKERS_GRID_DEFINED_H_
