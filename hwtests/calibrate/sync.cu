// What an SM's own instructions take, many in a row: barriers, fences,
// registers, shared memory, products that are waited for.
#include <algorithm>

#include "hwtests/calibrate/harness.cuh"
#include "hwtests/calibrate/wgmma.cuh"

namespace calibrate {
namespace {

constexpr int kInRow = 16, kTurns = 64, kWarm = 4;
constexpr int kRoom = (64 + 256) * kRowBytes + 2048;

// What an instruction may need.
struct Scene {
  uint32_t bar, peer, base;
  uint32_t phase = 0;
};

#define CALIBRATE_OP(name, ...)             \
  struct name {                             \
    TILE_DEVICE void operator()(Scene& s) { \
      (void)s;                              \
      __VA_ARGS__;                          \
    }                                       \
  };

CALIBRATE_OP(Arrive, if (tile::lane_index() == 0) tile::mbarrier_arrive(s.bar);
             __syncwarp())
CALIBRATE_OP(ArriveAll, tile::mbarrier_arrive(s.bar))
CALIBRATE_OP(ArriveAndWait,
             if (tile::lane_index() == 0) tile::mbarrier_arrive(s.bar);
             wait(s.bar, s.phase); s.phase ^= 1)
CALIBRATE_OP(WaitOfOld, wait(s.bar, 1))
CALIBRATE_OP(BarSync, __syncthreads())
CALIBRATE_OP(WarpSync, __syncwarp())
CALIBRATE_OP(FenceCta, tile::fence_acq_rel_cta())
CALIBRATE_OP(FenceCluster, tile::fence_acq_rel_cluster())
CALIBRATE_OP(FenceGpu, tile::fence_acq_rel_gpu())
CALIBRATE_OP(FenceProxy, tile::fence_proxy_async())
CALIBRATE_OP(FenceProxyShared, tile::fence_proxy_async_shared())
CALIBRATE_OP(BarCluster, tile::cluster_arrive(); tile::cluster_wait())
CALIBRATE_OP(BarClusterRelaxed, tile::cluster_arrive_relaxed();
             tile::cluster_wait())
CALIBRATE_OP(Registers, tile::setmaxnreg_dec<128>();
             tile::setmaxnreg_inc<168>())
CALIBRATE_OP(WgmmaFence, tile::wgmma_fence())
CALIBRATE_OP(WgmmaCommit, tile::wgmma_commit_group();
             tile::wgmma_wait_group<0>())

TILE_DEVICE uint32_t chase(uint32_t at) {
  uint32_t next;
  asm volatile("ld.shared.u32 %0, [%1];" : "=r"(next) : "r"(at) : "memory");
  return next;
}
TILE_DEVICE uint32_t chase_peer(uint32_t at) {
  uint32_t next;
  asm volatile("ld.shared::cluster.u32 %0, [%1];"
               : "=r"(next)
               : "r"(at)
               : "memory");
  return next;
}
CALIBRATE_OP(LoadShared, s.base = chase(s.base))
CALIBRATE_OP(LoadPeer, s.peer = chase_peer(s.peer))

struct Times {
  uint64_t cycles;
  uint32_t kept;
};

// All threads of a CTA execute it; warp 0 says how long each took.
template <class Op>
__global__ __launch_bounds__(1024) void in_a_row(bool cluster, Times* times) {
  __shared__ uint64_t barrier;
  Scene s = {shared_address(&barrier), 0, shared_base()};
  s.peer = cluster ? tile::mapa(s.base, tile::cluster_rank() ^ 1) : s.base;
  if (threadIdx.x == 0) {
    tile::mbarrier_init(s.bar, std::is_same_v<Op, ArriveAndWait> ? 1 : 1 << 19);
    tile::fence_mbarrier_init();
    const uint32_t self = std::is_same_v<Op, LoadPeer> ? s.peer : s.base;
    asm volatile("st.shared.u32 [%0], %1;" ::"r"(s.base), "r"(self) : "memory");
  }
  __syncthreads();
  if (cluster) {
    tile::cluster_arrive();
    tile::cluster_wait();
  }
  Op op;
  uint64_t start = 0;
#pragma unroll 1
  for (int i = 0; i < kTurns; ++i) {
    if (i == kWarm) start = cycles();
#pragma unroll
    for (int k = 0; k < kInRow; ++k) op(s);
  }
  const uint64_t end = cycles();
  if (cluster) {
    tile::cluster_arrive();
    tile::cluster_wait();
  }
  if (threadIdx.x == 0)
    times[blockIdx.x] = {end - start, s.base + s.phase + s.peer};
}

// setmaxnreg needs a kernel that says its registers.
__global__ __maxnreg__(168) void registers_in_a_row(
    Times* times) {
  Scene s = {};
  Registers op;
  uint64_t start = 0;
#pragma unroll 1
  for (int i = 0; i < kTurns; ++i) {
    if (i == kWarm) start = cycles();
    op(s);
  }
  if (threadIdx.x == 0) times[0] = {kInRow * (cycles() - start), 0};
}

// A token that two lanes of a cluster hand to each other.
__global__ void remote_hops(Times* times) {
  __shared__ uint64_t barrier;
  const uint32_t bar = shared_address(&barrier);
  if (threadIdx.x == 0) {
    tile::mbarrier_init(bar, 1);
    tile::fence_mbarrier_init();
  }
  __syncwarp();
  tile::cluster_arrive();
  tile::cluster_wait();
  if (threadIdx.x == 0) {
    const uint32_t peer = tile::mapa(bar, tile::cluster_rank() ^ 1);
    uint64_t start = 0;
#pragma unroll 1
    for (int i = 0; i < kTurns * kInRow; ++i) {
      if (i == kWarm * kInRow) start = cycles();
      if (tile::cluster_rank() == 1) wait(bar, i & 1);
      tile::mbarrier_arrive_relaxed_cluster_peer(peer);
      if (tile::cluster_rank() == 0) wait(bar, i & 1);
    }
    times[blockIdx.x] = {cycles() - start, 0};
  }
  __syncwarp();
  tile::cluster_arrive();
  tile::cluster_wait();
}

// Batches of products on one accumulator, each waited for: fence, `count` of
// them, commit, wait.
template <int kN, int kCount>
__global__ __launch_bounds__(128, 1) void batches(Times* times, float* sink) {
  const uint32_t base = shared_base();
  for (int at = threadIdx.x * 4; at < (64 + kN) * kRowBytes; at += 512) {
    asm volatile("st.shared.u32 [%0], %1;" ::"r"(base + at),
                 "r"(tile::pack_f16(nearly_normal(at), nearly_normal(at + 1)))
                 : "memory");
  }
  tile::fence_proxy_async_shared();
  __syncthreads();
  const uint64_t a = descriptor(base, false, 0);
  const uint64_t b = descriptor(base + 64 * kRowBytes, false, 0);
  float acc[kN / 2] = {};
  uint64_t start = 0;
#pragma unroll 1
  for (int i = 0; i < kTurns; ++i) {
    if (i == kWarm) start = cycles();
    tile::wgmma_fence();
#pragma unroll
    for (int k = 0; k < kCount; ++k) wgmma_f16<0, 0>(acc, a, b);
    tile::wgmma_commit_group();
    tile::wgmma_wait_group<0>();
  }
  if (threadIdx.x == 0) times[0] = {kInRow * (cycles() - start), 0};
  consume(acc, sink);
}

// mma.sync m16n8k16 of all warps, each `kChains` accumulators in turn.
template <int kChains>
__global__ void products_of_warps(Times* times, float* sink) {
  float d[kChains][4] = {};
  const uint32_t a[4] = {threadIdx.x, 1, 2, 3}, b[2] = {threadIdx.x, 5};
  uint64_t start = 0;
#pragma unroll 1
  for (int i = 0; i < kTurns; ++i) {
    if (i == kWarm) start = cycles();
#pragma unroll
    for (int k = 0; k < kInRow; ++k)
      tile::mma_m16n8k16_f32_f16(d[k % kChains], a, b);
  }
  if (threadIdx.x == 0) times[0] = {cycles() - start, 0};
  float sum = 0;
  for (auto& chain : d) sum += chain[0] + chain[1] + chain[2] + chain[3];
  if (sum == 1.5f) *sink = sum;
}

// `kCount` boxes by one lane, on one barrier, until it sees them.
template <int kCount>
__global__ void boxes_until_seen(const __grid_constant__ CUtensorMap map,
                                 Times* times) {
  __shared__ uint64_t barrier;
  const uint32_t bar = shared_address(&barrier), base = shared_base();
  if (threadIdx.x != 0) return;
  tile::mbarrier_init(bar, 1);
  tile::fence_mbarrier_init();
  uint64_t start = 0;
#pragma unroll 1
  for (int i = 0; i < kTurns; ++i) {
    if (i == kWarm) start = cycles();
    tile::mbarrier_arrive_expect_tx(bar, kCount * 16 * kRowBytes);
#pragma unroll
    for (int k = 0; k < kCount; ++k)
      load_box(base + k * 16 * kRowBytes, &map, bar, k * 64, 0);
    wait(bar, i & 1);
  }
  times[0] = {kInRow * (cycles() - start), 0};
}

struct Bench {
  Report& report;
  Buffer<Times> times{16};
  Buffer<float> sink{1};
  Buffer<uint8_t> data{128 * 8192};

  template <class... P, class... A>
  void Launches(const char* what, int threads, int ctas, void (*kernel)(P...),
                const A&... args) {
    Samples each;
    for (int repeat = -1; repeat < 9; ++repeat) {
      Run(kernel, ctas, ctas, threads, kRoom, args...);
      if (repeat < 0) continue;
      for (const Times& t : times.Read(ctas))
        each.push_back(double(t.cycles) / ((kTurns - kWarm) * kInRow));
    }
    report.Add("sync.time",
               {{"what", what}, {"threads", threads}, {"ctas", ctas}}, "cycles",
               each);
  }
  template <class Op>
  void InARow(const char* what, int threads, int ctas = 1) {
    Launches(what, threads, ctas, in_a_row<Op>, ctas > 1, times.get());
  }
  template <int kN>
  void Batches(const char* one, const char* sixteen) {
    Launches(one, 128, 1, batches<kN, 1>, times.get(), sink.get());
    Launches(sixteen, 128, 1, batches<kN, 16>, times.get(), sink.get());
  }

  void All() {
    InARow<Arrive>("mbarrier.arrive of a lane", 32);
    InARow<ArriveAll>("mbarrier.arrive", 128);
    InARow<ArriveAndWait>("mbarrier.arrive, wait", 32);
    InARow<WaitOfOld>("mbarrier.wait that passes", 32);
    for (int warps : {1, 2, 4, 8, 16, 32})
      InARow<BarSync>("bar.sync", 32 * warps);
    InARow<WarpSync>("bar.warp.sync", 32);
    InARow<FenceCta>("fence.acq_rel.cta", 32);
    InARow<FenceCluster>("fence.acq_rel.cluster", 32);
    InARow<FenceGpu>("fence.acq_rel.gpu", 32);
    InARow<FenceProxy>("fence.proxy.async", 32);
    InARow<FenceProxyShared>("fence.proxy.async.shared::cta", 32);
    InARow<FenceProxyShared>("fence.proxy.async.shared::cta", 128);
    for (int ctas : {2, 4, 8}) {
      InARow<BarCluster>("barrier.cluster", 32, ctas);
      InARow<BarClusterRelaxed>("barrier.cluster, relaxed", 32, ctas);
    }
    Launches("setmaxnreg.dec, inc", 128, 1, registers_in_a_row, times.get());
    InARow<LoadShared>("ld.shared of its result", 32);
    InARow<LoadPeer>("ld.shared::cluster of its result", 32, 2);
    Launches("two remote arrivals, a hop each", 32, 2, remote_hops,
             times.get());
    InARow<WgmmaFence>("wgmma.fence", 128);
    InARow<WgmmaCommit>("wgmma.commit_group, wait_group of nothing", 128);
    Batches<64>("one wgmma m64n64", "16 wgmma m64n64");
    Batches<128>("one wgmma m64n128", "16 wgmma m64n128");
    Batches<256>("one wgmma m64n256", "16 wgmma m64n256");
    Launches("mma.sync m16n8k16 of its result", 32, 1, products_of_warps<1>,
             times.get(), sink.get());
    Launches("mma.sync m16n8k16", 512, 1, products_of_warps<8>, times.get(),
             sink.get());
    const CUtensorMap map = MapOf(data.get(), 128, 8192, 16);
    Launches("a box of 16 rows", 32, 1, boxes_until_seen<1>, map, times.get());
    Launches("8 boxes of 16 rows", 32, 1, boxes_until_seen<8>, map,
             times.get());
  }
};

}  // namespace
}  // namespace calibrate

int main(int argc, char** argv) {
  using namespace calibrate;
  Report report(argc, argv);
  ReportClock(report, "before sync");
  Bench bench{report};
  bench.All();
  ReportClock(report, "after sync");
}
