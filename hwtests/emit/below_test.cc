// Where boxes are lowered without a guard, and where not.
#include <cstdint>
#include <random>
#include <string>
#include <string_view>

#include "gtest/gtest.h"
#include "ir/cat.h"
#include "tests/hw/testing.h"

namespace tilesim::hwtests {
namespace {

// A box of 64 x 32 of X[M, K], in `body`, of a grid of `grid`.
bool IsGuarded(std::string_view grid, std::string_view body,
               std::string_view params = "") {
  LowerOutcome outcome = LowerText("below.tile", ir::Cat(R"(
kernel below target sm_90a {
  param M : 64.. step 64 = 256
  param K : 32.. step 32 = 64
  )",
                                                         params, R"(
  const BM = 128, BK = 32
  global X : f32[M, K]
  grid ()",
                                                         grid, R"()
  block 384
  )",
                                                         body, R"(
}
)"));
  EXPECT_TRUE(outcome.lowered) << outcome.diagnostics;
  if (!outcome.lowered) return false;
  const std::string& text = outcome.lowered->cuda;
  return text.find("1 << 30") != std::string::npos;
}

std::string Load(std::string_view row, std::string_view column,
                 std::string_view scope = "warpgroup 0") {
  return ir::Cat(scope, R"( {
    reg x : f32[64, 32] fragment blocked(4)
    for k in 0..K step BK { ld.global x, X[)",
                 row, " :+ 64, ", column, R"( :+ 32] }
  })");
}

TEST(Below, CountersOfLoops) {
  EXPECT_FALSE(IsGuarded("1", Load("0", "k")));
  EXPECT_TRUE(IsGuarded("1", Load("64", "k")));
  EXPECT_TRUE(IsGuarded("1", Load("0", "k + 32")));
}

TEST(Below, CtasOfTheGrid) {
  EXPECT_FALSE(IsGuarded("M / 64", Load("cta.x * 64", "k")));
  EXPECT_FALSE(IsGuarded("cdiv(M, 64)", Load("cta.x * 64", "k")));
  EXPECT_TRUE(IsGuarded("M / 64 + 1", Load("cta.x * 64", "k")));
  EXPECT_TRUE(IsGuarded("M / 64", Load("cta.x * 128", "k")));
  EXPECT_TRUE(IsGuarded("M / 64, K / 32", Load("cta.y * 64", "k")));
}

TEST(Below, WarpgroupsOfATile) {
  const std::string two =
      Load("cta.x * BM + warpgroup * 64", "k", "warpgroups 0..2");
  EXPECT_FALSE(IsGuarded("M / BM", two));
  // Half of the last tile is behind the tensor's end.
  EXPECT_TRUE(IsGuarded("cdiv(M, BM)", two));
  EXPECT_TRUE(IsGuarded(
      "M / BM", Load("cta.x * BM + warpgroup * 64", "k", "warpgroups 0..3")));
  EXPECT_TRUE(IsGuarded(
      "M / BM", Load("cta.x * BM + warpgroup * 64", "k", "warpgroups 1..3")));
}

TEST(Below, TilesByNumber) {
  const std::string tile = R"(
  let TM = M / 64
  for t in 0..TM * (K / 32) {
    warpgroup 0 {
      reg x : f32[64, 32] fragment blocked(4)
      ld.global x, X[)";
  EXPECT_FALSE(IsGuarded(
      "1", ir::Cat(tile, "t % TM * 64 :+ 64, t / TM * 32 :+ 32] } }")));
  EXPECT_TRUE(IsGuarded(
      "1", ir::Cat(tile, "t % TM * 64 :+ 64, t / (TM - 1) * 32 :+ 32] } }")));
}

TEST(Below, LetsMeanWhatTheyAreMadeOf) {
  EXPECT_FALSE(IsGuarded("M / BM",
                         ir::Cat("let m = cta.x * BM\n", Load("m + 64", "k"))));
  EXPECT_TRUE(IsGuarded("M / BM",
                        ir::Cat("let m = cta.x * BM\n", Load("m + 128", "k"))));
  // A var may have got another value since.
  EXPECT_TRUE(IsGuarded(
      "M / BM", ir::Cat("var m = cta.x * BM\nm = m + BM\n", Load("m", "k"))));
}

TEST(Below, ParametersStayOpen) {
  EXPECT_TRUE(IsGuarded("M / 64", Load("J * 64", "k"), "param J : 0.. = 1"));
  EXPECT_TRUE(
      IsGuarded("M / 64", Load("cta.x * 64", "J * 32"), "param J : 0.. = 1"));
}

// Rows from cta.x * a + warpgroup * b + i * c + d on, in warpgroups 0..groups
// and i in 0..turns, of a grid of M / divisor, rounded up or with more CTAs.
struct Rows {
  int a, b, c, d, groups, turns, divisor, more;
  bool up;

  std::string Grid() const {
    const std::string ctas =
        up ? ir::Cat("cdiv(M, ", divisor, ")") : ir::Cat("M / ", divisor);
    return more == 0 ? ctas : ir::Cat(ctas, " + ", more);
  }
  std::string Body() const {
    return ir::Cat("warpgroups 0..", groups, R"( {
    reg x : f32[64, 32] fragment blocked(4)
    for i in 0..)",
                   turns, " { ld.global x, X[cta.x * ", a, " + warpgroup * ", b,
                   " + i * ", c, " + ", d, R"( :+ 64, 0 :+ 32] }
  })");
  }
  // Whether all are inside, of M rows.
  bool AreInside(int64_t m) const {
    const int64_t ctas =
        (up ? (m + divisor - 1) / divisor : m / divisor) + more;
    if (ctas == 0) return true;
    const int64_t last =
        (ctas - 1) * a + (groups - 1) * b + (turns - 1) * c + d;
    return last + 64 <= m;
  }
};

TEST(Below, NoBoxThatLeavesItsTensorIsWithoutAGuard) {
  std::mt19937 random(1);
  const auto one_of = [&](std::initializer_list<int> of) {
    return *(of.begin() + random() % of.size());
  };
  int unguarded = 0;
  for (int n = 0; n < 3000; ++n) {
    const Rows rows = {
        .a = one_of({64, 128, 128, 192, 256, 256}),
        .b = one_of({0, 64, 64, 128}),
        .c = one_of({0, 64, 128}),
        .d = one_of({0, 0, 0, 64}),
        .groups = one_of({1, 2, 2, 3}),
        .turns = one_of({1, 2, 2, 4}),
        .divisor = one_of({64, 128, 128, 256, 256}),
        .more = one_of({0, 0, 0, 0, 0, 1}),
        .up = one_of({0, 0, 1}) == 1,
    };
    if (IsGuarded(rows.Grid(), rows.Body())) continue;
    ++unguarded;
    for (int64_t m = 64; m < 2048; m += 64)
      ASSERT_TRUE(rows.AreInside(m)) << m << " rows\n"
                                     << rows.Grid() << rows.Body();
  }
  EXPECT_GT(unguarded, 50);
}

}  // namespace
}  // namespace tilesim::hwtests
