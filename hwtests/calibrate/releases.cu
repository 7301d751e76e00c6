// What a release beyond the CTA waits for when the SM has stored to global
// memory before: by how much, by whom, and on how many SMs. And whether a CTA
// makes room for the next before its stores are through.
#include <algorithm>

#include "hwtests/calibrate/harness.cuh"

namespace calibrate {
namespace {

enum class Op {
  kFenceCta,
  kFenceCluster,
  kFenceGpu,
  kRedRelease,
  kArrivePeer,
  kBarrier,
};
const char* const kOpNames[] = {
    "fence.acq_rel.cta", "fence.acq_rel.cluster",  "fence.acq_rel.gpu",
    "red.release.gpu",   "arrive.release.cluster", "barrier.cluster"};
// Who executes it: the warps that stored, one that did not, after a barrier of
// the CTA.
enum class Who { kStorers, kOther };
const char* const kWhoNames[] = {"those that stored", "another warp"};

constexpr int kStorers = 128, kThreads = 160, kRounds = 8;
constexpr int kMost = 32;  // stores of 16 bytes a thread: 64 KB

struct Plan {
  int stores;
  Who who;
};

template <Op kOp>
TILE_DEVICE void execute(uint32_t bar, uint32_t* word) {
  if constexpr (kOp == Op::kFenceCta) tile::fence_acq_rel_cta();
  if constexpr (kOp == Op::kFenceCluster) tile::fence_acq_rel_cluster();
  if constexpr (kOp == Op::kFenceGpu) tile::fence_acq_rel_gpu();
  if constexpr (kOp == Op::kRedRelease)
    asm volatile("red.release.gpu.global.add.u32 [%0], 1;" ::"l"(word)
                 : "memory");
  if constexpr (kOp == Op::kArrivePeer)
    tile::mbarrier_arrive_release_cluster_peer(bar);
}

template <Op kOp>
__global__ __launch_bounds__(kThreads,
                             1) void release(uint4* out, Plan p, Gate* gate,
                                             uint32_t* words, uint32_t* stored,
                                             uint32_t* released) {
  __shared__ uint64_t barrier;
  __shared__ uint32_t longest;
  if (threadIdx.x == 0) {
    tile::mbarrier_init(shared_address(&barrier), 1 << 19);
    tile::fence_mbarrier_init();
  }
  tile::cluster_arrive();
  tile::cluster_wait();
  const uint32_t bar =
      tile::mapa(shared_address(&barrier), tile::cluster_rank() ^ 1);
  const bool stores = threadIdx.x < kStorers;
  const bool executes = (p.who == Who::kStorers) == stores;
  uint4* const mine = out + int64_t{blockIdx.x} * kRounds * kMost * kStorers;
  for (int round = 0; round < kRounds; ++round) {
    if (threadIdx.x == 0) {
      longest = 0;
      if (round == 0) start_together(gate, gridDim.x);
    }
    __syncthreads();
    const uint32_t start = tile::stamp();
    if (stores) {
      uint4* to = mine + round * kMost * kStorers + threadIdx.x;
#pragma unroll 1
      for (int i = 0; i < p.stores; ++i, to += kStorers)
        __stcg(to, make_uint4(start, i, threadIdx.x, round));
    }
    const uint32_t issued = tile::stamp();
    if (p.who == Who::kOther) tile::bar_sync_all(0);
    const uint32_t before = tile::stamp();
    if constexpr (kOp == Op::kBarrier) {
      tile::cluster_arrive();
      tile::cluster_wait();
    } else if (executes && threadIdx.x % 32 == 0) {
      execute<kOp>(bar, words + blockIdx.x * 32);
    }
    __syncwarp();
    const uint32_t after = tile::stamp();
    if (executes && threadIdx.x % 32 == 0) atomicMax(&longest, after - before);
    __syncthreads();
    if (threadIdx.x == 0) {
      stored[blockIdx.x * kRounds + round] = issued - start;
      released[blockIdx.x * kRounds + round] = longest;
    }
    spin(8000);
    tile::cluster_arrive();
    tile::cluster_wait();
  }
}

struct Life {
  uint64_t start, end;
  uint32_t sm;
};

// A CTA that stores, and ends at once.
__global__ __launch_bounds__(kStorers, 1) void store_and_end(uint4* out,
                                                             int stores,
                                                             Life* lives) {
  const uint64_t start = cycles();
  while (cycles() - start < 6000) {
  }
  __syncthreads();
  uint4* to = out + int64_t{blockIdx.x} * kMost * kStorers + threadIdx.x;
#pragma unroll 1
  for (int i = 0; i < stores; ++i, to += kStorers)
    __stcg(to, make_uint4(blockIdx.x, i, threadIdx.x, 1));
  __syncthreads();
  if (threadIdx.x != 0) return;
  Life life = {start, 0, sm_index()};
  life.end = cycles();
  lives[blockIdx.x] = life;
}

struct Bench {
  Report& report;
  Buffer<uint4> out{int64_t{kSms} * kRounds * kMost * kStorers};
  Buffer<Gate> gate{1};
  Buffer<uint32_t> words{kSms * 32}, stored{kSms * kRounds},
      released{kSms * kRounds};
  Buffer<Life> lives{8 * kSms};
};

template <Op kOp>
void Measure(Bench& b, Plan p, int ctas) {
  Samples stored, released;
  for (int repeat = -1; repeat < 5; ++repeat) {
    b.gate.Clear();
    Run(release<kOp>, ctas, 2, kThreads, 100 << 10, b.out.get(), p,
        b.gate.get(), b.words.get(), b.stored.get(), b.released.get());
    if (repeat < 0) continue;
    for (uint32_t c : b.stored.Read(ctas * kRounds)) stored.push_back(c);
    for (uint32_t c : b.released.Read(ctas * kRounds)) released.push_back(c);
  }
  const Parameters parameters = {{"op", kOpNames[static_cast<int>(kOp)]},
                                 {"by", kWhoNames[static_cast<int>(p.who)]},
                                 {"ctas", ctas},
                                 {"stores", p.stores}};
  b.report.Add("release.time", parameters, "cycles", released);
  b.report.Add("release.stored", parameters, "cycles", stored);
}

template <Op kOp>
void All(Bench& b) {
  for (int ctas : {2, kSms}) {
    for (int stores : {0, 1, 2, 4, 8, 16, kMost}) {
      for (Who who : {Who::kStorers, Who::kOther})
        Measure<kOp>(b, {stores, who}, ctas);
    }
  }
}

void Replacement(Bench& b, int stores) {
  constexpr int kCtas = 8 * kSms;
  Samples gaps;
  for (int repeat = -1; repeat < 4; ++repeat) {
    Run(store_and_end, kCtas, 1, kStorers, 200 << 10, b.out.get(), stores,
        b.lives.get());
    if (repeat < 0) continue;
    std::vector<std::vector<Life>> of_sm(kSms);
    for (const Life& life : b.lives.Read()) of_sm[life.sm].push_back(life);
    for (auto& on : of_sm) {
      std::sort(on.begin(), on.end(),
                [](const Life& x, const Life& y) { return x.start < y.start; });
      for (size_t i = 1; i < on.size(); ++i)
        gaps.push_back(static_cast<int64_t>(on[i].start - on[i - 1].end));
    }
  }
  b.report.Add("release.replacement", {{"stores", stores}}, "cycles", gaps);
}

}  // namespace
}  // namespace calibrate

int main(int argc, char** argv) {
  using namespace calibrate;
  Report report(argc, argv);
  ReportClock(report, "before releases");
  Bench bench{report};
  All<Op::kFenceCta>(bench);
  All<Op::kFenceCluster>(bench);
  All<Op::kFenceGpu>(bench);
  All<Op::kRedRelease>(bench);
  All<Op::kArrivePeer>(bench);
  All<Op::kBarrier>(bench);
  for (int stores : {0, 1, 4, 16, kMost}) Replacement(bench, stores);
  ReportClock(report, "after releases");
}
