// What must hold of functions before anybody calls them.
#ifndef TILESIM_FRONTEND_DEFINE_FNS_H_
#define TILESIM_FRONTEND_DEFINE_FNS_H_

#include <string_view>
#include <vector>

#include "ir/diagnostic.h"
#include "ir/program.h"

namespace tilesim::frontend {

// The function of that name which statements below the first `known` functions
// may call, those of the kernels being below all. Null: an error has been
// reported at `span`.
const ir::Fn* FindFn(const std::vector<ir::Fn>& functions, size_t known,
                     std::string_view name, ir::Span span,
                     ir::Diagnostics& diagnostics);

// Names declared twice or never used, a call of itself or of what stands below,
// loops left by who is in none, tiles returned, numbers assigned.
void CheckFns(const std::vector<ir::Fn>& functions,
              ir::Diagnostics& diagnostics);

}  // namespace tilesim::frontend

#endif  // TILESIM_FRONTEND_DEFINE_FNS_H_
