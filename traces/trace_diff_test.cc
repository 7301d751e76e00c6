#include "traces/trace_diff.h"

#include "gtest/gtest.h"
#include "traces/chrome_trace.h"

namespace tilesim::traces {
namespace {

// A role that loads (line 3) and waits (line 4), twice.
std::string Written(const std::string& name, const std::string& process,
                    Cycle origin, const std::vector<Cycle>& waits) {
  Timeline timeline(
      {.program = "x.tile", .arch = "h200", .clock_khz = 2000000});
  ProcessId cta = timeline.AddProcess({.name = process});
  TrackId track = timeline.AddTrack({.process = cta, .name = "mma (warp 0)"});
  Cycle at = origin;
  timeline.AddSlice(
      {.track = track, .name = "other", .start = at, .end = at + 5});
  at += 5;
  for (Cycle wait : waits) {
    timeline.AddSlice({.track = track,
                       .name = "tma.load",
                       .start = at,
                       .end = at + 10,
                       .line = 3});
    timeline.AddSlice({.track = track,
                       .name = "WAIT full[0]",
                       .category = Category::kWait,
                       .start = at + 10,
                       .end = at + 10 + wait,
                       .line = 4});
    timeline.AddSlice({.track = track,
                       .name = "mbarrier.wait",
                       .start = at + 10 + wait,
                       .end = at + 14 + wait,
                       .line = 4});
    at += 14 + wait;
  }
  std::string path = testing::TempDir() + name;
  EXPECT_TRUE(WriteChromeTrace(timeline, path).ok());
  return path;
}

TEST(TraceDiff, PartsAtTheStepThatIsLonger) {
  auto a =
      ReadTraceFile(Written("a.json", "SM 0 / CTA (0, 0, 0)", 0, {500, 100}));
  auto b = ReadTraceFile(
      Written("b.json.gz", "SM 7 / CTA (0, 0, 0) rank 0", 9000, {510, 400}));
  ASSERT_TRUE(a.ok()) << a.status();
  ASSERT_TRUE(b.ok()) << b.status();
  const TraceDiff diff = DiffOf(*a, *b);
  const std::vector<RoleDiff>& roles = diff.roles;
  ASSERT_EQ(roles.size(), 1u);
  EXPECT_EQ(roles[0].role, RoleKey("CTA (0, 0, 0)", "mma"));
  EXPECT_EQ(roles[0].cycles_a, 633);
  EXPECT_EQ(roles[0].cycles_b, 943);
  ASSERT_TRUE(roles[0].parts.has_value());
  EXPECT_EQ(roles[0].parts->first.line, 4);
  EXPECT_EQ(roles[0].parts->first.cycles, 104);
  EXPECT_EQ(roles[0].parts->second.cycles, 404);
  EXPECT_EQ(roles[0].parts->first.name, "WAIT full[0]");
  ASSERT_EQ(roles[0].lines.size(), 2u);
  EXPECT_EQ(roles[0].lines[0].line, 4);
  EXPECT_EQ(roles[0].lines[0].times_a, 2);
  EXPECT_NE(DiffText(diff).find(
                "they part at line 4 (WAIT full[0]): A 104 cycles from 529, B "
                "404 from 539"),
            std::string::npos)
      << DiffText(diff);
  ASSERT_FALSE(diff.parts.empty());
  EXPECT_EQ(diff.parts[0].name, "WAIT full");
  EXPECT_EQ(diff.parts[0].b - diff.parts[0].a, 310);
  EXPECT_FALSE(diff.equal());
  EXPECT_EQ(DiffJson(diff)["where_time_differs"][0]["line"], 4);
}

TEST(TraceDiff, NamesOfOneProgramWhereverItLies) {
  TraceFile a{"examples/x.tile", {}}, b{"x.tile", {}}, c{"y.tile", {}};
  EXPECT_TRUE(SameProgram(a, b));
  EXPECT_FALSE(SameProgram(a, c));
}

TEST(TraceDiff, EqualTracesDoNotPart) {
  auto a = ReadTraceFile(Written("c.json", "SM 0 / CTA (1, 0, 0)", 0, {90}));
  ASSERT_TRUE(a.ok());
  std::vector<RoleDiff> roles = Diff(a->roles, a->roles);
  EXPECT_TRUE(DiffOf(*a, *a).equal());
  EXPECT_TRUE(Parts(a->roles, a->roles).empty());
  ASSERT_EQ(roles.size(), 1u);
  EXPECT_FALSE(roles[0].parts.has_value());
}

TEST(TraceDiff, WhatIsNoTraceIsSaid) {
  auto none = ReadTraceFile(testing::TempDir() + "no_such_trace.json");
  EXPECT_EQ(none.status().code(), absl::StatusCode::kNotFound);
  auto other = ReadTraceFile("traces/README.md");
  EXPECT_EQ(other.status().code(), absl::StatusCode::kInvalidArgument);
}

}  // namespace
}  // namespace tilesim::traces
