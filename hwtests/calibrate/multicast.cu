// Tensor loads to all CTAs of a cluster: each fetches its share of a stage of
// 32 KB for all of them, as GEMMs do whose CTAs share an operand. A stage is
// free once a warp of each CTA has seen it.
#include "hwtests/calibrate/harness.cuh"

namespace calibrate {
namespace {

constexpr int kStage = 256 * kRowBytes, kMaxStages = 6, kSteps = 256;
constexpr int kWarm = 32, kPitch = 8192;
constexpr int64_t kRows = kSms * 256;

struct Step {
  uint32_t issued, complete;
};

struct Plan {
  int stages;
  bool multicast;  // else each CTA fetches all of its stage itself
};

struct Ring {
  uint32_t base, full, empty;
  int rank, size;  // of those that fetch a stage together
};

TILE_DEVICE void produce(const CUtensorMap* map, const Plan& p, const Ring& r,
                         Step* out) {
  const int share = kStage / r.size;
  const int y = p.multicast ? tile::cluster_x() * 256 + r.rank * (256 / r.size)
                            : static_cast<int>(blockIdx.x) * 256;
  const uint16_t all = static_cast<uint16_t>((1 << r.size) - 1);
  Slot slot;
  for (int k = 0; k < kSteps; ++k, slot.next(p.stages)) {
    const uint32_t bar = r.full + 8 * slot.index;
    const uint32_t dst =
        r.base + slot.index * kStage + (p.multicast ? r.rank * share : 0);
    wait(r.empty + 8 * slot.index, slot.parity ^ 1);
    tile::mbarrier_arrive_expect_tx(bar, kStage);
    out[k].issued = tile::stamp();
    if (p.multicast) {
      load_box_multicast(dst, map, bar, all, k % 4 * 64, y);
    } else {
      load_box(dst, map, bar, k % 4 * 64, y);
    }
  }
}

// Lane i tells CTA i of those that fetch together that the stage is free.
TILE_DEVICE void observe(const Plan& p, const Ring& r, Step* out) {
  const int lane = tile::lane_index();
  Slot slot;
  for (int k = 0; k < kSteps; ++k, slot.next(p.stages)) {
    wait(r.full + 8 * slot.index, slot.parity);
    const uint32_t now = tile::stamp();
    if (lane == 0) out[k].complete = now;
    if (lane < r.size) {
      tile::mbarrier_arrive_peer(
          tile::mapa(r.empty + 8 * slot.index, p.multicast ? lane : r.rank));
    }
    __syncwarp();
  }
}

__global__ __launch_bounds__(64, 1) void ring(
    const __grid_constant__ CUtensorMap map, const Plan p, Gate* gate,
    Step* steps) {
  __shared__ uint64_t barriers[2 * kMaxStages];
  const Ring r = {shared_base(), shared_address(barriers),
                  shared_address(barriers + kMaxStages), tile::cluster_rank(),
                  p.multicast ? tile::cluster_size() : 1};
  if (threadIdx.x == 0) {
    for (int s = 0; s < p.stages; ++s) {
      tile::mbarrier_init(r.full + 8 * s, 1);
      tile::mbarrier_init(r.empty + 8 * s, r.size);
    }
    tile::fence_mbarrier_init();
    start_together(gate, gridDim.x);
  }
  __syncwarp();
  tile::cluster_arrive();
  tile::cluster_wait();
  Step* out = steps + blockIdx.x * kSteps;
  if (tile::warp_index() == 0) {
    if (tile::elect_one()) produce(&map, p, r, out);
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

  static constexpr int kSharedBytes = kMaxStages * kStage + 1024;

  // Clusters that are on the GPU at the same time.
  int Clusters(int size) {
    CALIBRATE_CHECK(cudaFuncSetAttribute(
        ring, cudaFuncAttributeMaxDynamicSharedMemorySize, kSharedBytes));
    cudaLaunchConfig_t config = {};
    config.gridDim = dim3(kSms / size * size);
    config.blockDim = dim3(64);
    config.dynamicSmemBytes = kSharedBytes;
    cudaLaunchAttribute cluster = {};
    cluster.id = cudaLaunchAttributeClusterDimension;
    cluster.val.clusterDim = {static_cast<unsigned>(size), 1, 1};
    config.attrs = &cluster;
    config.numAttrs = 1;
    int count = 0;
    CALIBRATE_CHECK(cudaOccupancyMaxActiveClusters(&count, ring, &config));
    return std::min(count, kSms / size);
  }

  void Measure(int size, int clusters, Plan p) {
    const int rows = p.multicast ? 256 / size : 256;
    const CUtensorMap map = MapOf(data.get(), kRows, kPitch, rows);
    const int ctas = size * clusters;
    Samples latency, step;
    for (int repeat = -1; repeat < 5; ++repeat) {
      gate.Clear();
      Run(ring, ctas, size, 64, kSharedBytes, map, p, gate.get(), steps.get());
      if (repeat < 0) continue;
      const std::vector<Step> out = steps.Read(ctas * kSteps);
      for (int cta = 0; cta < ctas; ++cta) {
        const Step* s = &out[cta * kSteps];
        for (int k = kWarm; k < kSteps; ++k)
          latency.push_back(s[k].complete - s[k].issued);
        step.push_back(double(s[kSteps - 1].complete - s[kWarm].complete) /
                       (kSteps - 1 - kWarm));
      }
    }
    const Parameters parameters = {{"cluster", size},
                                   {"clusters", clusters},
                                   {"stages", p.stages},
                                   {"multicast", p.multicast}};
    report.Add("multicast.latency", parameters, "cycles", latency);
    report.Add("multicast.step", parameters, "cycles", step);
  }

  void All() {
    for (int size : {1, 2, 4, 8}) {
      const int most = Clusters(size);
      report.Add("multicast.clusters", {{"cluster", size}}, "clusters",
                 {double(most)});
      for (int clusters : {1, most}) {
        for (int stages : {1, 2, 4, 6}) {
          for (bool multicast : {false, true}) {
            if (size == 1 && multicast) continue;
            Measure(size, clusters, {stages, multicast});
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
  ReportClock(report, "before multicast");
  Bench bench{report};
  Fill(bench.data, Data::kNormalF16);
  bench.All();
  ReportClock(report, "after multicast");
}
