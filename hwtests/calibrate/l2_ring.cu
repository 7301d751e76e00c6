// The main loop of a GEMM of 128x128 tiles on all SMs: a ring of stages of
// 32 KB (A 128x64 and B 128x64 of f16), a producer lane, a consumer warpgroup,
// and a warp that sees when a stage is complete. The SMs start together and ask
// in step.
#include "hwtests/calibrate/harness.cuh"
#include "hwtests/calibrate/wgmma.cuh"

namespace calibrate {
namespace {

enum class Work { kNone, kWgmma };
const char* const kWorkNames[] = {"none", "wgmma"};

constexpr int kBox = 128 * kRowBytes, kStage = 2 * kBox;
constexpr int kMaxStages = 7, kSteps = 256, kPitch = 8192;
constexpr int kFirst = 4;  // stages whose times since the start are reported
constexpr int kColumns = kPitch / kRowBytes;
constexpr int kConsumers = 128, kProducer = 4, kObserver = 5;  // threads, warps
constexpr int kThreads = 192;
constexpr int64_t kRows = 2 * kSms * 128;

struct Plan {
  int stages;
  bool own;  // each SM its own 128 KB; else tiles shared as in a GEMM
  int ctas;
};

// Of each stage of each CTA, in cycles of its SM.
struct Stage {
  uint32_t issued, complete, asked, seen;
};

struct Barriers {
  uint32_t full, empty;
};

TILE_DEVICE void produce(const CUtensorMap* map, const Plan& p, Barriers bar,
                         uint32_t base, Stage* out) {
  const int cta = blockIdx.x;
  const GemmTile tile(cta, 128);
  const int m = p.own ? cta * 128 : tile.m;
  const int n = p.own ? (kSms + cta) * 128 : 8 * 128 + tile.n;
  const int mask = p.own ? 3 : kColumns - 1;
  Slot slot;
  for (int k = 0; k < kSteps; ++k, slot.next(p.stages)) {
    const uint32_t full = bar.full + 8 * slot.index;
    const uint32_t dst = base + slot.index * kStage;
    wait(bar.empty + 8 * slot.index, slot.parity ^ 1);
    tile::mbarrier_arrive_expect_tx(full, kStage);
    out[k].issued = tile::stamp();
    load_box(dst, map, full, (k & mask) * 64, m);
    load_box(dst + kBox, map, full, (k & mask) * 64, n);
  }
}

TILE_DEVICE void observe(const Plan& p, Barriers bar, Stage* out) {
  Slot slot;
  for (int k = 0; k < kSteps; ++k, slot.next(p.stages)) {
    wait(bar.full + 8 * slot.index, slot.parity);
    const uint32_t now = tile::stamp();
    if (tile::elect_one()) {
      out[k].complete = now;
      tile::mbarrier_arrive(bar.empty + 8 * slot.index);
    }
  }
}

template <Work kWork>
TILE_DEVICE void consume_stages(const Plan& p, Barriers bar, uint32_t base,
                                Stage* out, float* sink) {
  float acc[2][64] = {};
  Slot slot, last;
  for (int k = 0; k < kSteps; ++k, slot.next(p.stages)) {
    const uint32_t asked = tile::stamp();
    wait(bar.full + 8 * slot.index, slot.parity);
    const uint32_t seen = tile::stamp();
    if (threadIdx.x == 0) {
      out[k].asked = asked;
      out[k].seen = seen;
    }
    if constexpr (kWork == Work::kWgmma) {
      const uint32_t stage = base + slot.index * kStage;
      const uint64_t a = descriptor(stage, false, 0);
      const uint64_t b = descriptor(stage + kBox, false, 0);
      tile::wgmma_fence();
      multiply(acc[0], a, b);
      multiply(acc[1], a + (64 * kRowBytes >> 4), b);
      tile::wgmma_commit_group();
      tile::wgmma_wait_group<1>();
      if (k > 0) {
        tile::mbarrier_arrive(bar.empty + 8 * last.index);
        last.next(p.stages);
      }
    } else {
      tile::mbarrier_arrive(bar.empty + 8 * slot.index);
    }
  }
  tile::wgmma_wait_group<0>();
  consume(acc[0], sink);
  consume(acc[1], sink);
}

template <Work kWork>
__global__ __launch_bounds__(kThreads, 1) void ring(
    const __grid_constant__ CUtensorMap map, const Plan p, Gate* gate,
    Stage* stages, float* sink) {
  __shared__ uint64_t barriers[2 * kMaxStages];
  const uint32_t base = shared_base();
  const Barriers bar = {shared_address(barriers),
                        shared_address(barriers + kMaxStages)};
  Stage* out = stages + blockIdx.x * kSteps;
  if (threadIdx.x == 0) {
    for (int s = 0; s < p.stages; ++s) {
      tile::mbarrier_init(bar.full + 8 * s, 1);
      tile::mbarrier_init(bar.empty + 8 * s, kConsumers + 1);
    }
    tile::fence_mbarrier_init();
    start_together(gate, p.ctas);
  }
  __syncthreads();
  const int warp = tile::warp_index();
  if (warp == kProducer) {
    if (tile::elect_one()) produce(&map, p, bar, base, out);
  } else if (warp == kObserver) {
    observe(p, bar, out);
  } else {
    consume_stages<kWork>(p, bar, base, out, sink);
  }
}

struct Bench {
  Report& report;
  Buffer<uint8_t> data{kRows * kPitch};
  Buffer<Gate> gate{1};
  Buffer<Stage> stages{kSms * kSteps};
  Buffer<float> sink{1};
  Flush flush;

  template <Work kWork>
  void Measure(Plan p, bool cold) {
    const CUtensorMap map = MapOf(data.get(), kRows, kPitch, 128);
    Samples step, latency, waited, first[kFirst];
    for (int repeat = -1; repeat < 5; ++repeat) {
      if (cold) flush();
      gate.Clear();
      Run(ring<kWork>, p.ctas, 1, kThreads, p.stages * kStage + 1024, map, p,
          gate.get(), stages.get(), sink.get());
      if (repeat < 0) continue;
      const std::vector<Stage> out = stages.Read(p.ctas * kSteps);
      // Cold, the first tile's worth; warm, without the filling of the ring.
      const int from = cold ? 0 : 2 * kMaxStages, to = cold ? 64 : kSteps;
      for (int cta = 0; cta < p.ctas; ++cta) {
        const Stage* s = &out[cta * kSteps];
        step.push_back(double(s[to - 1].complete - s[from].complete) /
                       (to - 1 - from));
        for (int k = 0; k < kFirst; ++k)
          first[k].push_back(s[k].complete - s[0].issued);
        for (int k = from; k < to; ++k) {
          latency.push_back(s[k].complete - s[k].issued);
          waited.push_back(s[k].seen - s[k].asked);
        }
      }
    }
    Parameters parameters = {{"stages", p.stages},
                             {"work", kWorkNames[static_cast<int>(kWork)]},
                             {"tiles", p.own ? "own" : "shared"},
                             {"data", cold ? "hbm" : "l2"},
                             {"sms", p.ctas}};
    report.Add("ring.step", parameters, "cycles", step);
    report.Add("ring.latency", parameters, "cycles", latency);
    report.Add("ring.wait", parameters, "cycles", waited);
    if (kWork != Work::kNone || p.stages != 4) return;
    parameters.emplace_back("stage", 0);
    for (int k = 0; k < kFirst; ++k) {
      parameters.back().second = k;
      report.Add("ring.first", parameters, "cycles", first[k]);
    }
  }

  void All(Plan p, bool cold) {
    Measure<Work::kNone>(p, cold);
    // Frees a stage one step late, so it needs two.
    if (p.stages > 1) Measure<Work::kWgmma>(p, cold);
  }
};

}  // namespace
}  // namespace calibrate

int main(int argc, char** argv) {
  using namespace calibrate;
  Report report(argc, argv);
  ReportClock(report, "before l2_ring");
  Bench bench{report};
  Fill(bench.data, Data::kNormalF16);
  for (int stages : {1, 2, 3, 4, 5, 7}) {
    for (int ctas : {1, 66, 132}) {
      bench.All({stages, false, ctas}, false);
      if (ctas != 66) bench.All({stages, true, ctas}, false);
    }
    bench.All({stages, false, kSms}, true);
  }
  ReportClock(report, "after l2_ring");
}
