// How long a fence beyond the CTA takes beside one tensor load of the same SM,
// by when it begins; the fence behind it, without another load; and when the
// load lands.
#include "hwtests/calibrate/harness.cuh"

namespace calibrate {
namespace {

constexpr int kRounds = 24, kMostBoxes = 4;
constexpr int kBox = 128 * kRowBytes;
constexpr uint64_t kHead = 3000, kBefore = 1000;  // cycles

struct Plan {
  int boxes;   // of 16 KB
  int offset;  // cycles from the load's issue to the first fence
};

struct Times {
  uint32_t first, second, landed;
};

__global__ __launch_bounds__(64, 1) void fences(
    const __grid_constant__ CUtensorMap map, Plan p, Times* out) {
  __shared__ uint64_t barrier, go;
  const uint32_t bar = shared_address(&barrier);
  const uint32_t to = shared_base();
  if (threadIdx.x == 0) {
    tile::mbarrier_init(bar, 1);
    tile::fence_mbarrier_init();
  }
  for (int round = 0; round < kRounds; ++round) {
    __syncthreads();
    if (threadIdx.x == 0) go = cycles() + kHead;
    __syncthreads();
    const uint64_t issue = go + kBefore;
    Times& times = out[blockIdx.x * kRounds + round];
    if (threadIdx.x == 0) {
      while (cycles() < issue) {
      }
      tile::mbarrier_arrive_expect_tx(bar, p.boxes * kBox);
      for (int i = 0; i < p.boxes; ++i) {
        load_box(to + i * kBox, &map, bar, (round * kMostBoxes + i) % 64 * 64,
                 blockIdx.x * 128);
      }
      wait(bar, round & 1);
      times.landed = static_cast<uint32_t>(cycles() - issue);
    }
    if (threadIdx.x == 32) {
      while (cycles() < issue + p.offset) {
      }
      const uint64_t start = cycles();
      tile::fence_acq_rel_cluster();
      const uint64_t between = cycles();
      tile::fence_acq_rel_cluster();
      const uint64_t end = cycles();
      times.first = static_cast<uint32_t>(between - start);
      times.second = static_cast<uint32_t>(end - between);
    }
  }
}

struct Bench {
  Report& report;
  Buffer<uint8_t> data{int64_t{kSms} * 128 * 8192};
  Buffer<Times> times{kSms * kRounds};
};

void Measure(Bench& b, int sms, Plan p) {
  const CUtensorMap map = MapOf(b.data.get(), kSms * 128, 8192, 128);
  constexpr int kShared = kMostBoxes * kBox + 1024;
  CALIBRATE_CHECK(cudaFuncSetAttribute(
      fences, cudaFuncAttributeMaxDynamicSharedMemorySize, kShared));
  Samples first, second, landed;
  for (int repeat = -1; repeat < 4; ++repeat) {
    Run(fences, sms, 1, 64, kShared, map, p, b.times.get());
    if (repeat < 0) continue;
    const std::vector<Times> all = b.times.Read();
    for (int i = 0; i < sms * kRounds; ++i) {
      if (i % kRounds == 0) continue;
      first.push_back(all[i].first);
      second.push_back(all[i].second);
      landed.push_back(all[i].landed);
    }
  }
  const auto add = [&](const char* name, const Samples& samples) {
    b.report.Add(name, {{"sms", sms}, {"boxes", p.boxes}, {"offset", p.offset}},
                 "cycles", samples);
  };
  add("fence.first", first);
  add("fence.second", second);
  add("fence.landed", landed);
}

}  // namespace
}  // namespace calibrate

int main(int argc, char** argv) {
  using namespace calibrate;
  Report report(argc, argv);
  ReportClock(report, "before fences");
  Bench bench{report};
  Fill(bench.data, Data::kNormalF16);
  for (int sms : {1, kSms}) {
    for (int boxes : {0, 1, 4}) {
      for (int offset : {-400, -300, -200, -150, -100, -50, 0, 50, 100, 200,
                         300, 400, 500, 600, 800})
        Measure(bench, sms, {boxes, offset});
    }
  }
  ReportClock(report, "after fences");
}
