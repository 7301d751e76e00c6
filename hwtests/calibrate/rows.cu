// Tensor loads by where in memory the rows of a box begin: beyond a multiple of
// 128 bytes, all alike (the box begins there) or each other than the one before
// (the pitch is no such multiple).
#include "hwtests/calibrate/harness.cuh"

namespace calibrate {
namespace {

constexpr int kBoxRows = 128, kBytes = kBoxRows * kRowBytes;
constexpr int kStages = 4, kRequests = 256, kBoxesOfRow = 8;
constexpr int kPitch = 8192;
constexpr int64_t kTensorRows = 1 << 17;  // 1 GiB

struct Plan {
  int shift;  // elements of a row before the first box
  bool cold;  // other rows each time round, from HBM
  int ctas;
};

struct Times {
  uint32_t issued, complete;
};

__global__ __launch_bounds__(64, 1) void load(
    const __grid_constant__ CUtensorMap map, const Plan p, Gate* gate,
    Times* times) {
  __shared__ uint64_t barriers[2 * kStages];
  const uint32_t full = shared_address(barriers);
  const uint32_t empty = shared_address(barriers + kStages);
  const uint32_t base = shared_base();
  Times* mine = times + blockIdx.x * kRequests;
  if (threadIdx.x == 0) {
    for (int s = 0; s < 2 * kStages; ++s)
      tile::mbarrier_init(full + 8 * s, 1);
    tile::fence_mbarrier_init();
    start_together(gate, p.ctas);
  }
  __syncthreads();
  Slot slot;
  if (tile::warp_index() == 0) {
    if (!tile::elect_one()) return;
    int y = blockIdx.x * kBoxRows;
    for (int i = 0; i < kRequests; ++i, slot.next(kStages)) {
      const uint32_t bar = full + 8 * slot.index;
      wait(empty + 8 * slot.index, slot.parity ^ 1);
      tile::mbarrier_arrive_expect_tx(bar, kBytes);
      mine[i].issued = tile::stamp();
      load_box(base + slot.index * kBytes, &map, bar,
               p.shift + i % kBoxesOfRow * 64, y);
      if (p.cold && i % kBoxesOfRow == kBoxesOfRow - 1)
        y += p.ctas * kBoxRows;
    }
    return;
  }
  const bool lane = tile::elect_one();
  for (int i = 0; i < kRequests; ++i, slot.next(kStages)) {
    wait(full + 8 * slot.index, slot.parity);
    const uint32_t now = tile::stamp();
    if (lane) {
      tile::mbarrier_arrive(empty + 8 * slot.index);
      mine[i].complete = now;
    }
  }
}

struct Bench {
  Report& report;
  Buffer<uint8_t> data{kTensorRows * (kPitch + 128)};
  Buffer<Gate> gate{1};
  Buffer<Times> times{kSms * kRequests};
  Flush flush;

  void Measure(Plan p, int rest) {
    const CUtensorMap map =
        MapOf(data.get(), kTensorRows, kPitch, kBoxRows, kPitch + rest);
    Samples latency, port;
    for (int repeat = -1; repeat < 3; ++repeat) {
      if (p.cold) flush();
      gate.Clear();
      Run(load, p.ctas, 1, 64, kStages * kBytes + 1024, map, p, gate.get(),
          times.get());
      if (repeat < 0) continue;
      const std::vector<Times> all = times.Read(p.ctas * kRequests);
      for (int cta = 0; cta < p.ctas; ++cta) {
        const Times* t = &all[cta * kRequests];
        port.push_back(double(kBytes) * (kRequests - kStages) /
                       (t[kRequests - 1].complete - t[kStages - 1].complete));
        for (int i = kStages; i < kRequests; ++i)
          latency.push_back(t[i].complete - t[i].issued);
      }
    }
    const Parameters parameters = {{"begin", 2 * p.shift},
                                   {"pitch_rest", rest},
                                   {"data", p.cold ? "hbm" : "l2"},
                                   {"sms", p.ctas}};
    report.Add("rows.latency", parameters, "cycles", latency);
    report.Add("rows.port", parameters, "B/cycle/SM", port);
  }
};

}  // namespace
}  // namespace calibrate

int main(int argc, char** argv) {
  using namespace calibrate;
  Report report(argc, argv);
  ReportClock(report, "before rows");
  Bench bench{report};
  Fill(bench.data, Data::kNormalF16);
  for (bool cold : {false, true}) {
    for (int ctas : {1, 16, kSms}) {
      for (int begin : {0, 16, 32, 48, 64, 80, 96, 112})
        bench.Measure({begin / 2, cold, ctas}, 0);
      for (int rest : {16, 32, 48, 64, 80, 96, 112})
        bench.Measure({0, cold, ctas}, rest);
    }
  }
  ReportClock(report, "after rows");
}
