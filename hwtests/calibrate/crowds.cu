// Fences of several warps of an SM at a time, beside tensor loads and stores of
// the same SM.
#include <algorithm>

#include "hwtests/calibrate/harness.cuh"

namespace calibrate {
namespace {

enum class Op { kGpu, kCluster, kProxy, kProxyShared };
const char* const kOps[] = {"fence.acq_rel.gpu", "fence.acq_rel.cluster",
                            "fence.proxy.async",
                            "fence.proxy.async.shared::cta"};
// What one more warp does all the time.
enum class Beside { kNothing, kLoads, kStores };
const char* const kBesides[] = {"nothing", "tensor loads", "tensor stores"};
// What a warp does before each of its fences.
enum class Before { kNothing, kShared, kGlobal };
const char* const kBefores[] = {"nothing", "st.shared", "st.global"};

constexpr int kBox = 64 * kRowBytes, kBoxes = 4, kRounds = 32;
constexpr int kMostWarps = 24;

template <Op kOp>
TILE_DEVICE void fence() {
  if constexpr (kOp == Op::kGpu) tile::fence_acq_rel_gpu();
  if constexpr (kOp == Op::kCluster) tile::fence_acq_rel_cluster();
  if constexpr (kOp == Op::kProxy) tile::fence_proxy_async();
  if constexpr (kOp == Op::kProxyShared) tile::fence_proxy_async_shared();
}

struct Plan {
  int warps, boxes;
  Beside beside;
  Before before;
  unsigned apart = 0;  // cycles of rest between fences, by chance up to
};

TILE_DEVICE void go_on(const CUtensorMap* map, const Plan& p, uint32_t bar,
                       uint32_t ring, volatile int* left) {
  Slot slot;
  for (int i = 0; *left > 0 || i % p.boxes != 0; ++i) {
    if (p.beside == Beside::kLoads) {
      if (i >= p.boxes) wait(bar + 8 * slot.index, slot.parity ^ 1);
      tile::mbarrier_arrive_expect_tx(bar + 8 * slot.index, kBox);
      load_box(ring + slot.index * kBox, map, bar + 8 * slot.index, i % 8 * 64,
               blockIdx.x * 64);
      slot.next(p.boxes);
    } else {
      store_box(map, ring + i % p.boxes * kBox, i % 8 * 64, blockIdx.x * 64);
      tile::bulk_commit_group();
      tile::bulk_wait_group_read<kBoxes - 1>();
    }
  }
  if (p.beside == Beside::kStores) tile::bulk_wait_group<0>();
  if (p.beside == Beside::kLoads) {
    for (int i = 0; i < p.boxes; ++i, slot.next(p.boxes))
      wait(bar + 8 * slot.index, slot.parity ^ 1);
  }
}

template <Op kOp>
__global__ __launch_bounds__(32 * (kMostWarps + 1), 1) void crowd(
    const __grid_constant__ CUtensorMap map, Plan p, uint32_t* global,
    Gate* gate, uint32_t* out) {
  __shared__ uint64_t barriers[kBoxes];
  __shared__ int left;
  __shared__ uint4 room[32 * kMostWarps];
  const uint32_t bar = shared_address(barriers), ring = shared_base();
  const int warp = threadIdx.x / 32;
  if (threadIdx.x == 0) {
    for (int i = 0; i < kBoxes; ++i) tile::mbarrier_init(bar + 8 * i, 1);
    tile::fence_mbarrier_init();
    left = p.warps;
    start_together(gate, gridDim.x);
  }
  __syncthreads();
  if (warp == p.warps) {
    if (threadIdx.x % 32 == 0 && p.beside != Beside::kNothing)
      go_on(&map, p, bar, ring, &left);
    return;
  }
  spin(2000);
  uint64_t sum = 0;
  for (int i = 0; i < kRounds; ++i) {
    if (p.before == Before::kShared)
      *const_cast<volatile uint32_t*>(&room[threadIdx.x].x) = i;
    if (p.before == Before::kGlobal)
      *const_cast<volatile uint32_t*>(
          &global[blockIdx.x * 1024 + threadIdx.x]) = i;
    const uint64_t from = cycles();
    fence<kOp>();
    sum += cycles() - from;
    spin(p.apart > 0 ? 100 + hash(i * 64 + warp) % p.apart : 100);
  }
  if (threadIdx.x % 32 != 0) return;
  out[blockIdx.x * kMostWarps + warp] = static_cast<uint32_t>(sum);
  atomicSub(&left, 1);
}

struct Bench {
  Report& report;
  Buffer<uint8_t> data{int64_t{kSms} * 64 * 1024};
  Buffer<uint32_t> global{kSms * 1024};
  Buffer<Gate> gate{1};
  Buffer<uint32_t> out{kSms * kMostWarps};

  template <Op kOp>
  void Measure(const Plan& p, int sms) {
    const CUtensorMap map = MapOf(data.get(), kSms * 64, 1024, 64);
    constexpr int kShared = 120 * 1024;
    CALIBRATE_CHECK(cudaFuncSetAttribute(
        crowd<kOp>, cudaFuncAttributeMaxDynamicSharedMemorySize, kShared));
    Samples each;
    for (int repeat = -2; repeat < 5; ++repeat) {
      gate.Clear();
      Run(crowd<kOp>, sms, 1, 32 * (p.warps + 1), kShared, map, p, global.get(),
          gate.get(), out.get());
      if (repeat < 0) continue;
      const std::vector<uint32_t> all = out.Read();
      for (int s = 0; s < sms; ++s) {
        for (int w = 0; w < p.warps; ++w)
          each.push_back(1.0 * all[s * kMostWarps + w] / kRounds);
      }
    }
    report.Add("fence.crowd",
               {{"op", kOps[static_cast<int>(kOp)]},
                {"beside", kBesides[static_cast<int>(p.beside)]},
                {"before", kBefores[static_cast<int>(p.before)]},
                {"boxes", p.boxes},
                {"apart", p.apart},
                {"warps", p.warps},
                {"sms", sms}},
               "cycles", each);
  }

  // By warps whose fences begin at any time.
  template <Op kOp>
  void Apart() {
    for (int sms : {1, kSms}) {
      for (unsigned apart : {1000u, 4000u}) {
        for (int warps : {1, 2, 3, 4, 6, 8, 12, 16}) {
          Measure<kOp>({warps, 1, Beside::kNothing, Before::kNothing, apart},
                       sms);
          for (Beside beside : {Beside::kLoads, Beside::kStores})
            Measure<kOp>({warps, 4, beside, Before::kNothing, apart}, sms);
        }
      }
    }
  }

  template <Op kOp>
  void All() {
    for (int sms : {1, kSms}) {
      for (int warps : {1, 2, 4, 8, 16, 24}) {
        for (Before before :
             {Before::kNothing, Before::kShared, Before::kGlobal}) {
          Measure<kOp>({warps, 1, Beside::kNothing, before}, sms);
          for (Beside beside : {Beside::kLoads, Beside::kStores})
            for (int boxes : {1, 4})
              Measure<kOp>({warps, boxes, beside, before}, sms);
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
  ReportClock(report, "before crowds");
  Bench bench{report};
  Fill(bench.data, Data::kNormalF16);
  bench.Apart<Op::kCluster>();
  bench.Apart<Op::kProxy>();
  bench.All<Op::kGpu>();
  bench.All<Op::kCluster>();
  bench.All<Op::kProxy>();
  bench.All<Op::kProxyShared>();
  ReportClock(report, "after crowds");
}
