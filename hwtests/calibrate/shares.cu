// What each SM gets of HBM where all want as much as they can get: arrays of
// one length an SM, read and written from a common start.
#include <algorithm>

#include "hwtests/calibrate/harness.cuh"
#include "hwtests/calibrate/topology.cuh"

namespace calibrate {
namespace {

constexpr int kThreads = 512, kUnrolled = 4, kCtasOfSm = 2;
constexpr int kCtas = kSms * kCtasOfSm;
constexpr int64_t kWordsOfCta = 64 * 1024;  // of 16 bytes, of an array: 1 MB

struct Result {
  uint64_t start_ns, end_ns;
  uint32_t sm;
};

// `apart`: a CTA has a part of each array to itself; else all go through them
// side by side.
__global__ __launch_bounds__(kThreads, kCtasOfSm) void share(
    const uint4* a, const uint4* b, uint4* c, int reads, int writes, bool apart,
    int turns, Gate* gate, Result* results, uint32_t* sink) {
  if (threadIdx.x == 0) {
    start_together(gate, kCtas);
    results[blockIdx.x].start_ns = nanoseconds();
    results[blockIdx.x].sm = sm_index();
  }
  __syncthreads();
  uint4 sum = {};
  const int64_t step = int64_t{kUnrolled} * kThreads;
  const int64_t stride = apart ? step : kCtas * step;
  const int64_t first = (apart ? kWordsOfCta : step) * blockIdx.x;
  for (int turn = 0; turn < turns; ++turn) {
    const int64_t at = first + turn * stride + threadIdx.x;
    uint4 x[kUnrolled] = {}, y[kUnrolled] = {};
#pragma unroll
    for (int i = 0; i < kUnrolled; ++i) {
      if (reads > 0) x[i] = a[at + i * kThreads];
      if (reads > 1) y[i] = b[at + i * kThreads];
    }
#pragma unroll
    for (int i = 0; i < kUnrolled; ++i) {
      const uint4 z = {x[i].x + y[i].x, x[i].y ^ y[i].y, x[i].z + y[i].z,
                       x[i].w + y[i].w + 1};
      if (writes > 0) c[at + i * kThreads] = z;
      sum.x += z.x ^ z.y ^ z.z ^ z.w;
    }
  }
  if (writes == 0 && sum.x == 0x12345) *sink = sum.x;
  __syncthreads();
  if (threadIdx.x == 0) results[blockIdx.x].end_ns = nanoseconds();
}

}  // namespace
}  // namespace calibrate

int main(int argc, char** argv) {
  using namespace calibrate;
  Report report(argc, argv);
  ReportClock(report, "before shares");
  constexpr int64_t kBytes = kCtas * kWordsOfCta * 16;
  Buffer<uint8_t> a{kBytes}, b{kBytes}, c{kBytes};
  Fill(a, Data::kNormalF16);
  Fill(b, Data::kNormalF16);
  Buffer<Gate> gate{1};
  Buffer<Result> results{kCtas};
  Buffer<uint32_t> sink{1};
  const auto gpcs = Gpcs();
  for (bool apart : {false, true}) {
    for (std::pair<int, int> mix : {std::pair{1, 0}, {1, 1}, {2, 1}}) {
      const int reads = mix.first, writes = mix.second;
      std::vector<Samples> of_gpc(gpcs.size());
      Samples most, first;
      const int turns = kWordsOfCta / (kUnrolled * kThreads);
      for (int repeat = -2; repeat < 7; ++repeat) {
        gate.Clear();
        Run(share, kCtas, 1, kThreads, 0,
            reinterpret_cast<const uint4*>(a.get()),
            reinterpret_cast<const uint4*>(b.get()),
            reinterpret_cast<uint4*>(c.get()), reads, writes, apart, turns,
            gate.get(), results.get(), sink.get());
        if (repeat < 0) continue;
        std::vector<double> end(kSms, 0);
        uint64_t start = ~0ull;
        const auto all = results.Read();
        for (const Result& r : all) start = std::min(start, r.start_ns);
        for (const Result& r : all)
          end[r.sm] = std::max(end[r.sm], double(r.end_ns - start));
        most.push_back(*std::max_element(end.begin(), end.end()));
        first.push_back(*std::min_element(end.begin(), end.end()));
        for (size_t g = 0; g < gpcs.size(); ++g)
          for (int sm : gpcs[g]) of_gpc[g].push_back(end[sm]);
      }
      auto p = [&](Parameters more) {
        more.insert(more.begin(),
                    {{"reads", reads}, {"writes", writes},
                     {"parts", apart ? "apart" : "side by side"}});
        return more;
      };
      report.Add("stream.ends.first", p({}), "ns", first);
      report.Add("stream.ends.last", p({}), "ns", most);
      for (size_t g = 0; g < gpcs.size(); ++g)
        report.Add("stream.ends.of_gpc",
                   p({{"gpc", int(g)}, {"sms", int(gpcs[g].size())}}), "ns",
                   of_gpc[g]);
    }
  }
  ReportClock(report, "after shares");
}
