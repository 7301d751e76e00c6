#include "sim/timing/loads_ahead.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "frontend/bind.h"
#include "frontend/parse.h"
#include "gtest/gtest.h"
#include "ir/cat.h"

namespace tilesim::timing {
namespace {

enum class Use { kAdd, kStShared, kStGlobal, kBarrier };

// A loop over rows of `cols` elements that a warp loads, `vector` at a time.
std::string Text(Use use, int vector, int cols, const std::string& trips) {
  const std::string row = ir::Cat("f32[1, ", cols, "]");
  std::string done = "add s, s, t";
  if (use == Use::kStShared) done = "st.shared b[i % 8], t";
  if (use == Use::kStGlobal) done = "st.global Y[i, :, :], t";
  if (use == Use::kBarrier) done = "add s, s, t\nbar.sync 0";
  return ir::Cat(
      "kernel k target sm_90a {\nconst FEW = 8\nparam T : 1.. = 64\n",
      "global X : f32[T + 8, 1, ", cols, "]\nglobal Y : f32[T + 8, 1, ", cols,
      "]\ngrid (1)\nblock 32\nshared b[8] : ", row, "\nreg s, t : ", row,
      " fragment blocked(", vector, ")\nmov s, 0.0\nfor i in 0..", trips,
      " {\nld.global t, X[i, :, :]\n", done,
      "\n}\nst.global Y[0, :, :], s\n}\n");
}

std::vector<LoadAhead> LoadsOf(const std::string& text) {
  ir::Source source{"loop.tile", text};
  ir::Diagnostics diagnostics;
  auto program = frontend::Parse(source, diagnostics, {});
  EXPECT_TRUE(program) << text;
  auto bound = frontend::BindProgram(*program, {}, 1, diagnostics);
  EXPECT_TRUE(bound) << text;
  auto code = machine::Compile(std::move(bound->front()), diagnostics);
  EXPECT_TRUE(code) << text;
  return LoadsAhead(*code);
}

int AheadOf(const std::string& text) {
  int most = 0;
  for (const LoadAhead& a : LoadsOf(text)) most = std::max(most, a.iterations);
  return most;
}

// Two tiles are loaded, `between` them an op; how many of them go with another.
int TogetherOf(const std::string& between, int cols) {
  const std::string tile = ir::Cat("f32[64, ", cols, "]");
  const std::string text =
      ir::Cat("kernel k target sm_90a {\nglobal X : ", tile,
              "\nglobal Y : ", tile, "\ngrid (1)\nblock 128\nshared x : ", tile,
              "\nreg a, b, c : ", tile, " fragment wgmma\nld.global a, X\n",
              between, "\nld.global b, X\nadd c, a, b\nst.global Y, c\n}\n");
  int count = 0;
  for (const LoadAhead& a : LoadsOf(text)) count += a.behind >= 0;
  return count;
}

// What nvcc 13.0 makes of these for sm_90a: loads in the longest loop before
// the first that waits for one, over the loads of an iteration (SASS).
struct Row {
  Use use;
  int vector, cols, ahead;
};
constexpr Row kRows[] = {
    {Use::kAdd, 1, 32, 16},       {Use::kAdd, 2, 64, 16},
    {Use::kAdd, 4, 128, 16},      {Use::kAdd, 4, 256, 4},
    {Use::kAdd, 4, 512, 2},       {Use::kAdd, 4, 1024, 1},
    {Use::kStShared, 1, 32, 16},  {Use::kStShared, 2, 64, 16},
    {Use::kStShared, 4, 128, 16}, {Use::kStShared, 4, 256, 8},
    {Use::kStShared, 4, 512, 4},  {Use::kStGlobal, 1, 32, 1},
    {Use::kStGlobal, 4, 256, 1},  {Use::kStGlobal, 4, 1024, 1},
};

TEST(LoadsAhead, AreWhatNvccMakesOfThem) {
  for (const Row& row : kRows) {
    EXPECT_EQ(AheadOf(Text(row.use, row.vector, row.cols, "T")), row.ahead)
        << Text(row.use, row.vector, row.cols, "T");
  }
}

TEST(LoadsAhead, AreAllOfAShortLoop) {
  EXPECT_EQ(AheadOf(Text(Use::kAdd, 1, 32, "FEW")), 8);
}

TEST(LoadsAhead, StayBehindABarrier) {
  EXPECT_EQ(AheadOf(Text(Use::kBarrier, 1, 32, "T")), 1);
}

TEST(LoadsAhead, OfABlockAreIssuedTogether) {
  EXPECT_EQ(TogetherOf("add c, a, 1.0", 64), 1);
  EXPECT_EQ(TogetherOf("", 64), 1);
  EXPECT_EQ(TogetherOf("bar.sync 0", 64), 0);
  EXPECT_EQ(TogetherOf("st.shared x, a", 64), 0);
  // They do not fit into the registers together.
  EXPECT_EQ(TogetherOf("add c, a, 1.0", 192), 0);
}

}  // namespace
}  // namespace tilesim::timing
