// What a release at cluster scope costs who executes it, by what else the SM
// does: arrivals at a barrier of the peer, and the fence alone.
#include "hwtests/calibrate/background.cuh"

namespace calibrate {
namespace {

enum class Op { kRelaxed, kPlain, kRelease, kFenceCluster, kFenceGpu };
const char* const kOpNames[] = {"arrive.relaxed.cluster", "arrive",
                                "arrive.release.cluster",
                                "fence.acq_rel.cluster", "fence.acq_rel.gpu"};
constexpr int kTurns = 64, kTmaWarp = 4, kFirstWorker = 8;  // warps

struct Plan {
  bool multiply, fetch;
  int warps;  // that execute it, one lane each
  int every;  // cycles of rest between two
};

template <Op kOp>
TILE_DEVICE void execute(uint32_t bar) {
  if constexpr (kOp == Op::kRelaxed)
    tile::mbarrier_arrive_relaxed_cluster_peer(bar);
  if constexpr (kOp == Op::kPlain) tile::mbarrier_arrive_peer(bar);
  if constexpr (kOp == Op::kRelease)
    tile::mbarrier_arrive_release_cluster_peer(bar);
  if constexpr (kOp == Op::kFenceCluster) tile::fence_acq_rel_cluster();
  if constexpr (kOp == Op::kFenceGpu) tile::fence_acq_rel_gpu();
}

// Warpgroup 0 multiplies, warp 4 loads, warps 8 to 11 execute the op.
template <Op kOp>
__global__ __launch_bounds__(384, 1) void scopes(
    const __grid_constant__ CUtensorMap map, Plan p, uint32_t* cycles_of_op,
    float* sink) {
  __shared__ uint64_t barriers[Scene::kBoxes + 1];
  __shared__ int stop_flag, finished;
  Flag* stop = &stop_flag;
  const Scene scene(shared_base());
  scene.fill();
  if (threadIdx.x == 0) {
    stop_flag = finished = 0;
    for (int i = 0; i < Scene::kBoxes; ++i)
      tile::mbarrier_init(shared_address(&barriers[i]), 1);
    tile::mbarrier_init(shared_address(&barriers[Scene::kBoxes]), 1 << 19);
    tile::fence_mbarrier_init();
  }
  __syncthreads();
  tile::cluster_arrive();
  tile::cluster_wait();
  const int warp = tile::warp_index();
  if (warp < 4) {
    if (p.multiply) multiply_until(stop, scene, sink);
  } else if (warp == kTmaWarp) {
    if (p.fetch && tile::elect_one()) fetch_until(stop, &map, scene, barriers);
    __syncwarp();
  } else if (warp >= kFirstWorker && warp < kFirstWorker + p.warps) {
    spin(4000);
    const uint32_t bar =
        tile::mapa(shared_address(&barriers[Scene::kBoxes]),
                   tile::cluster_rank() ^ 1);
    if (tile::elect_one()) {
      uint32_t sum = 0;
#pragma unroll 1
      for (int i = 0; i < kTurns; ++i) {
        const uint32_t start = tile::stamp();
        execute<kOp>(bar);
        sum += tile::stamp() - start;
        if (p.every > 0) spin(p.every);
      }
      if (warp == kFirstWorker) cycles_of_op[blockIdx.x] = sum / kTurns;
      if (atomicAdd(&finished, 1) == p.warps - 1) *stop = 1;
    }
    __syncwarp();
  }
  __syncwarp();
  tile::cluster_arrive();
  tile::cluster_wait();
}

struct Bench {
  Report& report;
  Buffer<uint8_t> data{int64_t{kSms} * 128 * 8192};
  Buffer<uint32_t> cycles_of_op{kSms};
  Buffer<float> sink{1};
};

template <Op kOp>
void Measure(Bench& b, Plan p) {
  const CUtensorMap map = MapOf(b.data.get(), kSms * 128, 8192, 128);
  CALIBRATE_CHECK(cudaFuncSetAttribute(
      scopes<kOp>, cudaFuncAttributeMaxDynamicSharedMemorySize, Scene::kBytes));
  Samples samples;
  for (int repeat = -1; repeat < 4; ++repeat) {
    Run(scopes<kOp>, kSms, 2, 384, Scene::kBytes, map, p, b.cycles_of_op.get(),
        b.sink.get());
    if (repeat < 0) continue;
    for (uint32_t c : b.cycles_of_op.Read()) samples.push_back(c);
  }
  b.report.Add("scope.issue",
               {{"op", kOpNames[static_cast<int>(kOp)]},
                {"wgmma", p.multiply},
                {"tma", p.fetch},
                {"warps", p.warps},
                {"rest", p.every}},
               "cycles", samples);
}

template <Op kOp>
void All(Bench& b) {
  for (int beside = 0; beside < 4; ++beside) {
    for (int warps : {1, 2, 4}) {
      for (int rest : {0, 512})
        Measure<kOp>(b, {(beside & 1) != 0, (beside & 2) != 0, warps, rest});
    }
  }
}

}  // namespace
}  // namespace calibrate

int main(int argc, char** argv) {
  using namespace calibrate;
  Report report(argc, argv);
  ReportClock(report, "before scopes");
  Bench bench{report};
  Fill(bench.data, Data::kNormalF16);
  All<Op::kRelaxed>(bench);
  All<Op::kPlain>(bench);
  All<Op::kRelease>(bench);
  All<Op::kFenceCluster>(bench);
  All<Op::kFenceGpu>(bench);
  ReportClock(report, "after scopes");
}
