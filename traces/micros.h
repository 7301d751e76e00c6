// Cycles to the microseconds of trace files, the same way everywhere.
//
//   cycle      0      1      2    198        198'000     at 1980 MHz
//   ns         0      1      1    100        100'000     nearest, halves up
//   written    0.000  0.001  0.001 0.100     100.000
//
// Why whole nanoseconds: Perfetto keeps time in them and cuts off the rest of
// `ts` and of `dur` separately, so that finer digits make neighbours gape and
// children stick out of their parents (and such slices may be dropped). Here
// each *boundary* is rounded once, and `dur` is the difference of two rounded
// boundaries: slices that touch still touch, and children stay inside. The
// exact cycles stand in the args of each slice.

#ifndef TILESIM_TRACES_MICROS_H_
#define TILESIM_TRACES_MICROS_H_

#include <cstdint>
#include <string>

#include "traces/timeline.h"

namespace tilesim::traces {

// The nanosecond nearest to the beginning of `cycle`, halves rounded up.
// Monotone in `cycle`. `clock_khz` > 0, `cycle` >= 0.
int64_t Nanoseconds(Cycle cycle, int64_t clock_khz);

// Appends `ns` (>= 0) as microseconds: "100.000". Where a double cannot hold
// that value and a reader that computes trunc(us * 1000) would lose a whole
// nanosecond (1.001 -> 1000 ns), a fourth digit 1 is added ("1.0011"), so
// that every reader arrives at `ns`.
void AppendMicros(std::string* out, int64_t ns);

}  // namespace tilesim::traces

#endif  // TILESIM_TRACES_MICROS_H_
