// What time is spent on. Every cycle of the critical path has one cause; the
// largest is what bounds the kernel.
#ifndef TILESIM_SIM_TIMING_CAUSE_H_
#define TILESIM_SIM_TIMING_CAUSE_H_

#include <array>
#include <cstdint>
#include <string_view>

namespace tilesim::timing {

using Cycle = int64_t;

// The nearest cycle to a duration, which is never negative.
inline Cycle Rounded(double t) { return static_cast<Cycle>(t + 0.5); }

enum class Cause : uint8_t {
  kLaunch,
  kIssue,       // instructions of a role: control, barriers, copies
  kArithmetic,  // register tiles: FP32 and special functions
  kTensor,      // tensor core
  kShared,      // shared memory and its fences
  kTma,         // TMA issue and latency up to L2
  kL2,          // L2 and the SM's port
  kHbm,
  kBarrier,  // mbarrier, named and cluster barrier hops
  kTmem,
};
inline constexpr int kCauses = 10;

inline constexpr std::string_view kCauseNames[kCauses] = {
    "launch", "issue", "arithmetic", "tensor core", "shared memory",
    "TMA",    "L2",    "HBM",        "barriers",    "tensor memory"};

// Cycles of one operation by cause, in the order in which they pass.
struct Chain {
  std::array<float, kCauses> cycles{};

  void Add(Cause cause, double n) {
    cycles[static_cast<int>(cause)] += static_cast<float>(n);
  }
};

}  // namespace tilesim::timing

#endif  // TILESIM_SIM_TIMING_CAUSE_H_
