// What bytes cost of the power that limits the clock of the SMs: launches of
// products, as long as asked, with a pause between, beside loads from L2 or
// from HBM.
#include <algorithm>

#include "hwtests/calibrate/harness.cuh"
#include "hwtests/calibrate/wgmma.cuh"

namespace calibrate {
namespace {

constexpr int kRowsA = 128, kStages = 4, kGroups = 2;
constexpr int kBytesA = kRowsA * kRowBytes;
constexpr int kThreads = 128 * (kGroups + 1);
constexpr int kPitch = 16384, kRows = 65536;  // bytes; rows: 1 GB
constexpr int kSize = 8192;                   // rows of A and of B of a GEMM
constexpr int kBoxRows = 16;
constexpr uint64_t kPauseNs = 30'000;
constexpr double kWarmMs = 60;

enum class From { kNothing, kTilesInL2, kTilesOf8192, kOwnInL2, kOwnInHbm };

struct Plan {
  int steps;
  From from;
  int rows;  // own ones, of each step
};

struct Ends {
  uint64_t cycles[2], ns[2];
};

struct Barriers {
  uint32_t full, empty;
};

struct Maps {
  CUtensorMap a, b, own;
};

// The tiles of a GEMM, eight rows of them at a time; of 512 or of 8192
// elements of K.
template <int kN>
struct Tiles {
  int tile = blockIdx.x, m = 0, n = 0, k = 1 << 20;
  TILE_DEVICE void next(int steps) {
    constexpr int kTilesN = kSize / kN, kTilesM = kSize / kRowsA, kHeight = 8;
    if (++k < steps) return;
    k = 0;
    m = (tile / (kHeight * kTilesN) * kHeight + tile % kHeight) * kRowsA;
    n = tile / kHeight % kTilesN * kN;
    tile = (tile + gridDim.x) % (kTilesM * kTilesN);
  }
};

template <int kN>
TILE_DEVICE void produce(const Maps& maps, const Plan& p, Barriers bar,
                         uint32_t base) {
  constexpr int kStage = kBytesA + kN * kRowBytes;
  const bool own = p.from == From::kOwnInL2 || p.from == From::kOwnInHbm;
  const int steps_of_tile = p.from == From::kTilesInL2 ? 8 : kPitch / kRowBytes;
  // 8 MB, or all of it: boxes in turn down the rows, then the next column.
  const int boxes = (p.from == From::kOwnInL2 ? 4096 : kRows) / kBoxRows;
  const int columns = p.from == From::kOwnInL2 ? 16 : kPitch / kRowBytes;
  int box = blockIdx.x, column = 0;
  Tiles<kN> tiles;
  Slot slot;
  for (int i = 0; i < p.steps; ++i, slot.next(kStages)) {
    const uint32_t full = bar.full + 8 * slot.index;
    const uint32_t dst = base + slot.index * kStage;
    wait(bar.empty + 8 * slot.index, slot.parity ^ 1);
    if (!own) {
      tiles.next(steps_of_tile);
      tile::mbarrier_arrive_expect_tx(full, kStage);
      load_box(dst, &maps.a, full, tiles.k * 64, tiles.m);
      load_box(dst + kBytesA, &maps.b, full, tiles.k * 64, tiles.n);
      continue;
    }
    tile::mbarrier_arrive_expect_tx(full, p.rows * kRowBytes);
    for (int r = 0; r < p.rows; r += kBoxRows) {
      load_box(dst + r * kRowBytes, &maps.own, full, column * 64,
               box * kBoxRows);
      box += gridDim.x;
      if (box < boxes) continue;
      box -= boxes;
      column = (column + 1) % columns;
    }
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
    if (p.from != From::kNothing)
      wait(bar.full + 8 * slot.index, slot.parity);
    const uint32_t stage = base + slot.index * kStage;
    tile::wgmma_fence();
    multiply(acc, descriptor(stage + group * 64 * kRowBytes, false, 0),
             descriptor(stage + kBytesA, false, 0));
    tile::wgmma_commit_group();
    tile::wgmma_wait_group<1>();
    if (i == 0) continue;
    if (frees) tile::mbarrier_arrive(bar.empty + 8 * last.index);
    last.next(kStages);
  }
  tile::wgmma_wait_group<0>();
  consume(acc, sink);
}

template <int kN>
__global__ __launch_bounds__(kThreads, 1) void products_and_loads(
    const __grid_constant__ Maps maps, const Plan p, Ends* ends, float* sink) {
  constexpr int kStage = kBytesA + kN * kRowBytes;
  __shared__ uint64_t barriers[2 * kStages];
  const uint64_t ns = nanoseconds(), start = cycles();
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
    for (int s = 0; s < kStages; ++s) {
      tile::mbarrier_init(bar.full + 8 * s, 1);
      tile::mbarrier_init(bar.empty + 8 * s, 4 * kGroups);
    }
    tile::fence_mbarrier_init();
  }
  __syncthreads();
  const int warp = tile::warp_index();
  if (warp == 0 && p.from != From::kNothing && tile::elect_one())
    produce<kN>(maps, p, bar, base);
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
  Buffer<uint8_t> data{int64_t{kRows} * kPitch};
  Buffer<Ends> ends{kSms};
  Buffer<float> sink{1};

  // Launches of `us`, as nearly as steps make them.
  template <int kN>
  void Measure(double us, const char* name, From from, int rows = 0) {
    constexpr double kStepCycles = 4.0 * kN;
    constexpr int kStage = kBytesA + kN * kRowBytes;
    const Maps maps = {
        MapOf(data.get(), kSize, kPitch, kRowsA),
        MapOf(data.get() + int64_t{kSize} * kPitch, kSize, kPitch, kN),
        MapOf(data.get(), kRows, kPitch, kBoxRows)};
    const Plan p = {std::max(4, static_cast<int>(us * 1600 / kStepCycles)),
                    from, rows};
    Samples clock, busy, length;
    const int warm = static_cast<int>(kWarmMs * 1e3 / (us + 40)) + 1;
    for (int i = -warm; i < 15; ++i) {
      Start(pause_for, 1, 1, 1, 0, kPauseNs);
      Run(products_and_loads<kN>, kSms, 1, kThreads, kStages * kStage + 1024,
          maps, p, ends.get(), sink.get());
      if (i < 0) continue;
      for (const Ends& e : ends.Read(kSms)) {
        const double cycles = e.cycles[1] - e.cycles[0];
        clock.push_back(1e3 * cycles / (e.ns[1] - e.ns[0]));
        busy.push_back(p.steps * kStepCycles / cycles);
        length.push_back(1e-3 * (e.ns[1] - e.ns[0]));
      }
    }
    const double bytes = from == From::kNothing ? 0
                         : rows > 0             ? rows * kRowBytes
                                                : kStage;
    const Parameters parameters = {{"columns", kN},
                                   {"asked_us", us},
                                   {"from", name},
                                   {"bytes", bytes}};
    report.Add("energy.clock", parameters, "MHz", clock);
    report.Add("energy.busy", parameters, "fraction", busy);
    report.Add("energy.length", parameters, "us", length);
  }

  template <int kN>
  void All(double us) {
    Measure<kN>(us, "nothing", From::kNothing);
    Measure<kN>(us, "tiles in L2", From::kTilesInL2);
    Measure<kN>(us, "tiles of 8192", From::kTilesOf8192);
    for (int rows : {32, 64, 128}) {
      Measure<kN>(us, "own in L2", From::kOwnInL2, rows);
      Measure<kN>(us, "own in HBM", From::kOwnInHbm, rows);
    }
  }
};

}  // namespace
}  // namespace calibrate

int main(int argc, char** argv) {
  using namespace calibrate;
  Report report(argc, argv);
  ReportClock(report, "before energy");
  Bench bench{report};
  Fill(bench.data, Data::kNormalF16);
  for (double us : {200, 1500}) {
    bench.All<256>(us);
    bench.All<128>(us);
    bench.All<64>(us);
  }
  ReportClock(report, "after energy");
}
