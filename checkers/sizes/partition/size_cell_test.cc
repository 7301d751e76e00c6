#include "checkers/sizes/partition/size_cell.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <utility>
#include <vector>

#include "checkers/sizes/algebra/numbers_test.h"
#include "checkers/sizes/partition/divide.h"

namespace tilesim::checkers::sizes::partition {
using algebra::C;
using algebra::kM;
using algebra::kN;
using algebra::M;
using algebra::N;
using algebra::Polynomial;
using algebra::Symbol;

namespace {

using testing::Optional;

// S = 1 + n and T = 1 + m, not more than `sum` together.
SizeCell Two(int64_t sum) {
  SizeCell cell;
  cell.params = {C(1) + N(), C(1) + M()};
  cell.axes = {{kN, {"S"}}, {kM, {"T"}}};
  cell.facts.Add(C(sum) - N() - M());
  return cell;
}

// The pairs (n, m) of a cell whose symbols are all below `limit`.
std::multiset<std::pair<int64_t, int64_t>> Members(const SizeCell& cell,
                                                   int64_t limit) {
  std::multiset<std::pair<int64_t, int64_t>> out;
  std::vector<SizeCell> todo = {cell};
  while (!todo.empty()) {
    SizeCell c = todo.back();
    todo.pop_back();
    if (!c.axes.empty()) {
      Symbol s = c.axes.begin()->first;
      for (int64_t i = 0; i < limit; ++i) {
        todo.push_back(c);
        todo.back().Replace(s, C(i));
        todo.back().axes.erase(s);
      }
      continue;
    }
    if (c.HasInstance())
      out.emplace(c.params[0].base() - 1, c.params[1].base() - 1);
  }
  return out;
}

// No member is lost, and none is in two of them.
TEST(SizeCell, IsDividedIntoAllOfItself) {
  const SizeCell cell = Two(9);
  const auto all = Members(cell, 16);
  EXPECT_EQ(all.size(), 55u);
  Polynomial sum = N() + M(), number = N(2) - C(9);
  const SizeCells divided[] = {
      Lowest(cell, kN, 1),
      Lowest(cell, kM, 4),
      Lowest(cell, kM, 20),
      Spread(cell, kN, 3),
      *Cut(cell, number, 1),
      *Cut(cell, C(7) - M(3), 1),
      *Compared(cell, N() - M(), true),
      *Compared(cell, C(3) + N() - M(), true),
      *Compared(cell, M() - N() - C(4), true),
      *Compared(cell, N() - M(3), true),
      *Compared(cell, C(2) - N(2) + M(), true),
      *Compared(cell, M(3) - N() - C(5), true),
      *Compared(cell, C(1) + N(4) - M(), true),
      {*Counted(cell, sum - C(3), 1)},
      {*Counted(cell, sum - C(3), 4)},
      {*Counted(cell, C(5) - sum, 2)},
      {*Counted(cell, C(5) - M(), 3)},
  };
  for (const SizeCells& cells : divided) {
    std::multiset<std::pair<int64_t, int64_t>> together;
    for (SizeCell c : cells) {
      if (c.Settle()) together.merge(Members(c, 48));
    }
    EXPECT_EQ(together, all) << "way " << &cells - divided;
  }
  EXPECT_FALSE(Cut(cell, sum, 1));          // of two
  EXPECT_FALSE(Cut(cell, N() - C(2), 4));   // not that far
  EXPECT_FALSE(Counted(cell, N(), 1));      // is a symbol already
  EXPECT_FALSE(Compared(cell, sum, true));  // no difference
  EXPECT_FALSE(Compared(cell, N(2) - M(3), true));
  EXPECT_FALSE(Compared(cell, N() - M(3), false));
}

TEST(SizeCell, OfTwoThatAreComparedOneIsMore) {
  for (int64_t base = -3; base <= 3; ++base) {
    SizeCells cells = *Compared(Two(9), C(base) + N() - M(), false);
    for (size_t i = 0; i < 2; ++i) {
      Polynomial difference = C(base) + cells[i].params[0] - cells[i].params[1];
      EXPECT_THAT(difference.AtLeast(0), Optional(i == 0));
    }
  }
}

TEST(SizeCell, FactsRaiseAndCloseSymbols) {
  SizeCell cell = Two(9);
  cell.facts.Add(N() - C(7));
  ASSERT_TRUE(cell.Settle());
  EXPECT_EQ(cell.params[0], C(8) + N());
  cell.facts.Add(Polynomial(-1) * M());
  ASSERT_TRUE(cell.Settle());
  EXPECT_EQ(cell.params[1], C(1));
  EXPECT_EQ(cell.axes.count(kM), 0u);
  cell.facts.Add(N() - C(3));
  EXPECT_FALSE(cell.Settle());
}

TEST(SizeCell, APlaceIsInTheGrid) {
  for (bool from_last : {false, true}) {
    SizeCell cell = Placed(Two(9), 0, C(1) + N(), from_last);
    const Placing& p = *cell.positions[0];
    EXPECT_THAT(cell.facts.AtLeast0(p.at), Optional(true));
    EXPECT_THAT(cell.facts.AtLeast0(p.clusters - p.at - C(1)), Optional(true));
  }
}

}  // namespace
}  // namespace tilesim::checkers::sizes::partition
