// Calls become the statements of what they call.
#ifndef TILESIM_FRONTEND_INLINE_H_
#define TILESIM_FRONTEND_INLINE_H_

#include "ir/diagnostic.h"
#include "ir/program.h"

namespace tilesim::frontend {

// Replaces each call in the kernels by a copy of the function's statements, and
// drops the functions. A copy has a place of its own in `source` (ir/span.h),
// so that its statements are told from those of other copies, and names that no
// other name of the caller has. False after an error.
bool Inline(ir::Program& program, const ir::Source& source,
            ir::Diagnostics& diagnostics);

}  // namespace tilesim::frontend

#endif  // TILESIM_FRONTEND_INLINE_H_
