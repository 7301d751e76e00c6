// First stage: what of a kernel is to be judged. Which `-D` it takes, on which
// GPUs, and which sizes besides those that are run legality is judged at.
#ifndef TILESIM_CHECKERS_PIPELINE_PLAN_KERNEL_H_
#define TILESIM_CHECKERS_PIPELINE_PLAN_KERNEL_H_

#include <cstddef>
#include <vector>

#include "checkers/pipeline/options.h"
#include "checkers/plan/instance.h"
#include "ir/bind.h"
#include "ir/program.h"

namespace tilesim::checkers::pipeline {

struct KernelPlan {
  size_t index = 0;  // of the program
  const ir::Kernel* kernel = nullptr;
  plan::InstanceOptions sizes;
  ir::Overrides given;  // by -D: parameters, and constants of the program
  // Where all sizes are to be covered, the GPU that they are covered on: that
  // of the target for a kernel that asks for SMs, unless one was given.
  int64_t gpu_sms = 0;
  bool asks_for_sms = false;
  // Kernels of the program may run at the same time, and touch memory of
  // each other then.
  bool overlaps = false;

  bool every_size() const { return sizes.trips == 0; }
  // Every parameter of a bound kernel, and the constants that -D replaced.
  ir::Overrides SizesOf(const ir::BoundKernel& bound) const;
};

KernelPlan PlanKernel(const ir::Program& program, size_t index,
                      const CheckOptions& options);

// Sizes next to these at which the kernel must be legal as well. Where sizes
// stand for others, legality depends on them only by strides and places in
// global memory, which have to be multiples of a power of 2: so the parameter
// takes all its remainders.
std::vector<ir::Overrides> SizesBeside(const KernelPlan& plan,
                                       const ir::Param& param,
                                       const ir::Overrides& sizes);

// All that there are, beside what -D gives; none: there are too many, or no
// end.
std::vector<ir::Overrides> EverySize(const KernelPlan& plan,
                                     const ir::Overrides& smallest);

// The smallest, and sizes a few steps of each parameter above it, together.
std::vector<ir::Overrides> SmallSizes(const KernelPlan& plan,
                                      const ir::Overrides& smallest);

// The smallest and the text's own, with one parameter at a time at a number of
// the text, just below and beyond it, and at twice that: where `min(i, 90)` or
// `i % 80` begins to be another place.
std::vector<ir::Overrides> SizesAtNumbers(const KernelPlan& plan,
                                          const ir::Overrides& smallest);

// The smallest, with one parameter at a time far above it: what is so from some
// size on, whatever says from which (`M / 16 < 7`, `grid (min(M, 132 * 2))`).
std::vector<ir::Overrides> FarSizes(const KernelPlan& plan,
                                    const ir::Overrides& smallest);

}  // namespace tilesim::checkers::pipeline

#endif  // TILESIM_CHECKERS_PIPELINE_PLAN_KERNEL_H_
