// Words that many threads poll: what a load beyond L1 takes when others load
// the same words, and what a value takes from one CTA to another meanwhile.
#include <algorithm>

#include "hwtests/calibrate/harness.cuh"

namespace calibrate {
namespace {

TILE_DEVICE uint32_t load(const uint32_t* word) {
  uint32_t v;
  asm volatile("ld.acquire.gpu.global.u32 %0, [%1];"
               : "=r"(v)
               : "l"(word)
               : "memory");
  return v;
}

TILE_DEVICE void release(uint32_t* word, uint32_t value) {
  asm volatile("st.release.gpu.global.u32 [%0], %1;" ::"l"(word), "r"(value)
               : "memory");
}

struct Plan {
  int words, stride;  // so many, stride apart
  bool own = false;   // the other warps of who tell each other poll, too
};

constexpr int kLoads = 64;

// A lane of each warp loads words one after the other.
__global__ void poll(const uint32_t* words, const Plan p, Gate* gate,
                     uint32_t* out) {
  __shared__ uint64_t from;
  const int warp = threadIdx.x / 32;
  if (threadIdx.x == 0) {
    start_together(gate, gridDim.x);
    from = cycles();
  }
  __syncthreads();
  uint32_t at = (blockIdx.x * 7 + warp * 13) % p.words;
  if (threadIdx.x % 32 == 0) {
    for (int i = 0; i < kLoads; ++i) {
      at += load(words + at * p.stride);
      at = (at + 5) % p.words;
    }
  }
  __syncthreads();
  if (threadIdx.x == 0)
    out[blockIdx.x] = static_cast<uint32_t>(cycles() - from);
}

constexpr int kHops = 64;

// CTAs 0 and 1 tell each other in turn; a lane of each of the other warps polls
// `words` until they are through.
__global__ void hop(uint32_t* flags, const uint32_t* words, const Plan p,
                    uint32_t* over, Gate* gate, uint32_t* out) {
  if (threadIdx.x == 0) start_together(gate, gridDim.x);
  __syncthreads();
  const int warp = threadIdx.x / 32;
  if (threadIdx.x % 32 != 0) return;
  if (blockIdx.x < 2 && warp > 0 && !p.own) return;
  if (blockIdx.x < 2 && warp == 0) {
    const uint64_t from = cycles();
    for (uint32_t i = 0; i < kHops; ++i) {
      const uint32_t next = i + (blockIdx.x == 0 ? 0 : 1);
      for (uint32_t polls = 0; load(flags + blockIdx.x) < next; ++polls) {
        if (polls > kPatience) __trap();
      }
      release(flags + 1 - blockIdx.x, i + 1);
    }
    out[blockIdx.x] = static_cast<uint32_t>(cycles() - from);
    release(over, 1);
    return;
  }
  const uint32_t at = (blockIdx.x * 7 + warp * 13) % p.words;
  for (int i = 0; i < 1 << 20; ++i) {
    if (load(words + at * p.stride) == ~0u) break;
    if (i % 16 == 0 && load(over) != 0) break;
  }
}

struct Bench {
  Report& report;
  Buffer<uint32_t> words{1 << 20};
  Buffer<Gate> gate{1};
  Buffer<uint32_t> out{kSms};

  void Polls(const Plan& p, int warps, int ctas) {
    Samples each;
    for (int i = -3; i < 15; ++i) {
      gate.Clear();
      Run(poll, ctas, 1, 32 * warps, 200 * 1024, words.get(), p, gate.get(),
          out.get());
      if (i < 0) continue;
      for (uint32_t cycles : out.Read(ctas))
        each.push_back(1.0 * cycles / kLoads);
    }
    report.Add("flag.load",
               {{"words", p.words},
                {"stride", p.stride * 4},
                {"warps", warps},
                {"ctas", ctas}},
               "cycles", each);
  }

  void Hops(const char* where, const Plan& p, int64_t first, int warps,
            int ctas) {
    Samples each;
    for (int i = -3; i < 15; ++i) {
      gate.Clear();
      words.Clear();
      Run(hop, ctas, 1, 32 * warps, 200 * 1024, words.get(),
          words.get() + first, p, words.get() + (1 << 19), gate.get(),
          out.get());
      if (i < 0) continue;
      each.push_back(out.Read(1)[0] / (2.0 * kHops));
    }
    report.Add("flag.hop",
               {{"pollers", where}, {"warps", warps}, {"ctas", ctas}}, "cycles",
               each);
  }

  void AllPolls() {
    for (int ctas : {1, 16, kSms}) {
      for (int warps : {1, 4, 16}) {
        for (auto [words, stride] : {std::pair{1, 1},
                                     {8, 1},
                                     {32, 1},
                                     {264, 1},
                                     {264, 32},
                                     {264, 128},
                                     {264, 1024}})
          Polls({words, stride}, warps, ctas);
      }
    }
  }
};

}  // namespace
}  // namespace calibrate

int main(int argc, char** argv) {
  using namespace calibrate;
  Report report(argc, argv);
  ReportClock(report, "before flags");
  Bench bench{report};
  bench.words.Clear();
  bench.AllPolls();
  bench.Hops("none", {1, 1}, 0, 1, 2);
  for (int ctas : {2, 34, kSms}) {
    for (int warps : {1, 4, 16}) {
      bench.Hops("words of other lines, own SM too", {16, 1, true}, 1 << 16,
                 warps, ctas);
      if (ctas == 2) continue;
      bench.Hops("the same word", {1, 1}, 0, warps, ctas);
      bench.Hops("words of the line", {16, 1}, 8, warps, ctas);
      bench.Hops("words of other lines", {16, 1}, 1 << 16, warps, ctas);
    }
  }
  ReportClock(report, "after flags");
}
