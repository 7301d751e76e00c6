// Runs of a shared tile against the place of each of its elements.
#include "ir/layout.h"

#include <gtest/gtest.h>

namespace tilesim::ir {
namespace {

// Runs cover [first, first + n) in order, and start where Offset says.
void ExpectRuns(const SharedLayout& layout, int64_t row, int64_t first,
                int64_t n) {
  int64_t next = first;
  layout.ForRuns(row, first, n, [&](int64_t byte, int64_t column, int64_t run) {
    EXPECT_EQ(column, next);
    for (int64_t i = 0; i < run; ++i)
      EXPECT_EQ(byte + i * layout.bits / 8, layout.Offset(row, column + i))
          << "row " << row << ", column " << column + i;
    next = column + run;
  });
  EXPECT_EQ(next, first + n);
}

TEST(ForRuns, AreWhereTheElementsAre) {
  for (Swizzle swizzle :
       {Swizzle::kNone, Swizzle::k32B, Swizzle::k64B, Swizzle::k128B}) {
    SharedLayout layout{.rows = 8, .cols = 128, .bits = 16, .swizzle = swizzle};
    for (int64_t row = 0; row < layout.rows; ++row) {
      ExpectRuns(layout, row, 0, 128);
      ExpectRuns(layout, row, 5, 70);
    }
  }
}

// A box that leaves the tile is an error of its own (bounds/shared). It must
// not also seem to touch the next row, where another warp may be right.
TEST(ForRuns, PastTheEndOfTheRowAreNotInTheNext) {
  for (Swizzle swizzle : {Swizzle::kNone, Swizzle::k128B}) {
    SharedLayout layout{.rows = 4, .cols = 64, .bits = 32, .swizzle = swizzle};
    ExpectRuns(layout, 1, 0, 65);
    ExpectRuns(layout, 1, 60, 8);
    ExpectRuns(layout, 1, 64, 64);
  }
}

}  // namespace
}  // namespace tilesim::ir
