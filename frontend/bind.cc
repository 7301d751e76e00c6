#include "frontend/bind.h"

#include <algorithm>
#include <string>
#include <utility>

#include "frontend/check.h"

namespace tilesim::frontend {
namespace {

bool Names(const ir::Kernel& kernel, const std::string& name) {
  bool param = std::any_of(kernel.params.begin(), kernel.params.end(),
                           [&](const ir::Param& p) { return p.name == name; });
  return param || std::any_of(kernel.constants.begin(), kernel.constants.end(),
                              [&](const ir::Constant& c) {
                                return c.name == name && !c.is_let;
                              });
}

// An option that no kernel knows stays with the first, whose binding reports
// it.
ir::Overrides OverridesOf(const ir::Program& program, size_t index,
                          const ir::Overrides& all) {
  ir::Overrides out;
  for (const auto& [name, value] : all) {
    bool known = std::any_of(
        program.kernels.begin(), program.kernels.end(),
        [&, n = name](const ir::Kernel& k) { return Names(k, n); });
    if (Names(program.kernels[index], name) || (!known && index == 0))
      out[name] = value;
  }
  return out;
}

}  // namespace

std::optional<std::vector<ir::BoundKernel>> BindProgram(
    const ir::Program& program, const ir::Overrides& overrides,
    int64_t sm_count, ir::Diagnostics& diagnostics) {
  size_t before = diagnostics.errors();
  std::vector<ir::BoundKernel> kernels;
  for (size_t i = 0; i < program.kernels.size(); ++i) {
    std::optional<ir::BoundKernel> bound =
        ir::Bind(program.kernels[i], OverridesOf(program, i, overrides),
                 sm_count, diagnostics);
    if (!bound) continue;
    CheckBound(*bound, diagnostics);
    kernels.push_back(std::move(*bound));
  }
  if (diagnostics.errors() > before) return std::nullopt;
  return kernels;
}

}  // namespace tilesim::frontend
