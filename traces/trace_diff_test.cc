#include "traces/trace_diff.h"

#include <string>

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
  TraceFile a{"examples/x.tile"}, b{"x.tile"}, c{"y.tile"};
  EXPECT_TRUE(SameProgram(a, b));
  EXPECT_FALSE(SameProgram(a, c));
  a.source = "1234";
  EXPECT_TRUE(SameProgram(a, b));  // b does not say of which text it is
  b.source = "5678";
  EXPECT_FALSE(SameProgram(a, b));
}

// A CTA with a role and a TMA engine that loads `stages` tiles, each on a lane
// of its own, and shows on another track which tile it fills.
std::string WithLanes(const std::string& name, int stages, Cycle each) {
  Timeline timeline(
      {.program = "x.tile", .arch = "h200", .clock_khz = 2000000});
  ProcessId cta = timeline.AddProcess({.name = "SM 0 / CTA (0, 0)"});
  TrackId role = timeline.AddTrack({.process = cta, .name = "mma (warp 0)"});
  for (int i = 0; i < stages; ++i) {
    const std::string tile = "b[" + std::to_string(i) + "]";
    const std::string names[] = {"TMA " + tile, tile},
                      slices[] = {"tma.load " + tile, "written by tma.load"};
    for (int k = 0; k < 2; ++k) {
      TrackId lane = timeline.AddTrack({.process = cta,
                                        .name = names[k],
                                        .kind = TrackKind::kUnit,
                                        .sort_index = 10 + i});
      timeline.AddSlice({.track = lane,
                         .name = slices[k],
                         .start = i,
                         .end = i + each,
                         .line = 3});
    }
  }
  // Lines of two files that have the same number.
  timeline.AddSlice(
      {.track = role, .name = "add", .start = 0, .end = 50, .line = 3});
  timeline.AddSlice({.track = role,
                     .name = "sub",
                     .start = 50,
                     .end = 50 + each,
                     .line = 3,
                     .args = {{"file", "part.inc"}}});
  std::string path = testing::TempDir() + name;
  EXPECT_TRUE(WriteChromeTrace(timeline, path).ok());
  return path;
}

TEST(TraceDiff, LanesOfAUnitAreOneAndTilesAreNotCountedAgain) {
  auto a = ReadTraceFile(WithLanes("l4.json", 4, 100));
  auto b = ReadTraceFile(WithLanes("l3.json", 3, 300));
  ASSERT_TRUE(a.ok() && b.ok());
  const TraceDiff diff = DiffOf(*a, *b);
  ASSERT_EQ(diff.parts.size(), 2u) << DiffText(diff);
  EXPECT_EQ(diff.parts[0].name, "tma.load b");
  EXPECT_EQ(diff.parts[0].a, 400);
  EXPECT_EQ(diff.parts[0].b, 900);
  EXPECT_EQ(diff.parts[1].name, "sub");
  EXPECT_EQ(diff.parts[1].file, "part.inc");
  EXPECT_EQ(diff.parts[1].b - diff.parts[1].a, 200);
  EXPECT_NE(DiffText(diff).find("part.inc:3"), std::string::npos);
  EXPECT_FALSE(diff.equal());
  EXPECT_TRUE(DiffOf(*a, *a).equal());
  EXPECT_EQ(DiffText(DiffOf(*a, *a)).find("part at"), std::string::npos);
}

TEST(TraceDiff, WhatOnlyOneHasIsTold) {
  auto a = ReadTraceFile(WithLanes("w.json", 2, 100));
  ASSERT_TRUE(a.ok());
  TraceFile b = *a;
  b.roles.erase(RoleKey("CTA (0, 0)", "mma"));
  const TraceDiff diff = DiffOf(*a, b);
  EXPECT_FALSE(diff.equal());
  EXPECT_NE(DiffText(diff).find("only here: mma, 1"), std::string::npos)
      << DiffText(diff);
  // Nobody but the model shows units.
  TraceFile gpu = *a;
  gpu.roles.erase(RoleKey("CTA (0, 0)", "TMA b"));
  const TraceDiff other = DiffOf(*a, gpu);
  EXPECT_TRUE(other.equal());
  EXPECT_NE(DiffText(other).find("only A shows units"), std::string::npos);
  gpu.truncated = true;
  gpu.omitted = 7;
  EXPECT_FALSE(DiffOf(*a, gpu).equal());
  EXPECT_NE(DiffText(DiffOf(*a, gpu)).find("7 slices are missing"),
            std::string::npos);
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
