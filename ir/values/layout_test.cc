#include "ir/values/layout.h"

#include <gtest/gtest.h>

#include "ir/values/convert.h"

namespace tilesim::values {
namespace {

TEST(Layout, KnowsWhichElementsShareAPlace) {
  EXPECT_FALSE(SharesPlaces({{4, 8}, {8, 1}}));
  EXPECT_FALSE(SharesPlaces({{4, 8}, {16, 1}}));  // padded rows
  EXPECT_FALSE(SharesPlaces({{4, 8}, {1, 4}}));   // column-major
  EXPECT_FALSE(SharesPlaces({{1, 8}, {0, 1}}));   // one row
  EXPECT_TRUE(SharesPlaces({{4, 8}, {0, 1}}));    // a row for all
  EXPECT_TRUE(SharesPlaces({{4, 8}, {7, 1}}));    // rows that overlap
  EXPECT_TRUE(SharesPlaces({{2, 4, 8}, {8, 8, 1}}));
}

TEST(Layout, CountsPlaces) {
  EXPECT_EQ((Layout{{4, 8}, {0, 1}}.places()), 8);
  EXPECT_EQ((Layout{{4, 8}, {16, 1}}.places()), 56);
  EXPECT_EQ((Layout{{4, 8}, {16, 1}}.PlaceOf(9)), 17);
}

// Every row of a stride of 0 starts with the values of the first.
TEST(Layout, ElementsOfOnePlaceStartWithOneValue) {
  Layout row{{3, 4}, {0, 1}};
  SeedSpec spec{1, TensorId("Bias")};
  Tensor dense{DType::kF32, {4}, std::vector<uint8_t>(16)};
  FillSeeded(dense.type, spec, 0, 4, dense.data.data());
  Tensor all{DType::kF32, row.shape, std::vector<uint8_t>(48)};
  FillSeededByPlace(all.type, spec, row, 0, 12, all.data.data());
  for (int64_t i = 0; i < 12; ++i) {
    EXPECT_EQ(LoadCode(all.type, all.data.data(), i),
              LoadCode(dense.type, dense.data.data(), i % 4));
  }
  EXPECT_FALSE(Disagreement(all, row));
  StoreCode(all.type, all.data.data(), 5, 0);
  EXPECT_EQ(Disagreement(all, row), std::pair(int64_t{1}, int64_t{5}));
}

}  // namespace
}  // namespace tilesim::values
