// The best points of a sweep on the GPU of this machine.
#ifndef TILESIM_CLI_SWEEP_MEASURE_H_
#define TILESIM_CLI_SWEEP_MEASURE_H_

#include <cstdint>
#include <functional>

#include "cli/sweep/sweep.h"
#include "ir/diagnostic.h"
#include "sim/arch/arch.h"

namespace tilesim::cli {

// The first `best` of the ranking, as `tilesim hw` measures a program: median
// of 20 launches, with the values compared. Where there is no GPU the answer
// has no points and says what is missing. `shown` is called with how many are
// done.
Measured MeasureBest(const Sweep& sweep, const ir::Source& source,
                     const arch::Arch& arch, int64_t best,
                     const std::function<void(int64_t done)>& shown);

}  // namespace tilesim::cli

#endif  // TILESIM_CLI_SWEEP_MEASURE_H_
