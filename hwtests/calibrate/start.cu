// What a kernel pays before and after its work: the first tile through a tensor
// map, the launch of the CTAs, one CTA after another on an SM, the first
// cluster barrier, instructions that nobody ran yet, what events measure beyond
// it.
#include <map>

#include "hwtests/calibrate/harness.cuh"

namespace calibrate {
namespace {

constexpr int kPitch = 8192, kBoxRows = 128, kBox = kBoxRows * kRowBytes;
constexpr int64_t kRows = 1 << 17;   // 1 GiB
constexpr int kWholeSm = 200 << 10;  // shared memory that one CTA has alone

// --- The first tile --------------------------------------------------------

enum Stamp {
  kReady,       // barrier initialised, CTA synchronised
  kFirst,       // first tile through a map that nobody used
  kSecond,      // second tile through it
  kOther,       // first tile through a second map
  kPrefetched,  // first through a third, prefetched 4000 cycles before
  kFence,       // fence.proxy.tensormap::generic.acquire.gpu of a fourth
  kFenced,      // first through it
  kFourTiles,   // four more, issued together
  kStamps,
};
const char* const kStampNames[kStamps] = {
    "ready",          "first use", "second use", "second map",
    "prefetched map", "map fence", "fenced map", "four at once"};

struct Maps {
  CUtensorMap map[4];
};

TILE_DEVICE void fence_map(const CUtensorMap* map) {
  asm volatile(
      "fence.proxy.tensormap::generic.acquire.gpu [%0], 128;" ::"l"(map)
      : "memory");
}

TILE_DEVICE void fetch(const CUtensorMap* map, uint32_t bar, int phase, int x,
                       int y, int boxes) {
  tile::mbarrier_arrive_expect_tx(bar, boxes * kBox);
  for (int i = 0; i < boxes; ++i) {
    load_box(shared_base() + i * kBox, map, bar, (x + i) * 64, y);
  }
  wait(bar, phase & 1);
}

template <bool kGlobal>
__global__ __launch_bounds__(128, 1) void first_tile(
    const __grid_constant__ Maps params, const Maps* global, uint32_t* out) {
  uint32_t at[kStamps + 1];
  at[0] = tile::stamp();
  __shared__ uint64_t full;
  const uint32_t bar = shared_address(&full);
  const CUtensorMap* maps = kGlobal ? global->map : params.map;
  if (threadIdx.x == 0) {
    tile::mbarrier_init(bar, 1);
    tile::fence_mbarrier_init();
  }
  __syncthreads();
  if (threadIdx.x != 0) return;
  const int y = blockIdx.x * kBoxRows;
  at[1 + kReady] = tile::stamp();
  fetch(&maps[0], bar, 0, 0, y, 1);
  at[1 + kFirst] = tile::stamp();
  fetch(&maps[0], bar, 1, 4, y, 1);
  at[1 + kSecond] = tile::stamp();
  fetch(&maps[1], bar, 2, 8, y, 1);
  at[1 + kOther] = tile::stamp();
  tile::prefetch_tensormap(&maps[2]);
  spin(4000);
  uint32_t before = tile::stamp();
  fetch(&maps[2], bar, 3, 12, y, 1);
  at[1 + kPrefetched] = tile::stamp();
  fence_map(&global->map[3]);
  at[1 + kFence] = tile::stamp();
  fetch(&global->map[3], bar, 4, 16, y, 1);
  at[1 + kFenced] = tile::stamp();
  fetch(&maps[0], bar, 5, 20, y, 4);
  at[1 + kFourTiles] = tile::stamp();
  uint32_t* mine = out + blockIdx.x * kStamps;
#pragma unroll
  for (int i = 0; i < kStamps; ++i) {
    mine[i] = at[i + 1] - (i == kPrefetched ? before : at[i]);
  }
}

struct Bench {
  Report& report;
  Buffer<uint8_t> data{kRows * kPitch};
  Buffer<uint32_t> out{1 << 20};
  Flush flush;
};

template <bool kGlobal>
void FirstTile(Bench& b, int ctas, bool warm) {
  std::vector<Samples> samples(kStamps);
  for (int repeat = 0; repeat < 12; ++repeat) {
    Maps maps;
    // Rows of its own, so that even the pages are new when the data is.
    const int64_t first = repeat * int64_t{kSms} * kBoxRows % (kRows / 2);
    const uint8_t* start = b.data.get() + first * kPitch;
    for (CUtensorMap& map : maps.map)
      map = MapOf(start, kSms * kBoxRows, kPitch, kBoxRows);
    // Warm: the same kernel ran just before, with other copies of the maps.
    Buffer<Maps> copy(1), global(1);
    copy.Write({maps});
    global.Write({maps});
    b.flush();
    if (warm) {
      Run(first_tile<kGlobal>, ctas, 1, 128, kWholeSm, maps, copy.get(),
          b.out.get());
    }
    Run(first_tile<kGlobal>, ctas, 1, 128, kWholeSm, maps, global.get(),
        b.out.get());
    const auto out = b.out.Read(ctas * kStamps);
    for (int i = 0; repeat >= 2 && i < ctas * kStamps; ++i)
      samples[i % kStamps].push_back(out[i]);
  }
  for (int i = 0; i < kStamps; ++i) {
    b.report.Add("start.tile",
                 {{"step", kStampNames[i]},
                  {"maps", kGlobal ? "global" : "parameter"},
                  {"data", warm ? "l2" : "hbm"},
                  {"sms", ctas}},
                 "cycles", samples[i]);
  }
}

// --- Launch, replacement, events ---------------------------------------------

struct Life {
  uint64_t start_ns, end_ns, start, end;
  uint32_t barrier;  // cycles of the cluster barrier at start
  uint32_t sm;
};

__global__ void live(uint64_t length, Life* out) {
  Life life;
  life.start = cycles();
  life.start_ns = nanoseconds();
  tile::cluster_arrive();
  tile::cluster_wait();
  life.barrier = static_cast<uint32_t>(cycles() - life.start);
  while (nanoseconds() - life.start_ns < length) {
  }
  __syncthreads();
  if (threadIdx.x != 0) return;
  life.sm = sm_index();
  life.end_ns = nanoseconds();
  life.end = cycles();
  out[blockIdx.x] = life;
}

struct Shape {
  int ctas, cluster, threads, shared;
};

Parameters Of(const Shape& s) {
  return {{"ctas", s.ctas},
          {"cluster", s.cluster},
          {"threads", s.threads},
          {"shared_kb", s.shared / 1024}};
}

// The span of a launch: from its first CTA's start to its last one's end.
struct Span {
  uint64_t start = ~0ull, end = 0;
  explicit Span(const std::vector<Life>& lives) {
    for (const Life& life : lives) {
      start = std::min(start, life.start_ns);
      end = std::max(end, life.end_ns);
    }
  }
};

void Ramp(Bench& b, const Shape& s) {
  Buffer<Life> lives(s.ctas);
  Samples after, last, barrier;
  for (int repeat = -2; repeat < 10; ++repeat) {
    Run(live, s.ctas, s.cluster, s.threads, s.shared, uint64_t{20000},
        lives.get());
    if (repeat < 0) continue;
    const std::vector<Life> out = lives.Read();
    const Span span(out);
    double worst = 0;
    for (const Life& life : out) {
      after.push_back(life.start_ns - span.start);
      worst = std::max(worst, after.back());
      barrier.push_back(life.barrier);
    }
    last.push_back(worst);
  }
  b.report.Add("launch.ramp", Of(s), "ns", after);
  b.report.Add("launch.ramp.last", Of(s), "ns", last);
  b.report.Add("launch.cluster_barrier", Of(s), "cycles", barrier);
}

// From the end of a CTA to the start of the next on its SM, one at a time.
void Replacement(Bench& b, const Shape& s) {
  Buffer<Life> lives(s.ctas);
  Samples gaps;
  for (int repeat = -1; repeat < 4; ++repeat) {
    Run(live, s.ctas, s.cluster, s.threads, s.shared, uint64_t{3000},
        lives.get());
    if (repeat < 0) continue;
    std::map<uint32_t, std::vector<Life>> of_sm;
    for (const Life& life : lives.Read()) of_sm[life.sm].push_back(life);
    for (auto& [_, on] : of_sm) {
      std::sort(on.begin(), on.end(),
                [](const Life& x, const Life& y) { return x.start < y.start; });
      for (size_t i = 1; i < on.size(); ++i)
        gaps.push_back(static_cast<int64_t>(on[i].start - on[i - 1].end));
    }
  }
  b.report.Add("launch.replacement", Of(s), "cycles", gaps);
}

enum class Timing { kNone, kEvents, kSynchronised };
const char* const kTimingNames[] = {"no events", "events",
                                    "events, synchronised"};

// Launches one after another, with events around each, or each waited for, as
// timed loops do.
void Events(Bench& b, uint64_t length, Timing timing) {
  constexpr int kLaunches = 40;
  const bool timed = timing != Timing::kNone;
  Buffer<Life> lives(kLaunches * kSms);
  std::vector<cudaEvent_t> events(2 * kLaunches);
  for (cudaEvent_t& event : events) CALIBRATE_CHECK(cudaEventCreate(&event));
  // Sets the kernel's attribute, which is not to be done between two events.
  Run(live, kSms, 1, 128, kWholeSm, length, lives.get());
  for (int warm = 0; warm < 2; ++warm) {
    for (int i = 0; i < kLaunches; ++i) {
      if (timed) CALIBRATE_CHECK(cudaEventRecord(events[2 * i]));
      live<<<kSms, 128, kWholeSm>>>(length, lives.get() + i * kSms);
      if (timed) CALIBRATE_CHECK(cudaEventRecord(events[2 * i + 1]));
      if (timing == Timing::kSynchronised)
        CALIBRATE_CHECK(cudaDeviceSynchronize());
    }
    CALIBRATE_CHECK(cudaDeviceSynchronize());
  }
  const std::vector<Life> out = lives.Read();
  Samples gaps, beyond;
  uint64_t before = 0;
  for (int i = 0; i < kLaunches; ++i) {
    const auto at = out.begin() + i * kSms;
    const Span span(std::vector<Life>(at, at + kSms));
    if (i > 0) gaps.push_back(span.start - before);
    before = span.end;
    if (!timed) continue;
    float ms;
    CALIBRATE_CHECK(
        cudaEventElapsedTime(&ms, events[2 * i], events[2 * i + 1]));
    beyond.push_back(1e6 * ms - (span.end - span.start));
  }
  const Parameters p = {{"timing", kTimingNames[static_cast<int>(timing)]},
                        {"kernel_ns", length}};
  b.report.Add("launch.gap", p, "ns", gaps);
  if (timed) b.report.Add("launch.beyond_span", p, "ns", beyond);
  for (cudaEvent_t event : events) cudaEventDestroy(event);
}

struct Dependent {
  uint64_t start_ns, released_ns, end_ns;
};

// A kernel of a chain of programmatic launches; `early`: it lets the next one
// start at once, else at its end.
__global__ void depend(uint64_t length, bool early, Dependent* out) {
  Dependent d;
  d.start_ns = nanoseconds();
  if (early) tile::griddepcontrol_launch_dependents();
  tile::griddepcontrol_wait();
  d.released_ns = nanoseconds();
  while (nanoseconds() - d.released_ns < length) {
  }
  d.end_ns = nanoseconds();
  out[blockIdx.x] = d;
}

// From the end of a kernel until the dependent one's griddepcontrol.wait
// returns, and to its start, where it may not start before.
void Dependents(Bench& b, bool early) {
  constexpr int kLaunches = 20;
  Buffer<Dependent> out(kLaunches * kSms);
  Samples start, released;
  for (int repeat = -1; repeat < 4; ++repeat) {
    for (int i = 0; i < kLaunches; ++i) {
      CALIBRATE_CHECK(host::launch(depend, dim3(kSms), dim3(1), dim3(128), 0,
                                   true, nullptr, uint64_t{20000}, early,
                                   out.get() + i * kSms));
    }
    CALIBRATE_CHECK(cudaDeviceSynchronize());
    const std::vector<Dependent> d = out.Read();
    for (int i = 1; repeat >= 0 && i < kLaunches; ++i) {
      uint64_t end = 0, first = ~0ull, free = ~0ull;
      for (int cta = 0; cta < kSms; ++cta) {
        end = std::max(end, d[(i - 1) * kSms + cta].end_ns);
        first = std::min(first, d[i * kSms + cta].start_ns);
        free = std::min(free, d[i * kSms + cta].released_ns);
      }
      start.push_back(static_cast<int64_t>(first - end));
      released.push_back(static_cast<int64_t>(free - end));
    }
  }
  const Parameters p = {{"launch_dependents", early ? "at start" : "at end"}};
  if (!early) b.report.Add("launch.dependent.start", p, "ns", start);
  b.report.Add("launch.dependent.released", p, "ns", released);
}

// --- Instructions ------------------------------------------------------------

// kInstructions of 16 bytes in a row, three times.
template <int kInstructions>
__global__ void straight_line(float a, uint32_t* out, float* sink) {
  float x[4] = {a, a + 1, a + 2, a + 3};
#pragma unroll 1
  for (int pass = 0; pass < 3; ++pass) {
    const uint32_t start = tile::stamp();
#pragma unroll
    for (int i = 0; i < kInstructions; ++i) {
      asm volatile("fma.rn.f32 %0, %0, %1, %2;"
                   : "+f"(x[i % 4])
                   : "f"(a), "f"(x[(i + 1) % 4]));
    }
    const uint32_t end = tile::stamp();
    if (threadIdx.x == 0) out[blockIdx.x * 3 + pass] = end - start;
  }
  if (x[0] + x[1] + x[2] + x[3] == 0.123f) *sink = x[0];
}

template <int kInstructions>
void Instructions(Bench& b, int ctas, bool flushed) {
  std::vector<Samples> passes(3);
  Buffer<float> sink(1);
  for (int repeat = 0; repeat < 10; ++repeat) {
    // Another large kernel takes the instruction caches' place.
    Run(straight_line<8191>, kSms, 1, 32, 0, 0.5f, b.out.get(), sink.get());
    if (flushed) b.flush();
    Run(straight_line<kInstructions>, ctas, 1, 32, 0, 0.5f, b.out.get(),
        sink.get());
    const auto out = b.out.Read(3 * ctas);
    for (int i = 0; repeat > 0 && i < 3 * ctas; ++i)
      passes[i % 3].push_back(out[i]);
  }
  for (int pass = 0; pass < 3; ++pass) {
    b.report.Add("start.instructions",
                 {{"code_kb", kInstructions / 64},
                  {"sms", ctas},
                  {"l2", flushed ? "flushed" : "as left"},
                  {"pass", pass}},
                 "cycles", passes[pass]);
  }
}

template <int kInstructions>
void InstructionsAll(Bench& b) {
  for (int ctas : {1, kSms}) {
    for (bool flushed : {false, true})
      Instructions<kInstructions>(b, ctas, flushed);
  }
}

void Launches(Bench& b) {
  for (int cluster : {1, 2, 4}) {
    for (int threads : {128, 384}) {
      for (int shared : {0, kWholeSm})
        Ramp(b, {kSms, cluster, threads, shared});
    }
    Replacement(b, {4 * kSms, cluster, 128, kWholeSm});
    Replacement(b, {4 * kSms, cluster, 384, kWholeSm});
  }
  Ramp(b, {2 * kSms, 1, 128, 100 << 10});
  Ramp(b, {8 * kSms, 1, 128, 0});
  for (uint64_t length : {0, 5000, 100000}) {
    for (Timing t : {Timing::kNone, Timing::kEvents, Timing::kSynchronised})
      Events(b, length, t);
  }
  Dependents(b, true);
  Dependents(b, false);
}

}  // namespace
}  // namespace calibrate

int main(int argc, char** argv) {
  using namespace calibrate;
  Report report(argc, argv);
  ReportClock(report, "before start");
  Bench bench{report};
  Fill(bench.data, Data::kNormalF16);
  for (int ctas : {1, kSms}) {
    for (bool warm : {true, false}) {
      FirstTile<false>(bench, ctas, warm);
      FirstTile<true>(bench, ctas, warm);
    }
  }
  Launches(bench);
  InstructionsAll<256>(bench);
  InstructionsAll<1024>(bench);
  InstructionsAll<4096>(bench);
  ReportClock(report, "after start");
}
