#include "traces/filter.h"

#include "gtest/gtest.h"
#include "nlohmann/json.hpp"
#include "traces/chrome_trace.h"

namespace tilesim::traces {
namespace {

// Two SMs with two CTAs each, and L2. Each CTA has ten slices of 10 cycles,
// the k-th of SM 0 released by L2 at the cycle it ends.
class FilterTest : public testing::Test {
 protected:
  FilterTest() {
    const ProcessId l2 = whole_.AddProcess({.name = "L2"});
    const TrackId l2_track = whole_.AddTrack(
        {.process = l2, .name = "read", .kind = TrackKind::kUnit});
    whole_.AddSlice({.track = l2_track, .name = "read", .end = 100});
    for (int64_t cta = 0; cta < 4; ++cta) AddCta(cta, l2_track);
  }

  void AddCta(int64_t cta, TrackId l2_track) {
    const ProcessId process =
        whole_.AddProcess({.name = "CTA", .sm = cta / 2, .cta = cta});
    const TrackId track = whole_.AddTrack({.process = process, .name = "mma"});
    whole_.SetLifetime(track, 0, 100);
    for (int64_t k = 0; k < 10; ++k) {
      const Cycle end = 10 * k + 10;
      whole_.AddSlice({.track = track,
                       .name = "MMA",
                       .start = end - 10,
                       .end = end,
                       .args = {{"k", k}, {"barrier", "full"}}});
      whole_.AddCounter({process, "k", end, static_cast<double>(k)});
      if (cta < 2) whole_.AddFlow({l2_track, end, track, end, "data"});
    }
  }

  Timeline whole_{TimelineInfo{"p.tile", "h200", 1'980'000}};
};

TEST_F(FilterTest, NoFilterKeepsEveryByte) {
  const Timeline part = ApplyFilter(whole_, {});
  EXPECT_EQ(ChromeTraceText(part), ChromeTraceText(whole_));
  EXPECT_EQ(part.omission().filter, "");
}

TEST_F(FilterTest, BySmKeepsWhatBelongsToNoSm) {
  const Timeline part = ApplyFilter(whole_, {.sms = {0}});
  EXPECT_EQ(part.processes().size(), 3u);  // L2 and two CTAs
  EXPECT_EQ(part.slices().size(), 21u);
  EXPECT_EQ(part.flows().size(), 20u);
  EXPECT_EQ(part.omission().filter, "SM 0");
  EXPECT_EQ(part.omission().slices, 20);
  EXPECT_FALSE(part.omission().truncated);
}

TEST_F(FilterTest, ByCta) {
  const Timeline part = ApplyFilter(whole_, {.ctas = {1, 3}});
  EXPECT_EQ(part.processes().size(), 3u);
  EXPECT_EQ(part.flows().size(), 10u);
  EXPECT_EQ(part.omission().flows, 10);
}

TEST_F(FilterTest, AFlowNeedsBothEnds) {
  const Timeline part = ApplyFilter(whole_, {.sms = {1}});
  EXPECT_EQ(part.flows().size(), 0u);
  EXPECT_EQ(part.omission().flows, 20);
}

TEST_F(FilterTest, ByCyclesKeepsWholeSlices) {
  const Timeline part =
      ApplyFilter(whole_, {.ctas = {0}, .from = 15, .to = 25});
  ASSERT_EQ(part.slices().size(), 3u);  // L2's, 10..20 and 20..30
  EXPECT_EQ(part.slices()[1].start, 10);
  EXPECT_EQ(part.slices()[2].end, 30);
  EXPECT_EQ(part.omission().filter, "CTA 0; cycles 15..25");
}

TEST_F(FilterTest, ArgumentsComeAlong) {
  const Timeline part = ApplyFilter(whole_, {.ctas = {3}, .from = 95});
  const auto args = part.Args(part.slices()[1]);
  ASSERT_EQ(args.size(), 2u);
  EXPECT_EQ(part.Text(args[0].key), "k");
  EXPECT_EQ(args[0].value, 9);
  EXPECT_EQ(part.Text(static_cast<StringId>(args[1].value)), "full");
}

TEST_F(FilterTest, MaxEventsKeepsTheEarliestAndSaysSo) {
  const Timeline part = ApplyFilter(whole_, {.max_events = 30});
  const size_t events =
      part.slices().size() + part.counters().size() + 2 * part.flows().size();
  EXPECT_LE(events, 30u);
  EXPECT_GE(events, 29u);  // a flow that no longer fits leaves one free
  EXPECT_TRUE(part.omission().truncated);
  EXPECT_EQ(part.omission().filter, "at most 30 events");
  const auto other = nlohmann::json::parse(ChromeTraceText(part))["otherData"];
  EXPECT_EQ(other["truncated"], true);
  EXPECT_EQ(other["omitted_slices"], 41 - part.slices().size());
  EXPECT_EQ(other["filter"], "at most 30 events");
}

TEST_F(FilterTest, MaxEventsNeverKeepsAFlowWithoutItsSlices) {
  for (int64_t limit = 0; limit < 130; ++limit) {
    const Timeline part = ApplyFilter(whole_, {.max_events = limit});
    for (const Flow& flow : part.flows()) {
      bool found = false;
      for (const Slice& slice : part.slices()) {
        found = found ||
                (slice.track == flow.to_track && slice.end == flow.to_cycle);
      }
      ASSERT_TRUE(found) << "limit " << limit;
    }
  }
}

TEST_F(FilterTest, ALimitThatIsNotReachedCutsNothing) {
  const Timeline part = ApplyFilter(whole_, {.max_events = 1000});
  EXPECT_EQ(part.slices().size(), 41u);
  EXPECT_FALSE(part.omission().truncated);
}

TEST_F(FilterTest, FiltersAddUp) {
  const Timeline once = ApplyFilter(whole_, {.sms = {0}});
  const Timeline twice = ApplyFilter(once, {.max_events = 5});
  EXPECT_EQ(twice.omission().filter, "SM 0; at most 5 events");
  EXPECT_EQ(twice.omission().slices + twice.slices().size(), 41);
}

}  // namespace
}  // namespace tilesim::traces
