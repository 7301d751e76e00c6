// Starts of boxes that the text shows to be multiples of a number, whatever the
// sizes:
//
//   bulk.store F[(t % P * Q + t / P) * 4 :+ 4], s
//
// Such numbers are no polynomials, so a run cannot decide it for a family.
#ifndef TILESIM_CHECKERS_SIZES_STATE_TEXT_MULTIPLE_H_
#define TILESIM_CHECKERS_SIZES_STATE_TEXT_MULTIPLE_H_

#include <cstdint>

#include "ir/expr.h"
#include "ir/op.h"
#include "sim/machine/code.h"

namespace tilesim::checkers::sizes::state {

// Of a global tensor, of which there are no arrays. Null: all of the dimension.
const ir::Expr* StartOf(const ir::Ref& ref, int dim);

// A number that divides both the expression and `of`, whatever the sizes.
int64_t DivisorOf(const machine::Code& code, const ir::Expr& e, int64_t of);

// False: it is not seen.
bool IsMultiple(const machine::Code& code, const ir::Expr& e, int64_t by);

}  // namespace tilesim::checkers::sizes::state

#endif  // TILESIM_CHECKERS_SIZES_STATE_TEXT_MULTIPLE_H_
