// Which loops that are longer in some iterations may as well be equally long.
#include "checkers/sizes/partition/ragged_loops.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <set>
#include <string>

#include "checkers/proof/condition.h"
#include "frontend/parse.h"
#include "ir/cat.h"

namespace tilesim::checkers::sizes::partition {
namespace {

// A role that loads, and one that uses what is loaded.
struct Roles {
  std::string front = "";  // of each tile
  std::string trips = "0..t + 1";
  std::string index = "k % 3";
  std::string parity = "k / 3 & 1";
  std::string step = "k = k + 1";
  std::string tiles = "0..T";
  std::string behind = "";  // the loops
};

std::string Role(const std::string& name, const Roles& r) {
  return ir::Cat(name, " {\n var k = 0\n var m = 0\n var x = 0\n for t in ",
                 r.tiles, " {\n", r.front, "\n for i in ", r.trips,
                 " {\n mbarrier.wait full[", r.index, "], parity = ", r.parity,
                 "\n ld x, a[", r.index, "][0]\n ", r.step, "\n }\n }\n",
                 r.behind, "\n }\n");
}

bool IsEven(const Roles& one, const Roles& two, bool entered = true) {
  const std::string text = ir::Cat(
      "kernel k target sm_90a {\n param T : 1.. = 4\n"
      " global Len : u32[T] in 0..5\n global Other : u32[T] in 0..5\n"
      " grid (1)\n block 64\n mbarrier full[3]\n shared a[3] : u32[32]\n"
      " mbarrier rest[2], own\n"
      " shared q[2] : u32[32]\n",
      Role("role one = warp 0, elect", one),
      Role("role two = warp 1, elect", two), "}\n");
  ir::Diagnostics diagnostics;
  auto program = frontend::Parse({"form.tile", text}, diagnostics);
  EXPECT_TRUE(program) << text << diagnostics.all()[0].message;
  if (!program) return false;
  ir::Kernel kernel = program->kernels[0];
  const auto is_entered = [=](const ir::Stmt&) { return entered; };
  const std::set<int32_t> inputs = {0, 1};
  const auto even = MakeEven({{}, inputs, is_entered, {}}, kernel);
  EXPECT_TRUE(!even || even->may_be_0 != entered);
  return even.has_value();
}
bool IsEven(const Roles& both) { return IsEven(both, both); }

TEST(RaggedLoops, OfOneText) {
  EXPECT_TRUE(IsEven({}));
  EXPECT_TRUE(IsEven({.trips = "0..t % 4 + 1"}));
  EXPECT_TRUE(IsEven({.front = "let n = t % 4", .trips = "n..n + 3 * t"}));
  const Roles read{.front = "var n = 0\n ld n, Len[t]", .trips = "0..n"};
  EXPECT_TRUE(IsEven(read));
  EXPECT_TRUE(IsEven(read, read, false));
}

TEST(RaggedLoops, OfTwoTexts) {
  EXPECT_FALSE(IsEven({}, {.trips = "0..t + 1 - (t == 5000)"}));
  EXPECT_FALSE(IsEven({.trips = "0..cdiv(t + 1, 2)"},
                      {.trips = "0..(t + 1) / 2 + (t + 1) % 2"}));
  EXPECT_FALSE(IsEven({}, {.tiles = "0..T - 1"}));
  EXPECT_FALSE(
      IsEven({.front = "var n = 0\n ld n, Len[t]", .trips = "0..n"},
             {.front = "var n = 0\n ld n, Other[t]", .trips = "0..n"}));
  EXPECT_FALSE(
      IsEven({.front = "var n = 0\n ld n, Len[t]\n n = n + (t == 5000)",
              .trips = "0..n"}));
}

TEST(RaggedLoops, OfWhichMoreIsAsked) {
  // A count that begins anew, goes on otherwise, or is that of equal tiles.
  EXPECT_FALSE(IsEven({.front = "k = 0"}));
  EXPECT_FALSE(IsEven({.front = "k = k + 1"}));
  EXPECT_FALSE(IsEven({.step = "k = k + i"}));
  EXPECT_FALSE(IsEven({.step = "if i < 5000 { k = k + 1 }"}));
  EXPECT_FALSE(IsEven({.index = "(t * (t + 1) + i) % 3"}));
  EXPECT_FALSE(IsEven({.parity = "i / 3 & 1"}));
  EXPECT_FALSE(IsEven({.index = "(k + t) % 3"}));
  EXPECT_FALSE(IsEven({.index = "t % 3"}));
  // Left early, or not always done.
  EXPECT_FALSE(IsEven({.step = "k = k + 1\n if i == 5000 { break }"}));
  EXPECT_FALSE(IsEven({.front = "if t == 5000 { continue }"}));
  EXPECT_FALSE(IsEven({.step = "k = k + 1\n if k > 5000 { st q[0][0], 1 }"}));
  // Two of them in one iteration, and loops in loops that go around again.
  EXPECT_FALSE(IsEven({.front = "for j in 0..t { st q[0][0], 1 }"}));
}

TEST(RaggedLoops, ThatMayHaveNoIteration) {
  const Roles by_tile{.step = "k = k + 1\n ld x, q[t % 2][0]"};
  EXPECT_TRUE(IsEven(by_tile, by_tile, true));
  EXPECT_FALSE(IsEven(by_tile, by_tile, false));
}

TEST(RaggedLoops, OfObjectsNamedInOneWay) {
  EXPECT_TRUE(IsEven({.front = "st q[t % 2][0], 1"}));
  EXPECT_FALSE(IsEven({.front = "st a[t % 3][0], 1"}));
  EXPECT_FALSE(IsEven({.front = "st a[k % 3][0], 1"}));
  EXPECT_FALSE(IsEven({.front = "mbarrier.arrive full[t % 3]"}));
}

// docs/all_sizes.md 3.17: kOwnBarriers.
TEST(RaggedLoops, WhereABarrierOfStepsIsOneOfTiles) {
  const Roles both{.front = "mbarrier.arrive own",
                   .step = "k = k + 1\n mbarrier.arrive own"};
  EXPECT_FALSE(IsEven(both));
  proof::Weakened without(proof::Condition::kOwnBarriers);
  EXPECT_TRUE(IsEven(both));
}

// docs/all_sizes.md 3.17: kOneBehind.
TEST(RaggedLoops, WhereBarriersBehindGoByBothCounts) {
  const Roles steps{.behind = "mbarrier.arrive rest[k == 1 ? 1 : 0]"};
  EXPECT_TRUE(IsEven(steps));
  const Roles tiles{
      .front = "m = m + 1",
      .behind = "mbarrier.arrive full[k % 3]\n mbarrier.arrive rest[m % 2]"};
  EXPECT_FALSE(IsEven(tiles));
  proof::Weakened without(proof::Condition::kOneBehind);
  EXPECT_TRUE(IsEven(tiles));
}

}  // namespace
}  // namespace tilesim::checkers::sizes::partition
