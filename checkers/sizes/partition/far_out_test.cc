#include "checkers/sizes/partition/far_out.h"

#include <gtest/gtest.h>

#include <set>

namespace tilesim::checkers::sizes::partition {
namespace {

using algebra::Polynomial;

SizeCell WithSteps(int64_t n, int64_t m) {
  SizeCell cell;
  cell.params = {Polynomial::Of(0, n), Polynomial::Of(1, m)};
  cell.axes = {{0, {"S"}}, {1, {"T"}}};
  return cell;
}

TEST(FarOut, IsTriedInTheCellWithTheLargestStep) {
  FarOut far;
  far.Note(WithSteps(4, 1));
  far.Note(WithSteps(8, 1));
  far.Note(WithSteps(2, 3));
  auto all = far.all();
  ASSERT_EQ(all.size(), 2u);
  EXPECT_EQ(all[0].symbol, 0);
  EXPECT_EQ(all[0].cell.params[0], Polynomial::Of(0, 8));
  EXPECT_EQ(all[1].cell.params[1], Polynomial::Of(1, 3));
  far.Clear();
  EXPECT_TRUE(far.all().empty());
}

TEST(FarOut, PlacesHaveStepsToo) {
  FarOut far;
  far.Note(WithSteps(4, 1));
  SizeCell placed = WithSteps(1, 1);
  placed.positions[2] = {Polynomial::Of(0, -9), Polynomial::Of(0, 9)};
  far.Note(placed);
  EXPECT_TRUE(far.all()[0].cell.positions[2]);
}

// Far ones first, then as far as there are any.
TEST(FarOut, NoTryIsMadeTwice) {
  auto tries = FarOut::Tries();
  EXPECT_GE(tries.front(), 8);
  EXPECT_EQ(tries.back(), 1);
  EXPECT_EQ(std::set(tries.begin(), tries.end()).size(), tries.size());
}

}  // namespace
}  // namespace tilesim::checkers::sizes::partition
