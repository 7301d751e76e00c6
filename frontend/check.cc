#include "frontend/check.h"

#include <optional>

#include "frontend/check_bodies.h"
#include "frontend/check_computes.h"
#include "frontend/lane_scalars.h"
#include "frontend/resolve.h"
#include "frontend/shared_requirements.h"
#include "ir/bind.h"
#include "ir/cat.h"

namespace tilesim::frontend {
namespace {

void CheckKernelNames(const ir::Program& program,
                      ir::Diagnostics& diagnostics) {
  for (size_t i = 0; i < program.kernels.size(); ++i) {
    for (size_t j = 0; j < i; ++j) {
      if (program.kernels[i].name != program.kernels[j].name) continue;
      diagnostics
          .Error(
              "name/duplicate", program.kernels[i].span,
              ir::Cat("there are two kernels `", program.kernels[i].name, "`"))
          .labels.push_back({program.kernels[j].span, "the first"});
      break;
    }
  }
}

// Rules about numbers, for the default parameters.
void CheckNumbers(const ir::Kernel& kernel, const OpSet& wrong,
                  ir::Diagnostics& diagnostics) {
  std::optional<ir::BoundKernel> bound =
      ir::Bind(kernel, {}, ir::InfoOf(kernel.target).sms, diagnostics);
  if (!bound) return;
  CheckComputes(*bound, diagnostics);
  CheckLaneScalars(kernel, diagnostics);
  CheckBodies(*bound, wrong, diagnostics);
}

}  // namespace

void CheckBound(const ir::BoundKernel& bound, ir::Diagnostics& diagnostics) {
  CheckComputes(bound, diagnostics);
  CheckBodies(bound, {}, diagnostics);
}

void Check(ir::Program& program, Numbers numbers,
           ir::Diagnostics& diagnostics) {
  size_t before = diagnostics.errors();
  CheckKernelNames(program, diagnostics);
  bool go_on = diagnostics.errors() == before;
  OpSet wrong;
  for (size_t i = 0; i < program.kernels.size(); ++i) {
    Resolved resolved = Resolve(program, i, diagnostics);
    go_on = go_on && resolved.but_ops;
    wrong.merge(resolved.wrong);
  }
  if (go_on) ShareRequirements(program);
  if (!go_on || numbers == Numbers::kOnceBound) return;
  for (const ir::Kernel& kernel : program.kernels)
    CheckNumbers(kernel, wrong, diagnostics);
}

}  // namespace tilesim::frontend
