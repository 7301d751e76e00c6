#include "frontend/bind.h"

#include <utility>

#include "frontend/check.h"
#include "ir/define.h"

namespace tilesim::frontend {
std::optional<std::vector<ir::BoundKernel>> BindProgram(
    const ir::Program& program, const ir::Overrides& defines, int64_t sm_count,
    ir::Diagnostics& diagnostics) {
  size_t before = diagnostics.errors();
  std::vector<ir::BoundKernel> kernels;
  for (size_t i = 0; i < program.kernels.size(); ++i) {
    std::optional<ir::BoundKernel> bound =
        ir::Bind(program.kernels[i], ir::ParamsOf(program, i, defines),
                 sm_count, diagnostics);
    if (!bound) continue;
    CheckBound(*bound, diagnostics);
    kernels.push_back(std::move(*bound));
  }
  if (diagnostics.errors() > before) return std::nullopt;
  return kernels;
}

}  // namespace tilesim::frontend
