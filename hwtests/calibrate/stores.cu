// Tiles of accumulators from fragments to global memory, a warpgroup a tile:
// how much of them an SM takes before its threads wait, what a piece costs once
// it does not take more, and what that has to do with the distance of the rows.
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
  uint32_t each[kRounds];  // until the last warp has issued a tile
  uint32_t turn;           // a tile of many
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
  __shared__ uint32_t each[kRounds], first, last;
  if (threadIdx.x < kRounds) each[threadIdx.x] = 0;
  if (threadIdx.x == 0) {
    first = last = 0;
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
      atomicMax(&each[round], issued - start);
      if (round == 1) atomicMax(&first, issued - begin);
      if (round == kRounds - 1) atomicMax(&last, issued - begin);
    }
    if (rest != 0) {
      spin(rest);
      __syncthreads();
    }
  }
  __syncthreads();
  if (threadIdx.x < kRounds)
    results[blockIdx.x].each[threadIdx.x] = each[threadIdx.x];
  if (threadIdx.x == 0)
    results[blockIdx.x].turn = (last - first) / (kRounds - 2);
}

// A tile by halves or more: when the last warp has issued each part.
constexpr int kParts = 16;
template <Type kType>
__global__ __launch_bounds__(kThreads, 1) void write_parts(char* out,
                                                           Gate* gate,
                                                           uint32_t* parts) {
  constexpr int kRow = 16 * (kType == Type::kF16 ? 2 : 4);
  uint32_t regs[16];
#pragma unroll
  for (int i = 0; i < 16; ++i) regs[i] = hash(threadIdx.x * 64 + i);
  __shared__ uint32_t at[kParts];
  if (threadIdx.x == 0) start_together(gate, gridDim.x);
#pragma unroll 1
  for (int round = 0; round < 2; ++round) {
    if (threadIdx.x < kParts) at[threadIdx.x] = 0;
    __syncthreads();
    const uint32_t start = tile::stamp();
    uint32_t issued[kParts];
#pragma unroll
    for (int i = 0; i < kParts; ++i) {
      write_tile<kType, 16>(out + blockIdx.x * kBytesOfCta + i * kRow,
                            kParts * kRow, regs);
      issued[i] = tile::stamp();
    }
#pragma unroll
    for (int i = 0; i < kParts; ++i) {
      if (threadIdx.x % 32 == 0) atomicMax(&at[i], issued[i] - start);
    }
    spin(8000);
    __syncthreads();
  }
  if (threadIdx.x < kParts)
    parts[blockIdx.x * kParts + threadIdx.x] = at[threadIdx.x];
}

// A tile from global memory into fragments, until the last value is there.
template <Type kType, int kColumns>
__global__ __launch_bounds__(kThreads,
                             1) void read_tiles(const char* in, int64_t pitch,
                                                Gate* gate, Result* results) {
  using Fragment = tile::Wgmma<kColumns>;
  __shared__ uint32_t each[kRounds];
  if (threadIdx.x < kRounds) each[threadIdx.x] = 0;
  if (threadIdx.x == 0) start_together(gate, gridDim.x);
  __syncthreads();
#pragma unroll 1
  for (int round = 0; round < kRounds; ++round) {
    uint32_t regs[kColumns / (kType == Type::kF16 ? 4 : 2)];
    const uint32_t start = tile::stamp();
    // The loads' addresses need the time.
    const char* from = in + blockIdx.x * kBytesOfCta + round * 64 * pitch +
                       (kept(start) - start);
    if constexpr (kType == Type::kF32) {
      tile::ld_global<Fragment, 32, 2>(
          regs, reinterpret_cast<const float*>(from), pitch / 4);
    } else {
      tile::ld_global<Fragment, 16, 2>(
          regs, reinterpret_cast<const uint16_t*>(from), pitch / 2);
    }
    uint32_t all = 0;
#pragma unroll
    for (int i = 0; i < static_cast<int>(sizeof regs / 4); ++i) all ^= regs[i];
    const uint32_t end = static_cast<uint32_t>(cycles_after(all));
    if (threadIdx.x % 32 == 0) atomicMax(&each[round], end - start);
    spin(4000);
    __syncthreads();
  }
  if (threadIdx.x < kRounds)
    results[blockIdx.x].each[threadIdx.x] = each[threadIdx.x];
}

struct Bench {
  Report& report;
  Buffer<char> out{kSms * kBytesOfCta};
  Buffer<Gate> gate{1};
  Buffer<Result> results{kSms};
  Buffer<uint32_t> parts{kSms * kParts};
};

const char* NameOf(Type type) { return type == Type::kF16 ? "f16" : "f32"; }

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
        for (int i = 1; rest != 0 && i < kRounds; ++i)
          alone.push_back(r.each[i]);
        if (rest == 0) turn.push_back(r.turn);
      }
    }
  }
  const Parameters p = {{"type", NameOf(kType)},
                        {"columns", kColumns},
                        {"pitch", pitch},
                        {"ctas", ctas}};
  b.report.Add("stores.alone", p, "cycles", alone);
  b.report.Add("stores.turn", p, "cycles", turn);
}

template <Type kType>
void Parts(Bench& b, int ctas) {
  std::vector<Samples> parts(kParts);
  for (int repeat = -1; repeat < 5; ++repeat) {
    b.gate.Clear();
    Run(write_parts<kType>, ctas, 1, kThreads, 200 << 10, b.out.get(),
        b.gate.get(), b.parts.get());
    const auto out = b.parts.Read(ctas * kParts);
    for (int i = 0; repeat >= 0 && i < ctas * kParts; ++i)
      parts[i % kParts].push_back(out[i]);
  }
  for (int i = 0; i < kParts; ++i) {
    b.report.Add(
        "stores.part",
        {{"type", NameOf(kType)}, {"columns", 16 * (i + 1)}, {"ctas", ctas}},
        "cycles", parts[i]);
  }
}

template <Type kType, int kColumns>
void Loads(Bench& b, int ctas) {
  Samples loads;
  for (int repeat = -1; repeat < 5; ++repeat) {
    b.gate.Clear();
    Run(read_tiles<kType, kColumns>, ctas, 1, kThreads, 200 << 10, b.out.get(),
        int64_t{1024}, b.gate.get(), b.results.get());
    if (repeat < 0) continue;
    for (const Result& r : b.results.Read(ctas))
      loads.insert(loads.end(), r.each + 1, r.each + kRounds);
  }
  b.report.Add("loads.fragment",
               {{"type", NameOf(kType)}, {"columns", kColumns}, {"ctas", ctas}},
               "cycles", loads);
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
  for (int ctas : {1, kSms}) {
    Parts<Type::kF16>(bench, ctas);
    Parts<Type::kF32>(bench, ctas);
    Loads<Type::kF16, 16>(bench, ctas);
    Loads<Type::kF16, 32>(bench, ctas);
    Loads<Type::kF16, 64>(bench, ctas);
    Loads<Type::kF16, 128>(bench, ctas);
    Loads<Type::kF32, 16>(bench, ctas);
    Loads<Type::kF32, 32>(bench, ctas);
    Loads<Type::kF32, 64>(bench, ctas);
    Loads<Type::kF32, 128>(bench, ctas);
  }
  ReportClock(report, "after stores");
}
