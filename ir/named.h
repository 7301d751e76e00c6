// What an expression names.
#ifndef TILESIM_IR_NAMED_H_
#define TILESIM_IR_NAMED_H_

#include <cstdint>

#include "ir/expr.h"

namespace tilesim::ir {

// Whether the scalar that is kept there is in it.
bool Names(const Expr& e, int32_t slot);
// Whether a variable is, that may have another value at another time.
bool NamesAVariable(const Expr& e);

}  // namespace tilesim::ir

#endif  // TILESIM_IR_NAMED_H_
