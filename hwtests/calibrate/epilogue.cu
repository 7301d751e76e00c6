// Ways of a tile of accumulators [128 x 128] to global memory: st.global from
// the fragment of wgmma, stmatrix and a tensor store, adding tensor stores,
// red.global; and many CTAs that add to one word.
#include "hwtests/calibrate/harness.cuh"

namespace calibrate {
namespace {

constexpr int kTile = 128;      // rows and columns
constexpr int kColumns = 4096;  // of the output
constexpr int kAcross = kColumns / kTile;
constexpr int kRounds = 8;  // tiles a CTA writes, one after another
constexpr int64_t kRows = 8192 + 4096;

// What a CTA saw, in cycles from its start: the last store issued, and all that
// it wrote visible (or done), after one tile; and the same after kRounds.
struct Result {
  uint32_t issued, visible, all_issued, all_visible;
};

enum class Way { kF32, kF16, kF32Single, kF16Single, kF16Rows, kRed, kRed2 };
const char* const kWayNames[] = {"st f32",
                                 "st f16",
                                 "st f32 one by one",
                                 "st f16 one by one",
                                 "st f16 rows of 16 B",
                                 "red f32",
                                 "red f32 v2"};

TILE_DEVICE void red(float* p, float x) {
  asm volatile("red.global.add.f32 [%0], %1;" ::"l"(p), "f"(x) : "memory");
}
TILE_DEVICE void red2(float* p, float x, float y) {
  asm volatile("red.global.add.v2.f32 [%0], {%1, %2};" ::"l"(p), "f"(x), "f"(y)
               : "memory");
}

template <Way kWay>
constexpr bool kIsHalf =
    kWay == Way::kF16 || kWay == Way::kF16Single || kWay == Way::kF16Rows;

// 64 rows of the tile by a warpgroup.
template <Way kWay>
TILE_DEVICE void write_rows(float* out, const float (&acc)[64]) {
  using Fragment = tile::Wgmma<kTile>;
  if constexpr (kWay == Way::kF32) {
    tile::st_global<Fragment, 32, 2>(out, kColumns, acc);
  } else if constexpr (kWay == Way::kF32Single) {
    tile::st_global<Fragment, 32, 1>(out, kColumns, acc);
  } else if constexpr (kIsHalf<kWay>) {
    uint32_t half[32];
#pragma unroll
    for (int i = 0; i < 32; ++i) {
      half[i] = tile::pack_f16(acc[2 * i], acc[2 * i + 1]);
    }
    uint16_t* const p = reinterpret_cast<uint16_t*>(out);
    if constexpr (kWay == Way::kF16) {
      tile::st_global<Fragment, 16, 2>(p, kColumns, half);
    } else if constexpr (kWay == Way::kF16Single) {
      tile::st_global<Fragment, 16, 1>(p, kColumns, half);
    } else {
#pragma unroll
      for (int i = 0; i < 64; i += 8) {
        const int t = threadIdx.x % 128, at = (i / 8 * 128 + t) * 8;
        tile::global_store(p + at / kTile * kColumns + at % kTile,
                           tile::piece_at<16, 16>(half, i));
      }
    }
  } else {
#pragma unroll
    for (int i = 0; i < 64; i += 2) {
      float* const p = out + Fragment::row(i) * kColumns + Fragment::col(i);
      if constexpr (kWay == Way::kRed2) {
        red2(p, acc[i], acc[i + 1]);
      } else {
        red(p, acc[i]);
        red(p + 1, acc[i + 1]);
      }
    }
  }
}

// Where the rounds of a CTA go: to new tiles, to one again, to one for all
// CTAs.
enum class Tiles { kNew, kAgain, kOne };
const char* const kTilesNames[] = {"new", "again", "one"};

TILE_DEVICE int64_t tile_start(int round, Tiles tiles) {
  const int tile = tiles == Tiles::kOne     ? 0
                   : tiles == Tiles::kAgain ? static_cast<int>(blockIdx.x)
                                            : round * gridDim.x + blockIdx.x;
  return static_cast<int64_t>(tile / kAcross) * kTile * kColumns +
         tile % kAcross * kTile;
}

// Records the latest of the CTA's warps; in shared memory, since a fence waits
// for what went to global memory.
TILE_DEVICE void record(uint32_t* slot, uint32_t start) {
  const uint32_t t = tile::stamp() - start;
  if (threadIdx.x % 32 == 0) atomicMax(slot, t);
}

template <Way kWay, int kGroups>
__global__ __launch_bounds__(128 * kGroups,
                             2) void write_fragments(float* out, Tiles tiles,
                                                     Gate* gate,
                                                     Result* results) {
  constexpr int kSize = kIsHalf<kWay> ? 2 : 4;
  float acc[2 / kGroups][64];
#pragma unroll
  for (int i = 0; i < 2 / kGroups * 64; ++i)
    acc[i / 64][i % 64] = hash(threadIdx.x * 64 + i) * 1e-9f;
  __shared__ Result mine;
  if (threadIdx.x == 0) {
    mine = {};
    start_together(gate, gridDim.x);
  }
  __syncthreads();
  const uint32_t start = tile::stamp();
#pragma unroll 1
  for (int round = 0; round < kRounds; ++round) {
    char* base =
        reinterpret_cast<char*>(out) + tile_start(round, tiles) * kSize;
#pragma unroll
    for (int i = 0; i < 2 / kGroups; ++i) {
      const int64_t row = (threadIdx.x / 128 + i) * 64;
      write_rows<kWay>(reinterpret_cast<float*>(base + row * kColumns * kSize),
                       acc[i]);
    }
    if (round == 0) {
      record(&mine.issued, start);
      __threadfence();
      record(&mine.visible, start);
      __syncthreads();
    }
  }
  record(&mine.all_issued, start);
  __threadfence();
  record(&mine.all_visible, start);
  __syncthreads();
  if (threadIdx.x == 0) results[blockIdx.x] = mine;
}

enum class Store { kF16, kF32, kAdd };
const char* const kStoreNames[] = {"stmatrix, tma f16", "tma f32",
                                   "tma add f32"};

// Boxes of 128 bytes x 128 rows from shared memory, by one thread; a tile has
// two of f16, four of f32.
template <Store kStore, int kBoxes>
__global__ __launch_bounds__(128) void write_boxes(
    const __grid_constant__ CUtensorMap map, Tiles tiles, Gate* gate,
    Result* results, uint32_t* staged) {
  constexpr bool kHalf = kStore == Store::kF16;
  constexpr int kWidth = kHalf ? 64 : 32;
  constexpr int kBox = kTile * kRowBytes;
  const uint32_t base = shared_base();
  uint32_t half[2][32];
#pragma unroll
  for (int i = 0; i < 64; ++i) half[i / 32][i % 32] = hash(threadIdx.x + i);
  if (threadIdx.x == 0) start_together(gate, gridDim.x);
  __syncthreads();
  Result* mine = &results[blockIdx.x];
  const uint32_t start = tile::stamp();
  uint32_t issued_at = start;
#pragma unroll 1
  for (int round = 0; round < kRounds; ++round) {
    if constexpr (kHalf && kBoxes == 2) {
      tile::stmatrix<tile::Wgmma<kTile>, kTile, kTile, 128>(base, 0, 0,
                                                            half[0]);
      tile::stmatrix<tile::Wgmma<kTile>, kTile, kTile, 128>(base, 64, 0,
                                                            half[1]);
    }
    tile::fence_proxy_async_shared();
    __syncthreads();
    if (threadIdx.x == 0) {
      if (round == 0) {
        issued_at = tile::stamp();
        staged[blockIdx.x] = issued_at - start;
      }
      const int64_t at = tile_start(round, tiles);
      const int x = at % kColumns, y = at / kColumns;
#pragma unroll
      for (int i = 0; i < kBoxes; ++i) {
        if constexpr (kStore == Store::kAdd) {
          add_box(&map, base + i * kBox, x + i * kWidth, y);
        } else {
          store_box(&map, base + i * kBox, x + i * kWidth, y);
        }
      }
      tile::bulk_commit_group();
      tile::bulk_wait_group_read<0>();
      if (round == 0) {
        mine->issued = tile::stamp() - issued_at;
        tile::bulk_wait_group<0>();
        mine->visible = tile::stamp() - issued_at;
      }
    }
    __syncthreads();
  }
  if (threadIdx.x != 0) return;
  mine->all_issued = tile::stamp() - start;
  tile::bulk_wait_group<0>();
  mine->all_visible = tile::stamp() - start;
}

enum class Atomic { kAtom, kRed, kAtomWarp };
const char* const kAtomicNames[] = {"atom u32, 1 lane", "red f32, 1 lane",
                                    "atom u32, 32 lanes"};

// kCount additions of each CTA to one word, one after another.
template <Atomic kAtomic>
__global__ void add_to_word(uint32_t* word, Gate* gate, Result* results) {
  constexpr int kCount = 64;
  if (kAtomic != Atomic::kAtomWarp && threadIdx.x != 0) return;
  if (threadIdx.x == 0) start_together(gate, gridDim.x);
  if (kAtomic == Atomic::kAtomWarp) __syncwarp();
  const uint32_t start = tile::stamp();
  uint32_t old = 1;
#pragma unroll 1
  for (int i = 0; i < kCount; ++i) {
    if (kAtomic == Atomic::kRed) {
      red(reinterpret_cast<float*>(word), 1.0f);
    } else {
      old = atomicAdd(word, old | 1);
    }
  }
  uint32_t end = static_cast<uint32_t>(cycles_after(old));
  results[blockIdx.x].issued = (end - start) / kCount;
  __threadfence();
  results[blockIdx.x].visible = (tile::stamp() - start) / kCount;
}

struct Bench {
  Report& report;
  Buffer<uint8_t> data{kRows * kColumns * 4};
  Buffer<Gate> gate{1};
  Buffer<Result> results{2 * kSms};
  Buffer<uint32_t> staged{2 * kSms};
};

struct Columns {
  Samples issued, visible, all_issued, all_visible;
  void Add(const std::vector<Result>& results) {
    for (const Result& r : results) {
      issued.push_back(r.issued);
      visible.push_back(r.visible);
      all_issued.push_back(double(r.all_issued) / kRounds);
      all_visible.push_back(double(r.all_visible) / kRounds);
    }
  }
  void Report(calibrate::Report& report, const std::string& name,
              const char* first, const char* second, const Parameters& p) {
    report.Add((name + "." + first).c_str(), p, "cycles", issued);
    report.Add((name + "." + second).c_str(), p, "cycles", visible);
    report.Add((name + ".round").c_str(), p, "cycles", all_issued);
    report.Add((name + ".round_visible").c_str(), p, "cycles", all_visible);
  }
};

template <class Launch>
Columns Repeat(Bench& b, int ctas, Launch launch) {
  Columns columns;
  for (int repeat = -2; repeat < 8; ++repeat) {
    b.gate.Clear();
    b.results.Clear();
    launch();
    if (repeat >= 0) columns.Add(b.results.Read(ctas));
  }
  return columns;
}

template <Way kWay, int kGroups>
void Fragments(Bench& b, int ctas, Tiles tiles) {
  Columns columns = Repeat(b, ctas, [&] {
    Run(write_fragments<kWay, kGroups>, ctas, 1, 128 * kGroups, 100 << 10,
        reinterpret_cast<float*>(b.data.get()), tiles, b.gate.get(),
        b.results.get());
  });
  columns.Report(b.report, "store.fragment", "issued", "visible",
                 {{"way", kWayNames[static_cast<int>(kWay)]},
                  {"warpgroups", kGroups},
                  {"ctas", ctas},
                  {"tiles", kTilesNames[static_cast<int>(tiles)]}});
}

template <Way kWay>
void AllFragments(Bench& b) {
  for (int ctas : {1, 33, kSms, 2 * kSms}) {
    for (Tiles tiles : {Tiles::kNew, Tiles::kAgain}) {
      Fragments<kWay, 1>(b, ctas, tiles);
      Fragments<kWay, 2>(b, ctas, tiles);
    }
  }
}

template <Store kStore, int kBoxes>
void Boxes(Bench& b, std::initializer_list<Tiles> where) {
  const bool f32 = kStore != Store::kF16;
  const CUtensorMap map =
      MapOf(b.data.get(), kRows, kColumns * (f32 ? 4 : 2), kTile, 0, f32);
  for (int ctas : {1, 33, kSms, 2 * kSms}) {
    for (Tiles tiles : where) {
      Samples stage;
      Columns columns = Repeat(b, ctas, [&] {
        Run(write_boxes<kStore, kBoxes>, ctas, 1, 128, 66 << 10, map, tiles,
            b.gate.get(), b.results.get(), b.staged.get());
        for (uint32_t c : b.staged.Read(ctas)) stage.push_back(c);
      });
      const Parameters p = {{"way", kStoreNames[static_cast<int>(kStore)]},
                            {"kb", 16 * kBoxes},
                            {"ctas", ctas},
                            {"tiles", kTilesNames[static_cast<int>(tiles)]}};
      columns.Report(b.report, "store.tma", "read", "done", p);
      b.report.Add("store.tma.staged", p, "cycles", stage);
    }
  }
}

template <Atomic kAtomic>
void Word(Bench& b) {
  for (int ctas : {1, 2, 4, 8, 16, 32, 64, 132}) {
    Columns columns = Repeat(b, ctas, [&] {
      Run(add_to_word<kAtomic>, ctas, 1, 32, 100 << 10,
          reinterpret_cast<uint32_t*>(b.data.get()), b.gate.get(),
          b.results.get());
    });
    const Parameters p = {{"op", kAtomicNames[static_cast<int>(kAtomic)]},
                          {"ctas", ctas}};
    b.report.Add("atomic.word", p, "cycles", columns.issued);
    b.report.Add("atomic.word.visible", p, "cycles", columns.visible);
  }
}

}  // namespace
}  // namespace calibrate

int main(int argc, char** argv) {
  using namespace calibrate;
  Report report(argc, argv);
  ReportClock(report, "before epilogue");
  Bench bench{report};
  AllFragments<Way::kF32>(bench);
  AllFragments<Way::kF16>(bench);
  AllFragments<Way::kF32Single>(bench);
  AllFragments<Way::kF16Single>(bench);
  AllFragments<Way::kF16Rows>(bench);
  AllFragments<Way::kRed>(bench);
  AllFragments<Way::kRed2>(bench);
  for (int ctas : {8, kSms}) {
    Fragments<Way::kRed, 2>(bench, ctas, Tiles::kOne);
    Fragments<Way::kRed2, 2>(bench, ctas, Tiles::kOne);
  }
  const auto where = {Tiles::kNew, Tiles::kAgain};
  Boxes<Store::kF16, 1>(bench, where);
  Boxes<Store::kF16, 2>(bench, where);
  Boxes<Store::kF32, 1>(bench, where);
  Boxes<Store::kF32, 4>(bench, where);
  Boxes<Store::kAdd, 1>(bench, where);
  Boxes<Store::kAdd, 4>(bench, {Tiles::kNew, Tiles::kAgain, Tiles::kOne});
  Word<Atomic::kAtom>(bench);
  Word<Atomic::kRed>(bench);
  Word<Atomic::kAtomWarp>(bench);
  ReportClock(report, "after epilogue");
}
