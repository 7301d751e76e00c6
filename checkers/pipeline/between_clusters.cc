#include "checkers/pipeline/between_clusters.h"

#include "ir/cat.h"
#include "sim/machine/code.h"

namespace tilesim::checkers::pipeline {
namespace {

std::string WhyOf(const ir::Kernel& kernel, const grid::Meeting& m) {
  const std::string& tensor = kernel.decls[m.first->decl].name;
  if (m.strides)
    return ir::Cat("the strides of ", tensor,
                   " were not shown to keep its elements apart");
  int32_t first = m.first->op->span.text_line();
  int32_t second = m.second->op->span.text_line();
  std::string lines = first == second
                          ? ir::Cat("on line ", first)
                          : ir::Cat("on lines ", first, " and ", second);
  return ir::Cat("it was not shown that no two clusters touch the same elements "
                 "of ",
                 tensor, " ", lines);
}

}  // namespace

std::vector<MayMeet> MeetingsOfClusters(const ir::Kernel& kernel,
                                        const ir::Overrides& some,
                                        const ir::Overrides& fixed,
                                        int64_t sm_count,
                                        const grid::Words& words) {
  ir::Diagnostics ignored;
  auto bound = ir::Bind(kernel, some, sm_count, ignored);
  if (!bound) return {};
  auto code =
      machine::Compile(std::move(*bound), ignored, machine::Params::kKept);
  if (!code) return {};
  grid::Accesses accesses = grid::AccessesOf(*code, fixed);
  if (!accesses.limit.empty()) return {{accesses.limit, std::nullopt}};
  std::vector<MayMeet> out;
  for (const grid::Meeting& m : grid::MeetingsIn(accesses, words)) {
    MayMeet& meet = out.emplace_back();
    meet.why = WhyOf(kernel, m);
    if (!m.example) continue;
    meet.where = m.example;
    meet.where->sizes.insert(fixed.begin(), fixed.end());
  }
  return out;
}

}  // namespace tilesim::checkers::pipeline
