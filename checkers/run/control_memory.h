// Memory whose values decide control: it must be there even when only order is
// wanted.
#ifndef TILESIM_CHECKERS_RUN_CONTROL_MEMORY_H_
#define TILESIM_CHECKERS_RUN_CONTROL_MEMORY_H_

#include <memory>
#include <string>
#include <vector>

#include "sim/machine/code.h"
#include "sim/machine/data/globals.h"
#include "sim/machine/data/memory.h"

namespace tilesim::checkers::run {

// By declaration, whether some op of the kernel may write it. Numbers do not
// decide that.
std::vector<bool> AnyWrites(const machine::Code& code);

// Null: nothing decides control. Throws std::bad_alloc where memory or
// addresses are short.
std::unique_ptr<machine::Memory> MakeControlMemory(
    const machine::Code& code, const machine::Inputs& inputs);

// Declarations that decide control: globals of which the program does not say
// what they hold at first; those that it writes itself.
std::vector<int32_t> DrawnOf(const machine::Code& code);
std::vector<int32_t> WrittenOf(const machine::Code& code);
// Whether one of the latter is a global, which other clusters may write.
bool WritesGlobal(const machine::Code& code);

}  // namespace tilesim::checkers::run

#endif  // TILESIM_CHECKERS_RUN_CONTROL_MEMORY_H_
