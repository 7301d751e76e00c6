#include "frontend/elsewhere.h"

#include <utility>

#include "ir/cat.h"

namespace tilesim::frontend {
namespace {

constexpr std::string_view kThreads =
    "threads are chosen by scopes here: `thread 0 { }`, `warp 1 { }`, "
    "`elect { }`";
constexpr std::string_view kExp =
    "`ex2` is 2^x here: multiply by 1.44269504 (log2 of e) before it";
constexpr std::string_view kLoad =
    "`ld.global`, `ld.shared`, `tma.load` or `bulk.load` here";
constexpr std::string_view kStore =
    "`st.global`, `st.shared`, `tma.store` or `bulk.store` here";
constexpr std::string_view kShuffle =
    "`row.max` or `row.sum` combines the lanes of a row here; other exchanges "
    "go through shared memory";
constexpr std::string_view kScalar =
    "`let NAME = ...` here; `var NAME = ...` if it changes";
constexpr std::string_view kAtomicAdd = "`atom.add` or `red.add` here";
constexpr std::string_view kTmaCopy =
    "`tma.load`, `tma.store` or `tma.reduce` here";
constexpr std::string_view kBulkCopy =
    "`bulk.load`, `bulk.store` or `bulk.push` here";

constexpr std::pair<std::string_view, std::string_view> kNames[] = {
    // Who executes.
    {"threadIdx", kThreads},
    {"threadIdx.x", kThreads},
    {"tid", kThreads},
    {"laneid", "`lane 0 { }` chooses a lane here"},
    {"lane", "`lane 0 { }` chooses a lane here, `elect { }` one lane"},
    {"lane_id", "`lane 0 { }` chooses a lane here"},
    {"warpid", "`warp` here"},
    {"warp_id", "`warp` here"},
    {"warp_idx", "`warp` here"},
    {"blockIdx.x", "`cta.x` here"},
    {"blockIdx.y", "`cta.y` here"},
    {"blockIdx.z", "`cta.z` here"},
    {"gridDim.x", "`grid.x` here"},
    {"gridDim.y", "`grid.y` here"},
    {"gridDim.z", "`grid.z` here"},
    {"blockDim.x", "`block` says how many threads a CTA has; it is no number"},
    {"cluster_ctarank", "`cluster.rank` here"},
    // Memory.
    {"smem", "`shared` here"},
    {"mbar", "`mbarrier` here"},
    // Barriers and fences.
    {"__syncthreads", "`bar.sync 0` here"},
    {"syncthreads", "`bar.sync 0` here"},
    {"barrier.sync", "`bar.sync` here"},
    {"__syncwarp", "`bar.warp.sync` here"},
    {"syncwarp", "`bar.warp.sync` here"},
    {"cluster.sync", "`barrier.cluster.arrive`, then `barrier.cluster.wait`"},
    {"__threadfence", "`fence.acq_rel.gpu` here"},
    {"__threadfence_block", "`fence.acq_rel.cta` here"},
    {"fence.proxy_async", "`fence.proxy.async` here"},
    {"mbarrier.try_wait", "`mbarrier.wait` here: it asks until it passes"},
    // Copies.
    {"load", kLoad},
    {"store", kStore},
    {"cp.async.bulk.tensor", kTmaCopy},
    {"cp.async.bulk", kBulkCopy},
    {"atomicAdd", kAtomicAdd},
    {"atomic_add", kAtomicAdd},
    {"atomicCAS", "`atom.cas` here"},
    {"atomicExch", "`atom.exch` here"},
    // Arithmetic of tiles.
    {"relu", "`max DST, SRC, 0` here"},
    {"maximum", "`max` here"},
    {"minimum", "`min` here"},
    {"exp", kExp},
    {"exp2", "`ex2` here"},
    {"log2",
     "the op `lg2` takes it of a register tile; a constant is a number"},
    {"log", "the op `lg2` takes that of base 2 of a register tile"},
    {"div", "`rcp` of the divisor, then `mul`"},
    {"sqrt", "`lg2`, `mul` by 0.5, `ex2`"},
    {"rsqrt", "`lg2`, `mul` by -0.5, `ex2`"},
    {"sum", "`row.sum` here"},
    {"reduce_sum", "`row.sum` here"},
    {"reduce_max", "`row.max` here"},
    {"cast", "`cvt` here"},
    {"shfl.sync", kShuffle},
    {"__shfl_sync", kShuffle},
    {"__shfl_xor_sync", kShuffle},
    {"__shfl_down_sync", kShuffle},
    // Declarations.
    {"int", kScalar},
    {"uint", kScalar},
    {"unsigned", kScalar},
    {"int32_t", kScalar},
    {"uint32_t", kScalar},
    {"auto", kScalar},
    {"float",
     "`let NAME = 0.5` here, or a tile: `reg NAME : f32[M, N] fragment "
     "FRAGMENT`"},
};

}  // namespace

std::string CalledHere(std::string_view name) {
  // `cp.async.bulk.tensor.2d.shared::cluster` too.
  for (std::string_view start : {"cp.async.bulk.tensor", "cp.async.bulk",
                                 "mbarrier.try_wait", "shfl.sync"}) {
    if (name.substr(0, start.size()) != start) continue;
    name = start;
    break;
  }
  for (const auto& [there, here] : kNames) {
    if (there == name) return std::string(here);
  }
  return "";
}

}  // namespace tilesim::frontend
