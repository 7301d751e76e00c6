#include "checkers/grid/box.h"

#include <cstddef>
#include <vector>

namespace tilesim::checkers::grid {

void PlaceBox(const ir::Ref& ref, const ir::Decl& decl, Scalars& scalars,
              Access& out) {
  std::vector<const ir::Subscript*> subs;
  for (const auto& group : ref.groups) {
    for (const ir::Subscript& sub : group) subs.push_back(&sub);
  }
  size_t next = 0;
  for (const auto* extents : {&decl.array, &decl.shape}) {
    for (const ir::Expr& extent : *extents) {
      const ir::Subscript* sub = next < subs.size() ? subs[next++] : nullptr;
      bool all = sub == nullptr || sub->kind == ir::Subscript::Kind::kAll;
      bool slice = !all && sub->kind == ir::Subscript::Kind::kSlice;
      out.start.push_back(all ? Linear(0) : scalars.Value(sub->start));
      out.extent.push_back(all     ? scalars.Value(extent)
                           : slice ? scalars.Value(sub->extent)
                                   : Linear(1));
    }
  }
}

}  // namespace tilesim::checkers::grid
