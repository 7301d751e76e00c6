#include "traces/chrome_trace.h"

#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "nlohmann/json.hpp"
#include "traces/sample_timeline.h"

namespace tilesim::traces {
namespace {

std::string ReadFile(const std::string& path) {
  std::ostringstream text;
  text << std::ifstream(path, std::ios::binary).rdbuf();
  return text.str();
}

// Of this process only: several builds may run their tests at once.
std::string TempPath(const std::string& name) {
  return absl::StrCat(testing::TempDir(), getpid(), ".", name);
}

nlohmann::json Parsed(const Timeline& timeline) {
  return nlohmann::json::parse(ChromeTraceText(timeline));
}

// The only event that satisfies `matches`.
template <typename Matches>
nlohmann::json Only(const nlohmann::json& trace, Matches matches) {
  nlohmann::json found;
  for (const nlohmann::json& event : trace["traceEvents"]) {
    if (!matches(event)) continue;
    EXPECT_TRUE(found.is_null()) << found << " and " << event;
    found = event;
  }
  EXPECT_FALSE(found.is_null());
  return found;
}

nlohmann::json Named(const nlohmann::json& trace, const std::string& phase,
                     const std::string& name) {
  return Only(trace, [&](const nlohmann::json& event) {
    return event["ph"] == phase && event["name"] == name;
  });
}

// check_chrome_trace.py judges the same golden file by the rules of viewers.
TEST(ChromeTraceTest, GoldenSample) {
  const std::string golden = "traces/golden/sample_trace.json";
  const std::string text = ChromeTraceText(SampleTimeline());
  const std::string actual = testing::TempDir() + "sample_trace.json";
  std::ofstream(actual, std::ios::binary) << text;
  EXPECT_EQ(text, ReadFile(golden))
      << "if the new text is right: cp " << actual << " " << golden;
}

TEST(ChromeTraceTest, SameTimelineSameBytes) {
  EXPECT_EQ(ChromeTraceText(SampleTimeline()),
            ChromeTraceText(SampleTimeline()));
}

TEST(ChromeTraceTest, SliceTimesAreMicrosecondsAndArgsAreCycles) {
  const auto trace = Parsed(SampleTimeline());
  const auto wait = Named(trace, "X", "WAIT_TMA");
  EXPECT_EQ(wait["ts"], 0.0);
  EXPECT_EQ(wait["dur"], 0.323);  // 640 cycles at 1980 MHz: 323.2 ns
  EXPECT_EQ(wait["cat"], "wait");
  EXPECT_EQ(wait["args"]["cycles"], 640);
  EXPECT_EQ(wait["args"]["line"], 36);
  EXPECT_EQ(wait["args"]["barrier"], "full[0]");
  EXPECT_EQ(wait["args"]["phase"], 0);
  const auto issue = Named(trace, "X", "ISSUE_MMA");
  EXPECT_EQ(issue["ts"], 0.323);  // no gap
  EXPECT_EQ(issue["args"]["cycle"], 640);
}

TEST(ChromeTraceTest, FlowsAreDrawnInsideTheSlicesTheyJoin) {
  const auto trace = Parsed(SampleTimeline());
  const auto from = Named(trace, "s", "full[0]");
  const auto to = Named(trace, "f", "full[0]");
  EXPECT_EQ(from["id"], to["id"]);
  EXPECT_EQ(to["bp"], "e");
  EXPECT_EQ(from["tid"], Named(trace, "X", "load a[0]")["tid"]);
  EXPECT_EQ(from["ts"], 0.319);  // load a[0] ends at 0.320
  EXPECT_EQ(to["ts"], 0.322);    // WAIT_TMA ends at 0.323
}

TEST(ChromeTraceTest, SaysWhatItIs) {
  const auto other = Parsed(SampleTimeline())["otherData"];
  EXPECT_EQ(other["schema"], kChromeTraceSchema);
  EXPECT_EQ(other["program"], "ring.tile");
  EXPECT_EQ(other["arch"], "h200");
  EXPECT_EQ(other["clock_mhz"], 1980);
  EXPECT_EQ(other["slices"], 6);
  EXPECT_EQ(other["truncated"], false);
}

TEST(ChromeTraceTest, AnyCharacterInNames) {
  const std::string name = "q\"b\\n\nt\tz\x01 \xC3\xA4 \xE2\x86\x92 </script>";
  Timeline timeline({.program = name, .arch = "a", .clock_khz = 1'000'000});
  const ProcessId process = timeline.AddProcess({.name = name});
  const TrackId track = timeline.AddTrack({.process = process, .name = name});
  timeline.AddSlice(
      {.track = track, .name = name, .end = 1, .args = {{name, name}}});
  const auto trace = Parsed(timeline);
  EXPECT_EQ(trace["otherData"]["program"], name);
  EXPECT_EQ(Named(trace, "X", name)["args"][name], name);
  EXPECT_EQ(Named(trace, "M", "thread_name")["args"]["name"], name);
}

TEST(ChromeTraceTest, BytesThatAreNotUtf8StillGiveATrace) {
  Timeline timeline({.program = "\xFF.tile", .arch = "", .clock_khz = 1000});
  EXPECT_EQ(Parsed(timeline)["otherData"]["program"], "\xEF\xBF\xBD.tile");
}

TEST(ChromeTraceTest, CountersKeepTheirDigits) {
  Timeline timeline({.program = "p", .arch = "a", .clock_khz = 1'000'000});
  const ProcessId process = timeline.AddProcess({.name = "p"});
  timeline.AddCounter({process, "tensor utilisation", 5, 0.1});
  const auto counter = Named(Parsed(timeline), "C", "tensor utilisation");
  EXPECT_EQ(counter["args"]["value"], 0.1);
  EXPECT_EQ(counter["ts"], 0.005);
}

TEST(ChromeTraceTest, AnEmptyTimelineIsATraceToo) {
  Timeline timeline({.program = "p", .arch = "a", .clock_khz = 1'000'000});
  EXPECT_TRUE(Parsed(timeline)["traceEvents"].empty());
}

TEST(ChromeTraceTest, WritesTheTextToTheFile) {
  const std::string path = TempPath("written.json");
  const absl::Status status = WriteChromeTrace(SampleTimeline(), path);
  ASSERT_TRUE(status.ok()) << status;
  EXPECT_EQ(ReadFile(path), ChromeTraceText(SampleTimeline()));
  std::filesystem::remove(path);
}

TEST(ChromeTraceTest, RefusesWhatNoViewerCouldShow) {
  Timeline timeline = SampleTimeline();
  timeline.AddSlice({.track = TrackId{0}, .name = "x", .start = 30, .end = 50});
  const std::string path = TempPath("refused.json");
  const absl::Status status = WriteChromeTrace(timeline, path);
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_FALSE(std::filesystem::exists(path));
}

}  // namespace
}  // namespace tilesim::traces
