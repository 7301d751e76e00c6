// How many registers a thread of a kernel takes.
#ifndef TILESIM_SIM_TIMING_REGISTERS_H_
#define TILESIM_SIM_TIMING_REGISTERS_H_

#include <cstdint>

#include "ir/bind.h"

namespace tilesim::timing {

// Registers a thread: with setmaxnreg what the kernel says (`regs`), else about
// what ptxas takes, which `regs` only bounds: those of the register tiles that
// live at the same time, and of addresses.
int64_t RegistersOf(const ir::BoundKernel& kernel);
// CTAs that an SM holds at once with those.
int64_t CtasPerSm(const ir::BoundKernel& kernel);

}  // namespace tilesim::timing

#endif  // TILESIM_SIM_TIMING_REGISTERS_H_
