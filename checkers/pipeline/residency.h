// Whether a GPU can run a grid whose CTAs wait for each other: those that wait
// keep their places, and others start only when there is room.
#ifndef TILESIM_CHECKERS_PIPELINE_RESIDENCY_H_
#define TILESIM_CHECKERS_PIPELINE_RESIDENCY_H_

#include <optional>
#include <string>
#include <utility>

#include "checkers/pipeline/plan_kernel.h"
#include "checkers/pipeline/scope.h"
#include "checkers/plan/instance.h"
#include "ir/diagnostic.h"

namespace tilesim::checkers::pipeline {

// Of one launch.
struct Residency {
  // With this it comes to its end, as far as room goes.
  Residents assumed = Residents::kAny;
  std::string open;  // why that was not shown; "": it was
  // Even if clusters start in the order of the grid, some never do.
  std::optional<ir::Diagnostic> stuck;
};

// Room is what threads, shared memory, tensor memory and `regs` leave on the
// SMs of the GPU that was asked for, else of the one that the target is for.
// How many clusters of several CTAs fit is known from above only, as it depends
// on the GPU's GPCs; so are CTAs of a kernel without `regs`.
Residency ResidencyAt(const KernelPlan& plan, const plan::Instance& instance,
                      int64_t max_events);

// Of what each parameter, by itself, makes of the grid, up to one that the GPU
// does not hold at once: where some clusters never start.
std::optional<std::pair<plan::Instance, ir::Diagnostic>> StuckInLarger(
    const KernelPlan& plan, int64_t max_events);

}  // namespace tilesim::checkers::pipeline

#endif  // TILESIM_CHECKERS_PIPELINE_RESIDENCY_H_
