// The runtime without a GPU: compilation, processes, the exchange. With one,
// what it says when there is none is skipped.
#include "hwtests/run/run.h"

#include <dlfcn.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstring>

#include "gtest/gtest.h"
#include "hwtests/run/exchange.h"
#include "hwtests/run/inputs.h"
#include "hwtests/run/nvrtc.h"
#include "hwtests/run/process.h"
#include "hwtests/run/spans.h"
#include "hwtests/run/trace.h"
#include "nlohmann/json.hpp"
#include "tests/hw/testing.h"
#include "traces/chrome_trace.h"
#include "traces/tiling.h"

namespace tilesim::hwtests {
namespace {

const std::vector<std::string> kChild = {"/proc/self/exe", "--child"};

bool HasNvrtc() {
  return CompileCuda("", ir::Target::kSm90a).status().code() !=
         absl::StatusCode::kNotFound;
}

bool HasDriver() { return dlopen("libcuda.so.1", RTLD_NOW) != nullptr; }

TEST(Nvrtc, CompilesLoweredCode) {
  if (!HasNvrtc()) GTEST_SKIP() << "no NVRTC";
  LowerOutcome outcome = LowerFile("hwtests/emit/golden/scale.tile");
  ASSERT_TRUE(outcome.lowered) << outcome.diagnostics;
  auto compiled = CompileCuda(outcome.lowered->cuda, ir::Target::kSm90a);
  ASSERT_TRUE(compiled.ok()) << compiled.status();
  EXPECT_EQ(compiled->cubin.substr(1, 3), "ELF");
  EXPECT_EQ(compiled->log, "");
}

TEST(Nvrtc, CompilesKernelsThatAreCalledAsCFunctions) {
  if (!HasNvrtc()) GTEST_SKIP() << "no NVRTC";
  LowerOutcome outcome = LowerFile("hwtests/emit/testdata/sm90_names.tile");
  ASSERT_TRUE(outcome.lowered) << outcome.diagnostics;
  auto compiled = CompileCuda(outcome.lowered->cuda, ir::Target::kSm90a);
  EXPECT_TRUE(compiled.ok()) << compiled.status();
}

// As tilesim hw --schedules lowers them.
TEST(Nvrtc, CompilesEveryLitmusProgram) {
  if (!HasNvrtc()) GTEST_SKIP() << "no NVRTC";
  std::vector<std::string> files = TileFiles({"hwtests/litmus"});
  EXPECT_GE(files.size(), 40u);
  for (const std::string& file : files) {
    LowerOutcome outcome = LowerFile(file, {.debug = true, .delays = true});
    ASSERT_TRUE(outcome.lowered) << outcome.diagnostics;
    auto compiled = CompileCuda(outcome.lowered->cuda, ir::Target::kSm90a);
    EXPECT_TRUE(compiled.ok()) << file << ": " << compiled.status();
  }
}

TEST(RunOnDevice, SaysWhatDoesNotCompile) {
  if (!HasNvrtc()) GTEST_SKIP() << "no NVRTC";
  HwJob job;
  job.cuda = "this is no C++";
  auto result = RunOnDevice(job);
  EXPECT_EQ(HwErrorOf(result.status()), HwError::kCompile);
  EXPECT_NE(result.status().message().find("kernel.cu"), std::string::npos);
}

TEST(RunOnDevice, SaysThatThereIsNoDriver) {
  if (!HasNvrtc() || HasDriver()) GTEST_SKIP() << "there is a driver";
  HwJob job;
  job.cuda = "";
  job.child_command = kChild;
  auto result = RunOnDevice(job);
  EXPECT_EQ(HwErrorOf(result.status()), HwError::kNoDriver) << result.status();
  EXPECT_EQ(HwErrorOf(DeviceSmCount(kChild).status()), HwError::kNoDriver);
}

TEST(RunOnDevice, KillsAChildThatHangs) {
  if (!HasNvrtc()) GTEST_SKIP() << "no NVRTC";
  HwJob job;
  job.timeout_s = 0.2;
  job.child_command = {"/bin/sh", "-c", ": > $0/ready; exec sleep 60"};
  auto result = RunOnDevice(job);
  EXPECT_EQ(HwErrorOf(result.status()), HwError::kHang) << result.status();
}

// A slow start is no hang.
TEST(RunProcess, CountsFromWhenItIsReady) {
  std::string ready = testing::TempDir() + "run_process_ready";
  std::remove(ready.c_str());
  std::string slow = "sleep 0.4; : > " + ready + "; ";
  auto end = RunProcess({"/bin/sh", "-c", slow + "exit 5"}, 0.2, ready);
  ASSERT_TRUE(end.ok());
  EXPECT_EQ(end->exit_code, 5);
  std::remove(ready.c_str());
  end = RunProcess({"/bin/sh", "-c", slow + "exec sleep 60"}, 0.2, ready);
  ASSERT_TRUE(end.ok());
  EXPECT_TRUE(end->killed);
}

TEST(RunProcess, TellsExitsApart) {
  auto end = RunProcess({"/bin/sh", "-c", "exit 3"}, 10);
  ASSERT_TRUE(end.ok());
  EXPECT_FALSE(end->killed);
  EXPECT_EQ(end->exit_code, 3);
  end = RunProcess({"/no/such/program"}, 10);
  ASSERT_TRUE(end.ok());
  EXPECT_EQ(end->exit_code, 127);
}

TEST(Exchange, AHangKeepsItsReport) {
  WaitReport report;
  report.barrier = "full";
  report.index = 1;
  report.parity = 1;
  report.role = "consumer";
  report.line = 44;
  report.cta[0] = 7;
  report.pending = 1;
  absl::Status status = StatusFromJson(ToJson(HwHang("expired", report)));
  EXPECT_EQ(HwErrorOf(status), HwError::kHang);
  auto back = WaitReportOf(status);
  ASSERT_TRUE(back.has_value());
  EXPECT_EQ(back->Text(), report.Text());
  EXPECT_EQ(
      report.Text(),
      "the wait for full[1] parity 1 in role consumer (line 44) of CTA "
      "(7, 0, 0), thread 0, never ended: that phase still lacks 1 arrival");
}

// One CTA of two warps, whose clock comes round meanwhile.
TEST(Trace, StampsBecomeTracksOfWarps) {
  HwJob job;
  job.trace_ctas = 1;
  job.trace_stamps = 4;
  job.plan.kernels.resize(1);
  job.plan.kernels[0].block = 64;
  job.plan.roles = {"consumer"};
  job.plan.sites = {{"tma.load", -1, 12, false, {}},
                    {"WAIT full", 0, 20, true, {2, 3}}};
  std::vector<uint32_t> room(TraceBytes(1, 1, 4) / 4);
  auto put = [&](size_t thread, size_t at, std::array<uint32_t, 4> words) {
    std::copy(words.begin(), words.end(), &room[(thread * 4 + at) * 4]);
  };
  const uint32_t start = 0xffffff00;
  put(0, 0, {3, 7, start, start + 0x300});
  put(0, 2, {0, 0, start + 16, start + 32});
  put(32, 0, {5, 7, start + 4, start + 0x200});
  put(32, 2, {1, 4, start + 8, start + 0x180});
  put(32, 3, {1, 5, start + 0x180, start + 0x1c0});
  HwResult result;
  result.clock_mhz = 1000;
  result.traced = TracedCtas(
      job, {reinterpret_cast<const char*>(room.data()), room.size() * 4});
  ASSERT_EQ(result.traced.size(), 1u);
  ASSERT_EQ(result.traced[0].threads.size(), 2u);
  EXPECT_EQ(result.traced[0].threads[1].left_out, 1u);
  traces::Timeline t = HwTimeline(job.plan, result, "x.tile", "h200");
  EXPECT_EQ(t.processes()[0].name, "SM 7 / CTA (0, 0, 0)");
  ASSERT_EQ(t.tracks().size(), 2u);
  EXPECT_EQ(t.tracks()[0].name, "warp 0");
  EXPECT_EQ(t.tracks()[1].name, "consumer (warp 1)");
  EXPECT_EQ(traces::FindTilingViolation(t), std::nullopt);
  std::string text = traces::ChromeTraceText(t);
  EXPECT_NE(text.find("\"name\":\"WAIT full[1][1]\",\"cat\":\"wait\",\"args\":"
                      "{\"cycle\":8,\"cycles\":376,\"line\":20}"),
            std::string::npos)
      << text;
}

// Two CTAs of two warps on SM 7, one after the other, and one on SM 9.
TEST(Spans, AreFromTheFirstStartToTheLastEnd) {
  LaunchPlan plan;
  plan.kernels.emplace_back().grid = {3, 1, 1};
  plan.kernels[0].block = 64;
  using Room = std::vector<std::array<uint64_t, 2>>;             // ns, clock
  Room room = {{1000, 50},  {7, 1}, {1100, 230},  {1200, 430},   //
               {1232, 494}, {7, 1}, {2000, 2030}, {1900, 1830},  //
               {1064, 900}, {9, 1}, {1264, 1300}, {1232, 1236}};
  const auto span_of = [&plan](const Room& stamps) {
    const char* bytes = reinterpret_cast<const char*>(stamps.data());
    return SpanOf(plan, {std::string(bytes, 16 * stamps.size())});
  };
  EXPECT_EQ(RoomBytes(plan.kernels[0]), 16 * room.size());
  absl::StatusOr<Span> span = span_of(room);
  ASSERT_TRUE(span.ok()) << span.status();
  EXPECT_EQ(span->ns, 1000);
  EXPECT_EQ(span->sms, 2);
  EXPECT_EQ(span->ramp_ns, 64);
  EXPECT_EQ(span->drain_ns, 2000 - 1264);
  EXPECT_EQ(span->cta_cycles, 400);  // 380, 400 and 1536
  EXPECT_EQ(span->longest_cycles, 1536);
  EXPECT_DOUBLE_EQ(span->clock_mhz, 1000.0 * (1980 + 400) / (1000 + 200));
  EXPECT_DOUBLE_EQ(span->cycles(), span->clock_mhz);
  room[6] = {0, 0};  // a warp that never ended
  EXPECT_EQ(HwErrorOf(span_of(room).status()), HwError::kLaunch);
}

TEST(Spans, ShareOfPoison) {
  const char elements[] = {-1, -1, -1, 0, 5, -1, -1, -1};
  EXPECT_EQ(ShareOf(0xff, ir::DType::kF16, {elements, 8}), 0.5);
  EXPECT_EQ(ShareOf(0xff, ir::DType::kF32, {elements, 8}), 0);
}

TEST(Inputs, StridedTensorsComeBack) {
  GlobalPlan g;
  g.name = "x";
  g.dtype = ir::DType::kF16;
  g.shape = {3, 4};
  g.strides = {8, 1};
  g.bytes = (2 * 8 + 3 + 1) * 2;
  g.read = true;
  LaunchPlan plan;
  plan.globals = {g};
  auto inputs = SeededInputs(plan, 5);
  ASSERT_EQ(inputs["x"].size(), static_cast<size_t>(g.bytes));
  values::Tensor dense = ToTensor(g, inputs["x"]);
  EXPECT_EQ(dense.data.size(), 24u);
  EXPECT_EQ(FromTensor(g, dense), inputs["x"]);
}

}  // namespace
}  // namespace tilesim::hwtests

int main(int argc, char** argv) {
  if (argc == 3 && std::strcmp(argv[1], "--child") == 0)
    return tilesim::hwtests::HwChild(argv[2]);
  testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}
