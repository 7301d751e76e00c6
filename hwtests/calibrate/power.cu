// The clock of the SMs under the load of a GEMM of 8192 cubed: all SMs, tiles
// of 128x256, tensor loads, random data, wgmma back to back or with rests, for
// about two seconds each. One warp reads the two clocks.
#include <unistd.h>

#include "hwtests/calibrate/harness.cuh"
#include "hwtests/calibrate/wgmma.cuh"

namespace calibrate {
namespace {

enum class Type { kF16, kE4m3 };
enum class Rest { kNone, kEachStep, kEachTile };

constexpr int kRowsA = 128, kRowsB = 256, kStages = 4, kGroups = 2;
constexpr int kBytesA = kRowsA * kRowBytes, kBytesB = kRowsB * kRowBytes;
constexpr int kStage = kBytesA + kBytesB;
constexpr int kThreads = 128 * (kGroups + 1);
constexpr int kSize = 8192, kPitch = 2 * kSize;  // elements of f16, bytes
constexpr int kTilesM = kSize / kRowsA, kTilesN = kSize / kRowsB;
constexpr int kStepsOfTile = kPitch / kRowBytes;
constexpr int kStepCycles = 1024;  // of the tensor core, at best
constexpr int kMaxSamples = 512;

struct Plan {
  int steps;
  int rest;    // cycles after each step
  bool loads;  // else the operands stay in shared memory
  bool work;   // else they are only loaded
};

struct Sample {
  uint64_t cycles, ns;
  uint32_t steps;
};

struct Barriers {
  uint32_t full, empty;
};

TILE_DEVICE void produce(const CUtensorMap* map_a, const CUtensorMap* map_b,
                         const Plan& p, Barriers bar, uint32_t base) {
  constexpr int kHeight = 8;  // rows of tiles that share B
  Slot slot;
  int tile = blockIdx.x, m = 0, n = 0, k = kStepsOfTile;
  for (int i = 0; i < p.steps; ++i, slot.next(kStages), ++k) {
    if (k == kStepsOfTile) {
      k = 0;
      m = (tile / (kHeight * kTilesN) * kHeight + tile % kHeight) * kRowsA;
      n = tile / kHeight % kTilesN * kRowsB;
      tile = (tile + gridDim.x) % (kTilesM * kTilesN);
    }
    const uint32_t full = bar.full + 8 * slot.index;
    const uint32_t dst = base + slot.index * kStage;
    wait(bar.empty + 8 * slot.index, slot.parity ^ 1);
    tile::mbarrier_arrive_expect_tx(full, kStage);
    load_box(dst, map_a, full, k * 64, m);
    load_box(dst + kBytesA, map_b, full, k * 64, n);
  }
}

// Reads the clocks each 10 us at first, then each 1 ms, each 20 ms, and at the
// end.
TILE_DEVICE void sample(const volatile int* done, const volatile uint32_t* step,
                        Sample* samples, uint32_t* count) {
  uint32_t n = 0;
  for (uint64_t next = nanoseconds(); n < kMaxSamples - 1 && !*done;) {
    if (nanoseconds() < next) {
      __nanosleep(1000);
      continue;
    }
    samples[n++] = {cycles(), nanoseconds(), *step};
    next += n < 100 ? 10'000 : n < 200 ? 1'000'000 : 20'000'000;
  }
  samples[n++] = {cycles(), nanoseconds(), *step};
  *count = n;
}

template <Type kType>
TILE_DEVICE void multiply_step(float (&acc)[kRowsB / 2], uint32_t a,
                               uint32_t b) {
  const uint64_t desc_a = descriptor(a, false, 0);
  const uint64_t desc_b = descriptor(b, false, 0);
  tile::wgmma_fence();
  if constexpr (kType == Type::kF16) {
    multiply(acc, desc_a, desc_b);
  } else {
#pragma unroll
    for (int k = 0; k < kK; ++k)
      wgmma_e4m3(acc, desc_a + k * kStep<0>, desc_b + k * kStep<0>);
  }
  tile::wgmma_commit_group();
}

template <Type kType, Rest kRest>
TILE_DEVICE void consume_steps(const Plan& p, Barriers bar, uint32_t base,
                               int group, volatile uint32_t* step,
                               float* sink) {
  Slot slot;
  const bool counts = threadIdx.x == 128, frees = threadIdx.x % 32 == 0;
  for (int first = 0; first < p.steps; first += kStepsOfTile) {
    float acc[kRowsB / 2] = {};
    Slot last = slot;
    for (int i = 0; i < kStepsOfTile; ++i, slot.next(kStages)) {
      if (p.loads) wait(bar.full + 8 * slot.index, slot.parity);
      if (counts) *step = first + i;
      const uint32_t stage = base + slot.index * kStage;
      multiply_step<kType>(acc, stage + group * 64 * kRowBytes,
                           stage + kBytesA);
      if constexpr (kRest == Rest::kEachStep) {
        tile::wgmma_wait_group<0>();
        if (frees) tile::mbarrier_arrive(bar.empty + 8 * slot.index);
        spin(p.rest);
      } else {
        tile::wgmma_wait_group<1>();
        if (i == 0) continue;
        if (frees) tile::mbarrier_arrive(bar.empty + 8 * last.index);
        last.next(kStages);
      }
    }
    tile::wgmma_wait_group<0>();
    if (kRest != Rest::kEachStep && frees)
      tile::mbarrier_arrive(bar.empty + 8 * last.index);
    if (kRest == Rest::kEachTile) spin(kStepsOfTile * kStepCycles);
    consume(acc, sink);
  }
}

template <Type kType, Rest kRest>
__global__ __launch_bounds__(kThreads, 1) void load_of_gemm(
    const __grid_constant__ CUtensorMap map_a,
    const __grid_constant__ CUtensorMap map_b, const Plan p, Sample* samples,
    uint32_t* count, float* sink) {
  __shared__ uint64_t barriers[2 * kStages];
  __shared__ int done;
  __shared__ uint32_t step;
  const uint32_t base = shared_base();
  const Barriers bar = {shared_address(barriers),
                        shared_address(barriers + kStages)};
  for (int at = threadIdx.x * 4; at < kStages * kStage; at += kThreads * 4) {
    const uint32_t word =
        tile::pack_f16(nearly_normal(at), nearly_normal(at + 1));
    asm volatile("st.shared.u32 [%0], %1;" ::"r"(base + at), "r"(word)
                 : "memory");
  }
  tile::fence_proxy_async_shared();
  if (threadIdx.x == 0) {
    done = step = 0;
    for (int s = 0; s < kStages; ++s) {
      tile::mbarrier_init(bar.full + 8 * s, 1);
      tile::mbarrier_init(bar.empty + 8 * s, 4 * kGroups);
    }
    tile::fence_mbarrier_init();
  }
  __syncthreads();
  const int warp = tile::warp_index();
  if (warp == 0) {
    if (p.loads && tile::elect_one()) produce(&map_a, &map_b, p, bar, base);
  } else if (warp == 1) {
    if (blockIdx.x == 0 && tile::elect_one())
      sample(&done, &step, samples, count);
  } else if (warp >= 4) {
    if (p.work) {
      consume_steps<kType, kRest>(p, bar, base, warp / 4 - 1, &step, sink);
    } else {
      Slot slot;
      for (int i = 0; i < p.steps; ++i, slot.next(kStages)) {
        wait(bar.full + 8 * slot.index, slot.parity);
        if (threadIdx.x == 128) *static_cast<volatile uint32_t*>(&step) = i;
        if (threadIdx.x % 32 == 0)
          tile::mbarrier_arrive(bar.empty + 8 * slot.index);
      }
    }
    tile::bar_sync(1, 128 * kGroups);
    if (threadIdx.x == 128) *static_cast<volatile int*>(&done) = 1;
  }
}

struct Bench {
  Report& report;
  Buffer<uint8_t> a{int64_t{kSize} * kPitch}, b{int64_t{kSize} * kPitch};
  Buffer<Sample> samples{kMaxSamples};
  Buffer<uint32_t> count{1};
  Buffer<float> sink{1};

  // From one reading of the clocks to the next.
  struct Stretch {
    double at_ms, mhz, busy;
    Stretch(const Sample& a, const Sample& b, uint64_t start_ns)
        : at_ms((b.ns - start_ns) * 1e-6),
          mhz(1e3 * (b.cycles - a.cycles) / (b.ns - a.ns)),
          busy(double(b.steps - a.steps) * kStepCycles /
               (b.cycles - a.cycles)) {}
  };

  // By time since the start, since the clock does not fall at once.
  void Windows(const std::vector<Stretch>& stretches,
               const Parameters& parameters) {
    const double edges_ms[] = {0, 0.03, 0.1, 0.3, 1, 10, 50, 100, 300, 1000};
    for (size_t w = 0; w < std::size(edges_ms); ++w) {
      Samples clock, busy;
      for (const Stretch& s : stretches) {
        const bool last = w + 1 == std::size(edges_ms);
        if (s.at_ms < edges_ms[w]) continue;
        if (!last && s.at_ms >= edges_ms[w + 1]) continue;
        clock.push_back(s.mhz);
        busy.push_back(s.busy);
      }
      if (clock.empty()) continue;
      Parameters p = parameters;
      p.emplace_back("from_ms", edges_ms[w]);
      report.Add("power.clock", p, "MHz", clock);
      report.Add("power.busy", p, "fraction", busy);
    }
  }

  template <Type kType, Rest kRest>
  std::vector<Sample> Launch(const Plan& p) {
    const CUtensorMap map_a = MapOf(a.get(), kSize, kPitch, kRowsA);
    const CUtensorMap map_b = MapOf(b.get(), kSize, kPitch, kRowsB);
    Run(load_of_gemm<kType, kRest>, kSms, 1, kThreads, kStages * kStage + 1024,
        map_a, map_b, p, samples.get(), count.get(), sink.get());
    return samples.Read(count.Read()[0]);
  }

  // Random data, after a rest in which the GPU cools.
  void Prepare(Data data) {
    usleep(500'000);
    Fill(a, data);
    Fill(b, data);
  }

  template <Type kType, Rest kRest>
  void Measure(const char* name, Data data, Plan p) {
    Prepare(data);
    const double cycles =
        kRest == Rest::kEachTile ? 2 * kStepCycles : kStepCycles + p.rest;
    p.steps = static_cast<int>(3e9 / (p.work ? cycles : 1300)) / kStepsOfTile *
              kStepsOfTile;
    const std::vector<Sample> s = Launch<kType, kRest>(p);
    std::vector<Stretch> stretches;
    for (size_t i = 1; i < s.size(); ++i)
      stretches.emplace_back(s[i - 1], s[i], s[0].ns);
    Windows(stretches, {{"load", name},
                        {"type", kType == Type::kF16 ? "f16" : "e4m3"},
                        {"rest", p.rest}});
  }

  // Launches as long as a GEMM of 8192 cubed, each waited for.
  void Series() {
    Prepare(Data::kNormalF16);
    const Plan p = {2048, 0, true, true};
    std::vector<Stretch> stretches;
    uint64_t start_ns = 0;
    for (int launch = 0; launch < 1000; ++launch) {
      const std::vector<Sample> s = Launch<Type::kF16, Rest::kNone>(p);
      if (launch == 0) start_ns = s[0].ns;
      stretches.emplace_back(s.front(), s.back(), start_ns);
    }
    Windows(
        stretches,
        {{"load", "gemm, launch after launch"}, {"type", "f16"}, {"rest", 0}});
  }

  template <Type kType>
  void Rests(Data data, std::initializer_list<int> rests) {
    Measure<kType, Rest::kNone>("gemm", data, {0, 0, true, true});
    for (int rest : rests) {
      Measure<kType, Rest::kEachStep>("gemm, a rest each step", data,
                                      {0, rest, true, true});
    }
  }
};

}  // namespace
}  // namespace calibrate

int main(int argc, char** argv) {
  using namespace calibrate;
  Report report(argc, argv);
  ReportClock(report, "before power");
  Bench bench{report};
  constexpr Data kNormal = Data::kNormalF16;
  bench.Rests<Type::kF16>(kNormal, {0, 128, 256, 512, 1024, 3072});
  bench.Measure<Type::kF16, Rest::kEachTile>("gemm, a rest each tile", kNormal,
                                             {0, 0, true, true});
  bench.Series();
  bench.Measure<Type::kF16, Rest::kNone>("gemm of zeros", Data::kZero,
                                         {0, 0, true, true});
  bench.Measure<Type::kF16, Rest::kNone>("wgmma alone", kNormal,
                                         {0, 0, false, true});
  bench.Measure<Type::kF16, Rest::kNone>("loads alone", kNormal,
                                         {0, 0, true, false});
  bench.Rests<Type::kE4m3>(Data::kNormalE4m3, {512, 1024});
  bench.Measure<Type::kF16, Rest::kNone>("gemm again", kNormal,
                                         {0, 0, true, true});
  ReportClock(report, "after power");
}
