#include "traces/tiling.h"

#include "gtest/gtest.h"
#include "traces/sample_timeline.h"

namespace tilesim::traces {
namespace {

class TilingTest : public testing::Test {
 protected:
  TilingTest() { timeline_.SetLifetime(role_, 100, 200); }

  void Add(std::string_view name, Cycle start, Cycle end,
           Category category = Category::kWork) {
    timeline_.AddSlice({.track = role_,
                        .name = name,
                        .category = category,
                        .start = start,
                        .end = end});
  }
  std::string Violation() const {
    return FindTilingViolation(timeline_).value_or("none");
  }

  Timeline timeline_{TimelineInfo{"p.tile", "h200", 1'980'000}};
  ProcessId cta_ = timeline_.AddProcess({.name = "SM 0"});
  TrackId role_ = timeline_.AddTrack({.process = cta_, .name = "mma"});
};

TEST_F(TilingTest, TheSampleTiles) {
  EXPECT_EQ(FindTilingViolation(SampleTimeline()), std::nullopt);
}

TEST_F(TilingTest, WorkAndWaitsInAnyOrderOfRecording) {
  Add("work", 150, 200);
  Add("wait", 100, 150, Category::kWait);
  EXPECT_EQ(Violation(), "none");
}

TEST_F(TilingTest, ChildrenMayNestAndNeedNotTile) {
  Add("work", 100, 200);
  Add("child", 110, 150);
  Add("grandchild", 120, 150);
  Add("second child", 160, 200);
  EXPECT_EQ(Violation(), "none");
}

TEST_F(TilingTest, SlicesOfNoLengthExplainNothingAndHarmNothing) {
  Add("mark", 100, 100);
  Add("work", 100, 200);
  Add("mark", 200, 200);
  EXPECT_EQ(Violation(), "none");
}

TEST_F(TilingTest, FindsAGapAtBirth) {
  Add("work", 101, 200);
  EXPECT_EQ(Violation(), "SM 0, mma: cycles 100..101 are unexplained");
}

TEST_F(TilingTest, FindsAGapBetween) {
  Add("work", 100, 140);
  Add("work", 150, 200);
  EXPECT_EQ(Violation(),
            "SM 0, mma: cycles 140..150 are unexplained, after \"work\" "
            "100..140");
}

TEST_F(TilingTest, FindsAGapBeforeDeath) {
  Add("work", 100, 199);
  EXPECT_EQ(Violation(),
            "SM 0, mma: cycles 199..200 are unexplained, after \"work\" "
            "100..199");
}

TEST_F(TilingTest, FindsATrackWithoutSlices) {
  EXPECT_EQ(Violation(), "SM 0, mma: cycles 100..200 are unexplained");
}

TEST_F(TilingTest, FindsAnOverlap) {
  Add("work", 100, 160);
  Add("wait", 150, 200, Category::kWait);
  EXPECT_EQ(Violation(),
            "SM 0, mma: \"wait\" 150..200 overlaps \"work\" 100..160");
}

TEST_F(TilingTest, FindsAChildThatSticksOut) {
  Add("work", 100, 150);
  Add("child", 120, 160);
  Add("work", 150, 200);
  EXPECT_EQ(Violation(),
            "SM 0, mma: \"child\" 120..160 overlaps \"work\" 100..150");
}

TEST_F(TilingTest, FindsANegativeSlice) {
  Add("work", 100, 200);
  Add("odd", 150, 149);
  EXPECT_EQ(Violation(), "SM 0, mma: \"odd\" 150..149 ends before it starts");
}

TEST_F(TilingTest, FindsLifeBeforeBirthAndAfterDeath) {
  Add("work", 99, 200);
  EXPECT_EQ(Violation(),
            "SM 0, mma: \"work\" 99..200 lies outside its life 100..200");
}

TEST_F(TilingTest, FindsANamelessWait) {
  Add("", 100, 200, Category::kWait);
  EXPECT_EQ(Violation(), "SM 0, mma: wait at 100..200 has no name");
}

TEST_F(TilingTest, IdleIsNoExplanation) {
  Add("idle", 100, 200, Category::kIdle);
  EXPECT_EQ(Violation(),
            "SM 0, mma: \"idle\" 100..200 is idle, neither work nor a wait");
}

TEST_F(TilingTest, FindsADeathBeforeBirth) {
  timeline_.SetLifetime(role_, 10, 9);
  EXPECT_EQ(Violation(),
            "SM 0, mma: dies at cycle 9, before its birth at cycle 10");
}

TEST_F(TilingTest, UnitsMayHaveGapsAndTheNextRoleIsStillJudged) {
  Add("work", 100, 200);
  const TrackId tma = timeline_.AddTrack(
      {.process = cta_, .name = "TMA", .kind = TrackKind::kUnit});
  timeline_.AddSlice({.track = tma, .name = "load", .start = 5, .end = 6});
  EXPECT_EQ(Violation(), "none");
  const TrackId last = timeline_.AddTrack({.process = cta_, .name = "last"});
  timeline_.SetLifetime(last, 0, 1);
  EXPECT_EQ(Violation(), "SM 0, last: cycles 0..1 are unexplained");
}

}  // namespace
}  // namespace tilesim::traces
