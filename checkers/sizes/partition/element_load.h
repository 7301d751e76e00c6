// `ld n, L[i]`: an op that sets a scalar to an element of a tensor, and does
// nothing else.
#ifndef TILESIM_CHECKERS_SIZES_PARTITION_ELEMENT_LOAD_H_
#define TILESIM_CHECKERS_SIZES_PARTITION_ELEMENT_LOAD_H_

#include <optional>

#include "ir/op.h"
#include "ir/program.h"

namespace tilesim::checkers::sizes::partition {

struct ElementLoad {
  const ir::Expr* to;   // a name
  const ir::Ref* from;  // of this CTA
};

std::optional<ElementLoad> ElementLoadOf(const ir::Stmt& s);

}  // namespace tilesim::checkers::sizes::partition

#endif  // TILESIM_CHECKERS_SIZES_PARTITION_ELEMENT_LOAD_H_
