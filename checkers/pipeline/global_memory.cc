#include "checkers/pipeline/global_memory.h"

#include <utility>

#include "ir/cat.h"

namespace tilesim::checkers::pipeline {

std::optional<GlobalMemory> GlobalMemory::Of(const ir::Kernel& kernel,
                                             const ir::Overrides& some,
                                             const ir::Overrides& fixed,
                                             int64_t sm_count) {
  ir::Diagnostics ignored;
  auto bound = ir::Bind(kernel, some, sm_count, ignored);
  if (!bound) return std::nullopt;
  auto code =
      machine::Compile(std::move(*bound), ignored, machine::Params::kKept);
  if (!code) return std::nullopt;
  return GlobalMemory(kernel, fixed, *code);
}

std::vector<MayMeet> GlobalMemory::BetweenClusters(
    const grid::Words& words) const {
  if (!accesses_.limit.empty()) return {{accesses_.limit, std::nullopt}};
  std::vector<MayMeet> out;
  for (const grid::Meeting& m : grid::MeetingsIn(accesses_, words)) {
    std::string why = ir::Cat(
        "it was not shown that no two clusters touch the same elements of ",
        PlaceOf(m));
    if (m.strides)
      why = ir::Cat("the strides of ", kernel_->decls[m.first->decl].name,
                    " were not shown to keep its elements apart");
    out.push_back(Met(m, std::move(why)));
  }
  return out;
}

std::vector<MayMeet> GlobalMemory::InClusters(const GlobalOrder& order) const {
  std::vector<MayMeet> out;
  if (!order.sites.watches()) return out;
  for (const grid::Meeting& m :
       grid::MeetingsInCluster(accesses_, order.words.words(),
                               &order.sites.unordered())) {
    out.push_back(
        Met(m, ir::Cat("it was not shown that threads of one cluster are in "
                       "order where they touch the same elements of ",
                       PlaceOf(m))));
  }
  return out;
}

void GlobalMemory::Watch(SiteOrder& sites) const {
  if (accesses_.limit.empty())
    sites.Watch(grid::MeetingsInCluster(accesses_, {}, nullptr));
}

MayMeet GlobalMemory::Met(const grid::Meeting& m, std::string why) const {
  MayMeet out{std::move(why), m.example};
  if (out.where) out.where->sizes.insert(fixed_.begin(), fixed_.end());
  return out;
}

std::string GlobalMemory::PlaceOf(const grid::Meeting& m) const {
  int32_t first = m.first->op->span.text_line();
  int32_t second = m.second->op->span.text_line();
  std::string lines = first == second
                          ? ir::Cat("on line ", first)
                          : ir::Cat("on lines ", first, " and ", second);
  return ir::Cat(kernel_->decls[m.first->decl].name, " ", lines);
}

}  // namespace tilesim::checkers::pipeline
