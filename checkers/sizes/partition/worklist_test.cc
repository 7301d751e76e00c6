#include "checkers/sizes/partition/worklist.h"

#include <gtest/gtest.h>

#include <optional>
#include <utility>
#include <vector>

#include "checkers/sizes/state/symbols.h"

namespace tilesim::checkers::sizes::partition {
namespace {

using algebra::Polynomial;
using algebra::Symbol;
using state::kRests;
using state::kSteps;

// A = 16, 32 ... 160; B and C from 8 and 4 in steps of that.
struct Sizes {
  ir::Kernel kernel;
  Varied varied;
  std::vector<Polynomial> known;

  Sizes() {
    Add("A", 16, 16).high = 160;
    Add("B", 8, 8);
    Add("C", 4, 4);
    for (const ir::Param& p : kernel.params) varied.push_back(&p);
  }
  ir::Param& Add(const char* name, int64_t low, int64_t step) {
    ir::Param& p = kernel.params.emplace_back();
    p.name = name;
    p.low = low;
    p.step = step;
    return p;
  }
};

TEST(Worklist, BeginsWithAllSizes) {
  Sizes sizes;
  Worklist list(sizes.kernel, sizes.varied, sizes.known, {});
  list.BeginAnew();
  SizeCell all = list.Next();
  EXPECT_TRUE(list.empty());
  EXPECT_EQ(all.params[0], Polynomial(16) + Polynomial::Of(0, 16));
  EXPECT_EQ(all.axes.size(), 3u);
  // A is no more than 160.
  EXPECT_EQ(all.facts.AtLeast0(Polynomial(9) - Polynomial::Of(0)), true);
}

TEST(Worklist, TheFirstCellIsLookedAtFirst) {
  Sizes sizes;
  Worklist list(sizes.kernel, sizes.varied, sizes.known, {});
  SizeCell a, b, c;
  a.params = {Polynomial(1)};
  b.params = {Polynomial(2)};
  c.params = {Polynomial(3)};
  list.Add({c});
  list.Add({a, b});
  for (int64_t i = 1; i <= 3; ++i)
    EXPECT_EQ(list.Next().params[0], Polynomial(i));
}

TEST(Worklist, TwoParametersAreOneByTheirProduct) {
  Sizes sizes;
  Worklist list(sizes.kernel, sizes.varied, sizes.known, {});
  EXPECT_FALSE(list.Merge({0, 1}));  // A has an end
  ASSERT_TRUE(list.Merge({1, 2}));
  EXPECT_FALSE(list.Merge({1, 2}));
  list.BeginAnew();
  SizeCell all = list.Next();
  EXPECT_EQ(all.params[2], Polynomial(4));
  EXPECT_EQ(all.axes.size(), 2u);
  // Once it was in vain, it is not tried again.
  list.Unmerge();
  EXPECT_FALSE(list.merged());
  EXPECT_FALSE(list.Merge({1, 2}));
}

TEST(Worklist, AParameterMayBeCountedInTiles) {
  Sizes sizes;
  Worklist list(sizes.kernel, sizes.varied, sizes.known, {});
  EXPECT_FALSE(list.CountInTiles({0, 2}));  // two cells as well
  EXPECT_FALSE(list.CountInTiles({3, 4}));  // no parameter
  ASSERT_TRUE(list.CountInTiles({1, 4}));
  EXPECT_FALSE(list.CountInTiles({1, 4}));
  list.BeginAnew();
  SizeCell all = list.Next();
  // Of 32, less 8 r with r from 0 to 3.
  const Polynomial rest = Polynomial::Of(kRests + 1, 8);
  EXPECT_EQ(all.lacking[1], rest);
  EXPECT_EQ(all.params[1], Polynomial(32) + Polynomial::Of(1, 32) - rest);
  EXPECT_EQ(all.facts.AtLeast0(Polynomial(24) - rest), true);
  EXPECT_EQ(all.facts.AtLeast0(Polynomial(23) - rest), std::nullopt);
  EXPECT_EQ(all.params[2], Polynomial(4) + Polynomial::Of(2, 4));
  // Once it was in vain, it is not tried again.
  EXPECT_TRUE(list.CountInSteps());
  EXPECT_FALSE(list.CountInSteps());
  EXPECT_FALSE(list.CountInTiles({1, 4}));
  list.BeginAnew();
  EXPECT_EQ(list.Next().params[1], Polynomial(8) + Polynomial::Of(1, 8));
}

TEST(Worklist, FactorsMayBeCountedInTiles) {
  Sizes sizes;
  Worklist list(sizes.kernel, sizes.varied, sizes.known, {});
  ASSERT_TRUE(list.CountInTiles({2, 8}));
  ASSERT_TRUE(list.Merge({1, 2}));
  EXPECT_FALSE(list.CountInTiles({1, 4}));
  list.BeginAnew();
  SizeCell all = list.Next();
  // The second has one tile, of which something may be lacking.
  EXPECT_EQ(all.params[2], Polynomial(32) - all.lacking[2]);
  EXPECT_FALSE(all.lacking[2].constant());
}

TEST(Worklist, FactsAreOfTheParametersThatVary) {
  Sizes sizes;
  sizes.varied.erase(sizes.varied.begin());  // A is given
  sizes.known = {Polynomial::Of(kSteps + 2) - Polynomial::Of(kSteps + 1)};
  Worklist list(sizes.kernel, sizes.varied, sizes.known, {});
  EXPECT_FALSE(list.Merge({0, 1}));  // of which something is known
  list.BeginAnew();
  SizeCell all = list.Next();
  EXPECT_EQ(all.facts.AtLeast0(Polynomial::Of(1) - Polynomial::Of(0)), true);
}

}  // namespace
}  // namespace tilesim::checkers::sizes::partition
