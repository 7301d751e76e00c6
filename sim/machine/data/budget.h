// How much memory payload takes, and how much there is: said before the kernel
// has to kill somebody for it.
#ifndef TILESIM_SIM_MACHINE_DATA_BUDGET_H_
#define TILESIM_SIM_MACHINE_DATA_BUDGET_H_

#include <cstdint>

#include "absl/status/status.h"

namespace tilesim::machine {

// Bytes that payload may take, and takes.
struct Budget {
  int64_t limit = 0;
  int64_t used = 0;

  // ResourceExhausted, with both numbers, if `more` bytes do not fit.
  absl::Status Fits(int64_t more) const;
};

// Bytes this process can still get: free RAM, or less where a limit of the
// process or of its control group says so.
int64_t FreeBytes();

// Sums of sizes that may each be absurd stay at this, and below overflow.
inline constexpr int64_t kTooManyBytes = int64_t{1} << 60;

}  // namespace tilesim::machine

#endif  // TILESIM_SIM_MACHINE_DATA_BUDGET_H_
