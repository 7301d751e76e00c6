// Latency by address: lines of L2 seen from one SM and from each (near and far
// partitions), pages (TLBs), HBM, and tensor boxes whose rows lie far apart.
// Loads are ld.global.cg, dependent, by one thread.
#include "hwtests/calibrate/topology.cuh"

namespace calibrate {
namespace {

constexpr int kChain = 4;  // loads of a line in a row
constexpr uint64_t kLine = 128, kPage = 2 << 20;
constexpr uint64_t kPages = 8192;  // 16 GiB

// `after` is a time before which the load must not begin. It is never 2^63, but
// the compiler does not know.
TILE_DEVICE uint64_t load(uint64_t address, uint64_t after = 0) {
  uint64_t value;
  address += after >> 63;
  asm volatile("ld.global.cg.u64 %0, [%1];"
               : "=l"(value)
               : "l"(address)
               : "memory");
  return value;
}

TILE_DEVICE uint64_t add_zero(uint64_t address, uint64_t zero) {
  uint64_t old;
  asm volatile("atom.global.add.u64 %0, [%1], %2;"
               : "=l"(old)
               : "l"(address), "l"(zero)
               : "memory");
  return old;
}

// Lines spread over the region, a power of two of them.
TILE_DEVICE uint64_t line_at(uint64_t base, uint64_t i, uint64_t lines) {
  return base + (i * 0x9e3779b1ull & (lines - 1)) * kLine;
}

__global__ void point_at_themselves(uint64_t base, int count, uint64_t lines) {
  for (int i = blockIdx.x * 256 + threadIdx.x; i < count;
       i += gridDim.x * 256) {
    const uint64_t address = line_at(base, i, lines);
    *reinterpret_cast<uint64_t*>(address) = address;
  }
}

// Cycles of one load of each line, whoever has it.
__global__ void first_load(uint64_t base, int count, uint64_t lines, SmSet sms,
                           uint32_t* out) {
  if (!takes_part(sms.has(sm_index())) || threadIdx.x != 0) return;
  uint64_t at = 0;
#pragma unroll 1
  for (int i = 0; i < count; ++i) {
    const uint64_t line = line_at(base, i, lines);
    const uint64_t start = cycles_after(at);
    at = load(line, start);
    out[i] = static_cast<uint32_t>(cycles_after(at) - start);
  }
}

// Cycles a load of each of `count` lines, each brought to L2 before; on those
// SMs of `sms`, one after another or all at once.
__global__ void line_latency(uint64_t base, int count, uint64_t lines,
                             bool atomics, SmSet sms, uint32_t* out) {
  const uint32_t sm = sm_index();
  if (!takes_part(sms.has(sm)) || threadIdx.x != 0) return;
  uint32_t* mine = out + sms.before(sm) * count;
#pragma unroll 1
  for (int i = 0; i < count; ++i) {
    uint64_t at = load(line_at(base, i, lines));
    at = load(at);
    const uint64_t start = cycles_after(at);
    at += start >> 63;
    if (atomics) {
#pragma unroll
      for (int j = 0; j < kChain; ++j) at = add_zero(at, at ^ at);
    } else {
#pragma unroll
      for (int j = 0; j < kChain; ++j) at = load(at);
    }
    mine[i] = static_cast<uint32_t>(cycles_after(at) - start) / kChain;
  }
}

// One line of each of `pages` pages, in a scattered order, `passes` times.
// Memory is zero: what is loaded only makes the next address wait.
__global__ void page_latency(uint64_t base, uint64_t first, uint64_t pages,
                             int passes, uint32_t* out) {
  uint64_t zero = load(base + first * kPage);
  for (int pass = 0; pass < passes; ++pass) {
#pragma unroll 1
    for (uint64_t i = 0; i < pages; ++i) {
      const uint64_t page = first + (i * 0x9e3779b1ull & (pages - 1));
      const uint64_t line = page * 0x85ebca6bull >> 7 & (kPage / kLine - 1);
      const uint64_t start = cycles_after(zero);
      zero = load(base + page * kPage + line * kLine + zero, start);
      out[pass * pages + i] = static_cast<uint32_t>(cycles_after(zero) - start);
    }
  }
}

// Lines of one page after its first: HBM without a miss of the TLB.
__global__ void dram_latency(uint64_t base, int count, uint32_t* out) {
  uint64_t zero = load(base);
#pragma unroll 1
  for (int i = 0; i < count; ++i) {
    const uint64_t line = (i * 2654435761u >> 7) & (kPage / kLine - 1);
    const uint64_t start = cycles_after(zero);
    zero = load(base + line * kLine + zero, start);
    out[i] = static_cast<uint32_t>(cycles_after(zero) - start);
  }
}

// Boxes of 64 rows, `count` of them, then the same again.
__global__ void box_latency(const __grid_constant__ CUtensorMap map, int count,
                            uint32_t* out) {
  __shared__ uint64_t full;
  if (threadIdx.x != 0) return;
  const uint32_t base = shared_base(), bar = shared_address(&full);
  tile::mbarrier_init(bar, 1);
  tile::fence_mbarrier_init();
  int y = 0;
  for (int i = 0; i < 2 * count; ++i) {
    tile::mbarrier_arrive_expect_tx(bar, 64 * kRowBytes);
    const uint32_t start = tile::stamp();
    load_box(base, &map, bar, 0, y);
    wait(bar, i & 1);
    out[i] = tile::stamp() - start;
    y = y + 64 == count * 64 ? 0 : y + 64;
  }
}

Samples SamplesOf(const std::vector<uint32_t>& values, size_t from, size_t to) {
  return Samples(values.begin() + from, values.begin() + to);
}

struct Bench {
  Report& report;
  Buffer<uint8_t> data{kPages * kPage};
  Buffer<uint32_t> out{4 << 20};
  Flush flush;
  uint64_t base = reinterpret_cast<uint64_t>(data.get());
};

void Histogram(Report& report, const char* name, Parameters parameters,
               const Samples& cycles) {
  constexpr int kBin = 10;
  std::map<int, int> bins;
  for (double c : cycles) ++bins[static_cast<int>(c) / kBin * kBin];
  for (const auto& [from, count] : bins) {
    if (count < 0.005 * cycles.size()) continue;
    Parameters p = parameters;
    p.emplace_back("from", from);
    report.Add(name, p, "fraction", {count / double(cycles.size())});
  }
}

// One SM, many lines.
void OneSm(Bench& b, int sm, bool atomics) {
  constexpr int kCount = 8192;
  constexpr uint64_t kLines = (16 << 20) / kLine;
  point_at_themselves<<<32, 256>>>(b.base, kCount, kLines);
  Run(line_latency, kSms, 1, 32, 200 << 10, b.base, kCount, kLines, atomics,
      SetOf({sm}), b.out.get());
  const Samples cycles = SamplesOf(b.out.Read(kCount), 0, kCount);
  const Parameters parameters = {{"sm", sm}, {"op", atomics ? "atom" : "ld"}};
  b.report.Add("l2.line", parameters, "cycles", cycles);
  Histogram(b.report, "l2.line.histogram", parameters, cycles);
}

// The same lines from HBM by one SM, then twice by another: where a line is
// that only the first one read.
void SecondSm(Bench& b, int first, int second, const char* sides) {
  constexpr int kCount = 8192;
  constexpr uint64_t kLines = (16 << 20) / kLine;
  b.flush();
  const std::pair<int, const char*> reads[] = {
      {first, "from hbm"}, {second, "by another sm"}, {second, "again"}};
  for (const auto& [sm, what] : reads) {
    Run(first_load, kSms, 1, 32, 200 << 10, b.base, kCount, kLines, SetOf({sm}),
        b.out.get());
    const Samples cycles = SamplesOf(b.out.Read(kCount), 0, kCount);
    const Parameters parameters = {{"read", what}, {"sides", sides}};
    b.report.Add("l2.first", parameters, "cycles", cycles);
    Histogram(b.report, "l2.first.histogram", parameters, cycles);
  }
}

double Correlation(const uint32_t* a, const uint32_t* b, int count) {
  double sa = 0, sb = 0, aa = 0, bb = 0, ab = 0;
  for (int i = 0; i < count; ++i) {
    sa += a[i];
    sb += b[i];
  }
  for (int i = 0; i < count; ++i) {
    const double x = a[i] - sa / count, y = b[i] - sb / count;
    aa += x * x;
    bb += y * y;
    ab += x * y;
  }
  return ab / std::sqrt(aa * bb + 1e-9);
}

// The same lines from each SM in turn: means by SM, and whether the SMs fall
// into groups that find the same lines near.
void EachSm(Bench& b) {
  constexpr int kCount = 2048;
  constexpr uint64_t kLines = (16 << 20) / kLine;
  point_at_themselves<<<32, 256>>>(b.base, kCount, kLines);
  std::vector<std::vector<uint32_t>> of;
  Samples means;
  for (int sm = 0; sm < kSms; ++sm) {
    Run(line_latency, kSms, 1, 32, 200 << 10, b.base, kCount, kLines, false,
        SetOf({sm}), b.out.get());
    of.push_back(b.out.Read(kCount));
    double sum = 0;
    for (uint32_t c : of.back()) sum += c;
    means.push_back(sum / kCount);
  }
  b.report.Add("l2.line.mean_of_sm", {}, "cycles", means);
  int same = 1, other = 1;
  for (int sm = 1; sm < kSms; ++sm) {
    const double c = Correlation(of[0].data(), of[sm].data(), kCount);
    if (c > 0.5) same = sm;
    if (c < 0) other = sm;
  }
  SecondSm(b, 0, same, "same");
  SecondSm(b, 0, other, "other");
  const auto gpcs = Gpcs();
  for (size_t g = 0; g < gpcs.size(); ++g) {
    Samples to_first, mean;
    for (int sm : gpcs[g]) {
      to_first.push_back(
          Correlation(of[gpcs[0][0]].data(), of[sm].data(), kCount));
      mean.push_back(means[sm]);
    }
    b.report.Add("l2.line.mean_of_gpc", {{"gpc", g}}, "cycles", mean);
    b.report.Add("l2.line.correlation", {{"gpc", g}}, "1", to_first);
  }
}

void Pages(Bench& b) {
  for (uint64_t pages = 1; pages <= kPages; pages *= 2) {
    constexpr int kPasses = 4;
    b.flush();
    Run(page_latency, 1, 1, 1, 0, b.base, uint64_t{0}, pages, kPasses,
        b.out.get());
    const auto cycles = b.out.Read(pages * kPasses);
    b.report.Add("tlb.pages", {{"pages", pages}, {"data", "l2"}}, "cycles",
                 SamplesOf(cycles, pages, cycles.size()));
    b.report.Add("tlb.pages", {{"pages", pages}, {"data", "hbm"}}, "cycles",
                 SamplesOf(cycles, 0, pages));
  }
}

void Dram(Bench& b) {
  constexpr int kCount = 1024;
  b.data.Clear();  // the kernels below expect zeros
  b.flush();
  Run(dram_latency, 1, 1, 1, 0, b.base, kCount, b.out.get());
  b.report.Add("hbm.line", {}, "cycles",
               SamplesOf(b.out.Read(kCount), 16, kCount));
}

// 64 rows of a box from one page to 64 pages, from HBM and from L2.
void RowPitches(Bench& b) {
  constexpr int kCount = 32;
  for (int64_t pitch : {128, 512, 1024, 4096, 8192, 16384, 262144, 2097152}) {
    const CUtensorMap map =
        MapOf(b.data.get(), kCount * 64, kRowBytes, 64, pitch);
    Samples l2, hbm;
    for (int repeat = 0; repeat < 3; ++repeat) {
      b.flush();
      Run(box_latency, 1, 1, 32, 64 << 10, map, kCount, b.out.get());
      const auto cycles = b.out.Read(2 * kCount);
      // The first two fetch the map and the instructions.
      hbm.insert(hbm.end(), cycles.begin() + 2, cycles.begin() + kCount);
      l2.insert(l2.end(), cycles.begin() + kCount, cycles.end());
    }
    b.report.Add("tma.pitch", {{"pitch", pitch}, {"data", "l2"}}, "cycles", l2);
    b.report.Add("tma.pitch", {{"pitch", pitch}, {"data", "hbm"}}, "cycles",
                 hbm);
  }
}

}  // namespace
}  // namespace calibrate

int main(int argc, char** argv) {
  using namespace calibrate;
  Report report(argc, argv);
  ReportClock(report, "before address");
  Bench bench{report};
  OneSm(bench, 0, false);
  OneSm(bench, 0, true);
  EachSm(bench);
  Dram(bench);
  Pages(bench);
  RowPitches(bench);
  ReportClock(report, "after address");
}
