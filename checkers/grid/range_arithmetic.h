// Operators on ranges of numbers. What would not fit in 64 bits is an error of
// the program (type/overflow), so that no number comes of it.
#ifndef TILESIM_CHECKERS_GRID_RANGE_ARITHMETIC_H_
#define TILESIM_CHECKERS_GRID_RANGE_ARITHMETIC_H_

#include <string_view>

#include "checkers/grid/ranges.h"
#include "ir/expr.h"

namespace tilesim::checkers::grid {

// One of the two.
Range United(const Range& a, const Range& b);

Range Negated(const Range& a);
Range Applied(ir::ExprOp op, const Range& a, const Range& b);
Range Called(std::string_view name, const Range& a, const Range& b);

// What is left of `a` where `a op b` holds. Nobody has a number of a range that
// is empty.
Range Where(ir::ExprOp op, const Range& a, const Range& b);
bool IsEmpty(const Range& a);

// `a op b` is `b Turned(op) a`, and is not `a Opposite(op) b`.
ir::ExprOp Turned(ir::ExprOp op);
ir::ExprOp Opposite(ir::ExprOp op);

}  // namespace tilesim::checkers::grid

#endif  // TILESIM_CHECKERS_GRID_RANGE_ARITHMETIC_H_
