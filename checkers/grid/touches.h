// Which operands of an op touch global memory, and how.
#ifndef TILESIM_CHECKERS_GRID_TOUCHES_H_
#define TILESIM_CHECKERS_GRID_TOUCHES_H_

#include <cstdint>
#include <vector>

#include "checkers/grid/accesses.h"
#include "ir/atomic.h"
#include "sim/machine/code.h"

namespace tilesim::checkers::grid {

struct Touch {
  int operand = -1;
  int32_t decl = -1;
  bool write = false;
  ir::Atomic atomic = ir::Atomic::kNot;
};

// Each operand once as read and once as written.
std::vector<Touch> TouchesOf(const machine::Code& code,
                             const machine::CompiledOp& op);

// Whether `touch`, of one op's, is the write of a reduction: it adds to what is
// there, and elements that were undefined stay so.
bool AddsTo(const std::vector<Touch>& of_op, const Touch& touch);

// Which warps have parts of the box that the op moves between a global tensor
// and a fragment: how that is laid out over them (ir::Fragment).
Together PartsOf(const machine::Code& code, const ir::Op& op);

}  // namespace tilesim::checkers::grid

#endif  // TILESIM_CHECKERS_GRID_TOUCHES_H_
