#include "checkers/sizes/partition/worklist.h"

#include <gtest/gtest.h>

#include <utility>
#include <vector>

#include "checkers/sizes/state/symbols.h"

namespace tilesim::checkers::sizes::partition {
namespace {

using algebra::Polynomial;
using algebra::Symbol;
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
  Worklist list(sizes.kernel, sizes.varied, sizes.known);
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
  Worklist list(sizes.kernel, sizes.varied, sizes.known);
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
  Worklist list(sizes.kernel, sizes.varied, sizes.known);
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

TEST(Worklist, FactsAreOfTheParametersThatVary) {
  Sizes sizes;
  sizes.varied.erase(sizes.varied.begin());  // A is given
  sizes.known = {Polynomial::Of(kSteps + 2) - Polynomial::Of(kSteps + 1)};
  Worklist list(sizes.kernel, sizes.varied, sizes.known);
  EXPECT_FALSE(list.Merge({0, 1}));  // of which something is known
  list.BeginAnew();
  SizeCell all = list.Next();
  EXPECT_EQ(all.facts.AtLeast0(Polynomial::Of(1) - Polynomial::Of(0)), true);
}

}  // namespace
}  // namespace tilesim::checkers::sizes::partition
