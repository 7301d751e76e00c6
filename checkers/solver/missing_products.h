// Products that a problem does not have, and without which its constraints
// cannot be multiplied by a factor. Of
//
//   i <= n - 1, q' <= q + i        and products n * b, q * b, q' * b
//
// it follows that q' * b <= q * b + n * b - b, but neither constraint can be
// multiplied by b as long as there is no i * b. A linear combination of
// constraints times b is that combination of the constraints times b; so once
// each can be multiplied, linear arithmetic combines them
// (reformulation-linearization, Sherali and Adams).
#ifndef TILESIM_CHECKERS_SOLVER_MISSING_PRODUCTS_H_
#define TILESIM_CHECKERS_SOLVER_MISSING_PRODUCTS_H_

#include "checkers/solver/bounds.h"
#include "checkers/solver/node.h"
#include "checkers/solver/solver.h"

namespace tilesim::checkers::solver {

// Adds products of a positive factor and the one variable of a fact that has
// none, and those of the variables of a sum that is multiplied by it, each with
// a variable of its own as its value; and to the root that the product of a sum
// is the sum of the products. As far as they are few. `bounds`: of the facts.
// False: there are none to add.
bool AddMissingProducts(const Bounds& bounds, Node& root, Problem& problem);

}  // namespace tilesim::checkers::solver

#endif  // TILESIM_CHECKERS_SOLVER_MISSING_PRODUCTS_H_
