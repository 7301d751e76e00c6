#include "checkers/pipeline/stored_by_kernels.h"

#include <algorithm>
#include <deque>
#include <optional>
#include <vector>

#include "checkers/grid/parts.h"
#include "checkers/grid/words.h"
#include "checkers/program/shared_control.h"
#include "checkers/run/environment.h"
#include "ir/stored.h"

namespace tilesim::checkers::pipeline {
namespace {

// Sizes that -D gives and that the kernel has.
ir::Overrides SizesOf(const ir::Kernel& kernel, const ir::Overrides& given) {
  ir::Overrides out;
  for (const ir::Param& p : kernel.params) {
    if (auto at = given.find(p.name); at != given.end()) out.insert(*at);
  }
  for (const ir::Constant& c : kernel.constants) {
    if (auto at = given.find(c.name); at != given.end()) out.insert(*at);
  }
  return out;
}

// Of a kernel of which no run has been seen, what its text says: that of one
// that asks for clusters depends on how it reads the answers.
std::optional<GlobalMemory> Other(const ir::Kernel& kernel,
                                  const GlobalMemory& own,
                                  const ir::Overrides& given) {
  const ir::Overrides sizes = SizesOf(kernel, given);
  std::optional<GlobalMemory> out =
      GlobalMemory::Of(kernel, sizes, sizes, own.code().bound.sm_count);
  const bool known = out && out->has_accesses() && !run::Requests(out->code());
  return known ? std::move(out) : std::nullopt;
}

}  // namespace

int32_t DeclOf(const ir::Kernel& kernel, const std::string& tensor) {
  const std::vector<ir::Decl>& decls = kernel.decls;
  auto decl = std::find_if(decls.begin(), decls.end(), [&](const auto& d) {
    return d.space == ir::Space::kGlobal && d.name == tensor;
  });
  return static_cast<int32_t>(decl - decls.begin());
}

bool StoredByKernels(const std::string& tensor, const GlobalMemory& own,
                     const KernelPlan& plan, const Judging& judging) {
  const grid::Words& words = judging.order.words.words();
  const int32_t decl = DeclOf(*plan.kernel, tensor);
  if (own.StoresAll(words, decl)) return true;
  if (!own.has_accesses() || own.code().guide != nullptr ||
      !program::OthersMayStore(judging.program, own.code(), tensor))
    return false;
  const grid::Words none;  // of other kernels no run says anything
  std::deque<GlobalMemory> others;
  std::vector<grid::StoringKernel> all{own.Storing(words, decl)};
  for (const ir::Kernel& k : judging.program.kernels) {
    if (k.name == plan.kernel->name || !ir::StoredTensors(k).contains(tensor))
      continue;
    auto other = Other(k, own, plan.given);
    if (!other) continue;
    others.push_back(std::move(*other));
    all.push_back(others.back().Storing(none, DeclOf(k, tensor)));
  }
  return grid::StoresAllInParts(all);
}

}  // namespace tilesim::checkers::pipeline
