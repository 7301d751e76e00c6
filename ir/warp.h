// How the threads of a CTA are grouped: 32 are a warp, 4 warps a warpgroup
// (hardware.md B.3).
#ifndef TILESIM_IR_WARP_H_
#define TILESIM_IR_WARP_H_

#include <cstdint>

namespace tilesim::ir {

inline constexpr int kWarpThreads = 32;
inline constexpr int kWarpgroupWarps = 4;
inline constexpr int kWarpgroupThreads = kWarpgroupWarps * kWarpThreads;
inline constexpr int kMaxThreads = 1024;  // of a CTA
inline constexpr int kMaxWarps = kMaxThreads / kWarpThreads;
inline constexpr uint32_t kAllLanes = 0xffffffffu;  // of a warp

// Warps of so many threads, the last one maybe not whole.
constexpr int64_t WarpsOf(int64_t threads) {
  return (threads + kWarpThreads - 1) / kWarpThreads;
}

}  // namespace tilesim::ir

#endif  // TILESIM_IR_WARP_H_
