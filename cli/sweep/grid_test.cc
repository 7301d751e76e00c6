#include "cli/sweep/grid.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace tilesim::cli {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr int64_t kMost = 1'000;

absl::StatusOr<Grid> GridOf(const std::vector<std::string>& texts,
                            int64_t most = kMost) {
  return Grid::Of(
      texts, [](const std::string& name) { return name == "M" ? 128 : 1; },
      most);
}

std::vector<int64_t> ValuesOf(const std::string& text) {
  absl::StatusOr<Grid> grid = GridOf({text});
  return grid.ok() ? grid->axes()[0].values : std::vector<int64_t>{-999};
}

std::string ErrorOf(const std::vector<std::string>& texts,
                    int64_t most = kMost) {
  return std::string(GridOf(texts, most).status().message());
}

TEST(GridText, NumbersRangesAndLists) {
  EXPECT_THAT(ValuesOf("S=4"), ElementsAre(4));
  EXPECT_THAT(ValuesOf("S=2..4"), ElementsAre(2, 3, 4));
  EXPECT_THAT(ValuesOf("S=3..3"), ElementsAre(3));
  EXPECT_THAT(ValuesOf("S=128,256"), ElementsAre(128, 256));
  EXPECT_THAT(ValuesOf("S=64..256 step 64"), ElementsAre(64, 128, 192, 256));
  EXPECT_THAT(ValuesOf("S=64..255step64"), ElementsAre(64, 128, 192));
  EXPECT_THAT(ValuesOf("S = 8, 1..3 , 0x10"), ElementsAre(8, 1, 2, 3, 16));
  EXPECT_THAT(ValuesOf("S=-2..1"), ElementsAre(-2, -1, 0, 1));
}

TEST(GridText, ARangeOfAParameterGoesByItsStep) {
  EXPECT_THAT(ValuesOf("M=128..512"), ElementsAre(128, 256, 384, 512));
  EXPECT_THAT(ValuesOf("M=128..512 step 256"), ElementsAre(128, 384));
}

TEST(GridText, NamesThatShareTheirValue) {
  Grid grid = *GridOf({"M, N=128..512", "S=2,3"});
  EXPECT_THAT(grid.axes()[0].names(), ElementsAre("M", "N"));
  EXPECT_THAT(grid.axes()[0].values, ElementsAre(128, 256, 384, 512));
  EXPECT_EQ(grid.DefinesAt(3),
            (ir::Overrides{{"M", 256}, {"N", 256}, {"S", 3}}));
  EXPECT_EQ(grid.Find({{"M", 256}, {"N", 256}, {"S", 3}}), 3);
  EXPECT_EQ(grid.Find({{"M", 256}, {"N", 128}, {"S", 3}}), std::nullopt);
  EXPECT_THAT(ErrorOf({"M,N=128", "N=256"}), HasSubstr("N is given twice"));
  EXPECT_THAT(ErrorOf({"M,M=128"}), HasSubstr("M is given twice"));
  for (const char* text : {",M=1", "M,=1", "M,,N=1"})
    EXPECT_THAT(ErrorOf({text}), HasSubstr("expected NAME=VALUES")) << text;
}

TEST(GridText, WhatIsWrongIsSaid) {
  for (const char* text :
       {"S", "=3", "S=", "S=x", "S=1,", "S=1...3", "S=1..", "S=1..3 step",
        "S=1..3 step x", "S=9223372036854775808", "S=1.5"})
    EXPECT_THAT(ErrorOf({text}), HasSubstr("expected NAME=VALUES")) << text;
  EXPECT_THAT(ErrorOf({"S=7..2"}), HasSubstr("7..2 is empty; write 2..7"));
  EXPECT_THAT(ErrorOf({"S=1..3 step 0"}), HasSubstr("at least 1, not 0"));
  EXPECT_THAT(ErrorOf({"S=1..3 step -1"}), HasSubstr("at least 1, not -1"));
  EXPECT_THAT(ErrorOf({"S=1..3,2"}), HasSubstr("2 is there twice"));
  EXPECT_THAT(ErrorOf({"S=1", "S=2"}), HasSubstr("S is given twice"));
}

TEST(GridText, AGridThatIsTooLargeSaysHowLarge) {
  EXPECT_THAT(ErrorOf({"A=1..1000", "B=1..1000", "C=1..1000"}),
              HasSubstr("the grid has 1,000,000,000 points, more than the "
                        "1,000 that are run"));
  std::string all = "=-9223372036854775807..9223372036854775807";
  EXPECT_THAT(ErrorOf({"A" + all, "B" + all}),
              HasSubstr("more than 9,223,372,036,854,775,807 points"));
  EXPECT_THAT(ErrorOf({"A=1..1000000"}, int64_t{1} << 50),
              HasSubstr("an axis has 1,000,000 values"));
}

TEST(GridPoints, TheLastAxisTurnsFastest) {
  Grid grid = *GridOf({"S=2..4", "F=9", "B=128,256"});
  ASSERT_EQ(grid.size(), 6);
  EXPECT_THAT(grid.varied(), ElementsAre(0, 2));
  EXPECT_THAT(grid.ValuesAt(0), ElementsAre(2, 9, 128));
  EXPECT_THAT(grid.ValuesAt(1), ElementsAre(2, 9, 256));
  EXPECT_THAT(grid.ValuesAt(5), ElementsAre(4, 9, 256));
  EXPECT_EQ(grid.DefinesAt(3), (ir::Overrides{{"S", 3}, {"F", 9}, {"B", 256}}));
  EXPECT_EQ(grid.Moved(5, 0, 1), 3);
  EXPECT_EQ(grid.PlaceOn(0, 5), 2);
}

TEST(GridPoints, NearestAndExactly) {
  Grid grid = *GridOf({"S=2..4", "B=128,256"});
  EXPECT_EQ(grid.Nearest({{"S", 9}, {"B", 150}}), 4);
  EXPECT_EQ(grid.Nearest({}), 0);
  EXPECT_EQ(grid.Find({{"S", 3}, {"B", 256}}), 3);
  EXPECT_EQ(grid.Find({{"S", 3}, {"B", 150}}), std::nullopt);
  EXPECT_EQ(grid.Find({{"S", 3}}), std::nullopt);
}

TEST(ShardText, PartsFromOne) {
  EXPECT_EQ(*ParseShard("2/8"), (Shard{2, 8}));
  for (const char* text : {"0/8", "9/8", "-1/8", "1/0"})
    EXPECT_THAT(std::string(ParseShard(text).status().message()),
                HasSubstr("parts of"))
        << text;
  for (const char* text : {"", "8", "a/b", "1/", "/2", "1/2/3"})
    EXPECT_THAT(std::string(ParseShard(text).status().message()),
                HasSubstr("expected I/N"))
        << text;
}

TEST(ShardText, PartsDivideThePoints) {
  for (int64_t point = 0; point < 20; ++point) {
    int owners = 0;
    for (int64_t i = 1; i <= 3; ++i) owners += Shard{i, 3}.Has(point);
    EXPECT_EQ(owners, 1);
  }
}

TEST(Grouped, Thousands) {
  EXPECT_EQ(Grouped(0), "0");
  EXPECT_EQ(Grouped(999), "999");
  EXPECT_EQ(Grouped(1000), "1,000");
  EXPECT_EQ(Grouped(-123456), "-123,456");
}

}  // namespace
}  // namespace tilesim::cli
