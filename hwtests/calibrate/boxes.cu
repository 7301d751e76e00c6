// The tensor copy engine by the shape of its boxes: several warps of an SM each
// load a few boxes at once and wait for them, or store them, or both in turn, as
// kernels that are bound by memory do.
#include "hwtests/calibrate/harness.cuh"

namespace calibrate {
namespace {

enum class Way { kLoad, kStore, kBoth };
const char* const kWayNames[] = {"load", "store", "load and store"};

constexpr int kMaxWarps = 12, kAtOnce = 8, kTurns = 48, kWarm = 8;
constexpr int kRoom = 16 << 10;  // bytes of a warp
constexpr int kPitch = 8192;
constexpr int64_t kTensorRows = 1 << 16;  // 512 MiB

struct Plan {
  int rows;        // of a box
  int boxes;       // at once, side by side
  int log_groups;  // such groups in the width of the tensor
  bool again;      // the same boxes each turn: in L2
  int ctas;
};

struct Turns {
  uint32_t first, last;
};

// The boxes of all warps and turns lie side by side, then below each other.
struct Walk {
  int group, step;
  TILE_DEVICE Walk(const Plan& p, int warps)
      : group(blockIdx.x * warps + tile::warp_index()),
        step(p.again ? 0 : static_cast<int>(gridDim.x) * warps) {}
  TILE_DEVICE int x(const Plan& p) const {
    return (group & ((1 << p.log_groups) - 1)) * p.boxes * 64;
  }
  TILE_DEVICE int y(const Plan& p) const {
    return (group >> p.log_groups) * p.rows & (kTensorRows - 1);
  }
};

template <Way kWay>
TILE_DEVICE void turn(const CUtensorMap* from, const CUtensorMap* to,
                      const Plan& p, uint32_t base, uint32_t bar,
                      uint32_t parity, int x, int y) {
  const uint32_t bytes = p.rows * kRowBytes;
  if (kWay != Way::kStore) {
    tile::mbarrier_arrive_expect_tx(bar, bytes * p.boxes);
    for (int i = 0; i < p.boxes; ++i)
      load_box(base + i * bytes, from, bar, x + i * 64, y);
    wait(bar, parity);
  }
  if (kWay != Way::kLoad) {
    for (int i = 0; i < p.boxes; ++i)
      store_box(to, base + i * bytes, x + i * 64, y);
    tile::bulk_commit_group();
    tile::bulk_wait_group_read<0>();
  }
}

template <Way kWay>
__global__ __launch_bounds__(32 * kMaxWarps, 1) void move(
    const __grid_constant__ CUtensorMap from,
    const __grid_constant__ CUtensorMap to, const Plan p, Gate* gate,
    Turns* turns) {
  __shared__ uint64_t barriers[kMaxWarps];
  const int warp = tile::warp_index(), warps = blockDim.x / 32;
  const uint32_t bar = shared_address(barriers + warp);
  const uint32_t base = shared_base() + warp * kRoom;
  if (threadIdx.x == 0) {
    for (int w = 0; w < warps; ++w)
      tile::mbarrier_init(shared_address(barriers + w), 1);
    tile::fence_mbarrier_init();
    start_together(gate, p.ctas);
  }
  __syncthreads();
  if (!tile::elect_one()) return;
  Walk at(p, warps);
  uint32_t first = 0;
  for (int i = 0; i < kTurns; ++i, at.group += at.step) {
    if (i == kWarm) first = tile::stamp();
    turn<kWay>(&from, &to, p, base, bar, i & 1, at.x(p), at.y(p));
  }
  turns[blockIdx.x * kMaxWarps + warp] = {first, tile::stamp()};
  tile::bulk_wait_group<0>();
}

struct Bench {
  Report& report;
  Buffer<uint8_t> from{kTensorRows * kPitch}, to{kTensorRows * kPitch};
  Buffer<Gate> gate{1};
  Buffer<Turns> turns{kSms * kMaxWarps};
  Flush flush;

  template <Way kWay>
  void Measure(Plan p, int warps) {
    const CUtensorMap in = MapOf(from.get(), kTensorRows, kPitch, p.rows);
    const CUtensorMap out = MapOf(to.get(), kTensorRows, kPitch, p.rows);
    Samples box;
    for (int repeat = -1; repeat < 3; ++repeat) {
      if (!p.again) flush();
      gate.Clear();
      Run(move<kWay>, p.ctas, 1, 32 * warps, kMaxWarps * kRoom + 1024, in, out,
          p, gate.get(), turns.get());
      if (repeat < 0) continue;
      const std::vector<Turns> all = turns.Read();
      for (int cta = 0; cta < p.ctas; ++cta) {
        for (int w = 0; w < warps; ++w) {
          const Turns& t = all[cta * kMaxWarps + w];
          box.push_back(double(t.last - t.first) /
                        ((kTurns - kWarm) * p.boxes * warps));
        }
      }
    }
    report.Add("box.time",
               {{"way", kWayNames[static_cast<int>(kWay)]},
                {"rows", p.rows},
                {"at_once", p.boxes},
                {"warps", warps},
                {"data", p.again ? "l2" : "hbm"},
                {"sms", p.ctas}},
               "cycles", box);
  }

  void All(int rows, int boxes, int warps, bool again, int ctas) {
    const int groups = kPitch / kRowBytes / boxes;
    const Plan p = {rows, boxes, __builtin_ctz(groups), again, ctas};
    Measure<Way::kLoad>(p, warps);
    Measure<Way::kStore>(p, warps);
    Measure<Way::kBoth>(p, warps);
  }
};

}  // namespace
}  // namespace calibrate

int main(int argc, char** argv) {
  using namespace calibrate;
  Report report(argc, argv);
  ReportClock(report, "before boxes");
  Bench bench{report};
  Fill(bench.from, Data::kNormalF16);
  for (int ctas : {1, kSms}) {
    for (bool again : {true, false}) {
      for (int warps : {1, 2, 4, 6, 8, 12}) {
        bench.All(16, kAtOnce, warps, again, ctas);
        bench.All(128, 1, warps, again, ctas);
      }
      for (int rows : {8, 32, 64}) bench.All(rows, 2, 12, again, ctas);
    }
  }
  ReportClock(report, "after boxes");
}
