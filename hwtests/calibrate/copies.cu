// Tiles that threads fetch: rings of cp.async, and ld.global with st.shared, by
// 128 threads a CTA, from L2. A stage is a tile of A, 128x64 of f16, or one
// of A and one of B.
#include "hwtests/calibrate/harness.cuh"

namespace calibrate {
namespace {

constexpr int kTile = 128 * kRowBytes, kSteps = 128, kWarm = 16;
constexpr int kThreads = 128;
constexpr int64_t kPitch = 4096, kRows = 4 * kSms * 128;  // elements, rows
constexpr uint64_t kSpinCycles = 512;

struct Step {
  uint32_t start, waited, issued;
};

// Where the CTA's tiles begin, and how many columns it uses.
struct Source {
  const uint16_t *a, *b;
  int mask;
  TILE_DEVICE Source(const uint16_t* data, bool own) : mask(own ? 3 : 63) {
    const int cta = blockIdx.x;
    const GemmTile tile(cta, 128);
    a = data + (own ? cta * 128 : tile.m) * kPitch;
    b = data + (own ? (2 * kSms + cta) * 128 : 1024 + tile.n) * kPitch;
  }
  TILE_DEVICE int column(int k) const { return (k & mask) * 64; }
};

TILE_DEVICE void copy_tile(uint32_t dst, const uint16_t* src) {
  tile::cp_async_tile<128, 64, 16, 128, 128, 64, 16, kThreads>(
      dst, 0, 0, src, kPitch, 128, 64, threadIdx.x);
}

TILE_DEVICE void begin(Gate* gate) {
  if (threadIdx.x == 0) start_together(gate, gridDim.x);
  __syncthreads();
}

template <int kStages, int kTiles, bool kStamps>
__global__ __launch_bounds__(kThreads) void ring(const uint16_t* data, bool own,
                                                 uint64_t work, Gate* gate,
                                                 Step* steps) {
  const uint32_t base = shared_base();
  const Source source(data, own);
  begin(gate);
  int stage = 0;
  for (int i = 0; i < kSteps + kStages - 1; ++i) {
    const uint32_t start = kStamps || i == kWarm ? tile::stamp() : 0;
    if (i >= kStages - 1) {
      tile::cp_async_wait_group<kStages - 2>();
      tile::fence_proxy_async_shared();
      __syncthreads();
    }
    const uint32_t waited = kStamps ? tile::stamp() : 0;
    if (i < kSteps) {
      const int x = source.column(i);
      const uint32_t dst = base + stage * kTiles * kTile;
      copy_tile(dst, source.a + x);
      if (kTiles == 2) copy_tile(dst + kTile, source.b + x);
      if (++stage == kStages) stage = 0;
    }
    tile::cp_async_commit_group();
    const uint32_t issued = kStamps ? tile::stamp() : 0;
    if (threadIdx.x == 0 && (kStamps ? i < kSteps : i == kWarm))
      steps[blockIdx.x * kSteps + i] = {start, waited, issued};
    if (i >= kStages - 1 && work > 0) spin(work);
  }
  if (threadIdx.x == 0 && !kStamps)
    steps[blockIdx.x * kSteps + kSteps - 1].start = tile::stamp();
}

// One buffer: load, synchronise, store, synchronise. "Waited" is until the
// loads are issued, "issued" until their values are stored.
template <int kTiles, bool kStamps>
__global__ __launch_bounds__(kThreads) void through_registers(
    const uint16_t* data, bool own, uint64_t work, Gate* gate, Step* steps) {
  using Fragment = tile::Blocked<128, 64, 8, kThreads, 0>;
  const uint32_t base = shared_base();
  const Source source(data, own);
  begin(gate);
  for (int i = 0; i < kSteps; ++i) {
    const uint32_t start = kStamps || i == kWarm ? tile::stamp() : 0;
    uint32_t a[32], b[32];
    const int x = source.column(i);
    tile::ld_global<Fragment, 16, 8>(a, source.a + x, kPitch);
    if (kTiles == 2) tile::ld_global<Fragment, 16, 8>(b, source.b + x, kPitch);
    const uint32_t waited = kStamps ? tile::stamp() : 0;
    __syncthreads();
    tile::st_shared<Fragment, 16, 8, 128, 64, 128>(base, 0, 0, a);
    if (kTiles == 2)
      tile::st_shared<Fragment, 16, 8, 128, 64, 128>(base + kTile, 0, 0, b);
    const uint32_t issued = kStamps ? tile::stamp() : 0;
    tile::fence_proxy_async_shared();
    __syncthreads();
    if (threadIdx.x == 0 && (kStamps || i == kWarm))
      steps[blockIdx.x * kSteps + i] = {start, waited, issued};
    if (work > 0) spin(work);
  }
  if (threadIdx.x == 0 && !kStamps)
    steps[blockIdx.x * kSteps + kSteps - 1].start = tile::stamp();
}

using Kernel = void (*)(const uint16_t*, bool, uint64_t, Gate*, Step*);

struct Bench {
  Report& report;
  Buffer<uint8_t> data{kRows * kPitch * 2};
  Buffer<Gate> gate{1};
  Buffer<Step> steps{2 * kSms * kSteps};

  // The time of a step without stamps, its parts with them.
  void Measure(Kernel plain, Kernel stamped, const char* how, int stages,
               int tiles, int ctas, bool own, uint64_t work) {
    Samples step, waited, issued;
    const int room = ctas > kSms ? 100 << 10 : 200 << 10;
    for (int repeat = -2; repeat < 6; ++repeat) {
      const bool parts = repeat % 2 != 0;
      gate.Clear();
      Run(parts ? stamped : plain, ctas, 1, kThreads, room,
          reinterpret_cast<const uint16_t*>(data.get()), own, work, gate.get(),
          steps.get());
      if (repeat < 0) continue;
      const std::vector<Step> out = steps.Read(ctas * kSteps);
      for (int cta = 0; cta < ctas; ++cta) {
        const Step* s = &out[cta * kSteps];
        if (!parts) {
          step.push_back(double(s[kSteps - 1].start - s[kWarm].start) /
                         (kSteps - kWarm));
          continue;
        }
        for (int i = kWarm; i < kSteps; ++i) {
          waited.push_back(s[i].waited - s[i].start);
          issued.push_back(s[i].issued - s[i].waited);
        }
      }
    }
    const Parameters p = {{"how", how},
                          {"stages", stages},
                          {"stage_kb", tiles * kTile / 1024},
                          {"ctas", ctas},
                          {"tiles", own ? "own" : "shared"},
                          {"work", work}};
    report.Add("copy.step", p, "cycles", step);
    report.Add("copy.waited", p, "cycles", waited);
    report.Add("copy.issued", p, "cycles", issued);
  }

  void Everywhere(Kernel plain, Kernel stamped, const char* how, int stages,
                  int tiles) {
    const bool two_fit = stages * tiles * kTile <= 98 << 10;
    for (int ctas : {1, kSms, 2 * kSms}) {
      if (ctas > kSms && !two_fit) continue;
      for (bool own : {true, false}) {
        Measure(plain, stamped, how, stages, tiles, ctas, own, 0);
        if (own && ctas != 1)
          Measure(plain, stamped, how, stages, tiles, ctas, own, kSpinCycles);
      }
    }
  }

  template <int kStages, int kTiles>
  void Ring() {
    Everywhere(ring<kStages, kTiles, false>, ring<kStages, kTiles, true>,
               "cp.async", kStages, kTiles);
  }

  template <int kTiles>
  void ThroughRegisters() {
    Everywhere(through_registers<kTiles, false>,
               through_registers<kTiles, true>, "ld.global", 1, kTiles);
  }
};

}  // namespace
}  // namespace calibrate

int main(int argc, char** argv) {
  using namespace calibrate;
  Report report(argc, argv);
  ReportClock(report, "before copies");
  Bench bench{report};
  Fill(bench.data, Data::kNormalF16);
  bench.Ring<2, 1>();
  bench.Ring<3, 1>();
  bench.Ring<4, 1>();
  bench.Ring<5, 1>();
  bench.Ring<2, 2>();
  bench.Ring<3, 2>();
  bench.Ring<4, 2>();
  bench.Ring<5, 2>();
  bench.ThroughRegisters<1>();
  bench.ThroughRegisters<2>();
  ReportClock(report, "after copies");
}
