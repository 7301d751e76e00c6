#include "checkers/pipeline/wide_sizes.h"

#include <algorithm>
#include <set>
#include <string>

#include "ir/walk.h"

namespace tilesim::checkers::pipeline {
namespace {

// Fewer are judged one by one in no time.
constexpr int64_t kJudgedEach = 8;
constexpr int64_t kFewSizes = 1024;

// Names that layouts and the number of threads are made of.
std::set<std::string> NamesOfLayouts(const ir::Kernel& kernel) {
  std::set<std::string> out;
  const auto add = [&](const std::string& name) { out.insert(name); };
  for (const ir::Decl& d : kernel.decls) {
    if (d.space != ir::Space::kGlobal) ForEachName(d, add);
  }
  ForEachName(kernel.block, add);
  for (const ir::Expr& e : kernel.cluster) ForEachName(e, add);
  const auto& lets = kernel.constants;
  for (auto let = lets.rbegin(); let != lets.rend(); ++let) {
    if (out.contains(let->name)) ForEachName(*let, add);
  }
  return out;
}

}  // namespace

std::optional<ir::Kernel> WithoutBounds(const KernelPlan& plan) {
  ir::Kernel out = *plan.kernel;
  const std::set<std::string> layouts = NamesOfLayouts(out);
  int64_t sizes = 1;
  for (ir::Param& p : out.params) {
    if (!p.high || plan.given.contains(p.name) || layouts.contains(p.name))
      continue;
    const int64_t values = (*p.high - p.low) / p.step + 1;
    if (values <= kJudgedEach) continue;
    sizes =
        values < kFewSizes ? std::min(sizes * values, kFewSizes) : kFewSizes;
    p.high.reset();
  }
  if (sizes < kFewSizes) return std::nullopt;
  return out;
}

}  // namespace tilesim::checkers::pipeline
