// The interval of wgmma (f16) by layout of its operands and number of columns,
// alone and beside tensor loads, loads and stores of shared memory.
#include "hwtests/calibrate/background.cuh"

namespace calibrate {
namespace {

enum Beside { kNothing = 0, kTma = 1, kLoads = 2, kStores = 4 };
constexpr int kGroups = 2;                 // that may multiply
constexpr int kTrafficWarp = 4 * kGroups;  // first of those beside
constexpr int kTmaWarp = kTrafficWarp + kReaders / 32;
constexpr int kThreads = 32 * (kTmaWarp + 1);
constexpr int kTurns = 128, kWarm = 16;  // of four instructions

struct Result {
  uint32_t interval;  // cycles of kTurns
  uint32_t cycles;    // all in all, of what goes on beside
  uint32_t boxes, turns;
  uint32_t ns;  // as `cycles`, where boxes are loaded
};

// The cycles of kTurns, when kWarm are over.
template <int kN, int kTransposeA, int kTransposeB, bool kRegisters>
TILE_DEVICE uint32_t multiply_turns(const Scene& scene, float* sink) {
  constexpr uint32_t kPanel = 64 * kRowBytes;
  const uint64_t desc_a =
      descriptor(scene.a + threadIdx.x / 128 * kPanel, kTransposeA, kPanel);
  const uint64_t desc_b = descriptor(scene.b, kTransposeB, kPanel);
  float acc[kN / 2] = {};
  uint32_t a[kK][4];
#pragma unroll
  for (int i = 0; i < 4 * kK; ++i) {
    a[i / 4][i % 4] = tile::pack_f16(nearly_normal(threadIdx.x * 16 + i),
                                     nearly_normal(threadIdx.x + i));
  }
  uint32_t start = 0;
#pragma unroll 1
  for (int i = 0; i < kWarm + kTurns; ++i) {
    if (i == kWarm) start = tile::stamp();
    tile::wgmma_fence();
    if constexpr (kRegisters) {
      multiply_registers<kTransposeB>(acc, a, desc_b);
    } else {
      multiply<kTransposeA, kTransposeB>(acc, desc_a, desc_b);
    }
    tile::wgmma_commit_group();
    tile::wgmma_wait_group<1>();
  }
  const uint32_t end = tile::stamp();
  tile::wgmma_wait_group<0>();
  consume(acc, sink);
  return end - start;
}

template <int kN, int kTransposeA, int kTransposeB, bool kRegisters>
__global__ __launch_bounds__(kThreads, 1) void products(
    const __grid_constant__ CUtensorMap map, int beside, int groups,
    Result* results, float* sink) {
  __shared__ uint64_t barriers[Scene::kBoxes];
  __shared__ int stop_flag, finished;
  Flag* stop = &stop_flag;
  const Scene scene(shared_base());
  scene.fill();
  if (threadIdx.x == 0) {
    stop_flag = finished = 0;
    for (int i = 0; i < Scene::kBoxes; ++i)
      tile::mbarrier_init(shared_address(&barriers[i]), 1);
    tile::fence_mbarrier_init();
  }
  __syncthreads();
  Result* out = &results[blockIdx.x];
  const int warp = tile::warp_index();
  const uint32_t start = tile::stamp();
  if (warp < 4 * groups) {
    spin(4000);  // until the others have begun
    const uint32_t interval =
        multiply_turns<kN, kTransposeA, kTransposeB, kRegisters>(scene, sink);
    if (threadIdx.x % 128 == 0) {
      if (atomicAdd(&finished, 1) == groups - 1) *stop = 1;
      if (threadIdx.x == 0) out->interval = interval;
    }
  } else if (groups == 0 && warp == 0) {
    spin(20000);
    *stop = 1;
  } else if (warp >= kTrafficWarp && warp < kTmaWarp &&
             (beside & (kLoads | kStores)) != 0) {
    const uint32_t turns = (beside & kLoads) != 0 ? read_until(stop, scene)
                                                  : write_until(stop, scene);
    if (warp == kTrafficWarp && threadIdx.x % 32 == 0) {
      out->turns = turns;
      out->cycles = tile::stamp() - start;
    }
  } else if (warp == kTmaWarp && (beside & kTma) != 0) {
    if (tile::elect_one()) {
      const uint64_t start_ns = nanoseconds();
      const uint32_t begun = tile::stamp();
      out->boxes = fetch_until(stop, &map, scene, barriers);
      out->cycles = tile::stamp() - begun;
      out->ns = static_cast<uint32_t>(nanoseconds() - start_ns);
    }
  }
}

struct Bench {
  Report& report;
  Buffer<uint8_t> data{int64_t{kSms} * 128 * 8192};
  Buffer<Result> results{kSms};
  Buffer<float> sink{1};

  template <int kN, int kTransposeA, int kTransposeB, bool kRegisters>
  void Measure(int groups, int beside, const char* name) {
    const CUtensorMap map = MapOf(data.get(), kSms * 128, 8192, 128);
    Samples interval, fetched, accessed, clock;
    for (int repeat = -1; repeat < 4; ++repeat) {
      results.Clear();
      Run(products<kN, kTransposeA, kTransposeB, kRegisters>, kSms, 1, kThreads,
          Scene::kBytes, map, beside, groups, results.get(), sink.get());
      if (repeat < 0) continue;
      for (const Result& r : results.Read()) {
        if (groups > 0) interval.push_back(double(r.interval) / (kTurns * kK));
        if (r.cycles == 0) continue;
        fetched.push_back(double(r.boxes) * Scene::kBox / r.cycles);
        if (r.ns != 0) clock.push_back(1e3 * r.cycles / r.ns);
        accessed.push_back(double(r.turns) * kTurnBytes / r.cycles);
      }
    }
    const char* a = kRegisters ? "registers" : kTransposeA ? "mn" : "k";
    const Parameters parameters = {{"n", kN},
                                   {"a", a},
                                   {"b", kTransposeB ? "mn" : "k"},
                                   {"warpgroups", groups},
                                   {"beside", name}};
    if (groups > 0)
      report.Add("wgmma.interval", parameters, "cycles", interval);
    if ((beside & kTma) != 0)
      report.Add("wgmma.beside.tma", parameters, "B/cycle/SM", fetched);
    if (beside == kTma)
      report.Add("wgmma.beside.clock", parameters, "MHz", clock);
    if ((beside & (kLoads | kStores)) != 0)
      report.Add("wgmma.beside.shared", parameters, "B/cycle/SM", accessed);
  }

  template <int kN, int kTransposeA, int kTransposeB, bool kRegisters = false>
  void Layout(std::initializer_list<int> numbers = {1, 2}) {
    for (int groups : numbers) {
      const auto measure = [&](int beside, const char* name) {
        Measure<kN, kTransposeA, kTransposeB, kRegisters>(groups, beside, name);
      };
      if (groups > 0) measure(kNothing, "nothing");
      measure(kTma, "tma");
      measure(kLoads, "ld.shared");
      measure(kStores, "st.shared");
      measure(kTma | kLoads, "tma, ld.shared");
    }
  }

  template <int kN>
  void Layouts() {
    Layout<kN, 0, 0>();
    Layout<kN, 0, 1>();
    Layout<kN, 1, 0>();
    Layout<kN, 1, 1>();
  }
};

}  // namespace
}  // namespace calibrate

int main(int argc, char** argv) {
  using namespace calibrate;
  Report report(argc, argv);
  ReportClock(report, "before operands");
  Bench bench{report};
  Fill(bench.data, Data::kNormalF16);
  bench.Layout<64, 0, 0>({0});
  bench.Layouts<64>();
  bench.Layouts<128>();
  bench.Layouts<192>();
  bench.Layouts<256>();
  bench.Layout<64, 0, 0, true>();
  bench.Layout<128, 0, 0, true>();
  bench.Layout<128, 0, 1, true>();
  ReportClock(report, "after operands");
}
