// What SMs that ask for the same tiles gain from each other: a ring of stages
// of a box of A and a box of B, without products, where each SM is told which
// tiles are its own, and which it shares with whom.
#include <algorithm>
#include <functional>

#include "hwtests/calibrate/topology.cuh"

namespace calibrate {
namespace {

constexpr int kBox = 128 * kRowBytes, kStage = 2 * kBox;
constexpr int kMaxStages = 6, kSteps = 192, kPitch = 8192;
constexpr int kColumns = kPitch / kRowBytes;
constexpr int kTiles = 2 * kSms;

// By SM: its tiles of A and B, and how many columns ahead of others it is. Of
// many tiles few columns, so that all of them stay in L2.
struct Wish {
  int a = -1, b = 0, ahead = 0;  // a: -1: it asks for nothing
  int columns = 8;
};

TILE_DEVICE void produce(const CUtensorMap* map, Wish w, int stages,
                         uint32_t full, uint32_t empty, uint32_t base,
                         uint32_t* issued) {
  Slot slot;
  for (int k = 0; k < kSteps; ++k, slot.next(stages)) {
    const uint32_t bar = full + 8 * slot.index;
    const uint32_t dst = base + slot.index * kStage;
    const int x = (k + w.ahead) % w.columns * 64;
    wait(empty + 8 * slot.index, slot.parity ^ 1);
    tile::mbarrier_arrive_expect_tx(bar, kStage);
    issued[k] = tile::stamp();
    load_box(dst, map, bar, x, w.a * 128);
    load_box(dst + kBox, map, bar, x, w.b * 128);
  }
}

__global__ __launch_bounds__(64, 1) void share(
    const __grid_constant__ CUtensorMap map, const Wish* wishes, int stages,
    int taking_part, Gate* gate, uint32_t* issued, uint32_t* complete) {
  __shared__ uint64_t barriers[2 * kMaxStages];
  const uint32_t base = shared_base();
  const uint32_t full = shared_address(barriers),
                 empty = shared_address(barriers + kMaxStages);
  const Wish w = wishes[sm_index()];
  if (!takes_part(w.a >= 0)) return;
  if (threadIdx.x == 0) {
    for (int s = 0; s < stages; ++s) {
      tile::mbarrier_init(full + 8 * s, 1);
      tile::mbarrier_init(empty + 8 * s, 1);
    }
    tile::fence_mbarrier_init();
    start_together(gate, taking_part);
  }
  __syncthreads();
  const int at = sm_index() * kSteps;
  if (tile::warp_index() == 0) {
    if (tile::elect_one())
      produce(&map, w, stages, full, empty, base, issued + at);
    return;
  }
  Slot slot;
  for (int k = 0; k < kSteps; ++k, slot.next(stages)) {
    wait(full + 8 * slot.index, slot.parity);
    const uint32_t now = tile::stamp();
    if (tile::elect_one()) {
      complete[at + k] = now;
      tile::mbarrier_arrive(empty + 8 * slot.index);
    }
  }
}

struct Place {
  int gpc, i;  // the SM's number in the GPC; TPCs are pairs
  int number;  // of all, GPC after GPC
};
using Pattern = std::function<Wish(Place)>;

struct Bench {
  Report& report;
  std::vector<std::vector<int>> gpcs = Gpcs();
  Buffer<uint8_t> data{int64_t{kTiles} * 128 * kPitch};
  Buffer<Gate> gate{1};
  Buffer<Wish> wishes{kSms};
  Buffer<uint32_t> issued{kSms * kSteps}, complete{kSms * kSteps};

  void Measure(const char* pattern, int groups, int stages,
               const Pattern& wish) {
    const CUtensorMap map =
        MapOf(data.get(), int64_t{kTiles} * 128, kPitch, 128);
    std::vector<Wish> all(kSms);
    int number = 0;
    for (int g = 0; g < std::min<int>(groups, gpcs.size()); ++g) {
      for (size_t i = 0; i < gpcs[g].size(); ++i)
        all[gpcs[g][i]] = wish({g, static_cast<int>(i), number++});
    }
    wishes.Write(all);
    Samples turn, latency;
    for (int repeat = -2; repeat < 6; ++repeat) {
      gate.Clear();
      Run(share, kSms, 1, 64, kMaxStages * kStage + 1024, map, wishes.get(),
          stages, number, gate.get(), issued.get(), complete.get());
      if (repeat < 0) continue;
      const auto from = issued.Read(), to = complete.Read();
      constexpr int kFrom = 3 * kMaxStages;
      for (int sm = 0; sm < kSms; ++sm) {
        if (all[sm].a < 0) continue;
        const int at = sm * kSteps;
        turn.push_back(double(to[at + kSteps - 1] - to[at + kFrom]) /
                       (kSteps - 1 - kFrom));
        for (int k = kFrom; k < kSteps; ++k)
          latency.push_back(to[at + k] - from[at + k]);
      }
    }
    const Parameters p = {{"pattern", pattern},
                          {"gpcs", groups},
                          {"sms", number},
                          {"stages", stages}};
    report.Add("share.turn", p, "cycles", turn);
    report.Add("share.latency", p, "cycles", latency);
  }
};

void All(Bench& b) {
  const std::pair<const char*, Pattern> patterns[] = {
      {"own",
       [](Place p) {
         return Wish{p.number, kSms + p.number};
       }},
      {"gemm",
       [](Place p) {
         return Wish{p.number % 8, 8 + p.number / 8, 0, kColumns};
       }},
      {"gemm, at other columns",
       [](Place p) {
         return Wish{p.number % 8, 8 + p.number / 8, p.number * 29 % kColumns,
                     kColumns};
       }},
      {"A by 2 of a GPC",
       [](Place p) {
         return Wish{p.gpc * 9 + p.i % 8, kSms + p.number};
       }},
      {"B by 8 of a GPC",
       [](Place p) {
         return Wish{p.number, kSms + p.gpc * 3 + p.i / 8};
       }},
      {"A by 2, B by 8 of a GPC",
       [](Place p) {
         return Wish{p.gpc * 9 + p.i % 8, kSms + p.gpc * 3 + p.i / 8};
       }},
      {"A by one of each GPC",
       [](Place p) {
         return Wish{p.i, kSms + p.number};
       }},
      {"A by 2 of each GPC",
       [](Place p) {
         return Wish{p.i % 8, kSms + p.number};
       }},
      {"A by 8 of each GPC",
       [](Place p) {
         return Wish{p.i / 8, kSms + p.number};
       }},
      {"A by all of a GPC",
       [](Place p) {
         return Wish{p.gpc, kSms + p.number};
       }},
      {"A by all",
       [](Place p) {
         return Wish{0, kSms + p.number};
       }},
      {"A by all, B by all of a GPC",
       [](Place p) {
         return Wish{0, 1 + p.gpc};
       }},
      {"both by all of a GPC",
       [](Place p) {
         return Wish{p.gpc, 8 + p.gpc};
       }},
      {"both by all",
       [](Place) {
         return Wish{0, 1};
       }},
      {"both by TPCs",
       [](Place p) {
         return Wish{p.number / 2, kSms + p.number / 2};
       }},
      {"both by one of each GPC",
       [](Place p) {
         return Wish{p.i, 18 + p.i};
       }},
  };
  for (const auto& [name, pattern] : patterns) {
    for (int gpcs : {1, 2, 8}) {
      for (int stages : {1, 2, 4, 6}) b.Measure(name, gpcs, stages, pattern);
    }
  }
}

}  // namespace
}  // namespace calibrate

int main(int argc, char** argv) {
  using namespace calibrate;
  Report report(argc, argv);
  ReportClock(report, "before sharing");
  Bench bench{report};
  Fill(bench.data, Data::kNormalF16);
  All(bench);
  ReportClock(report, "after sharing");
}
