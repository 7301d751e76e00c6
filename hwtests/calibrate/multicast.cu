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

__global__ __launch_bounds__(64, 1) void ring(
    const __grid_constant__ CUtensorMap map, const Plan p, Gate* gate,
    Step* steps) {
  __shared__ uint64_t barriers[2 * kMaxStages];
  const uint32_t base = shared_base(), full = shared_address(barriers);
  const uint32_t empty = shared_address(barriers + kMaxStages);
  const int rank = tile::cluster_rank();
  const int size = p.multicast ? tile::cluster_size() : 1;
  if (threadIdx.x == 0) {
    for (int s = 0; s < p.stages; ++s) {
      tile::mbarrier_init(full + 8 * s, 1);
      tile::mbarrier_init(empty + 8 * s, size);
    }
    tile::fence_mbarrier_init();
    start_together(gate, gridDim.x);
  }
  tile::cluster_arrive();
  tile::cluster_wait();
  Step* out = steps + blockIdx.x * kSteps;
  Slot slot;
  if (threadIdx.x == 0) {
    // All CTAs of a cluster share rows, each has its own without multicast.
    const int share = kStage / size;
    const int y = p.multicast ? tile::cluster_x() * 256 + rank * (256 / size)
                              : static_cast<int>(blockIdx.x) * 256;
    const uint16_t all = static_cast<uint16_t>((1 << size) - 1);
    for (int k = 0; k < kSteps; ++k, slot.next(p.stages)) {
      const uint32_t bar = full + 8 * slot.index;
      const uint32_t dst = base + slot.index * kStage +
                           (p.multicast ? rank * share : 0);
      wait(empty + 8 * slot.index, slot.parity ^ 1);
      tile::mbarrier_arrive_expect_tx(bar, kStage);
      out[k].issued = tile::stamp();
      if (size > 1) {
        load_box_multicast(dst, &map, bar, all, k % 4 * 64, y);
      } else {
        load_box(dst, &map, bar, k % 4 * 64, y);
      }
    }
  } else if (threadIdx.x >= 32) {
    for (int k = 0; k < kSteps; ++k, slot.next(p.stages)) {
      wait(full + 8 * slot.index, slot.parity);
      const uint32_t now = tile::stamp();
      const int lane = threadIdx.x % 32;
      if (lane == 0) out[k].complete = now;
      if (lane < size) {
        const int to = p.multicast ? lane : rank;
        tile::mbarrier_arrive_peer(
            tile::mapa(empty + 8 * slot.index, to));
      }
      __syncwarp();
    }
  }
  __syncwarp();
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
    Samples latency, step, port;
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
        port.push_back(kStage / step.back());
      }
    }
    const Parameters parameters = {{"cluster", size},
                                   {"clusters", clusters},
                                   {"stages", p.stages},
                                   {"multicast", p.multicast}};
    report.Add("multicast.latency", parameters, "cycles", latency);
    report.Add("multicast.step", parameters, "cycles", step);
    report.Add("multicast.port", parameters, "B/cycle/SM", port);
  }

  void All() {
    for (int size : {1, 2, 4, 8}) {
      const int most = Clusters(size);
      report.Add("multicast.clusters", {{"cluster", size}}, "clusters",
                 {double(most)});
      for (int clusters : {1, most / 2, most}) {
        for (int stages : {1, 2, 3, 4, 6}) {
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
