// The runtime without a GPU: compilation, processes, the exchange. With one,
// what it says when there is none is skipped.
#include "hwtests/run/run.h"

#include <dlfcn.h>

#include <cstring>

#include "gtest/gtest.h"
#include "tests/hw/testing.h"
#include "hwtests/run/exchange.h"
#include "hwtests/run/inputs.h"
#include "hwtests/run/nvrtc.h"
#include "hwtests/run/process.h"

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
  EXPECT_EQ(HwErrorOf(result.status()), HwError::kNoDriver)
      << result.status();
  EXPECT_EQ(HwErrorOf(DeviceSmCount(kChild).status()), HwError::kNoDriver);
}

TEST(RunOnDevice, KillsAChildThatHangs) {
  if (!HasNvrtc()) GTEST_SKIP() << "no NVRTC";
  HwJob job;
  job.timeout_s = 0.2;
  job.child_command = {"/bin/sh", "-c", "exec sleep 60"};
  auto result = RunOnDevice(job);
  EXPECT_EQ(HwErrorOf(result.status()), HwError::kHang) << result.status();
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
  absl::Status status = StatusFromJson(ToJson(HwHang("expired", report)));
  EXPECT_EQ(HwErrorOf(status), HwError::kHang);
  auto back = WaitReportOf(status);
  ASSERT_TRUE(back.has_value());
  EXPECT_EQ(back->Text(), report.Text());
  EXPECT_EQ(report.Text(),
            "the wait for full[1] parity 1 in role consumer (line 44) of CTA "
            "(7, 0, 0), thread 0, never ended");
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
