#include "checkers/grid/coverage.h"

#include <gtest/gtest.h>

#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "checkers/proof/condition.h"
#include "frontend/parse.h"
#include "ir/cat.h"

namespace tilesim::checkers::grid {
namespace {

bool IsStored(const std::string& text) {
  ir::Diagnostics diagnostics;
  auto program = frontend::Parse({"stored.tile", text}, diagnostics);
  EXPECT_TRUE(program) << text << diagnostics.all()[0].message;
  if (!program) return false;
  auto bound = ir::Bind(program->kernels[0], {}, 132, diagnostics);
  auto code = machine::Compile(*bound, diagnostics, machine::Params::kKept);
  for (size_t i = 0; i < code->bound.decls.size(); ++i) {
    if (code->kernel().decls[i].name == "D")
      return StoresAll(AccessesOf(*code, {}), *code, {},
                       static_cast<int32_t>(i));
  }
  return false;
}

// Tiles of 64 x 64 of D : f32[M, N], stored by a warpgroup.
std::string Tiles(const std::string& params, const std::string& grid,
                  const std::string& stores) {
  return ir::Cat("kernel k target sm_90a {\n", params,
                 "  global D : f32[M, N]\n  grid ", grid,
                 "\n  block 128\n  reg v : f32[64, 64] fragment wgmma\n"
                 "  mov v, 1.0\n",
                 stores, "\n}\n");
}

constexpr char kWhole[] =
    "  param M : 64.. step 64 = 128\n  param N : 64.. step 64 = 128\n";
constexpr char kRagged[] =
    "  param M : 1.. = 100\n  param N : 4.. step 4 = 100\n";

TEST(StoresAll, OneTileACta) {
  EXPECT_TRUE(
      IsStored(Tiles(kWhole, "(M / 64, N / 64)",
                     "  st.global D[cta.x * 64 :+ 64, cta.y * 64 :+ 64], v")));
  EXPECT_FALSE(
      IsStored(Tiles(kRagged, "(M / 64 + 1, N / 64)",
                     "  st.global D[cta.x * 64 :+ 64, cta.y * 64 :+ 64], v")));
  EXPECT_TRUE(
      IsStored(Tiles(kRagged, "(cdiv(M, 64), cdiv(N, 64))",
                     "  st.global D[cta.x * 64 :+ 64, cta.y * 64 :+ 64], v")));
  EXPECT_FALSE(
      IsStored(Tiles(kWhole, "(N / 64, M / 64)",
                     "  st.global D[cta.x * 64 :+ 64, cta.y * 64 :+ 64], v")));
}

// The first and the last CTA store the same tile, behind the tensor.
TEST(StoresAll, NotWhereTilesBehindTheTensorMeet) {
  EXPECT_FALSE(IsStored(Tiles(
      kWhole, "(M / 64 + 1, N / 64)",
      "  st.global D[(cta.x == 0 ? M / 64 : cta.x) * 64 :+ 64, cta.y * 64 :+ "
      "64], v")));
  EXPECT_TRUE(IsStored(Tiles(
      kWhole, "(M / 64 + 1, N / 64)",
      "  st.global D[(cta.x == 0 ? M / 64 : cta.x - 1) * 64 :+ 64, cta.y * 64 "
      ":+ 64], v")));
}

TEST(StoresAll, NotWhatIsLeftOut) {
  auto persistent = [](const char* tiles, const char* index) {
    return Tiles(
        kWhole, "(min(8, M / 64 * (N / 64)))",
        ir::Cat("  for t in cta.x..", tiles, " step grid.x {\n    st.global D[",
                index, "], v\n  }"));
  };
  const char kByColumns[] = "t / (N / 64) * 64 :+ 64, t % (N / 64) * 64 :+ 64";
  EXPECT_TRUE(IsStored(persistent("M / 64 * (N / 64)", kByColumns)));
  EXPECT_FALSE(IsStored(persistent("M / 64 * (N / 64) - 1", kByColumns)));
  EXPECT_FALSE(
      IsStored(persistent("M / 64 * (N / 64)",
                          "t / (M / 64) * 64 :+ 64, t % (M / 64) * 64 :+ 64")));
  EXPECT_FALSE(
      IsStored(persistent("M / 64 * (N / 64)", "t * 64 :+ 64, t * 64 :+ 64")));
}

TEST(StoresAll, NotUnderACondition) {
  const char kStore[] = "st.global D[cta.x * 64 :+ 64, cta.y * 64 :+ 64], v";
  const char kGrid[] = "(M / 64, N / 64)";
  EXPECT_FALSE(IsStored(
      Tiles(kWhole, kGrid, ir::Cat("  if cta.x > 0 { ", kStore, " }"))));
  EXPECT_TRUE(IsStored(
      Tiles(kWhole, kGrid, ir::Cat("  warpgroup 0 { ", kStore, " }"))));
  EXPECT_FALSE(IsStored(
      Tiles(kWhole, kGrid, ir::Cat("  for i in 0..M / 128 { ", kStore, " }"))));
}

// An element a store, by index maps of which some are right: what is shown is
// so in small sizes.
struct Random {
  explicit Random(uint32_t seed) : random(seed) {}
  const char* Pick(std::vector<const char*> all) {
    return all[random() % all.size()];
  }
  std::mt19937 random;
};

struct Program {
  std::string text;
  const char *rows, *columns, *tiles, *width, *map;
};

Program Make(uint32_t seed) {
  Random r(seed);
  Program p;
  p.rows = r.Pick({"P", "P", "Q"});
  p.columns = r.Pick({"Q", "Q", "3"});
  p.tiles = r.Pick({"P * Q", "P * Q", "P * 3", "P"});
  p.width = r.Pick({"3", "min(4, P * Q)", "P"});
  p.map = r.Pick({"rows", "columns", "shifted"});
  std::string map(p.map),
      index = ir::Cat("t / ", p.columns, ", t % ", p.columns);
  if (map == "columns") index = ir::Cat("t % ", p.rows, ", t / ", p.rows);
  if (map == "shifted")
    index = ir::Cat("t / ", p.columns, ", (t + 1) % ", p.columns);
  p.text = ir::Cat(
      "kernel k target sm_90a {\n  param P : 1.. = 2\n  param Q : 1.. = 2\n"
      "  global D : u32[",
      p.rows, ", ", p.columns, "]\n  grid (", p.width,
      ")\n  block 32\n  thread 0 {\n    for t in cta.x..", p.tiles,
      " step grid.x {\n      st D[", index, "], 1\n    }\n  }\n}\n");
  return p;
}

int64_t Value(const std::string& e, int64_t p, int64_t q) {
  if (e == "P") return p;
  if (e == "Q") return q;
  if (e == "P * Q") return p * q;
  if (e == "P * 3") return 3 * p;
  return 3;
}

bool CoversAt(const Program& program, int64_t p, int64_t q) {
  int64_t rows = Value(program.rows, p, q);
  int64_t columns = Value(program.columns, p, q);
  std::set<std::pair<int64_t, int64_t>> all;
  const std::string map = program.map;
  for (int64_t t = 0; t < Value(program.tiles, p, q); ++t) {
    std::pair<int64_t, int64_t> at{t / columns, t % columns};
    if (map == "columns") at = {t % rows, t / rows};
    if (map == "shifted") at.second = (t + 1) % columns;
    if (at.first < rows && at.second < columns) all.insert(at);
  }
  return static_cast<int64_t>(all.size()) == rows * columns;
}

TEST(StoresAll, OfRandomIndexMapsIsAsInSmallSizes) {
  int whole = 0, shown = 0;
  for (uint32_t seed = 1; seed <= 120; ++seed) {
    Program program = Make(seed);
    bool covers = true;
    for (int64_t p = 1; p <= 8; ++p) {
      for (int64_t q = 1; q <= 8; ++q)
        covers = covers && CoversAt(program, p, q);
    }
    bool stored = IsStored(program.text);
    EXPECT_TRUE(covers || !stored) << "seed " << seed << "\n" << program.text;
    whole += covers;
    shown += stored;
  }
  std::printf("%d whole, %d shown\n", whole, shown);
  EXPECT_GE(whole, 20);
  EXPECT_GE(shown * 10, whole * 7);
}

// Rows dealt out to the warps of all CTAs.
TEST(StoresAll, ByTheFirstOfThoseThatStoreAtOnePlace) {
  const auto kernel = [](const char* grid, const char* loop) {
    return ir::Cat("kernel k target sm_90a {\n  param T : 1.. = 2\n",
                   "  global D : f32[T, 64]\n  grid (", grid, ")\n  block 32\n",
                   "  reg x : f32[1, 64] fragment blocked(2)\n", loop,
                   " {\n st.global D[t :+ 1, :], x\n  }\n}\n");
  };
  const char* dealt = "for t in cta.x..T step grid.x";
  EXPECT_TRUE(IsStored(kernel("4, 1, 3", dealt)));
  EXPECT_TRUE(IsStored(kernel("4, T, 3", dealt)));
  EXPECT_FALSE(IsStored(kernel("4, 1, 3", "for t in cta.x..T step 5")));
  EXPECT_FALSE(IsStored(kernel("4, 1, 3", "for t in cta.z..T step grid.x")));
  EXPECT_FALSE(IsStored(kernel("4, 1, 3", "for t in cta.x..cta.z step 4")));
}

// n-th of a CTA's share: cta.x + n * grid.x.
TEST(StoresAll, InSharesThatAreCounted) {
  const auto kernel = [](const char* high, const char* at) {
    return ir::Cat("kernel k target sm_90a {\n  param T : 4.. = 8\n",
                   "  global D : f32[T, 64]\n  grid (4)\n  block 32\n",
                   "  reg x : f32[1, 64] fragment blocked(2)\n  for n in 0..",
                   high, " {\n st.global D[", at, " :+ 1, :], x\n  }\n}\n");
  };
  const char* mine = "cta.x + n * grid.x";
  EXPECT_TRUE(IsStored(kernel("cdiv(T - cta.x, grid.x)", mine)));
  EXPECT_TRUE(IsStored(kernel("(T - cta.x + grid.x - 1) / grid.x", mine)));
  EXPECT_FALSE(IsStored(kernel("cdiv(T - cta.x - 1, grid.x)", mine)));
  EXPECT_FALSE(IsStored(kernel("cdiv(T, grid.x) - 1", mine)));
  EXPECT_FALSE(IsStored(kernel("cdiv(T - cta.x, grid.x)", "cta.x + n * 3")));
}

TEST(StoresAll, OfWarpsOnTheirOwn) {
  auto by_warps = [](const char* warps, const char* low, const char* step) {
    return ir::Cat(
        "kernel k target sm_90a {\n  param M : 16.. step 16 = 128\n"
        "  global D : f32[M, 32]\n  grid (min(8, cdiv(M / 16, 4)))\n"
        "  block 192\n  shared s[6] : f32[16, 32]\n  role write = warps ",
        warps, ", elect {\n    for t in ", low, "..M / 16 step ", step,
        " {\n      tma.store D[t * 16 :+ 16, :], s[warp]\n"
        "      bulk.commit_group\n    }\n  }\n}\n");
  };
  EXPECT_TRUE(IsStored(by_warps("0..4", "cta.x * 4 + warp", "grid.x * 4")));
  EXPECT_TRUE(IsStored(by_warps("2..6", "cta.x * 4 + warp - 2", "grid.x * 4")));
  // A warp that takes no part, rows that nobody begins with, rows left out.
  EXPECT_FALSE(IsStored(by_warps("0..3", "cta.x * 4 + warp", "grid.x * 4")));
  EXPECT_FALSE(IsStored(by_warps("2..6", "cta.x * 4 + warp", "grid.x * 4")));
  EXPECT_FALSE(IsStored(by_warps("0..4", "cta.x * 4 + warp", "grid.x * 5")));
  EXPECT_FALSE(IsStored(by_warps("0..4", "cta.x * 5 + warp", "grid.x * 5")));
}

// One of each of two warpgroups, in turns.
TEST(StoresAll, OfGroupsInTurns) {
  auto by_groups = [](const char* low, const char* step) {
    return ir::Cat(
        "kernel k target sm_90a {\n  param M : 16.. step 16 = 128\n"
        "  global D : f32[M, 32]\n  grid (min(8, M / 16))\n"
        "  block 256\n  shared s[2] : f32[16, 32]\n"
        "  role write = warpgroups 0..2 {\n    for t in ",
        low, "..M / 16 step ", step,
        " {\n      warp 4 * warpgroup, elect {\n"
        "        tma.store D[t * 16 :+ 16, :], s[warpgroup]\n"
        "        bulk.commit_group\n      }\n    }\n  }\n}\n");
  };
  EXPECT_TRUE(IsStored(by_groups("cta.x + warpgroup * grid.x", "2 * grid.x")));
  EXPECT_TRUE(
      IsStored(by_groups("cta.x + (1 - warpgroup) * grid.x", "2 * grid.x")));
  EXPECT_TRUE(IsStored(by_groups("cta.x * 2 + warpgroup", "2 * grid.x")));
  EXPECT_FALSE(IsStored(by_groups("cta.x + warpgroup * grid.x", "grid.x * 3")));
  EXPECT_FALSE(
      IsStored(by_groups("cta.x + 2 * warpgroup * grid.x", "2 * grid.x")));
  EXPECT_FALSE(IsStored(by_groups("cta.x + warpgroup", "2 * grid.x")));
}

TEST(StoresAll, ByQuotientsOfTheWarp) {
  auto quarters = [](const char* row, const char* column) {
    return ir::Cat(
        "kernel k target sm_90a {\n  param M : 1.. = 100\n"
        "  param N : 4.. step 4 = 100\n  global D : f32[M, N]\n"
        "  grid (cdiv(M, 32), cdiv(N, 32))\n  block 128\n"
        "  reg v : f32[16, 16] fragment mma\n  mov v, 1.0\n"
        "  st.global D[cta.x * 32 + ",
        row, " :+ 16, cta.y * 32 + ", column, " :+ 16], v\n}\n");
  };
  EXPECT_TRUE(IsStored(quarters("warp / 2 * 16", "warp % 2 * 16")));
  EXPECT_TRUE(IsStored(quarters("warp % 2 * 16", "warp / 2 * 16")));
  EXPECT_FALSE(IsStored(quarters("warp / 3 * 16", "warp % 2 * 16")));
  EXPECT_FALSE(IsStored(quarters("warp / 2 * 16", "warp / 2 * 16")));
}

// Under a condition that keeps from storing what lies behind the tensor, and
// no more.
TEST(StoresAll, UnderMasks) {
  auto masked = [](const char* mask) {
    return ir::Cat(
        "kernel k target sm_90a {\n  param M : 1.. = 100\n"
        "  param B : 1.. = 3\n  param H : 1.. = 3\n"
        "  global D : u32[B * H, M]\n  grid (B * H * cdiv(M, 64))\n"
        "  block 32\n  let T = cdiv(M, 64)\n  lane 0 {\n"
        "    for i in 0..64 {\n      let p = cta.x % T * 64 + i\n      if ",
        mask, " { st D[cta.x / T, p], 1 }\n    }\n  }\n}\n");
  };
  EXPECT_TRUE(IsStored(masked("p < M")));
  EXPECT_TRUE(IsStored(masked("p <= M - 1")));
  EXPECT_FALSE(IsStored(masked("p < M - 1")));
  EXPECT_FALSE(IsStored(masked("p < M && p != 70")));
  EXPECT_FALSE(IsStored(masked("p < M && cta.x != 5")));
  EXPECT_FALSE(IsStored(masked("p < M && (p < 80 || p > 90)")));
  {
    proof::Weakened without(proof::Condition::kGuardsInside);
    EXPECT_TRUE(IsStored(masked("p < M && p != 70")));
  }
  // Which stores too much is told elsewhere.
  EXPECT_TRUE(IsStored(masked("p < M || p > 80")));
}

// By one of the warpgroups in each iteration, if the condition says so.
std::string InTurn(const std::string& turn, const std::string& next,
                   const std::string& groups = "2") {
  return ir::Cat("kernel k target sm_90a {\n  param T : 1.. = 5\n",
                 "  global D : f32[T * 64, 64]\n  grid (min(4, T))\n",
                 "  block ", groups, " * 128\n  warpgroups 0..", groups,
                 " {\n    reg v : f32[64, 64] fragment wgmma\n",
                 "    mov v, 1.0\n    var n = 0\n    var t = cta.x\n",
                 "    while t < T {\n      if ", turn,
                 " { st.global D[t * 64 :+ 64, :], v }\n      n = ", next,
                 "\n      t = t + grid.x\n    }\n  }\n}\n");
}

TEST(StoresAll, InTurn) {
  EXPECT_TRUE(IsStored(InTurn("n % 2 == warpgroup", "n + 1")));
  EXPECT_TRUE(IsStored(InTurn("n % 3 == warpgroup", "n + 1", "3")));
  EXPECT_FALSE(IsStored(InTurn("n % 3 == warpgroup", "n + 1")));
  EXPECT_FALSE(IsStored(InTurn("n % 2 == warpgroup && n < 99", "n + 1")));
  // Both, in iteration 7.
  EXPECT_FALSE(IsStored(InTurn("n % 2 == warpgroup || n == 7", "n + 1")));
  // Warps of one warpgroup have parts of what it stores.
  EXPECT_FALSE(IsStored(InTurn("n % 2 == warp % 2", "n + 1")));
  proof::Weakened without(proof::Condition::kOneInTurn);
  EXPECT_TRUE(IsStored(InTurn("n % 3 == warpgroup", "n + 1")));
}

TEST(StoresAll, InATurnThatGoesBackAndForth) {
  EXPECT_TRUE(IsStored(InTurn("n == warpgroup", "1 - n")));
  EXPECT_TRUE(IsStored(InTurn("n == warpgroup", "n ^ 1")));
  EXPECT_TRUE(IsStored(InTurn("n == warpgroup", "(n + 1) % 2")));
  // 0, 1, and then 3.
  const std::string to_three = InTurn("n == warpgroup", "n + n + 1");
  EXPECT_FALSE(IsStored(to_three));
  proof::Weakened without(proof::Condition::kBackAgain);
  EXPECT_TRUE(IsStored(to_three));
}

}  // namespace
}  // namespace tilesim::checkers::grid
