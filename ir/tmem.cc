#include "ir/tmem.h"

#include <algorithm>

namespace tilesim::ir {

int64_t PoolColumn(const BoundKernel& bound, int pool) {
  int64_t column = 0;
  for (int i = 0; i < pool; ++i) {
    if (bound.decls[i].is_pool) column += bound.decls[i].columns;
  }
  return column;
}

int64_t AllPoolColumns(const BoundKernel& bound) {
  return std::max<int64_t>(
      kTmemColumns, PoolColumn(bound, static_cast<int>(bound.decls.size())));
}

int64_t ObjectColumn(const BoundKernel& bound, const TileValue& box) {
  const BoundDecl& d = bound.decls[box.decl];
  int64_t column = d.place + box.index * d.columns;
  return d.pool >= 0 ? column + PoolColumn(bound, d.pool) : column;
}

}  // namespace tilesim::ir
