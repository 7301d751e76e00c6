// Which thread `elect one` takes: a lane of the first warp that is in all the
// scopes around it.
#ifndef TILESIM_FRONTEND_FIRST_WARP_H_
#define TILESIM_FRONTEND_FIRST_WARP_H_

#include <span>

#include "ir/eval.h"
#include "ir/program.h"

namespace tilesim::frontend {

struct FirstWarp {
  int warp = 0;                        // 0 if there is none
  const ir::Scope* unknown = nullptr;  // does not follow from constants
};

// `around`: from the outermost on.
FirstWarp FirstWarpIn(std::span<const ir::Scope> around,
                      const ir::EvalEnv& constants);

}  // namespace tilesim::frontend

#endif  // TILESIM_FRONTEND_FIRST_WARP_H_
