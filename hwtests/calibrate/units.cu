// Arithmetic beside wgmma, and how long a signal takes to wake a warp when the
// SM is busy.
#include "hwtests/calibrate/background.cuh"

namespace calibrate {
namespace {

// --- Arithmetic --------------------------------------------------------------

enum class Op { kEx2, kFma, kAdd, kMul, kMax, kPack, kShuffle, kSoftmax };
const char* const kOpNames[] = {"ex2",     "fma.f32", "add.f32",
                                "mul.f32", "max.f32", "cvt.f16x2.f32",
                                "shfl",    "softmax"};
constexpr int kChains = 8, kRepeats = 16, kTurns = 32;
constexpr int kOps = kChains * kRepeats * kTurns;  // of a thread

// One step of a chain. Softmax is what an element costs in attention: fma, ex2,
// add, max and half a conversion.
template <Op kOp>
TILE_DEVICE void step(float& x, float& y, float a) {
  if constexpr (kOp == Op::kEx2) {
    asm volatile("ex2.approx.ftz.f32 %0, %0;" : "+f"(x));
  } else if constexpr (kOp == Op::kFma) {
    asm volatile("fma.rn.f32 %0, %0, %1, %1;" : "+f"(x) : "f"(a));
  } else if constexpr (kOp == Op::kAdd) {
    asm volatile("add.rn.f32 %0, %0, %1;" : "+f"(x) : "f"(a));
  } else if constexpr (kOp == Op::kMul) {
    asm volatile("mul.rn.f32 %0, %0, %1;" : "+f"(x) : "f"(a));
  } else if constexpr (kOp == Op::kMax) {
    asm volatile("max.f32 %0, %0, %1;" : "+f"(x) : "f"(y));
  } else if constexpr (kOp == Op::kPack) {
    asm volatile(
        "{\n .reg .b32 h;\n cvt.rn.f16x2.f32 h, %0, %1;\n"
        " mov.b32 %0, h;\n}"
        : "+f"(x)
        : "f"(a));
  } else if constexpr (kOp == Op::kShuffle) {
    asm volatile("shfl.sync.bfly.b32 %0, %0, 1, 0x1f, 0xffffffff;" : "+f"(x));
  } else {
    float e;
    asm volatile("fma.rn.f32 %0, %1, %2, %2;" : "=f"(e) : "f"(x), "f"(a));
    asm volatile("ex2.approx.ftz.f32 %0, %0;" : "+f"(e));
    asm volatile("add.rn.f32 %0, %0, %1;" : "+f"(y) : "f"(e));
    asm volatile("max.f32 %0, %0, %1;" : "+f"(x) : "f"(e));
  }
}

struct Result {
  uint32_t cycles, turns;
  uint32_t window;  // cycles of the turns of wgmma
};

// Warpgroup 0 multiplies, the others compute, if they are there.
template <Op kOp>
__global__ __launch_bounds__(384, 1) void compute(float a, bool multiply,
                                                  int workers, Result* results,
                                                  float* sink) {
  __shared__ int stop_flag, finished;
  Flag* stop = &stop_flag;
  const Scene scene(shared_base());
  scene.fill();
  if (threadIdx.x == 0) stop_flag = finished = 0;
  __syncthreads();
  Result* out = &results[blockIdx.x];
  const int group = tile::warp_index() / 4;
  if (group == 0) {
    if (!multiply) return;
    const uint32_t start = tile::stamp();
    const uint32_t turns = multiply_until(stop, scene, sink);
    if (threadIdx.x == 0) {
      out->turns = turns;
      out->window = tile::stamp() - start;
    }
    return;
  }
  if (group > workers) return;
  spin(2000);  // until products are under way
  float x[kChains], y[kChains];
#pragma unroll
  for (int i = 0; i < kChains; ++i) x[i] = y[i] = a * (i + threadIdx.x);
  const uint32_t start = tile::stamp();
#pragma unroll 1
  for (int turn = 0; turn < kTurns; ++turn) {
#pragma unroll
    for (int i = 0; i < kChains * kRepeats; ++i)
      step<kOp>(x[i % kChains], y[i % kChains], a);
    if constexpr (kOp == Op::kSoftmax) {
#pragma unroll
      for (int i = 0; i < kChains * kRepeats / 2; ++i)
        step<Op::kPack>(x[i % kChains], y[0], a);
    }
  }
  const uint32_t end = tile::stamp();
  if (threadIdx.x % 128 == 0) {
    atomicMax(&out->cycles, end - start);
    if (atomicAdd(&finished, 1) == workers - 1) *stop = 1;
  }
  consume(x, sink);
  consume(y, sink);
}

struct Bench {
  Report& report;
  Buffer<uint8_t> data{int64_t{kSms} * 128 * 8192};
  Buffer<Result> results{kSms};
  Buffer<uint32_t> hops{kSms};
  Buffer<float> sink{1};
};

template <Op kOp>
void Compute(Bench& b) {
  for (int workers : {1, 2}) {
    for (bool multiply : {false, true}) {
      Samples rate, interval;
      for (int repeat = -1; repeat < 4; ++repeat) {
        b.results.Clear();
        Run(compute<kOp>, kSms, 1, 384, Scene::kBytes, 0.37f, multiply, workers,
            b.results.get(), b.sink.get());
        if (repeat < 0) continue;
        for (const Result& r : b.results.Read()) {
          rate.push_back(128.0 * workers * kOps / r.cycles);
          if (multiply) interval.push_back(double(r.window) / (kK * r.turns));
        }
      }
      const Parameters parameters = {
          {"op", kOpNames[static_cast<int>(kOp)]},
          {"warpgroups", workers},
          {"beside", multiply ? "wgmma m64n128" : "nothing"}};
      b.report.Add("unit.rate", parameters, "lanes/cycle", rate);
      if (multiply)
        b.report.Add("unit.wgmma_interval", parameters, "cycles", interval);
    }
  }
}

// --- Wake-ups ----------------------------------------------------------------

enum class Signal { kMbarrier, kMbarrierLane, kBarSync, kBarArrive };
const char* const kSignalNames[] = {"mbarrier, warps", "mbarrier, lanes",
                                    "bar.sync 64", "bar.arrive and bar.sync"};
constexpr int kHops = 128;

// One of two warps that wake each other in turn; cycles a hop.
template <Signal kSignal>
TILE_DEVICE uint32_t ping_pong(int side, uint32_t bars) {
  const uint32_t mine = bars + 8 * side, other = bars + 8 * (1 - side);
  const bool lane = threadIdx.x % 32 == 0;
  const uint32_t start = tile::stamp();
  if (kSignal == Signal::kMbarrierLane && !lane) return 0;
#pragma unroll 1
  for (int i = 0; i < kHops / 2; ++i) {
    if constexpr (kSignal == Signal::kBarSync) {
      tile::bar_sync(1, 64);
      tile::bar_sync(2, 64);
    } else if constexpr (kSignal == Signal::kBarArrive) {
      if (side == 0) tile::bar_arrive(1, 64);
      if (side == 1) tile::bar_sync(1, 64);
      if (side == 1) tile::bar_arrive(2, 64);
      if (side == 0) tile::bar_sync(2, 64);
    } else {
      if (side == 1) wait(mine, i & 1);
      if (lane) tile::mbarrier_arrive(other);
      if (side == 0) wait(mine, i & 1);
    }
  }
  return (tile::stamp() - start) / kHops;
}

constexpr int kTmaWarp = 7, kPing = 11;  // warps

// Warpgroup 0 multiplies, warps 4 to 6 read shared memory, warp 7 loads; 11 and
// 10 wake each other.
template <Signal kSignal>
__global__ __launch_bounds__(384, 1) void wake(
    const __grid_constant__ CUtensorMap map, bool multiply, bool reads,
    bool fetches, uint32_t* hops, float* sink) {
  __shared__ uint64_t barriers[Scene::kBoxes + 2];
  __shared__ int stop_flag;
  Flag* stop = &stop_flag;
  const Scene scene(shared_base());
  scene.fill();
  if (threadIdx.x == 0) {
    stop_flag = 0;
    for (uint64_t& bar : barriers) tile::mbarrier_init(shared_address(&bar), 1);
    tile::fence_mbarrier_init();
  }
  __syncthreads();
  const int warp = tile::warp_index();
  if (warp < 4) {
    if (multiply) multiply_until(stop, scene, sink);
  } else if (warp < kTmaWarp) {
    if (reads) read_until(stop, scene);
  } else if (warp == kTmaWarp) {
    if (fetches && tile::elect_one()) fetch_until(stop, &map, scene, barriers);
  } else if (warp >= kPing - 1) {
    spin(4000);
    const uint32_t bars = shared_address(&barriers[Scene::kBoxes]);
    const uint32_t hop = ping_pong<kSignal>(kPing - warp, bars);
    if (warp == kPing && threadIdx.x % 32 == 0) {
      hops[blockIdx.x] = hop;
      *stop = 1;
    }
  }
}

template <Signal kSignal>
void Wake(Bench& b) {
  const CUtensorMap map = MapOf(b.data.get(), kSms * 128, 8192, 128);
  for (int beside = 0; beside < 8; ++beside) {
    const bool multiply = beside & 1, reads = beside & 2, fetches = beside & 4;
    Samples samples;
    for (int repeat = -1; repeat < 4; ++repeat) {
      Run(wake<kSignal>, kSms, 1, 384, Scene::kBytes, map, multiply, reads,
          fetches, b.hops.get(), b.sink.get());
      if (repeat < 0) continue;
      for (uint32_t hop : b.hops.Read()) samples.push_back(hop);
    }
    b.report.Add("wake.hop",
                 {{"signal", kSignalNames[static_cast<int>(kSignal)]},
                  {"wgmma", multiply},
                  {"ld_shared", reads},
                  {"tma", fetches}},
                 "cycles", samples);
  }
}

}  // namespace
}  // namespace calibrate

int main(int argc, char** argv) {
  using namespace calibrate;
  Report report(argc, argv);
  ReportClock(report, "before units");
  Bench bench{report};
  Fill(bench.data, Data::kNormalF16);
  Compute<Op::kEx2>(bench);
  Compute<Op::kFma>(bench);
  Compute<Op::kAdd>(bench);
  Compute<Op::kMul>(bench);
  Compute<Op::kMax>(bench);
  Compute<Op::kPack>(bench);
  Compute<Op::kShuffle>(bench);
  Compute<Op::kSoftmax>(bench);
  Wake<Signal::kMbarrier>(bench);
  Wake<Signal::kMbarrierLane>(bench);
  Wake<Signal::kBarSync>(bench);
  Wake<Signal::kBarArrive>(bench);
  ReportClock(report, "after units");
}
