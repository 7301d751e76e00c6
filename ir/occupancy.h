// How many CTAs of a kernel an SM holds at once. Hopper and Blackwell allocate
// alike (hardware.md B.3; the toolkit's cuda_occupancy.h):
//
//   CtasPerSm(kernel)     160 threads of 168 registers, 96 KB  ->  2
//
// The registers of an SM lie in four files, one a sub-core; a warp has its
// registers in one of them, a CTA's warps take the files in turn.
#ifndef TILESIM_IR_OCCUPANCY_H_
#define TILESIM_IR_OCCUPANCY_H_

#include <cstdint>

#include "ir/bind.h"

namespace tilesim::ir {

inline constexpr int kSubCores = 4;

struct SmLimits {
  int64_t registers = 65536;  // of 32 bits
  int64_t threads = 2048;
  int64_t ctas = 32;
  int64_t shared_bytes = 233472;
  int64_t shared_reserved = 1024;  // of it, for each CTA
  int64_t tmem_columns = 512;
};

// What a warp takes of its register file: units of 256 registers.
int64_t RegistersOfWarp(int64_t regs);
// What a CTA takes of the shared memory, the reserved part included.
int64_t SharedOfCta(int64_t bytes, const SmLimits& limits);

// The most registers that the threads of a CTA of `threads` can be launched
// with.
int64_t MostRegisters(int64_t threads);
// What threads of the kernel start with: `regs`, or what a launch can give; 0
// for a kernel that does not say.
int64_t RegistersAtLaunch(const BoundKernel& kernel);

// For a kernel that says no `regs`, registers do not count.
int64_t CtasPerSm(const BoundKernel& kernel, const SmLimits& limits = {});

}  // namespace tilesim::ir

#endif  // TILESIM_IR_OCCUPANCY_H_
