// Which operands of an op touch global memory, and how.
#ifndef TILESIM_CHECKERS_GRID_TOUCHES_H_
#define TILESIM_CHECKERS_GRID_TOUCHES_H_

#include <cstdint>
#include <vector>

#include "sim/machine/code.h"

namespace tilesim::checkers::grid {

struct Touch {
  int operand = -1;
  int32_t decl = -1;
  bool write = false;
  bool atomic = false;  // for the whole grid: it races with none of its like
};

// Each operand once as read and once as written.
std::vector<Touch> TouchesOf(const machine::Code& code,
                             const machine::CompiledOp& op);

}  // namespace tilesim::checkers::grid

#endif  // TILESIM_CHECKERS_GRID_TOUCHES_H_
