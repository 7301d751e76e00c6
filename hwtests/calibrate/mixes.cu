// The clock of the SMs in launches as the data set times them: a pause, then a
// kernel of 10 to 2,000 us, again and again. By how busy the tensor cores are, how
// wide their products, how many SMs take part and what is loaded meanwhile.
#include <algorithm>

#include "hwtests/calibrate/harness.cuh"
#include "hwtests/calibrate/wgmma.cuh"

namespace calibrate {
namespace {

constexpr int kRowsA = 128, kStages = 4, kGroups = 2;
constexpr int kBytesA = kRowsA * kRowBytes;
constexpr int kThreads = 128 * (kGroups + 1);
constexpr int kSize = 8192, kPitch = 2 * kSize;  // elements of f16, bytes
constexpr int kStepsOfTile = kPitch / kRowBytes;
constexpr uint64_t kPauseNs = 30'000;
constexpr double kWarmMs = 60;

struct Plan {
  int steps;
  int rest;    // cycles after each step, in which only one lane is awake
  bool loads;  // else the operands stay in shared memory
};

struct Ends {
  uint64_t cycles[2], ns[2];
};

struct Barriers {
  uint32_t full, empty, done, go;
};

template <int kN>
TILE_DEVICE void produce(const CUtensorMap* map_a, const CUtensorMap* map_b,
                         const Plan& p, Barriers bar, uint32_t base) {
  constexpr int kStage = kBytesA + kN * kRowBytes;
  constexpr int kTilesN = kSize / kN, kTilesM = kSize / kRowsA, kHeight = 8;
  Slot slot;
  int tile = blockIdx.x, m = 0, n = 0, k = kStepsOfTile;
  for (int i = 0; i < p.steps; ++i, slot.next(kStages), ++k) {
    if (k == kStepsOfTile) {
      k = 0;
      m = (tile / (kHeight * kTilesN) * kHeight + tile % kHeight) * kRowsA;
      n = tile / kHeight % kTilesN * kN;
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

template <int kN>
TILE_DEVICE void multiply_stages(const Plan& p, Barriers bar, uint32_t base,
                                 int group, float* sink) {
  constexpr int kStage = kBytesA + kN * kRowBytes;
  Slot slot, last;
  const bool frees = threadIdx.x % 32 == 0;
  float acc[kN / 2] = {};
  for (int i = 0; i < p.steps; ++i, slot.next(kStages)) {
    if (p.loads) wait(bar.full + 8 * slot.index, slot.parity);
    const uint32_t stage = base + slot.index * kStage;
    tile::wgmma_fence();
    multiply(acc, descriptor(stage + group * 64 * kRowBytes, false, 0),
             descriptor(stage + kBytesA, false, 0));
    tile::wgmma_commit_group();
    if (p.rest > 0) {
      tile::wgmma_wait_group<0>();
      if (frees) tile::mbarrier_arrive(bar.done);
      wait(bar.go, i & 1);
    } else {
      tile::wgmma_wait_group<1>();
    }
    if (i == 0) continue;
    if (frees) tile::mbarrier_arrive(bar.empty + 8 * last.index);
    last.next(kStages);
  }
  tile::wgmma_wait_group<0>();
  consume(acc, sink);
}

TILE_DEVICE void rest_between_steps(const Plan& p, Barriers bar) {
  for (int i = 0; i < p.steps; ++i) {
    wait(bar.done, i & 1);
    spin(p.rest);
    tile::mbarrier_arrive(bar.go);
  }
}

template <int kN>
__global__ __launch_bounds__(kThreads, 1) void load_of_gemm(
    const __grid_constant__ CUtensorMap map_a,
    const __grid_constant__ CUtensorMap map_b, const Plan p, Ends* ends,
    float* sink) {
  constexpr int kStage = kBytesA + kN * kRowBytes;
  __shared__ uint64_t barriers[2 * kStages + 2];
  const uint64_t ns = nanoseconds(), start = cycles();
  const uint32_t base = shared_base();
  const Barriers bar = {shared_address(barriers),
                        shared_address(barriers + kStages),
                        shared_address(barriers + 2 * kStages),
                        shared_address(barriers + 2 * kStages + 1)};
  if (!p.loads) {
    for (int at = threadIdx.x * 4; at < kStages * kStage; at += kThreads * 4) {
      const uint32_t word =
          tile::pack_f16(nearly_normal(at), nearly_normal(at + 1));
      asm volatile("st.shared.u32 [%0], %1;" ::"r"(base + at), "r"(word)
                   : "memory");
    }
    tile::fence_proxy_async_shared();
  }
  if (threadIdx.x == 0) {
    for (int s = 0; s < kStages; ++s) {
      tile::mbarrier_init(bar.full + 8 * s, 1);
      tile::mbarrier_init(bar.empty + 8 * s, 4 * kGroups);
    }
    tile::mbarrier_init(bar.done, 4 * kGroups);
    tile::mbarrier_init(bar.go, 1);
    tile::fence_mbarrier_init();
  }
  __syncthreads();
  const int warp = tile::warp_index();
  if (warp == 0 && p.loads && tile::elect_one())
    produce<kN>(&map_a, &map_b, p, bar, base);
  if (warp == 1 && p.rest > 0 && tile::elect_one()) rest_between_steps(p, bar);
  if (warp >= 4) multiply_stages<kN>(p, bar, base, warp / 4 - 1, sink);
  __syncthreads();
  if (threadIdx.x == 0)
    ends[blockIdx.x] = {{start, cycles()}, {ns, nanoseconds()}};
}

__global__ void pause_for(uint64_t ns) {
  for (const uint64_t start = nanoseconds(); nanoseconds() - start < ns;) {
  }
}

struct Bench {
  Report& report;
  Buffer<uint8_t> a{int64_t{kSize} * kPitch}, b{int64_t{kSize} * kPitch};
  Buffer<Ends> ends{kSms};
  Buffer<float> sink{1};

  template <int kN>
  void Turn(const Plan& p, int ctas) {
    const CUtensorMap map_a = MapOf(a.get(), kSize, kPitch, kRowsA);
    const CUtensorMap map_b = MapOf(b.get(), kSize, kPitch, kN);
    constexpr int kBytes = kStages * (kBytesA + kN * kRowBytes) + 1024;
    Start(pause_for, 1, 1, 1, 0, kPauseNs);
    Run(load_of_gemm<kN>, ctas, 1, kThreads, kBytes, map_a, map_b, p,
        ends.get(), sink.get());
  }

  // Launches of `us`, as nearly as steps make them.
  template <int kN>
  void Measure(double us, int rest, bool loads, int ctas) {
    constexpr double kStepCycles = 4.0 * kN;
    const double each = (kStepCycles + rest + (rest > 0 ? 200 : 0)) / 1600;
    const Plan p = {std::max(4, static_cast<int>(us / each)), rest, loads};
    Samples clock, busy, length;
    const int warm = static_cast<int>(kWarmMs * 1e3 / (us + 40)) + 1;
    for (int i = -warm; i < 15; ++i) {
      Turn<kN>(p, ctas);
      if (i < 0) continue;
      for (const Ends& e : ends.Read(ctas)) {
        const double cycles = e.cycles[1] - e.cycles[0];
        clock.push_back(1e3 * cycles / (e.ns[1] - e.ns[0]));
        busy.push_back(p.steps * kStepCycles / cycles);
        length.push_back(1e-3 * (e.ns[1] - e.ns[0]));
      }
    }
    const Parameters parameters = {
        {"columns", kN}, {"asked_us", us},  {"rest", rest},
        {"loads", loads}, {"sms", ctas}};
    report.Add("turns.clock", parameters, "MHz", clock);
    report.Add("turns.busy", parameters, "fraction", busy);
    report.Add("turns.length", parameters, "us", length);
  }

  void All() {
    for (double us : {5, 10, 20, 50, 100, 200, 500, 1500}) {
      for (int rest : {0, 256, 1024, 3072}) Measure<256>(us, rest, true, kSms);
      for (int rest : {0, 512}) Measure<128>(us, rest, true, kSms);
      Measure<64>(us, 0, true, kSms);
      Measure<256>(us, 0, false, kSms);
      Measure<128>(us, 0, false, kSms);
      for (int ctas : {1, 16, 66}) Measure<256>(us, 0, true, ctas);
    }
  }
};

}  // namespace
}  // namespace calibrate

int main(int argc, char** argv) {
  using namespace calibrate;
  Report report(argc, argv);
  ReportClock(report, "before mixes");
  Bench bench{report};
  Fill(bench.a, Data::kNormalF16);
  Fill(bench.b, Data::kNormalF16);
  bench.All();
  ReportClock(report, "after mixes");
}
