#include "ir/named.h"

#include <algorithm>

#include "ir/walk.h"

namespace tilesim::ir {

bool Names(const Expr& e, int32_t slot) {
  return SlotOf(e) == slot ||
         std::any_of(e.args.begin(), e.args.end(),
                     [&](const Expr& arg) { return Names(arg, slot); });
}

bool NamesAVariable(const Expr& e) {
  return (e.kind == ExprKind::kName && e.name_kind == NameKind::kVar) ||
         std::any_of(e.args.begin(), e.args.end(), NamesAVariable);
}

}  // namespace tilesim::ir
