#include "checkers/sizes/partition/permitted.h"

#include <algorithm>

#include "ir/walk.h"

namespace tilesim::checkers::sizes::partition {
namespace {

// Whether an expression's value depends on one of the parameters, through
// `let`s too.
bool Mentions(const ir::Kernel& kernel, const ir::Expr& e,
              const std::set<int32_t>& params) {
  if (const int32_t slot = ir::SlotOf(e); slot >= 0) {
    if (params.count(slot) != 0) return true;
    for (const ir::Constant& c : kernel.constants) {
      if (c.slot == slot) return Mentions(kernel, c.value, params);
    }
  }
  return std::any_of(e.args.begin(), e.args.end(), [&](const ir::Expr& arg) {
    return Mentions(kernel, arg, params);
  });
}

}  // namespace

bool NeverPermitted(const ir::Kernel& kernel, const ir::Overrides& sizes,
                    int64_t sm_count, const std::set<int32_t>& open) {
  ir::Diagnostics found;
  if (ir::Bind(kernel, sizes, sm_count, found)) return false;
  for (const ir::Diagnostic& d : found.all()) {
    if (d.code != "type/requires") continue;
    for (const ir::Requirement& r : kernel.requirements) {
      if (r.span.line == d.span.line && r.span.column == d.span.column &&
          !Mentions(kernel, r.condition, open))
        return true;
    }
  }
  return false;
}

}  // namespace tilesim::checkers::sizes::partition
