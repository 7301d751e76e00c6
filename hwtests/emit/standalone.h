// The host half of a standalone file: allocates, fills, launches, checks
// against a plain reference, times.
#ifndef TILESIM_HWTESTS_EMIT_STANDALONE_H_
#define TILESIM_HWTESTS_EMIT_STANDALONE_H_

#include <string>
#include <string_view>
#include <vector>

#include "hwtests/emit/host_code.h"
#include "hwtests/emit/launch_plan.h"
#include "ir/bind.h"
#include "ir/program.h"

namespace tilesim::hwtests {

// host/standalone.cuh.
std::string_view StandaloneSupport();

std::string StandaloneMain(const std::vector<ir::BoundKernel>& kernels,
                           const LaunchPlan& plan,
                           const std::vector<HostCode>& hosts);

}  // namespace tilesim::hwtests

#endif  // TILESIM_HWTESTS_EMIT_STANDALONE_H_
