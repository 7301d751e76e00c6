#include "checkers/grid/inside.h"

#include <gtest/gtest.h>

#include <string>

#include "frontend/parse.h"
#include "ir/cat.h"

namespace tilesim::checkers::grid {
namespace {

// How many dimensions of boxes of global tensors are shown to be inside.
size_t Shown(const std::string& head, const std::string& body,
             const ir::Overrides& fixed = {}) {
  const std::string text = ir::Cat("kernel k target sm_90a {\n", head,
                                   "\n  block 32\n", body, "\n}\n");
  ir::Diagnostics diagnostics;
  auto program = frontend::Parse({"inside.tile", text}, diagnostics);
  EXPECT_TRUE(program) << text << diagnostics.all()[0].message;
  if (!program) return 0;
  auto bound = ir::Bind(program->kernels[0], fixed, 132, diagnostics);
  auto code = machine::Compile(*bound, diagnostics, machine::Params::kKept);
  return SidesInside(*code, fixed).size();
}

constexpr char kTiles[] =
    "  param P : 1..100 = 3\n  param Q : 1..100 = 5\n"
    "  global W : u32[P, Q]\n  grid (P * Q)";

TEST(SidesInside, DigitsOfThePlace) {
  EXPECT_EQ(Shown(kTiles, "thread 0 { st W[cta.x / Q, cta.x % Q], 1 }"), 2);
  EXPECT_EQ(Shown(kTiles, "thread 0 { st W[cta.x / P, cta.x % Q], 1 }"), 1);
  EXPECT_EQ(Shown(kTiles, "thread 0 { st W[cta.x / Q, cta.x % P], 1 }"), 1);
  EXPECT_EQ(Shown(kTiles, "thread 0 { st W[cta.x / Q, cta.x % Q + 1], 1 }"), 1);
  EXPECT_EQ(Shown(kTiles, "thread 0 { st W[cta.x / Q - 1, cta.x % Q], 1 }"), 1);
}

TEST(SidesInside, ReadsAsWell) {
  EXPECT_EQ(Shown(kTiles,
                  "thread 0 {\n  var x = 0\n"
                  "  ld x, W[cta.x / Q, cta.x % Q]\n}"),
            2);
}

TEST(SidesInside, UnderTheirCondition) {
  const std::string head =
      "  param P : 1..100 = 3\n  global W : u32[P]\n  grid (P + 7)";
  EXPECT_EQ(Shown(head, "if cta.x < P { thread 0 { st W[cta.x], 1 } }"), 1);
  EXPECT_EQ(Shown(head, "if cta.x <= P { thread 0 { st W[cta.x], 1 } }"), 0);
  EXPECT_EQ(Shown(head, "if cta.x < 8 { thread 0 { st W[cta.x], 1 } }"), 0);
  EXPECT_EQ(
      Shown(head, "if cta.x < 8 { thread 0 { st W[cta.x], 1 } }", {{"P", 9}}),
      1);
}

// In each iteration, and in those that memory ends.
TEST(SidesInside, InLoops) {
  auto loop = [](const char* end) {
    return Shown(kTiles, ir::Cat("thread 0 {\n  for t in cta.x..", end,
                                 " step grid.x { st W[t / Q, t % Q], 1 }\n}"));
  };
  EXPECT_EQ(loop("P * Q"), 2);
  EXPECT_EQ(loop("P * Q + 1"), 1);
  EXPECT_EQ(Shown(kTiles,
                  "thread 0 {\n  var x = 0\n  while x < 3 {\n"
                  "    ld x, W[0, 0]\n    st W[x, 0], 1\n  }\n}"),
            3);
}

// Of a store that cuts off an end, only that it begins there.
TEST(SidesInside, OnlyTheStart) {
  const std::string head =
      "  param P : 1..100 = 3\n  global W : u32[P, 32]\n"
      "  shared s : u32[4, 32] align 128\n  grid (cdiv(P, 4))";
  EXPECT_EQ(Shown(head, "warp 0, elect { tma.store W[cta.x * 4 :+ 4, :], s }"),
            2);
  EXPECT_EQ(
      Shown(head, "warp 0, elect { tma.store W[cta.x * 4 - 1 :+ 4, :], s }"),
      1);
}

}  // namespace
}  // namespace tilesim::checkers::grid
