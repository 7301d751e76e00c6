#include "traces/summary.h"

#include <fstream>
#include <sstream>

#include "absl/strings/match.h"
#include "absl/strings/str_split.h"
#include "gtest/gtest.h"
#include "nlohmann/json.hpp"
#include "traces/text_table.h"

namespace tilesim::traces {
namespace {

TrafficReport SampleTraffic() {
  return {.flops = 7e10,
          .hbm_bytes = 1e8,
          .l2_bytes = 1e9,
          .shared_bytes = 4e9,
          .l2_hit_rate = 0.9,
          .seconds = 1e-4,
          .peak_tflops = 989,
          .hbm_gbps = 4800,
          .l2_gbps = 12000};
}

RunReport SampleReport() {
  RunReport report;
  report.file = "gemm.tile";
  report.program = "gemm_ws";
  report.arch = "h200";
  report.version = "tilesim 1.0";
  report.seed = 7;
  report.l2 = "warm";
  report.params = {{"M", 4096}, {"N", 4096}};
  report.constants = {{"STAGES", 4}};
  report.cycles = 198'000;
  report.clock_mhz = 1980;
  report.clock_error =
      ClockError{448, 8.1, 75.3, 8.8, 82.8, "measured points", "NVIDIA H200"};
  report.tflops = 700.04;
  report.peak_fraction = 0.7077;
  report.bound_by = "tensor core";
  report.bound_why = "71.2 % busy";
  report.traffic = SampleTraffic();
  report.launch = LaunchReport{.grid = "(32, 16)",
                               .cluster = "(2, 1)",
                               .cluster_size = {2, 1, 1},
                               .threads_per_cta = 384,
                               .ctas = 512,
                               .sms = 132,
                               .ctas_per_sm = 1,
                               .waves = 3.878787,
                               .shared_bytes = 196'608,
                               .registers_per_thread = 168};
  report.roles = {
      {"producer", "", 132, 1'000'000, 100'000, {{"empty", 900'000, 4096}}},
      {"mma",
       "",
       132,
       1'000'000,
       765'000,
       {{"done", 5'000, 10}, {"full", 230'000, 4096}}},
      {"setup", "", 132, 2'000, 2'000, {}}};
  report.units = {{"tensor core", UnitClass::kCompute, 0.712},
                  {"TMA", UnitClass::kMemory, 0.4}};
  report.critical_path = {{150'000, "tensor core", "wgmma.mma_async",
                           "wgmma.mma_async d, a, b", 40},
                          {46'360, "L2", "tma.load",
                           "tma.load a[s], A[0 :+ 64, k :+ 64], full[s]", 31},
                          {1'640, "launch", "", "", 0}};
  report.result = {.checked = true,
                   .compared = 131'072,
                   .coverage = "8 of 512 CTAs: first, last, edges",
                   .bit_exact = true,
                   .max_abs_error = 0.0078125,
                   .bound = 0.0625};
  report.findings = {{"race/war", "warning", "some",
                      "`a[0]` is overwritten while it is read", "gemm.tile", 20,
                      7}};
  return report;
}

std::string ReadFile(const std::string& path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

void ExpectGolden(const std::string& text, const std::string& name) {
  const std::string actual = testing::TempDir() + name;
  std::ofstream(actual) << text;
  EXPECT_EQ(text, ReadFile("traces/golden/" + name))
      << "if the new text is right: cp " << actual << " traces/golden/";
}

TEST(SummaryTest, GoldenText) {
  ExpectGolden(TextSummary(SampleReport()), "sample_summary.txt");
}

TEST(SummaryTest, GoldenJson) {
  ExpectGolden(JsonSummary(SampleReport()).dump(2) + "\n",
               "sample_summary.json");
}

TEST(SummaryTest, RightOrWrongComesFirst) {
  RunReport report = SampleReport();
  report.result.wrong = 3;
  EXPECT_TRUE(absl::StrContains(TextSummary(report),
                                "wrong: 3 of 131,072 elements differ"));
  report.result.checked = false;
  report.result.not_compared = {"`D`: nothing wrote it"};
  EXPECT_TRUE(
      absl::StrContains(TextSummary(report), "`D`: nothing wrote it\n"));
}

TEST(SummaryTest, WhoWaitsForEverSaysWhere) {
  RunReport report = SampleReport();
  report.roles[1].waits = {{"full", 230'000, 1, 1, "tiles.inc:13"}};
  EXPECT_TRUE(absl::StrContains(TextSummary(report),
                                "full, for ever at line tiles.inc:13"));
}

TEST(SummaryTest, NoLineEndsInSpaces) {
  const std::string text = TextSummary(SampleReport());
  for (const std::string& line :
       std::vector<std::string>(absl::StrSplit(text, '\n'))) {
    EXPECT_FALSE(absl::EndsWith(line, " ")) << line;
  }
}

TEST(SummaryTest, UnknownIsNullNotZero) {
  RunReport report;
  report.file = "p.tile";
  report.cycles = 100;
  const auto json = JsonSummary(report);
  for (const char* key : {"tflops", "peak_fraction", "bound_by", "launch"}) {
    EXPECT_TRUE(json[key].is_null()) << key;
  }
  EXPECT_EQ(json["result"]["checked"], false);
  EXPECT_TRUE(json["result"]["bit_exact"].is_null());
  EXPECT_TRUE(json["findings"].is_array());
  EXPECT_TRUE(json["roles"].empty());
}

TEST(SummaryTest, UnknownSectionsAreLeftOutOfTheText) {
  RunReport report;
  report.file = "p.tile";
  report.arch = "h200";
  const std::string text = TextSummary(report);
  EXPECT_FALSE(absl::StrContains(text, "Throughput "));
  EXPECT_FALSE(absl::StrContains(text, "Warp State"));
  EXPECT_FALSE(absl::StrContains(text, "Findings"));
}

TEST(SummaryTest, AClockThatWasNotComparedSaysSo) {
  RunReport report = SampleReport();
  EXPECT_EQ(JsonSummary(report)["clock_error"]["worst_time_percent"], 75.3);
  report.clock_error = ClockError{};
  EXPECT_TRUE(JsonSummary(report)["clock_error"].is_null());
  EXPECT_TRUE(absl::StrContains(TextSummary(report),
                                "unknown   no such GPU was ever measured"));
}

TEST(SummaryTest, WhatDidNotEndTookNoTime) {
  RunReport report = SampleReport();
  report.finished = false;
  EXPECT_TRUE(JsonSummary(report)["time_us"].is_null());
  const std::string text = TextSummary(report);
  EXPECT_TRUE(absl::StrContains(text, "it did not end"));
  EXPECT_FALSE(absl::StrContains(text, " us"));
}

TEST(SummaryTest, SmallStepsOfThePathAreTold) {
  RunReport report = SampleReport();
  const std::string text = TextSummary(report);
  EXPECT_TRUE(absl::StrContains(text, "75.8 %   150,000   tensor core"));
  EXPECT_TRUE(absl::StrContains(text, "0.8 %     1,640   1 smaller ones"));
}

TEST(SummaryTest, LinesStandBesideTheSource) {
  RunReport report = SampleReport();
  report.sources = {{"gemm.tile", {"kernel k {", "  wait", "}"}}};
  report.lines = {
      {.file = "gemm.tile",
       .line = 2,
       .executed = 1024,
       .busy = 5000,
       .waited = 70'000,
       .on_path = 19'800,
       .waits = {{"mbarrier full", 1, "tma.load", "producer", 70'000, 8}}}};
  const std::string text = TextSummary(report);
  EXPECT_TRUE(absl::StrContains(text, "10.0 %      2     wait")) << text;
  EXPECT_TRUE(absl::StrContains(
      text,
      "^ waited on mbarrier full, ended by line 1: tma.load of producer"));
  EXPECT_EQ(JsonSummary(report)["lines"][0]["waits"][0]["by_role"], "producer");
}

TEST(SummaryTest, BankConflictsAreToldBelowTheirLine) {
  RunReport report = SampleReport();
  report.sources = {{"gemm.tile", {"  ld.shared", "  st.shared"}}};
  report.lines = {{.file = "gemm.tile",
                   .line = 1,
                   .bank_cycles = 800,
                   .least_bank_cycles = 100},
                  {.file = "gemm.tile",
                   .line = 2,
                   .bank_cycles = 100,
                   .least_bank_cycles = 100}};
  const std::vector<std::string> pieces =
      absl::StrSplit(TextSummary(report), "bank conflicts: ");
  ASSERT_EQ(pieces.size(), 2U);
  EXPECT_TRUE(absl::StartsWith(
      pieces[1], "shared memory takes 8.0 cycles where 1 would do"));
  EXPECT_EQ(JsonSummary(report)["lines"][0]["bank_cycles"], 800);
}

TEST(SummaryTest, AFindingWithATextIsToldByThat) {
  RunReport report = SampleReport();
  EXPECT_TRUE(absl::StrContains(TextSummary(report), "(gemm.tile:20:7)"));
  report.findings[0].text = "warning[race/war]: the whole of it\n";
  const std::string text = TextSummary(report);
  EXPECT_TRUE(absl::StrContains(
      text, "\nFindings\n\nwarning[race/war]: the whole of it\n"));
  EXPECT_FALSE(absl::StrContains(text, "(gemm.tile:20:7)"));
  EXPECT_FALSE(JsonSummary(report)["findings"][0].contains("text"));
}

TEST(SummaryTest, MeasuredTimeWinsOverCyclesByClock) {
  RunReport report = SampleReport();
  EXPECT_DOUBLE_EQ(JsonSummary(report)["time_us"], 100.0);
  report.measured_us = 93.1;
  EXPECT_DOUBLE_EQ(JsonSummary(report)["time_us"], 93.1);
  EXPECT_TRUE(absl::StrContains(TextSummary(report), "93.10 us   measured"));
}

TEST(SummaryTest, KeysOfTheCommandLineContract) {
  const auto json = JsonSummary(SampleReport());
  for (const char* key :
       {"file", "arch", "cycles", "time_us", "tflops", "peak_fraction",
        "bound_by", "roles", "units", "result", "findings"}) {
    EXPECT_TRUE(json.contains(key)) << key;
  }
  for (const char* key : {"checked", "coverage", "bit_exact", "max_abs_error",
                          "max_rel_error", "bound"}) {
    EXPECT_TRUE(json["result"].contains(key)) << key;
  }
}

TEST(TextTableTest, CountsCharactersNotBytes) {
  TextTable table({TextTable::kLeft, TextTable::kRight});
  table.Row({"\xC3\xA4", "1"});
  table.Row({"ab", "10"});
  table.Row({"c"});
  EXPECT_EQ(table.Render("  "), "  \xC3\xA4     1\n  ab   10\n  c\n");
}

}  // namespace
}  // namespace tilesim::traces
