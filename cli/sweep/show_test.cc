#include "cli/sweep/show.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "nlohmann/json.hpp"

namespace tilesim::cli {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

Point Timed(int64_t number, double us, double flops = 1e9) {
  Point p;
  p.number = number;
  p.time_us = us;
  p.cycles = static_cast<int64_t>(us * 1000);
  p.clock_mhz = 1000;
  p.flops = flops;
  p.bound_by = "L2";
  return p;
}

// STAGES 2 to 4 at M of 128 and 256; (4, 256) is left out.
Sweep Sample() {
  Sweep s;
  s.file = "a.tile";
  s.program = "a";
  s.arch = "h200";
  s.axes = {{"STAGES", {2, 3, 4}, false}, {"M", {128, 256}, true}};
  s.own = {{"STAGES", 2}, {"M", 4096}};
  s.points = {Timed(0, 20), Timed(1, 30, 2e9), Timed(2, 10.05),
              Timed(3, 15, 2e9), Timed(4, 10)};
  Point out;
  out.number = 5;
  out.state = PointState::kIllegal;
  out.code = "shape/shared";
  out.reason = "too much, \"really\"";
  s.points.push_back(out);
  return s;
}

std::vector<int64_t> Order(const Sweep& s) {
  std::vector<int64_t> out;
  for (const Point* p : RankingOf(s).order) out.push_back(p->number);
  return out;
}

TEST(Ranking, ByEachMetric) {
  Sweep s = Sample();
  EXPECT_THAT(Order(s), ElementsAre(4, 2, 3, 0, 1));
  EXPECT_EQ(RankingOf(s).ties, 2u);
  EXPECT_FALSE(RankingOf(s).same_work);
  s.metric = Metric::kTflops;
  EXPECT_THAT(Order(s), ElementsAre(3, 4, 2, 1, 0));
  EXPECT_DOUBLE_EQ(TimesLeast(s.points[0], s.points[3], s.metric), 8.0 / 3);
  s.metric = Metric::kCycles;
  s.points[4].cycles = s.points[2].cycles;  // equal: by number
  EXPECT_THAT(Order(s), ElementsAre(2, 4, 3, 0, 1));
}

TEST(Ranking, TiesAreThoseWithinTheirPercent) {
  Sweep s = Sample();
  s.tie_percent = 0;
  EXPECT_EQ(RankingOf(s).ties, 1u);
  s.tie_percent = 100;
  EXPECT_EQ(RankingOf(s).ties, 4u);
}

TEST(Ranking, OfTiesTheOneWithFewestCyclesIsTheChoice) {
  Sweep s = Sample();
  s.points[2].cycles = 9'000;  // at a lower clock
  EXPECT_THAT(Order(s), ElementsAre(2, 4, 3, 0, 1));
  EXPECT_EQ(RankingOf(s).least->number, 4);
  s.tie_percent = 0;
  EXPECT_THAT(Order(s), ElementsAre(4, 2, 3, 0, 1));
}

TEST(Ranking, AChoiceForEachSize) {
  Sweep s = Sample();
  std::vector<SizeChoice> choices = ChoicesBySize(s);
  ASSERT_EQ(choices.size(), 2u);
  EXPECT_EQ(choices[0].ranking.order[0]->number, 4);
  EXPECT_EQ(choices[0].ranking.ties, 2u);
  EXPECT_EQ(choices[0].own->number, 0);
  EXPECT_EQ(choices[1].ranking.order[0]->number, 3);
  EXPECT_EQ(choices[1].own->number, 1);
  s.axes[1].is_size = false;
  EXPECT_TRUE(ChoicesBySize(s).empty());
}

TEST(OwnPoint, ValuesThatWereGivenStandForTheTexts) {
  Sweep s = Sample();
  EXPECT_EQ(OwnPoint(s), std::nullopt);  // no M of 4096
  s.axes[1].values = {128};
  EXPECT_EQ(OwnPoint(s), 0);
}

TEST(Csv, QuotesWhatNeedsIt) {
  EXPECT_THAT(CsvOf(Sample()),
              HasSubstr(",4,256,illegal,,,,,,,,shape/shared,\"too much, "
                        "\"\"really\"\"\"\n"));
  EXPECT_THAT(CsvOf(Sample()),
              HasSubstr("1,4,128,timed,10,10000,1000,100,L2,0,0,,\n"));
}

TEST(Json, ComesBack) {
  Sweep s = Sample();
  s.shard = Shard{1, 1};
  s.checked = true;
  s.points[0].check = "incomplete";
  absl::StatusOr<Sweep> back = SweepOf(JsonOf(s));
  ASSERT_TRUE(back.ok()) << back.status();
  EXPECT_EQ(JsonOf(*back), JsonOf(s));
  EXPECT_EQ(TextOf(*back, 0), TextOf(s, 0));
  EXPECT_EQ(CsvOf(*back), CsvOf(s));
}

TEST(Text, SaysHowFarTheChoiceWasFromTheBestMeasured) {
  Sweep s = Sample();
  s.measured =
      Measured{"", "a GPU", {{4, 12, ""}, {2, 10, ""}, {3, 5, "wrong"}}};
  std::string text = TextOf(s, 0);
  EXPECT_THAT(text, HasSubstr("measured on a GPU"));
  EXPECT_THAT(text,
              HasSubstr("the choice takes 1.200 times as long as the best "
                        "measured of these 3, STAGES=3 M=128"));
  EXPECT_EQ(JsonOf(s)["measured"]["choice_of_best"], 1.2);
  s.measured->points = {{4, 0, "hangs"}, {2, 10, ""}};
  EXPECT_THAT(TextOf(s, 0), HasSubstr("the choice could not be measured"));
  EXPECT_TRUE(JsonOf(s)["measured"]["choice_of_best"].is_null());
  s.measured->points = {{4, 0, "hangs"}};
  EXPECT_THAT(TextOf(s, 0), HasSubstr("none of them could be measured"));
}

TEST(Text, OnlyTheBestOnes) {
  Sweep s = Sample();
  s.axes[1].is_size = false;
  EXPECT_THAT(TextOf(s, 2), HasSubstr("... and 3 more"));
  EXPECT_THAT(TextOf(s, 0), Not(HasSubstr("more (")));
}

TEST(Text, SizesAreRankedTogetherByWorkAlone) {
  Sweep s = Sample();
  EXPECT_THAT(TextOf(s, 0), HasSubstr("best for each size"));
  EXPECT_THAT(TextOf(s, 0), Not(HasSubstr(" rank STAGES")));
  s.metric = Metric::kTflops;
  EXPECT_THAT(TextOf(s, 0), HasSubstr("best for each size"));
  EXPECT_THAT(TextOf(s, 0), HasSubstr(" rank STAGES"));
}

TEST(Svg, HasNoMarkupOfTheReasons) {
  Sweep s = Sample();
  s.points[5].reason = "a < b & c";
  absl::StatusOr<std::string> svg = SvgOf(s);
  ASSERT_TRUE(svg.ok());
  EXPECT_THAT(*svg, HasSubstr("a &lt; b &amp; c"));
}

TEST(Svg, OfNothingThatVariesThereIsNone) {
  Sweep s = Sample();
  s.axes = {{"STAGES", {2}, false}};
  EXPECT_FALSE(SvgOf(s).ok());
}

}  // namespace
}  // namespace tilesim::cli
