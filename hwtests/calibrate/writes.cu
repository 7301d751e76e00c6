// Tiles stored from fragments by some of the SMs, in turns with rests: what a
// GPC takes, what all of them take, and whether SMs that begin together go on in
// step.
#include <algorithm>

#include "hwtests/calibrate/topology.cuh"

namespace calibrate {
namespace {

constexpr int kThreads = 256, kColumns = 256, kRows = kThreads / 2;
constexpr int kElements = kRows * kColumns;  // of a tile
constexpr int kMostTiles = 16;

// What a warp writes with an instruction: whole sectors of eight rows (f32),
// halves of such sectors (f16), or lines.
enum class Way { kSectors, kPieces, kLines };

struct Plan {
  SmSet set;
  int sms, tiles;
  uint32_t rest;  // cycles before each tile
};

struct Result {
  uint64_t cycles[2];
  uint64_t issued;  // cycles that its stores took, all tiles together
};

template <Way kWay>
TILE_DEVICE void store_tile(float* tile, float x) {
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  if constexpr (kWay == Way::kLines) {
#pragma unroll 16
    for (int i = threadIdx.x * 4; i < kElements; i += kThreads * 4)
      asm volatile("st.global.v4.f32 [%0], {%1, %1, %1, %1};" ::"l"(tile + i),
                   "f"(x)
                   : "memory");
    return;
  }
  const int row = warp * 16 + lane / 4, column = lane % 4 * 2;
#pragma unroll 16
  for (int j = 0; j < kColumns / 8; ++j) {
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      const int at = (row + 8 * half) * kColumns + column + 8 * j;
      if constexpr (kWay == Way::kSectors)
        asm volatile("st.global.v2.f32 [%0], {%1, %1};" ::"l"(tile + at), "f"(x)
                     : "memory");
      else
        *reinterpret_cast<uint32_t*>(reinterpret_cast<uint16_t*>(tile) + at) =
            __float_as_uint(x) + at;
    }
  }
}

template <Way kWay>
__global__ __launch_bounds__(kThreads, 1) void store_tiles(float* out,
                                                           const Plan p,
                                                           Gate* gate,
                                                           Result* results) {
  const uint32_t sm = sm_index();
  if (!takes_part(p.set.has(sm))) return;
  const int number = p.set.before(sm);
  if (threadIdx.x == 0) start_together(gate, p.sms);
  __syncthreads();
  float* mine = out + int64_t{number} * kMostTiles * kElements;
  uint64_t issued = 0;
  const uint64_t start = cycles();
  for (int i = 0; i < p.tiles; ++i) {
    spin(p.rest);
    __syncthreads();
    const uint64_t from = cycles();
    store_tile<kWay>(mine + i * kElements, static_cast<float>(from));
    __syncthreads();
    issued += cycles() - from;
  }
  if (threadIdx.x == 0) results[number] = {{start, cycles()}, issued};
}

struct Bench {
  Report& report;
  std::vector<std::vector<int>> gpcs = Gpcs();
  Buffer<float> out{int64_t{kSms} * kMostTiles * kElements};
  Buffer<Gate> gate{1};
  Buffer<Result> results{kSms};

  template <Way kWay>
  void Measure(const char* way, const char* where, const std::vector<int>& sms,
               int tiles, uint32_t rest) {
    const int count = static_cast<int>(sms.size());
    const Plan p = {SetOf(sms), count, tiles, rest};
    constexpr int kBytes = 200 * 1024;  // a CTA an SM
    Samples cycles, issued;
    for (int i = -5; i < 15; ++i) {
      gate.Clear();
      Run(store_tiles<kWay>, kSms, 1, kThreads, kBytes, out.get(), p,
          gate.get(), results.get());
      if (i < 0) continue;
      uint64_t longest = 0;
      double mean = 0;
      for (const Result& r : results.Read(count)) {
        longest = std::max(longest, r.cycles[1] - r.cycles[0]);
        mean += static_cast<double>(r.issued) / tiles / count;
      }
      cycles.push_back(static_cast<double>(longest) / tiles);
      issued.push_back(mean);
    }
    const Parameters parameters = {{"way", way},
                                   {"where", where},
                                   {"sms", count},
                                   {"tiles", tiles},
                                   {"rest", static_cast<double>(rest)}};
    report.Add("store.turn", parameters, "cycles", cycles);
    report.Add("store.turn.issued", parameters, "cycles", issued);
  }

  template <Way kWay>
  void All(const char* way) {
    for (size_t n : {1, 4, 8, 12, 16, 18}) {
      const std::vector<int> some(gpcs[0].begin(), gpcs[0].begin() + n);
      Measure<kWay>(way, "a GPC", some, 4, 0);
    }
    for (size_t each : {1, 2, 4, 8, 16}) {
      std::vector<int> some;
      for (const auto& gpc : gpcs)
        for (size_t i = 0; i < std::min(each, gpc.size()); ++i)
          some.push_back(gpc[i]);
      Measure<kWay>(way, "each GPC", some, 4, 0);
    }
    std::vector<int> all;
    for (int i = 0; i < kSms; ++i) all.push_back(i);
    for (int tiles : {1, 2, 4, 8, 16})
      for (uint32_t rest : {0, 3000, 8000, 16000})
        Measure<kWay>(way, "all", all, tiles, rest);
  }
};

}  // namespace
}  // namespace calibrate

int main(int argc, char** argv) {
  using namespace calibrate;
  Report report(argc, argv);
  ReportClock(report, "before writes");
  Bench bench{report};
  bench.All<Way::kSectors>("sectors");
  bench.All<Way::kPieces>("pieces");
  bench.All<Way::kLines>("lines");
  ReportClock(report, "after writes");
}
