// Atomics on words that all SMs want: one word, words of a line, or lines, by a
// lane of each of several warps, one after the other.
#include <algorithm>

#include "hwtests/calibrate/harness.cuh"

namespace calibrate {
namespace {

enum class Op { kRed, kAtom };

struct Plan {
  int count, words, stride;  // of each warp; words: so many, stride apart
};

struct Result {
  uint64_t start, issued, visible;
};

template <Op kOp>
__global__ void add_to_words(uint32_t* out, const Plan p, Gate* gate,
                             Result* results) {
  const int warp = threadIdx.x / 32;
  __shared__ uint64_t from;
  if (threadIdx.x == 0) {
    start_together(gate, gridDim.x);
    from = cycles();
  }
  __syncthreads();
  // Warps and SMs begin at other words.
  uint32_t at = (blockIdx.x * 7 + warp * 13) % p.words;
  if (threadIdx.x % 32 == 0) {
    for (int i = 0; i < p.count; ++i) {
      uint32_t* word = out + at * p.stride;
      if constexpr (kOp == Op::kRed) {
        asm volatile("red.relaxed.gpu.global.add.u32 [%0], 1;" ::"l"(word)
                     : "memory");
      } else {
        uint32_t before;
        asm volatile("atom.relaxed.gpu.global.add.u32 %0, [%1], 1;"
                     : "=r"(before)
                     : "l"(word)
                     : "memory");
        at += before & 0;  // waits for it
      }
      at = (at + 5) % p.words;
    }
  }
  __syncthreads();
  if (threadIdx.x != 0) return;
  const uint64_t issued = cycles();
  __threadfence();
  results[blockIdx.x] = {from, issued, cycles()};
}

struct Bench {
  Report& report;
  Buffer<uint32_t> out{64 * 1024};
  Buffer<Gate> gate{1};
  Buffer<Result> results{kSms};

  template <Op kOp>
  void Measure(const char* op, const Plan& p, int warps, int ctas) {
    Samples issued, visible;
    for (int i = -3; i < 15; ++i) {
      gate.Clear();
      Run(add_to_words<kOp>, ctas, 1, 32 * warps, 200 * 1024, out.get(), p,
          gate.get(), results.get());
      if (i < 0) continue;
      uint64_t last_issued = 0, last_visible = 0;
      for (const Result& r : results.Read(ctas)) {
        last_issued = std::max(last_issued, r.issued - r.start);
        last_visible = std::max(last_visible, r.visible - r.start);
      }
      const double all = 1.0 * p.count * warps * ctas;
      issued.push_back(last_issued / all);
      visible.push_back(last_visible / all);
    }
    const Parameters parameters = {{"op", op},
                                   {"words", p.words},
                                   {"stride", p.stride * 4},
                                   {"count", p.count},
                                   {"warps", warps},
                                   {"ctas", ctas}};
    report.Add("word.turn", parameters, "cycles", issued);
    report.Add("word.turn.visible", parameters, "cycles", visible);
  }

  template <Op kOp>
  void All(const char* op) {
    for (int ctas : {8, kSms}) {
      for (int warps : {1, 8}) {
        for (int count : {16, 64, 512}) {
          for (auto [words, stride] : {std::pair{1, 1}, {2, 1}, {8, 1}, {32, 1},
                                       {64, 1}, {32, 32}, {256, 1}, {256, 32}})
            Measure<kOp>(op, {count, words, stride}, warps, ctas);
        }
      }
    }
  }
};

}  // namespace
}  // namespace calibrate

int main(int argc, char** argv) {
  using namespace calibrate;
  Report report(argc, argv);
  ReportClock(report, "before words");
  Bench bench{report};
  bench.All<Op::kRed>("red");
  bench.All<Op::kAtom>("atom");
  ReportClock(report, "after words");
}
