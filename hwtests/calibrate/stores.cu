// Tiles of accumulators from fragments to global memory, a warpgroup a tile: how
// much of them an SM takes before its threads wait, what a piece costs once it
// does not take more, and what that has to do with the distance of the rows.
#include "hwtests/calibrate/harness.cuh"

namespace calibrate {
namespace {

// The first round also fetches its code.
constexpr int kRounds = 8, kThreads = 128;
constexpr int64_t kBytesOfCta = int64_t{kRounds} * 64 * 16384;

enum class Type { kF16, kF32 };

// 64 rows of kColumns.
template <Type kType, int kColumns>
TILE_DEVICE void write_tile(char* out, int64_t pitch, const uint32_t* regs) {
  using Fragment = tile::Wgmma<kColumns>;
  if constexpr (kType == Type::kF32) {
    tile::st_global<Fragment, 32, 2>(reinterpret_cast<float*>(out), pitch / 4,
                                     regs);
  } else {
    tile::st_global<Fragment, 16, 2>(reinterpret_cast<uint16_t*>(out),
                                     pitch / 2, regs);
  }
}

struct Result {
  uint32_t each;  // until the last warp has issued a tile, nothing under way
  uint32_t turn;  // a tile of many
};

// `rest` cycles after each tile, for what is under way to end.
template <Type kType, int kColumns>
__global__ __launch_bounds__(kThreads,
                             1) void write_tiles(char* out, int64_t pitch,
                                                 uint32_t rest, Gate* gate,
                                                 Result* results) {
  uint32_t regs[kColumns / (kType == Type::kF16 ? 4 : 2)];
#pragma unroll
  for (int i = 0; i < static_cast<int>(sizeof regs / 4); ++i)
    regs[i] = hash(threadIdx.x * 64 + i);
  __shared__ uint32_t longest, first, last;
  if (threadIdx.x == 0) {
    longest = first = last = 0;
    start_together(gate, gridDim.x);
  }
  __syncthreads();
  const uint32_t begin = tile::stamp();
#pragma unroll 1
  for (int round = 0; round < kRounds; ++round) {
    const uint32_t start = tile::stamp();
    write_tile<kType, kColumns>(
        out + blockIdx.x * kBytesOfCta + round * 64 * pitch, pitch, regs);
    const uint32_t issued = tile::stamp();
    if (threadIdx.x % 32 == 0) {
      if (round > 0) atomicMax(&longest, issued - start);
      if (round == 1) atomicMax(&first, issued - begin);
      if (round == kRounds - 1) atomicMax(&last, issued - begin);
    }
    if (rest != 0) {
      spin(rest);
      __syncthreads();
    }
  }
  __syncthreads();
  if (threadIdx.x == 0)
    results[blockIdx.x] = {longest, (last - first) / (kRounds - 2)};
}

struct Bench {
  Report& report;
  Buffer<char> out{kSms * kBytesOfCta};
  Buffer<Gate> gate{1};
  Buffer<Result> results{kSms};
};

template <Type kType, int kColumns>
void Measure(Bench& b, int ctas, int64_t pitch) {
  Samples alone, turn;
  for (uint32_t rest : {8000u, 0u}) {
    for (int repeat = -1; repeat < 5; ++repeat) {
      b.gate.Clear();
      Run(write_tiles<kType, kColumns>, ctas, 1, kThreads, 200 << 10,
          b.out.get(), pitch, rest, b.gate.get(), b.results.get());
      if (repeat < 0) continue;
      for (const Result& r : b.results.Read(ctas)) {
        if (rest != 0) alone.push_back(r.each);
        if (rest == 0) turn.push_back(r.turn);
      }
    }
  }
  const Parameters p = {{"type", kType == Type::kF16 ? "f16" : "f32"},
                        {"columns", kColumns},
                        {"pitch", pitch},
                        {"ctas", ctas}};
  b.report.Add("stores.alone", p, "cycles", alone);
  b.report.Add("stores.turn", p, "cycles", turn);
}

template <Type kType, int kColumns>
void Pitches(Bench& b) {
  constexpr int64_t kRow = kColumns * (kType == Type::kF16 ? 2 : 4);
  for (int ctas : {1, kSms}) {
    Measure<kType, kColumns>(b, ctas, kRow);
    for (int64_t pitch : {512, 1024, 2048, 3328, 4096, 8192, 16384}) {
      if (pitch > kRow) Measure<kType, kColumns>(b, ctas, pitch);
    }
  }
}

}  // namespace
}  // namespace calibrate

int main(int argc, char** argv) {
  using namespace calibrate;
  Report report(argc, argv);
  ReportClock(report, "before stores");
  Bench bench{report};
  Pitches<Type::kF16, 16>(bench);
  Pitches<Type::kF16, 32>(bench);
  Pitches<Type::kF16, 64>(bench);
  Pitches<Type::kF16, 128>(bench);
  Pitches<Type::kF16, 256>(bench);
  Pitches<Type::kF32, 32>(bench);
  Pitches<Type::kF32, 128>(bench);
  ReportClock(report, "after stores");
}
