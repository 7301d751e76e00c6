#include "tests/fuzz/small.h"

#include <algorithm>
#include <utility>

#include "frontend/check.h"

namespace tilesim::fuzz {
namespace {

constexpr int64_t kMaxSteps = 4;
constexpr int64_t kMaxCtas = 4;
constexpr int64_t kMaxGlobalBytes = 1 << 18;
constexpr int64_t kMaxTileBytes = 1 << 15;

// All parameters `steps` steps above their smallest value, as far as they may.
ir::Overrides SizesAt(const ir::Program& program, int64_t steps) {
  ir::Overrides sizes;
  for (const ir::Kernel& kernel : program.kernels) {
    for (const ir::Param& p : kernel.params) {
      int64_t value = p.low;
      bool fits = !__builtin_mul_overflow(steps, p.step, &value) &&
                  !__builtin_add_overflow(p.low, value, &value) &&
                  (!p.high || value <= *p.high);
      sizes.emplace(p.name, fits ? value : p.value);
    }
  }
  return sizes;
}

std::optional<ir::BoundKernel> BindAt(const ir::Kernel& kernel,
                                      const ir::Overrides& sizes,
                                      int64_t sm_count) {
  ir::Overrides own;
  for (const ir::Param& p : kernel.params) own[p.name] = sizes.at(p.name);
  ir::Diagnostics ignored;
  std::optional<ir::BoundKernel> bound =
      ir::Bind(kernel, own, sm_count, ignored);
  if (bound) frontend::CheckBound(*bound, ignored);
  if (ignored.has_errors()) return std::nullopt;
  return bound;
}

std::optional<SmallProgram> MakeAt(const ir::Program& program,
                                   ir::Overrides sizes, int64_t sm_count) {
  SmallProgram out;
  for (const ir::Kernel& kernel : program.kernels) {
    std::optional<ir::BoundKernel> bound = BindAt(kernel, sizes, sm_count);
    if (!bound) return std::nullopt;
    out.kernels.push_back(std::move(*bound));
  }
  out.sizes = std::move(sizes);
  return out;
}

ir::Overrides Defaults(const ir::Program& program) {
  ir::Overrides sizes;
  for (const ir::Kernel& kernel : program.kernels) {
    for (const ir::Param& p : kernel.params) sizes.emplace(p.name, p.value);
  }
  return sizes;
}

bool IsSmall(const ir::BoundKernel& kernel) {
  int64_t global = 0;
  for (const ir::BoundDecl& d : kernel.decls) {
    bool is_global = d.space == ir::Space::kGlobal;
    if (is_global) global += std::min(d.object_bytes, kMaxGlobalBytes + 1);
    if (!is_global && d.object_bytes > kMaxTileBytes) return false;
  }
  return kernel.ctas() <= kMaxCtas && global <= kMaxGlobalBytes;
}

}  // namespace

std::optional<SmallProgram> MakeSmall(const ir::Program& program,
                                      int64_t sm_count) {
  std::optional<SmallProgram> made;
  for (int64_t steps = 0; !made && steps <= kMaxSteps; ++steps)
    made = MakeAt(program, SizesAt(program, steps), sm_count);
  if (!made) made = MakeAt(program, Defaults(program), sm_count);
  bool small =
      made && std::all_of(made->kernels.begin(), made->kernels.end(), IsSmall);
  return small ? std::move(made) : std::nullopt;
}

}  // namespace tilesim::fuzz
