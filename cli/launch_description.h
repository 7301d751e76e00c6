// How a lowered program is launched, as `check` and `run` of its PTX take it.
#ifndef TILESIM_CLI_LAUNCH_DESCRIPTION_H_
#define TILESIM_CLI_LAUNCH_DESCRIPTION_H_

#include <string>

#include "hwtests/emit/launch_plan.h"
#include "ptx/launch/launch.h"

namespace tilesim::cli {

// `ptx` is the file that nvcc makes of the lowered text. Addresses are left
// open; a tensor starts as the program says, outputs as nobody knows what.
ptx::LaunchFile DescribeLaunch(const hwtests::LaunchPlan& plan,
                               const std::string& ptx);

}  // namespace tilesim::cli

#endif  // TILESIM_CLI_LAUNCH_DESCRIPTION_H_
