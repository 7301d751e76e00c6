// Reads and writes of global memory side by side, by how much of it there is:
// plain loads and stores of 16 bytes a lane, as copies and sums of arrays do.
#include <algorithm>

#include "hwtests/calibrate/harness.cuh"

namespace calibrate {
namespace {

constexpr int kThreads = 512, kUnrolled = 4, kCtasOfSm = 2;
constexpr int kCtas = kSms * kCtasOfSm;
constexpr int64_t kMost = 256 << 20;  // bytes of an array

struct Plan {
  int64_t words;  // of 16 bytes, of an array
  int reads, writes;
};

struct Result {
  uint64_t start_ns, end_ns;
};

__global__ __launch_bounds__(kThreads, kCtasOfSm) void stream(
    const uint4* a, const uint4* b, uint4* c, const Plan p, Gate* gate,
    Result* results, uint32_t* sink) {
  if (threadIdx.x == 0) {
    start_together(gate, kCtas);
    results[blockIdx.x].start_ns = nanoseconds();
  }
  __syncthreads();
  uint4 sum = {};
  const int64_t stride = int64_t{kCtas} * kThreads * kUnrolled;
  for (int64_t at = (int64_t{blockIdx.x} * kUnrolled) * kThreads + threadIdx.x;
       at < p.words; at += stride) {
    uint4 x[kUnrolled] = {}, y[kUnrolled] = {};
#pragma unroll
    for (int i = 0; i < kUnrolled; ++i) {
      const int64_t word = at + i * kThreads;
      if (p.reads > 0 && word < p.words) x[i] = a[word];
      if (p.reads > 1 && word < p.words) y[i] = b[word];
    }
#pragma unroll
    for (int i = 0; i < kUnrolled; ++i) {
      const int64_t word = at + i * kThreads;
      const uint4 z = {x[i].x + y[i].x, x[i].y ^ y[i].y, x[i].z + y[i].z,
                       x[i].w + y[i].w + 1};
      if (p.writes > 0 && word < p.words) c[word] = z;
      sum.x += z.x ^ z.y ^ z.z ^ z.w;
    }
  }
  if (p.writes == 0 && sum.x == 0x12345) *sink = sum.x;
  __syncthreads();
  if (threadIdx.x == 0) results[blockIdx.x].end_ns = nanoseconds();
}

struct Bench {
  Report& report;
  Buffer<uint8_t> a{kMost}, b{kMost}, c{kMost};
  Buffer<Gate> gate{1};
  Buffer<Result> results{kCtas};
  Buffer<uint32_t> sink{1};
  Flush flush;

  void Measure(int reads, int writes, int megabytes, bool cold) {
    const Plan p = {int64_t{megabytes} << 16, reads, writes};
    Samples rate;
    for (int repeat = -2; repeat < 5; ++repeat) {
      if (cold) flush();
      gate.Clear();
      Run(stream, kCtas, 1, kThreads, 0,
          reinterpret_cast<const uint4*>(a.get()),
          reinterpret_cast<const uint4*>(b.get()),
          reinterpret_cast<uint4*>(c.get()), p, gate.get(), results.get(),
          sink.get());
      if (repeat < 0) continue;
      uint64_t start = ~0ull, end = 0;
      for (const Result& r : results.Read()) {
        start = std::min(start, r.start_ns);
        end = std::max(end, r.end_ns);
      }
      rate.push_back(16.0 * p.words * (reads + writes) / (end - start));
    }
    report.Add("stream.rate",
               {{"reads", reads},
                {"writes", writes},
                {"mb", megabytes},
                {"l2", cold ? "cold" : "warm"}},
               "GB/s", rate);
  }
};

}  // namespace
}  // namespace calibrate

int main(int argc, char** argv) {
  using namespace calibrate;
  Report report(argc, argv);
  ReportClock(report, "before streams");
  Bench bench{report};
  Fill(bench.a, Data::kNormalF16);
  Fill(bench.b, Data::kNormalF16);
  for (bool cold : {false, true}) {
    for (auto [reads, writes] : {std::pair{1, 0}, {0, 1}, {1, 1}, {2, 1}}) {
      for (int mb : {4, 8, 12, 16, 20, 24, 32, 40, 48, 64, 128, 256})
        bench.Measure(reads, writes, mb, cold);
    }
  }
  ReportClock(report, "after streams");
}
