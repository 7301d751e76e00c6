// A bound program as CUDA C++, and how to launch it.
//
//   ir::Diagnostics diagnostics;
//   std::optional<Lowered> lowered =
//       Lower(program, bound_kernels, {.debug = true}, diagnostics);
//   // lowered->cuda: one file; lowered->plan: arguments, maps, grid.
//
// Deterministic: the same program and options give the same text. Errors:
// lower/unsupported where an op or an operand has no lowering (the exempt ops
// stand in exempt.def); lower/shape where the hardware has no such instruction.
#ifndef TILESIM_HWTESTS_EMIT_EMIT_H_
#define TILESIM_HWTESTS_EMIT_EMIT_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "hwtests/emit/launch_plan.h"
#include "ir/bind.h"
#include "ir/diagnostic.h"
#include "ir/program.h"

namespace tilesim::hwtests {

struct EmitOptions {
  // Bound every polling wait; one that expires reports and traps.
  bool debug = false;
  int64_t wait_limit_ms = 500;  // debug: how long a wait may take
  // Sleep before ops, each warp and each place for a time that follows from
  // tile_delay_seed: other schedules of the same program.
  bool delays = false;
  // Each CTA adds its duration in SM cycles to tile_cycles.
  bool cycles = false;
  // Stamps of the clock around ops, for the CTAs that tile_trace has room for.
  bool trace = false;
  // Each CTA stamps when it starts and each of its warps when it ends, into
  // room that the kernel's last argument points to (run/spans.h).
  bool spans = false;
  // A program of its own: inputs, launch, check, timing.
  bool standalone = false;
  std::string file = "kernel.tile";  // named in the first comment
  std::string out = "";  // the lowered file, named there too; empty: FILE.cu

  // Code that is observed is launched by who observes it.
  bool HasHostSide() const {
    return !debug && !delays && !cycles && !trace && !spans;
  }
};

struct Lowered {
  std::string cuda;
  LaunchPlan plan;
};

std::optional<Lowered> Lower(const ir::Program& program,
                             const std::vector<ir::BoundKernel>& kernels,
                             const EmitOptions& options,
                             ir::Diagnostics& diagnostics);

// Only the text; empty after an error.
std::string EmitCuda(const ir::Program& program,
                     const std::vector<ir::BoundKernel>& kernels,
                     const EmitOptions& options, ir::Diagnostics& diagnostics);

// The nvcc line that compiles a lowered file named `file`.
std::string CompileLine(ir::Target target, std::string_view file);

// Ops that have no lowering, in the order of ir/ops.def.
std::vector<std::string_view> ExemptOps();

}  // namespace tilesim::hwtests

#endif  // TILESIM_HWTESTS_EMIT_EMIT_H_
