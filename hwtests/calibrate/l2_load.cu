// Tensor loads against what else is under way: SMs that ask, bytes each has in
// flight, size of a box, and where the data is. One elected lane an SM issues
// boxes into a ring, one warp sees them arrive.
#include "hwtests/calibrate/topology.cuh"

namespace calibrate {
namespace {

enum class Pattern {
  kOwn,     // each SM its own tiles, read again and again: in L2
  kShared,  // tiles of A and B in turn, as the first 132 tiles of a GEMM: in L2
  kSame,    // all the same tile at a time: in L2
  kAll,     // each SM all of a region, each from another place: in L2
  kStream,  // the tiles of a stream, which several SMs may read: in L2
  kHbm,     // each byte once: in HBM
};
const char* const kPatternNames[] = {"own", "shared", "same",
                                     "all", "stream", "hbm"};

constexpr int kMaxStages = 96, kMaxRequests = 8192;
constexpr int kPitch = 8192;  // bytes of a row: f16[rows, 4096]
constexpr int kTilesOfRow = kPitch / kRowBytes;
constexpr int64_t kRows = 1 << 18;  // 2 GiB
constexpr int kSharedBytes = (192 << 10) + 2048;

struct Plan {
  Pattern pattern;
  int rows;      // of a box
  int stages;    // boxes in flight
  int requests;  // boxes in all
  int own;       // boxes that are an SM's own, or all SMs'
  int ctas;
  bool by_sm;  // only `sms` take part, of a launch on all
  SmSet sms;
  uint8_t stream[kSms];  // of each SM
};

struct Result {
  uint64_t start_ns, end_ns;
};

// Of a box, in cycles of its SM.
struct Times {
  uint32_t issued, complete;
};

// Where the next box begins, without a division: who issues boxes has no time
// for one.
struct Walk {
  int x = 0, y, other, step = 64, end, down = 0, bottom = 1 << 30;
  TILE_DEVICE Walk(const Plan& p, int cta)
      : y(cta * p.rows), other(y), end(kTilesOfRow * 64) {
    const GemmTile tile(cta, p.rows);
    if (p.pattern == Pattern::kOwn) end = p.own * 64;
    if (p.pattern == Pattern::kSame) y = other = 0;
    if (p.pattern == Pattern::kHbm) down = p.ctas * p.rows;
    if (p.pattern == Pattern::kAll) {
      down = p.rows;
      bottom = p.own / kTilesOfRow * p.rows;
      const int first = p.own * cta / p.ctas;  // no two at the same tile
      x = first % kTilesOfRow * 64;
      y = other = first / kTilesOfRow * p.rows;
    }
    if (p.pattern == Pattern::kStream) {
      end = p.own * 64;
      y = other = p.stream[cta] * p.rows;
    }
    if (p.pattern == Pattern::kShared) {
      step = 0;  // of A, then B, then on
      y = tile.m;
      other = 8 * p.rows + tile.n;
    }
  }
  TILE_DEVICE void next() {
    x += step;
    if (y != other) {
      step ^= 64;
      const int last = y;
      y = other;
      other = last;
    }
    if (x < end) return;
    x = 0;
    y += down;
    other += down;
    if (y >= bottom) y = other = 0;
  }
};

TILE_DEVICE void issue(const CUtensorMap* map, const Plan& p, int cta,
                       uint32_t full, uint32_t empty, uint32_t base,
                       Times* times) {
  const int bytes = p.rows * kRowBytes;
  Slot slot;
  Walk at(p, cta);
  for (int i = 0; i < p.requests; ++i, slot.next(p.stages)) {
    const uint32_t bar = full + 8 * slot.index;
    wait(empty + 8 * slot.index, slot.parity ^ 1);
    tile::mbarrier_arrive_expect_tx(bar, bytes);
    times[i].issued = tile::stamp();
    load_box(base + slot.index * bytes, map, bar, at.x, at.y);
    at.next();
  }
}

__global__ __launch_bounds__(64, 1) void load(
    const __grid_constant__ CUtensorMap map, const Plan p, Gate* gate,
    Result* results, Times* times) {
  __shared__ uint64_t barriers[2 * kMaxStages];
  const uint32_t sm = sm_index();
  if (!takes_part(!p.by_sm || p.sms.has(sm))) return;
  const int cta = p.by_sm ? p.sms.before(sm) : static_cast<int>(blockIdx.x);
  const uint32_t full = kept(shared_address(barriers));
  const uint32_t empty = kept(shared_address(barriers + kMaxStages));
  Times* mine = times + cta * p.requests;
  if (threadIdx.x == 0) {
    for (int s = 0; s < p.stages; ++s) {
      tile::mbarrier_init(full + 8 * s, 1);
      tile::mbarrier_init(empty + 8 * s, 1);
    }
    tile::fence_mbarrier_init();
    start_together(gate, p.ctas);
    results[cta].start_ns = nanoseconds();
  }
  __syncthreads();
  if (tile::warp_index() == 0) {
    if (tile::elect_one())
      issue(&map, p, cta, full, empty, kept(shared_base()), mine);
    return;
  }
  const bool lane = tile::elect_one();
  Slot slot;
  for (int i = 0; i < p.requests; ++i, slot.next(p.stages)) {
    wait(full + 8 * slot.index, slot.parity);
    const uint32_t now = tile::stamp();
    if (lane) {
      tile::mbarrier_arrive(empty + 8 * slot.index);
      mine[i].complete = now;
    }
  }
  if (lane) results[cta].end_ns = nanoseconds();
}

struct Bench {
  Report& report;
  Buffer<uint8_t> data{kRows * kPitch};
  Buffer<Gate> gate{1};
  Buffer<Result> results{kSms};
  Buffer<Times> times{kSms * kMaxRequests};
  Flush flush;

  std::vector<Samples> ports;  // of each CTA, of the last plan

  // Readings of one plan under `name`.
  void Measure(const char* name, Plan p, Parameters parameters) {
    constexpr int kRepeats = 3;
    const CUtensorMap map = MapOf(data.get(), kRows, kPitch, p.rows);
    if (p.requests == 0) p.requests = std::max(256, 4 * p.stages);
    const int grid = p.by_sm ? kSms : p.ctas;
    const double bytes = p.rows * kRowBytes;
    Samples latency, port, rate;
    ports.assign(p.ctas, {});
    for (int repeat = -1; repeat < kRepeats; ++repeat) {
      if (p.pattern == Pattern::kHbm) flush();
      gate.Clear();
      Run(load, grid, 1, 64, kSharedBytes, map, p, gate.get(), results.get(),
          times.get());
      if (repeat < 0) continue;  // brings the data to L2
      uint64_t start = ~0ull, end = 0;
      for (const Result& r : results.Read(p.ctas)) {
        start = std::min(start, r.start_ns);
        end = std::max(end, r.end_ns);
      }
      rate.push_back(bytes * p.requests * p.ctas / (end - start));
      const auto of_all = times.Read(p.ctas * p.requests);
      for (int cta = 0; cta < p.ctas; ++cta) {
        const Times* t = &of_all[cta * p.requests];
        ports[cta].push_back(
            bytes * (p.requests - p.stages) /
            (t[p.requests - 1].complete - t[p.stages - 1].complete));
        port.push_back(ports[cta].back());
        for (int i = p.stages; i < p.requests; ++i)
          latency.push_back(t[i].complete - t[i].issued);
      }
    }
    const std::string prefix = name;
    report.Add((prefix + ".latency").c_str(), parameters, "cycles", latency);
    report.Add((prefix + ".port").c_str(), parameters, "B/cycle/SM", port);
    report.Add((prefix + ".rate").c_str(), parameters, "GB/s", rate);
  }

  void Load(Pattern pattern, int ctas, int rows, int kilobytes) {
    const int stages = kilobytes * 1024 / (rows * kRowBytes);
    Plan p = {pattern, rows, stages, 0};
    p.own = std::max(1, 128 * 1024 / (rows * kRowBytes));
    p.ctas = ctas;
    Measure("l2.load", p,
            {{"pattern", kPatternNames[static_cast<int>(pattern)]},
             {"sms", ctas},
             {"box_kb", rows * kRowBytes / 1024},
             {"in_flight_kb", kilobytes}});
  }
};

void SmsAndBytes(Bench& bench) {
  for (Pattern pattern : {Pattern::kOwn, Pattern::kShared, Pattern::kHbm}) {
    for (int ctas : {1, 2, 4, 8, 16, 32, 64, 96, 132}) {
      for (int kb : {16, 32, 64, 128, 192}) bench.Load(pattern, ctas, 128, kb);
    }
  }
}

void Boxes(Bench& bench) {
  for (Pattern pattern : {Pattern::kOwn, Pattern::kHbm}) {
    for (int ctas : {1, 132}) {
      for (int rows : {16, 64, 256}) {
        for (int kb : {8, 32, 96, 192}) {
          if (kb * 1024 >= rows * kRowBytes)
            bench.Load(pattern, ctas, rows, kb);
        }
      }
    }
  }
  for (int kb : {16, 64, 192}) {
    for (int ctas : {2, 8, 32, 132}) bench.Load(Pattern::kSame, ctas, 128, kb);
  }
}

// How much stays in L2: of what one SM reads, and of what all do.
void Footprints(Bench& bench) {
  for (int mb : {4, 16, 24, 28, 32, 40, 48, 64}) {
    Plan p = {Pattern::kAll, 128, 8, 2 * kTilesOfRow * mb, kTilesOfRow * mb};
    p.ctas = kSms;
    bench.Measure("l2.footprint", p, {{"readers", "all"}, {"mb", mb}});
  }
  for (int kb : {64, 128, 192, 256, 320, 384, 512, 1024}) {
    Plan p = {Pattern::kOwn, 128, 8, 0, kb / 16};
    p.ctas = kSms;
    bench.Measure("l2.footprint", p,
                  {{"readers", "one"}, {"mb", kb * kSms / 1024.0}});
  }
}

using Groups = std::vector<std::vector<int>>;

// Whether a TPC or a GPC has a port of its own.
void Neighbours(Bench& bench, const Groups& gpcs) {
  std::vector<int> pairs, first_of_gpc, half_of_gpc, rest, all;
  for (int sm = 0; sm < kSms; ++sm) all.push_back(sm);
  for (int sm = 0; sm < kSms; sm += 2) pairs.push_back(sm);
  for (const auto& gpc : gpcs) {
    if (gpc.size() > 8) {
      first_of_gpc.push_back(gpc[0]);
    } else {
      rest.insert(rest.end(), gpc.begin(), gpc.end());
    }
  }
  for (size_t i = 0; i < gpcs[0].size(); i += 2)
    half_of_gpc.push_back(gpcs[0][i]);
  const std::vector<std::pair<const char*, std::vector<int>>> sets = {
      {"one", {0}},
      {"sm 0 and 1", {0, 1}},
      {"sm 0 and 2", {0, 2}},
      {"even sms", pairs},
      {"one a gpc", first_of_gpc},
      {"half a gpc", half_of_gpc},
      {"a gpc of 18", gpcs[0]},
      {"a gpc of 16", gpcs[2]},
      {"the groups of 8 and less", rest},
      {"all", all},
  };
  for (const auto& [name, sms] : sets) {
    Plan p = {Pattern::kOwn, 128, 12, 0, 8};
    p.ctas = static_cast<int>(sms.size());
    p.by_sm = true;
    p.sms = SetOf(sms);
    bench.Measure("l2.neighbours", p, {{"set", name}, {"sms", p.ctas}});
  }
  for (size_t g = 0; g < gpcs.size(); ++g) {
    Samples port;
    for (int sm : gpcs[g])
      port.insert(port.end(), bench.ports[sm].begin(), bench.ports[sm].end());
    bench.report.Add("l2.neighbours.of_gpc",
                     {{"gpc", g}, {"sms", gpcs[g].size()}}, "B/cycle/SM", port);
  }
}

// Who has to read the same tiles in step for them to be fetched once.
void Merging(Bench& bench, const Groups& gpcs) {
  Plan p = {Pattern::kStream, 128, 4, 0, 8};
  p.ctas = kSms;
  p.by_sm = true;
  for (const auto& gpc : gpcs) {
    for (int sm : gpc) p.sms.words[sm / 32] |= 1u << (sm % 32);
  }
  const auto measure = [&](const char* readers, auto stream_of) {
    for (size_t g = 0; g < gpcs.size(); ++g) {
      for (size_t i = 0; i < gpcs[g].size(); ++i)
        p.stream[gpcs[g][i]] = static_cast<uint8_t>(stream_of(g, i));
    }
    for (int stages : {4, 12}) {
      p.stages = stages;
      bench.Measure("l2.merge", p,
                    {{"readers", readers}, {"in_flight_kb", 16 * stages}});
    }
  };
  measure("each its own", [&](size_t g, size_t i) { return gpcs[g][i]; });
  measure("pairs of a tpc", [&](size_t g, size_t i) { return gpcs[g][i] / 2; });
  measure("pairs of a gpc", [&](size_t g, size_t i) {
    return gpcs[g][i % std::max<size_t>(1, gpcs[g].size() / 2)];
  });
  measure("gpcs", [&](size_t g, size_t) { return gpcs[g][0]; });
  measure("one of each gpc", [&](size_t, size_t i) { return i; });
  measure("all", [&](size_t, size_t) { return 0; });
}

}  // namespace
}  // namespace calibrate

int main(int argc, char** argv) {
  using namespace calibrate;
  Report report(argc, argv);
  ReportClock(report, "before l2_load");
  Bench bench{report};
  Fill(bench.data, Data::kNormalF16);
  SmsAndBytes(bench);
  Boxes(bench);
  Footprints(bench);
  const Groups gpcs = Gpcs();
  for (size_t i = 0; i < gpcs.size(); ++i) {
    report.Add("gpc.sms", {{"gpc", i}}, "SMs",
               {static_cast<double>(gpcs[i].size())});
  }
  Neighbours(bench, gpcs);
  Merging(bench, gpcs);
  ReportClock(report, "after l2_load");
}
