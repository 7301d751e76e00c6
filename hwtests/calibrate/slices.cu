// The ring of a GEMM of two rows of tiles, whose CTAs lie in pairs below each
// other: all of a row want the same part of A at about the same time, and each
// fetches it by a plain load, or by a multicast to itself. The two of a pair share
// B: each fetches half of it for both. No products: what the memory gives.
#include "hwtests/calibrate/harness.cuh"

namespace calibrate {
namespace {

constexpr int kMaxStages = 12, kSteps = 256, kWarm = 32, kPitch = 8192;
constexpr int kColumns = kPitch / kRowBytes, kRing = 192 << 10;
constexpr int64_t kRows = 2 * 256 + kSms * 256;

struct Plan {
  int a_rows, b_rows, stages, ctas;
  bool multicast;  // of A, to the CTA that asks for it
};

struct Step {
  uint32_t issued, complete;
};

struct Ring {
  uint32_t base, full, empty;
  int rank;
  int stage;  // bytes
};

TILE_DEVICE void produce(const CUtensorMap* a, const CUtensorMap* b,
                         const Plan& p, const Ring& r, Step* out) {
  const int pair = blockIdx.x / 2, half = p.b_rows / 2;
  const int m = r.rank * p.a_rows;
  const int n = 2 * 256 + pair * p.b_rows + r.rank * half;
  const uint32_t beyond_a = (p.a_rows + r.rank * half) * kRowBytes;
  const uint16_t self = static_cast<uint16_t>(1 << r.rank);
  Slot slot;
  for (int k = 0; k < kSteps; ++k, slot.next(p.stages)) {
    const uint32_t bar = r.full + 8 * slot.index;
    const uint32_t dst = r.base + slot.index * r.stage;
    wait(r.empty + 8 * slot.index, slot.parity ^ 1);
    tile::mbarrier_arrive_expect_tx(bar, r.stage);
    out[k].issued = tile::stamp();
    const int x = k % kColumns * 64;
    if (p.multicast) {
      load_box_multicast(dst, a, bar, self, x, m);
    } else {
      load_box(dst, a, bar, x, m);
    }
    load_box_multicast(dst + beyond_a, b, bar, 3, x, n);
  }
}

TILE_DEVICE void observe(const Plan& p, const Ring& r, Step* out) {
  const int lane = tile::lane_index();
  Slot slot;
  for (int k = 0; k < kSteps; ++k, slot.next(p.stages)) {
    wait(r.full + 8 * slot.index, slot.parity);
    const uint32_t now = tile::stamp();
    if (lane == 0) out[k].complete = now;
    if (lane < 2)
      tile::mbarrier_arrive_peer(tile::mapa(r.empty + 8 * slot.index, lane));
    __syncwarp();
  }
}

__global__ __launch_bounds__(64, 1) void ring(
    const __grid_constant__ CUtensorMap a, const __grid_constant__ CUtensorMap b,
    const Plan p, Gate* gate, Step* steps) {
  __shared__ uint64_t barriers[2 * kMaxStages];
  const Ring r = {kept(shared_base()), kept(shared_address(barriers)),
                  kept(shared_address(barriers + kMaxStages)),
                  tile::cluster_rank(), (p.a_rows + p.b_rows) * kRowBytes};
  if (threadIdx.x == 0) {
    for (int s = 0; s < p.stages; ++s) {
      tile::mbarrier_init(r.full + 8 * s, 1);
      tile::mbarrier_init(r.empty + 8 * s, 2);
    }
    tile::fence_mbarrier_init();
    start_together(gate, gridDim.x);
  }
  __syncwarp();
  tile::cluster_arrive();
  tile::cluster_wait();
  Step* out = steps + blockIdx.x * kSteps;
  if (tile::warp_index() == 0) {
    if (tile::elect_one()) produce(&a, &b, p, r, out);
    __syncwarp();
  } else {
    observe(p, r, out);
  }
  tile::cluster_arrive();
  tile::cluster_wait();
}

struct Bench {
  Report& report;
  Buffer<uint8_t> data{kRows * kPitch};
  Buffer<Gate> gate{1};
  Buffer<Step> steps{kSms * kSteps};

  void Measure(Plan p) {
    const CUtensorMap a = MapOf(data.get(), kRows, kPitch, p.a_rows);
    const CUtensorMap b = MapOf(data.get(), kRows, kPitch, p.b_rows / 2);
    Samples latency, step;
    for (int repeat = -1; repeat < 3; ++repeat) {
      gate.Clear();
      Run(ring, p.ctas, 2, 64, kRing + 1024, a, b, p, gate.get(), steps.get());
      if (repeat < 0) continue;
      const std::vector<Step> out = steps.Read(p.ctas * kSteps);
      for (int cta = 0; cta < p.ctas; ++cta) {
        const Step* s = &out[cta * kSteps];
        for (int k = kWarm; k < kSteps; ++k)
          latency.push_back(s[k].complete - s[k].issued);
        step.push_back(double(s[kSteps - 1].complete - s[kWarm].complete) /
                       (kSteps - 1 - kWarm));
      }
    }
    const Parameters parameters = {{"a_rows", p.a_rows},
                                   {"b_rows", p.b_rows},
                                   {"stages", p.stages},
                                   {"ctas", p.ctas},
                                   {"a_by_multicast", p.multicast}};
    report.Add("slices.latency", parameters, "cycles", latency);
    report.Add("slices.step", parameters, "cycles", step);
  }

  void All() {
    for (int ctas : {2, 64, 132}) {
      for (int a_rows : {64, 128, 256}) {
        for (int b_rows : {64, 128, 256}) {
          const int stage = (a_rows + b_rows) * kRowBytes;
          const int most = std::min(kMaxStages, kRing / stage);
          for (int stages : {2, 4, most}) {
            if (stages > most || (stages == 4 && most == 4)) continue;
            Measure({a_rows, b_rows, stages, ctas, false});
            Measure({a_rows, b_rows, stages, ctas, true});
          }
        }
      }
    }
  }
};

}  // namespace
}  // namespace calibrate

int main(int argc, char** argv) {
  using namespace calibrate;
  Report report(argc, argv);
  ReportClock(report, "before slices");
  Bench bench{report};
  CALIBRATE_CHECK(cudaFuncSetAttribute(
      ring, cudaFuncAttributeMaxDynamicSharedMemorySize, kRing + 1024));
  Fill(bench.data, Data::kNormalF16);
  bench.All();
  ReportClock(report, "after slices");
}
