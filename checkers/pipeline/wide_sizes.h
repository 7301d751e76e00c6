// Kernels with parameters that have an upper bound, but very many values below
// it. What holds whatever they are holds of those as well, and is often shown
// sooner: products of two parameters are one number then (docs/all_sizes.md
// 3.5).
#ifndef TILESIM_CHECKERS_PIPELINE_WIDE_SIZES_H_
#define TILESIM_CHECKERS_PIPELINE_WIDE_SIZES_H_

#include <cstdint>
#include <optional>

#include "checkers/pipeline/plan_kernel.h"
#include "ir/program.h"

namespace tilesim::checkers::pipeline {

// Events of inductive runs with their bounds, before they are left out: more
// than most kernels take, and a third of what is allowed at all.
inline constexpr int64_t kFewBoundedEvents = 600'000;
// Without them, before they are put back.
inline constexpr int64_t kMostWideEvents = 1'000'000;

// Without upper bounds; nullopt: there are not that many sizes, or a layout, or
// the number of threads, depends on them.
std::optional<ir::Kernel> WithoutBounds(const KernelPlan& plan);

}  // namespace tilesim::checkers::pipeline

#endif  // TILESIM_CHECKERS_PIPELINE_WIDE_SIZES_H_
