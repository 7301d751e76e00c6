#include "traces/timeline.h"

#include <limits>
#include <vector>

#include "gtest/gtest.h"
#include "traces/lanes.h"
#include "traces/sample_timeline.h"

namespace tilesim::traces {
namespace {

class TimelineTest : public testing::Test {
 protected:
  TrackId AddTrack(const std::string& name) {
    return timeline_.AddTrack(
        {.process = cta_, .name = name, .kind = TrackKind::kUnit});
  }
  void AddSlice(TrackId track, std::string_view name, Cycle start, Cycle end) {
    timeline_.AddSlice(
        {.track = track, .name = name, .start = start, .end = end});
  }
  std::string Problem() const {
    return std::string(timeline_.Validate().message());
  }
  std::vector<std::string> NamesInOrder() const {
    std::vector<std::string> names;
    for (uint32_t i : timeline_.SlicesInOrder()) {
      names.emplace_back(timeline_.Text(timeline_.slices()[i].name));
    }
    return names;
  }

  Timeline timeline_{TimelineInfo{"p.tile", "h200", 1'980'000}};
  ProcessId cta_ = timeline_.AddProcess({.name = "SM 0"});
};

TEST_F(TimelineTest, KeepsWhatItWasGiven) {
  std::string barrier = "full[0]";
  timeline_.AddSlice({.track = AddTrack("mma"),
                      .name = "WAIT_TMA",
                      .category = Category::kWait,
                      .start = 3,
                      .end = 9,
                      .line = 12,
                      .args = {{"barrier", barrier}, {"phase", 7}}});
  barrier = "changed";  // the timeline holds its own text
  const Slice& slice = timeline_.slices()[0];
  EXPECT_EQ(timeline_.Text(slice.name), "WAIT_TMA");
  EXPECT_EQ(slice.category, Category::kWait);
  EXPECT_EQ(slice.line, 12);
  const auto args = timeline_.Args(slice);
  ASSERT_EQ(args.size(), 2u);
  ASSERT_TRUE(args[0].is_string);
  EXPECT_EQ(timeline_.Text(static_cast<StringId>(args[0].value)), "full[0]");
  EXPECT_FALSE(args[1].is_string);
  EXPECT_EQ(args[1].value, 7);
}

TEST_F(TimelineTest, EqualTextsAreKeptOnce) {
  const TrackId track = AddTrack("mma");
  for (int i = 0; i < 100; ++i) AddSlice(track, "ISSUE_MMA", i, i + 1);
  EXPECT_EQ(timeline_.strings().size(), 1u);
  EXPECT_LE(sizeof(Slice), 40u);
  EXPECT_LE(sizeof(KeptArg), 16u);
}

TEST_F(TimelineTest, SurvivesBeingMoved) {
  AddSlice(AddTrack("mma"), "short", 0, 1);
  Timeline moved = std::move(timeline_);
  moved.AddSlice({.track = TrackId{0}, .name = "short", .start = 1, .end = 2});
  EXPECT_EQ(moved.Text(moved.slices()[0].name), "short");
  EXPECT_EQ(moved.slices()[0].name, moved.slices()[1].name);
}

TEST_F(TimelineTest, OrderIsTrackThenStartThenParentFirst) {
  const TrackId a = AddTrack("a");
  const TrackId b = AddTrack("b");
  AddSlice(b, "b first", 0, 5);
  AddSlice(a, "child", 10, 12);
  AddSlice(a, "parent", 10, 20);
  AddSlice(a, "early", 0, 10);
  AddSlice(a, "twin 1", 30, 31);
  AddSlice(a, "twin 2", 30, 31);
  EXPECT_EQ(NamesInOrder(),
            (std::vector<std::string>{"early", "parent", "child", "twin 1",
                                      "twin 2", "b first"}));
}

TEST_F(TimelineTest, TheSampleIsValid) {
  EXPECT_TRUE(SampleTimeline().Validate().ok());
}

TEST_F(TimelineTest, RefusesCrossingSlices) {
  const TrackId track = AddTrack("TMA");
  AddSlice(track, "x", 0, 10);
  AddSlice(track, "y", 5, 15);
  EXPECT_EQ(Problem(), "SM 0, TMA: \"y\" 5..15 crosses SM 0, TMA: \"x\" 0..10");
}

TEST_F(TimelineTest, SlicesOfDifferentTracksNeverCross) {
  AddSlice(AddTrack("a"), "x", 0, 10);
  AddSlice(AddTrack("b"), "y", 5, 15);
  EXPECT_EQ(Problem(), "");
}

TEST_F(TimelineTest, RefusesNegativeSlices) {
  AddSlice(AddTrack("TMA"), "x", 10, 9);
  EXPECT_EQ(Problem(), "SM 0, TMA: \"x\" 10..9 ends before it starts");
}

TEST_F(TimelineTest, RefusesWhatIsBeforeTheLaunch) {
  AddSlice(AddTrack("TMA"), "x", -1, 9);
  EXPECT_EQ(Problem(), "SM 0, TMA: \"x\" -1..9 starts before cycle 0");
}

TEST_F(TimelineTest, RefusesFlowsIntoThePast) {
  const TrackId t = AddTrack("a");
  timeline_.AddFlow({t, 10, t, 9, "full"});
  EXPECT_EQ(Problem(),
            "flow \"full\" arrives at cycle 9, before it leaves at cycle 10");
}

TEST_F(TimelineTest, RefusesCountersThatAreNoNumbers) {
  timeline_.AddCounter(
      {cta_, "bytes", 3, std::numeric_limits<double>::quiet_NaN()});
  EXPECT_EQ(Problem(), "counter \"bytes\" at cycle 3 is not a finite number");
}

TEST(TimelineClockTest, RefusesAMissingClock) {
  Timeline timeline(TimelineInfo{"p.tile", "h200", 0});
  EXPECT_EQ(timeline.Validate().message(), "the timeline has no clock");
}

TEST_F(TimelineTest, LanesKeepOverlappingOperationsApart) {
  Lanes tma(&timeline_,
            {.process = cta_, .name = "TMA", .kind = TrackKind::kUnit});
  const TrackId first = tma.Take(0, 10);
  const TrackId second = tma.Take(5, 15);
  EXPECT_NE(first, second);
  EXPECT_EQ(tma.Take(10, 20), first);
  EXPECT_EQ(tma.Take(15, 25), second);
  EXPECT_EQ(timeline_.track(first).name, "TMA");
  EXPECT_EQ(timeline_.track(second).name, "TMA #2");
}

}  // namespace
}  // namespace tilesim::traces
