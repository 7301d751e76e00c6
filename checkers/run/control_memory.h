// Memory whose values decide control: it must be there even when only order is
// wanted.
#ifndef TILESIM_CHECKERS_RUN_CONTROL_MEMORY_H_
#define TILESIM_CHECKERS_RUN_CONTROL_MEMORY_H_

#include <memory>
#include <string>
#include <vector>

#include "sim/machine/code.h"
#include "sim/machine/data/memory.h"

namespace tilesim::checkers {

struct ControlMemory {
  std::unique_ptr<machine::Memory> memory;  // null: nothing decides control
  // Declarations that the program itself writes: what is read of them may
  // depend on the schedule.
  std::vector<std::string> written;
  // Inputs, whose values are one draw.
  std::vector<std::string> drawn;
};

ControlMemory MakeControlMemory(const machine::Code& code);

}  // namespace tilesim::checkers

#endif  // TILESIM_CHECKERS_RUN_CONTROL_MEMORY_H_
