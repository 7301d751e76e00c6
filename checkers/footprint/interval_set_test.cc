#include "checkers/footprint/interval_set.h"

#include "gtest/gtest.h"

namespace tilesim::checkers::footprint {
namespace {

IntervalSet Set(std::vector<Interval> i) { return IntervalSet(std::move(i)); }

TEST(IntervalSet, JoinsWhatTouches) {
  EXPECT_EQ(Set({{8, 12}, {0, 4}, {4, 6}}), Set({{0, 6}, {8, 12}}));
  EXPECT_TRUE(Set({{4, 4}}).empty());
}

TEST(IntervalSet, Overlaps) {
  IntervalSet a = Set({{0, 4}, {8, 12}, {20, 24}});
  EXPECT_FALSE(a.Overlaps(Set({{4, 8}, {12, 20}})));
  EXPECT_TRUE(a.Overlaps(Set({{5, 9}})));
  EXPECT_EQ(a.FirstCommon(Set({{6, 30}})), 8);
  EXPECT_FALSE(a.Overlaps(IntervalSet()));
}

TEST(IntervalSet, Covers) {
  IntervalSet a = Set({{0, 4}, {8, 12}, {20, 24}});
  EXPECT_TRUE(a.Covers(a));
  EXPECT_TRUE(a.Covers(IntervalSet()));
  EXPECT_TRUE(a.Covers(Set({{9, 12}, {20, 21}})));
  EXPECT_FALSE(a.Covers(Set({{3, 9}})));
  EXPECT_FALSE(a.Covers(Set({{0, 4}, {24, 25}})));
  EXPECT_FALSE(IntervalSet().Covers(a));
}

TEST(IntervalSet, CopiesChangeAlone) {
  IntervalSet a = Set({{0, 4}});
  IntervalSet b = a;
  b.Subtract(Set({{0, 1}}));
  EXPECT_EQ(a, Set({{0, 4}}));
  EXPECT_EQ(b, Set({{1, 4}}));
  b.Subtract(a);
  EXPECT_TRUE(b.empty());
}

TEST(IntervalSet, Add) {
  IntervalSet a = Set({{0, 4}, {8, 12}});
  a.Add(Set({{2, 9}, {20, 24}}));
  EXPECT_EQ(a, Set({{0, 12}, {20, 24}}));
  a.Add(Set({{1, 3}}));
  EXPECT_EQ(a, Set({{0, 12}, {20, 24}}));
}

TEST(IntervalSet, Subtract) {
  IntervalSet a = Set({{0, 10}, {20, 30}});
  a.Subtract(Set({{2, 4}, {8, 22}, {40, 50}}));
  EXPECT_EQ(a, Set({{0, 2}, {4, 8}, {22, 30}}));
  // One interval takes from two of ours.
  IntervalSet b = Set({{0, 4}, {6, 10}});
  b.Subtract(Set({{2, 8}}));
  EXPECT_EQ(b, Set({{0, 2}, {8, 10}}));
}

TEST(IntervalPile, IsWhatAddingOneByOneMakes) {
  for (int count = 0; count <= 9; ++count) {
    IntervalPile pile;
    IntervalSet one_by_one;
    for (int i = 0; i < count; ++i) {
      // Every third touches what lies behind it; they do not come in order.
      int64_t at = (i * 7) % 9 * 10;
      IntervalSet next =
          Set({{at, at + (i % 3 == 0 ? 10 : 5)}, {200, 201 + i}});
      pile.Add(next);
      one_by_one.Add(next);
    }
    EXPECT_EQ(pile.Take(), one_by_one) << count;
    EXPECT_TRUE(pile.Take().empty()) << count;
  }
}

}  // namespace
}  // namespace tilesim::checkers::footprint
