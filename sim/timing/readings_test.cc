// The modelled H200 against the real one (h200-readings.md section 2): small
// loops, whose cycles a turn are what the readings give.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "frontend/bind.h"
#include "frontend/parse.h"
#include "gtest/gtest.h"
#include "ir/cat.h"
#include "sim/timing/engine.h"

namespace tilesim::timing {
namespace {

using ir::Cat;

// `path`: what the text includes lies beside it.
RunStats Timed(const std::string& text, const ir::Overrides& overrides,
               const arch::Arch& arch, const std::string& path = "reading.tile",
               L2State l2 = L2State::kWarm) {
  ir::Source source{path, text};
  ir::Diagnostics diagnostics;
  auto program = frontend::Parse(source, diagnostics, overrides);
  std::optional<std::vector<ir::BoundKernel>> bound;
  if (program)
    bound = frontend::BindProgram(*program, overrides,
                                  static_cast<int64_t>(arch.sms), diagnostics);
  std::optional<machine::Code> code;
  if (bound) code = machine::Compile(std::move(bound->front()), diagnostics);
  for (const ir::Diagnostic& d : diagnostics.all())
    ADD_FAILURE() << ir::Render(d, source);
  if (!code) return {};
  machine::Machine machine({&*code});
  EngineOptions options;
  options.l2 = l2;
  RunStats stats = Engine(machine, arch, std::move(options)).Run();
  EXPECT_TRUE(stats.finished) << text;
  return stats;
}

double CyclesPerTurn(const std::string& text, L2State l2) {
  constexpr int64_t kTurns = 32;
  const arch::Arch& h200 = *arch::FindArch("h200");
  auto cycles = [&](int64_t turns) {
    return Timed(text, {{"TURNS", turns}}, h200, "reading.tile", l2).cycles;
  };
  return static_cast<double>(cycles(2 * kTurns) - cycles(kTurns)) / kTurns;
}

struct Reading {
  std::string name;
  std::string text;
  double cycles;     // a turn, on silicon
  double tolerance;  // of it
  L2State l2 = L2State::kWarm;
};

// A kernel whose threads all loop over `body`.
std::string Loop(int threads, std::string_view decls, std::string_view setup,
                 std::string_view body, std::string_view grid = "grid (1)") {
  return Cat("kernel k target sm_90a {\n  const TURNS = 1\n  ", grid,
             "\n  block ", threads, "\n", decls, "\n", setup,
             "\n  for i in 0..TURNS {\n", body, "\n  }\n}\n");
}

// --- 2.1 wgmma ---------------------------------------------------------------

// `count` of them a turn, accumulators N wide.
std::string Wgmma(int n, int count, std::string_view a, bool waits) {
  std::string body = "    wgmma.fence\n";
  for (int i = 0; i < count; ++i)
    body += Cat("    wgmma.mma_async d, ", a, ", b, accumulate = 1\n");
  body += Cat("    wgmma.commit_group\n    wgmma.wait_group ", waits ? 0 : 1);
  return Loop(128,
              Cat("  shared a : f16[64, 16] swizzle 32B\n  shared b : f16[", n,
                  ", 16] swizzle 32B\n"),
              Cat("  reg r : f16[64, 16] fragment wgmma\n  reg d : f32[64, ", n,
                  "] fragment wgmma"),
              body);
}

std::vector<Reading> WgmmaReadings() {
  std::vector<Reading> out;
  struct Interval {
    int n;
    double ss;
  };
  for (Interval i :
       {Interval{8, 18}, {64, 32}, {128, 64}, {192, 96}, {256, 128}}) {
    out.push_back({Cat("wgmma SS N=", i.n, ", 16 in flight"),
                   Wgmma(i.n, 16, "a", false), 16 * i.ss, 0.03});
  }
  for (Interval i : {Interval{64, 32}, {128, 64}})
    out.push_back({Cat("wgmma RS N=", i.n, ", 16 in flight"),
                   Wgmma(i.n, 16, "r", false), 16 * i.ss, 0.05});
  struct Batch {
    int n, count;
    double cycles;
  };
  for (Batch b : {Batch{8, 1, 76.2},
                  {64, 1, 104.2},
                  {128, 1, 136.2},
                  {256, 1, 197.2},
                  {64, 4, 190.2},
                  {128, 4, 318.2},
                  {256, 4, 574.2},
                  {256, 8, 1087.1}}) {
    out.push_back({Cat("batch of ", b.count, ", N=", b.n, ", waited for"),
                   Wgmma(b.n, b.count, "a", true), b.cycles, 0.15});
  }
  return out;
}

// --- 2.2 synchronisation -----------------------------------------------------

// The readings are of sixteen in a row.
constexpr int kUnrolled = 16;

std::string Plain(int threads, std::string_view op) {
  std::string body;
  for (int i = 0; i < kUnrolled; ++i) body += Cat("    ", op, "\n");
  return Loop(threads, "", "", body);
}

std::string Cluster(std::string_view order) {
  return Loop(
      32, "", "",
      Cat("    barrier.cluster.arrive", order, "\n    barrier.cluster.wait"),
      "grid (2)\n  cluster (2)");
}

// Two warps hand a token to and fro.
std::string PingPong(std::string_view narrow) {
  auto side = [&](int warp, std::string_view wait, std::string_view arrive) {
    std::string wait_text = Cat("mbarrier.wait ", wait, ", parity = i & 1\n");
    std::string arrive_text =
        Cat("lane 0 {\n mbarrier.arrive ", arrive, "\n }\n");
    return Cat("  warp ", warp, narrow, " {\n    for i in 0..TURNS {\n",
               warp == 0 ? arrive_text + wait_text : wait_text + arrive_text,
               "    }\n  }\n");
  };
  return Cat(R"(kernel k target sm_90a {
  const TURNS = 1
  grid (1)
  block 64
  mbarrier ping, pong
  thread 0 {
    mbarrier.init ping, 1
    mbarrier.init pong, 1
  }
  bar.sync 0
)",
             side(0, "pong", "ping"), side(1, "ping", "pong"), "}\n");
}

// Single lanes, whose others have exited (hop.turn).
std::string RemotePingPong(std::string_view order) {
  return Cat(R"(kernel k target sm_90a {
  const TURNS = 1
  grid (2)
  cluster (2)
  block 32
  mbarrier token
  thread 0 {
    mbarrier.init token, 1
    fence.mbarrier_init
  }
  barrier.cluster.arrive
  barrier.cluster.wait
  thread 0 {
    for i in 0..TURNS {
      if cluster.rank == 1 {
        mbarrier.wait token, parity = i & 1
      }
      mbarrier.arrive)",
             order, R"( token @ cta cluster.rank ^ 1
      if cluster.rank == 0 {
        mbarrier.wait token, parity = i & 1
      }
    }
  }
})");
}

std::vector<Reading> SyncReadings() {
  struct Op {
    std::string_view name;
    int threads;
    std::string_view text;
    double cycles, tolerance;
  };
  constexpr Op kOps[] = {
      // calibration.json sync.time. The model counts whole cycles.
      {"bar.sync of 32", 32, "bar.sync 0", 15.5, 0.1},
      {"bar.sync of 128", 128, "bar.sync 0", 21.5, 0.1},
      {"bar.sync of 256", 256, "bar.sync 0", 29.5, 0.1},
      {"bar.sync of 1024", 1024, "bar.sync 0", 77.8, 0.05},
      {"bar.warp.sync", 32, "bar.warp.sync", 2.9, 0.3},
      {"fence.proxy.async.shared::cta, 4 warps", 128,
       "fence.proxy.async.shared::cta", 12.5, 0.2},
      {"fence.proxy.async", 32, "fence.proxy.async", 153.8, 0.1},
      {"fence.acq_rel.cta", 32, "fence.acq_rel.cta", 10.7, 0.06},
      {"fence.acq_rel.cluster", 32, "fence.acq_rel.cluster", 273.5, 0.05},
      {"fence.acq_rel.gpu", 32, "fence.acq_rel.gpu", 273.5, 0.05},
  };
  std::vector<Reading> out = {
      {"arrive and wait of one warp",
       Loop(32, "  mbarrier b",
            "  lane 0 {\n mbarrier.init b, 1\n }\n  bar.warp.sync",
            "    lane 0 {\n mbarrier.arrive b\n }\n"
            "    mbarrier.wait b, parity = i & 1"),
       69.9, 0.2},
      {"cluster barrier, relaxed", Cluster(".relaxed"), 80, 0.15},
      {"cluster barrier, release", Cluster(""), 356, 0.1},
      {"round trip of two warps", PingPong(""), 157.8, 0.2},
      {"round trip of two lanes", PingPong(", lane 0"), 225, 0.2},
      {"round trip of two CTAs, relaxed", RemotePingPong(".relaxed.cluster"),
       482, 0.1},
      {"round trip of two CTAs, release", RemotePingPong(".release.cluster"),
       1046, 0.1},
  };
  for (const Op& op : kOps)
    out.push_back({std::string(op.name), Plain(op.threads, op.text),
                   kUnrolled * op.cycles, op.tolerance});
  return out;
}

// --- 2.3, 2.4 memory ---------------------------------------------------------

std::string TmaLoads(int rows, int count, std::string_view grid,
                     std::string_view first_row) {
  std::string loads;
  for (int i = 0; i < count; ++i)
    loads += Cat("      tma.load s[", i, "], X[", first_row, " + ", i * rows,
                 " :+ ", rows, ", 0 :+ 64], full\n");
  return Cat("kernel k target sm_90a {\n  const TURNS = 1\n  ", grid,
             "\n  block 32\n  global X : f16[262144, 64]\n  shared s[", count,
             "] : f16[", rows, R"(, 64] swizzle 128B
  mbarrier full
  elect {
    mbarrier.init full, 1
    fence.mbarrier_init
  }
  bar.warp.sync
  elect {
    for i in 0..TURNS {
      mbarrier.arrive.expect_tx full, )",
             count, " * bytes(s)\n", loads,
             "      mbarrier.wait full, parity = i & 1\n    }\n  }\n}\n");
}

std::vector<Reading> MemoryReadings() {
  constexpr char kOne[] = "grid (1)", kAll[] = "grid (132)";
  constexpr char kOwn[] = "cta.x * 1024";
  std::vector<Reading> out = {
      {"ld.shared, dependent",
       Loop(32, "  shared s : u32[32]\n  var x = 0",
            "  reg v : u32[32] fragment blocked(1)",
            "    ld.shared v, s\n    add v, v, v"),
       29.8, 0.2},
      {"ld.shared of 2 KB by 4 warps",
       Loop(128, "  shared s : u32[4, 128]",
            "  reg v : u32[4, 128] fragment blocked(4)", "    ld.shared v, s"),
       17.9, 0.3},
  };
  // With more of all SMs in flight the loops drift apart, other than the
  // readings' single shots.
  struct Tma {
    int rows, count;
    std::string_view grid;
    double cycles;  // from L2
  };
  for (Tma t : {Tma{16, 1, kOne, 356},
                {64, 1, kOne, 403},
                {128, 1, kOne, 474},
                {256, 1, kOne, 623},
                {64, 4, kOne, 626},
                {16, 1, kAll, 359},
                {64, 1, kAll, 423},
                {128, 1, kAll, 536}}) {
    out.push_back({Cat(t.count, " TMA of ", t.rows * 128, " B, L2, ", t.grid),
                   TmaLoads(t.rows, t.count, t.grid, kOwn), t.cycles, 0.12});
  }
  // Never touched before.
  out.push_back({"TMA of 8 KB, HBM, 1 CTA", TmaLoads(64, 1, kOne, "i * 64"),
                 1220, 0.2, L2State::kCold});
  return out;
}

void Compare(const std::vector<Reading>& readings) {
  for (const Reading& r : readings) {
    double model = CyclesPerTurn(r.text, r.l2);
    std::printf("%-44s %8.1f measured %8.1f modelled\n", r.name.c_str(),
                r.cycles, model);
    EXPECT_NEAR(model, r.cycles, r.cycles * r.tolerance) << r.name;
  }
}

// Cycles of all tensor cores together: one or two SMs a tile, nothing is
// counted twice and no SM left out.
TEST(TensorCore, IsBusyForItsFlops) {
  for (std::string file :
       {"hopper/hgemm_v08", "tirx/hgemm_v06", "tirx/hgemm_v09"}) {
    const std::string path = "examples/" + file + ".tile";
    std::ifstream in(path);
    std::string text(std::istreambuf_iterator<char>(in), {});
    const arch::Arch& arch =
        *arch::FindArch(file.starts_with("hopper") ? "h200" : "b200");
    RunStats stats =
        Timed(text, {{"M", 1024}, {"N", 1024}, {"K", 1024}}, arch, path);
    double flops = 2.0 * 1024 * 1024 * 1024;
    double busy =
        stats.units[0].busy * static_cast<double>(stats.cycles) * arch.sms;
    EXPECT_EQ(stats.units[0].name, "tensor core");
    EXPECT_NEAR(busy, flops / arch.tensor_flops, 1e-3 * busy) << file;
  }
}

// Two loads of which the second is not waited for before the first is used.
TEST(Loads, IntoAnArrayAreAwaitedOneByOne) {
  auto loop = [](std::string_view tiles, std::string_view a,
                 std::string_view b) {
    return Loop(128, "global X : f32[64, 1024]",
                Cat("reg ", tiles, " : f32[64, 64] fragment wgmma"),
                Cat("ld.global ", a, ", X[:, 0 :+ 64]\nld.global ", b,
                    ", X[:, 64 :+ 64]\nadd ", a, ", ", a, ", 1.0\nadd ", b,
                    ", ", b, ", 1.0"));
  };
  EXPECT_EQ(CyclesPerTurn(loop("x[2]", "x[0]", "x[1]"), L2State::kWarm),
            CyclesPerTurn(loop("x, y", "x", "y"), L2State::kWarm));
}

// A row that is there once for all rows of a box.
TEST(Loads, OfOneRowForAllAreFetchedOnce) {
  auto loop = [](std::string_view stride) {
    return Loop(128, Cat("global X : f32[64, 8192] ", stride),
                "reg x : f32[64, 64] fragment wgmma",
                "ld.global x, X[:, i * 64 :+ 64]\nadd x, x, 1.0");
  };
  const arch::Arch& h200 = *arch::FindArch("h200");
  auto read = [&](std::string_view stride) {
    return Timed(loop(stride), {{"TURNS", 64}}, h200).moved.l2_hit;
  };
  EXPECT_EQ(read(""), 64.0 * 64 * 64 * 4);
  EXPECT_EQ(read("stride (0, 1)"), 64.0 * 64 * 4);
}

// hardware.md C.1: random operands at full rate leave 788 TFLOP/s of 1070.
TEST(Power, LowersTheClockUnderABusyTensorCore) {
  const arch::Arch& h200 = *arch::FindArch("h200");
  RunStats one = Timed(Wgmma(256, 16, "a", false), {{"TURNS", 64}}, h200);
  // One SM of 132 is busy.
  EXPECT_NEAR(one.clock_mhz, h200.wgmma_clock_mhz, 0.01 * h200.wgmma_clock_mhz);
  std::string all = Wgmma(256, 16, "a", false);
  all.replace(all.find("grid (1)"), 8, "grid (132)");
  EXPECT_NEAR(Timed(all, {{"TURNS", 16}}, h200).clock_mhz,
              h200.tensor_clock_mhz, 0.05 * h200.tensor_clock_mhz);
  // Launches of a millisecond and more, one after another, that load nothing
  // (calibration.json turns.clock, 1.5 ms).
  EXPECT_NEAR(Timed(all, {{"TURNS", 1024}}, h200).clock_mhz, 1507.6,
              0.05 * 1507.6);
}

// calibration.json ring.step: a k-step of hgemm_v08, on one SM and on all.
TEST(H200Readings, Ring) {
  std::ifstream in("examples/hopper/hgemm_v08.tile");
  std::string text(std::istreambuf_iterator<char>(in), {});
  struct Ring {
    int64_t tiles, stages;
    double cycles;
  };
  for (Ring r : {Ring{1, 2, 885},
                 {1, 3, 512},
                 {12, 3, 568},
                 {12, 4, 511},
                 {12, 2, 1038}}) {
    auto cycles = [&](int64_t k) {
      return Timed(text,
                   {{"M", r.tiles == 1 ? 128 : 11 * 128},
                    {"N", r.tiles * 128},
                    {"K", k},
                    {"STAGES", r.stages}},
                   *arch::FindArch("h200"), "examples/hopper/hgemm_v08.tile")
          .cycles;
    };
    double step = static_cast<double>(cycles(4096) - cycles(2048)) / 32;
    std::printf("%lld tiles, %lld stages: %.0f measured %.0f modelled\n",
                static_cast<long long>(r.tiles),
                static_cast<long long>(r.stages), r.cycles, step);
    EXPECT_NEAR(step, r.cycles, 0.12 * r.cycles);
  }
}

// calibration.json store.fragment.round: tiles from fragments, one after
// another.
TEST(H200Readings, Stores) {
  for (auto [type, of_one, of_all] :
       {std::tuple{"f32", 2488, 5202}, {"f16", 4317, 7450}}) {
    for (int ctas : {1, 132}) {
      std::string text =
          Loop(128, Cat("  global X : ", type, "[132, 128, 128]"),
               Cat("  reg v[2] : ", type, "[64, 128] fragment wgmma"),
               "    st.global X[cta.x, 0 :+ 64, :], v[0]\n"
               "    st.global X[cta.x, 64 :+ 64, :], v[1]",
               Cat("grid (", ctas, ")"));
      double round = CyclesPerTurn(text, L2State::kWarm);
      double measured = ctas == 1 ? of_one : of_all;
      std::printf("tile of %s, %d CTAs: %.0f measured %.0f modelled\n", type,
                  ctas, measured, round);
      EXPECT_NEAR(round, measured, 0.15 * measured);
    }
  }
}

// calibration.json store.turn, all SMs, 16 tiles of 128 x 256: the slowest SM;
// and SMs of a CPC of two TPCs are through in 0.71 of the others' time. (Lines
// wait for HBM here, which the clock gives to all alike.)
TEST(H200Readings, StoresOfAllSmsInTurns) {
  struct Way {
    const char *type, *fragment;
    double slowest;
  };
  for (Way way : {Way{"f32", "wgmma", 11515},
                  {"f16", "wgmma", 18134},
                  {"f32", "blocked(4)", 7930}}) {
    const std::string text =
        Cat("kernel k target sm_90a {\n  global X : ", way.type,
            "[132, 2048, 256]\n  grid (132)\n  block 256\n",
            "  shared pad : u8[200 * 1024]\n  warpgroups 0..2 {\n    reg v : ",
            way.type, "[64, 256] fragment ", way.fragment,
            "\n    mov v, 1.0\n    for i in 0..16 {\n      bar.sync 0\n",
            "      st.global X[cta.x, i * 128 + warpgroup * 64 :+ 64, :], v\n",
            "    }\n  }\n}\n");
    const RunStats stats = Timed(text, {}, *arch::FindArch("h200"));
    double longest = 0, shortest = 1e18;
    for (const CtaRun& cta : stats.ctas_run) {
      const auto time = static_cast<double>(cta.end - cta.start);
      longest = std::max(longest, time);
      shortest = std::min(shortest, time);
    }
    std::printf("%s %s: %.0f measured %.0f modelled, shortest %.2f\n", way.type,
                way.fragment, way.slowest, longest / 16, shortest / longest);
    EXPECT_NEAR(longest / 16, way.slowest, 0.15 * way.slowest);
    if (std::string_view(way.fragment) != "wgmma") continue;
    EXPECT_NEAR(shortest / longest, 0.71, 0.08);
  }
}

// calibration.json word.turn, one word, 8 warps of each SM, 512 reds each: when
// all are issued, and when all are done.
TEST(H200Readings, RedsOfAllSmsOnOneWord) {
  const arch::Arch& h200 = *arch::FindArch("h200");
  const RunStats stats = Timed(
      "kernel k target sm_90a {\n  global X : u32[1]\n  grid (132)\n"
      "  block 256\n  shared pad : u8[200 * 1024]\n  elect {\n"
      "    for i in 0..512 {\n      red.add.gpu X[0], 1\n    }\n  }\n}\n",
      {}, h200);
  constexpr double kReds = 132 * 8 * 512;
  const auto issued = static_cast<double>(stats.cycles);
  EXPECT_NEAR(issued / kReds, 1.367, 0.1 * 1.367);
  EXPECT_NEAR(
      (stats.time_us - h200.launch_time / 1000) * stats.clock_mhz / kReds,
      1.449, 0.05 * 1.449);
}

// fence.proxy.async is a fence at GPU scope besides: 164 cycles with nothing
// under way, 550 to 570 behind a tensor load (fence.crowd, one warp, one SM).
TEST(H200Readings, ProxyFencesBehindTensorLoads) {
  const auto text = [](std::string_view load) {
    return Cat(R"(kernel k target sm_90a {
  const TURNS = 1
  global X : f16[64, 64]
  grid (1)
  block 32
  mbarrier f
  shared a : f16[64, 64] swizzle 128B
  elect {
    mbarrier.init f, 1
    fence.mbarrier_init
    for i in 0..TURNS {
)",
               load, R"(
      fence.proxy.async
    }
  }
}
)");
  };
  constexpr std::string_view kLoad =
      R"(      mbarrier.arrive.expect_tx f, bytes(a)
      tma.load a, X, f
      mbarrier.wait f, parity = i & 1
)";
  const double quiet = CyclesPerTurn(text(""), L2State::kWarm);
  EXPECT_NEAR(quiet, 164, 16);
  const arch::Arch& h200 = *arch::FindArch("h200");
  const double alone = h200.fence_gpu - h200.fence_proxy;
  const double behind = h200.fence_loads - alone;
  EXPECT_NEAR(behind, 557, 28);
  EXPECT_GT(CyclesPerTurn(text(kLoad), L2State::kWarm), behind + 400);
}

// Rows of 512 bytes that all CTAs add to few places take turns there: 220,821
// cycles for 16 rows (tma.reduce, 8,192 CTAs of 16 rows each, which they load),
// 109,503 where each CTA has its own.
TEST(H200Readings, RowsThatAllAddTo) {
  const arch::Arch& h200 = *arch::FindArch("h200");
  const auto cycles = [&](std::string_view row) {
    const std::string text = Cat(R"(kernel k target sm_90a {
  const R = 16, T = 8192
  global G : f32[T * R, 128]
  global DE : f32[T * R, 128] zero
  grid (T)
  block 128
  mbarrier f
  shared rows : f32[R, 128]
  warp 0, elect {
    mbarrier.init f, 1
    fence.mbarrier_init
    mbarrier.arrive.expect_tx f, bytes(rows)
    tma.load rows, G[cta.x * R :+ R, :], f
    mbarrier.wait f, parity = 0
    for r in 0..R {
      tma.reduce.add DE[)",
                                 row, R"( :+ 1, :], rows[r :+ 1, :]
    }
    bulk.commit_group
    bulk.wait_group 0
  }
}
)");
    return static_cast<double>(Timed(text, {}, h200).cycles);
  };
  EXPECT_NEAR(cycles("(cta.x + r) % 16") / 220821, 1, 0.1);
  EXPECT_NEAR(cycles("cta.x * R + r") / 109503, 1, 0.1);
}

TEST(H200Readings, Wgmma) { Compare(WgmmaReadings()); }
TEST(H200Readings, Synchronisation) { Compare(SyncReadings()); }
TEST(H200Readings, Memory) { Compare(MemoryReadings()); }

}  // namespace
}  // namespace tilesim::timing
