#include "sim/arch/arch.h"

#include <optional>
#include <string>

#include "gtest/gtest.h"
#include "sim/arch/accuracy.h"

namespace tilesim::arch {
namespace {

TEST(Arch, EveryBuiltInFileParses) {
  ASSERT_EQ(AllArchs().size(), 4u);
  for (const Arch& arch : AllArchs()) {
    EXPECT_EQ(arch.origins.size(), Params().size()) << arch.name;
    double sms = 0;
    for (double gpc : arch.gpc_sms()) sms += gpc;
    EXPECT_EQ(sms, arch.sms) << arch.name;
  }
}

TEST(Arch, TheDefaultOfATargetIsTheGpuThatItsRowIsAbout) {
  for (const ir::TargetInfo& info : ir::kTargets) {
    ASSERT_NE(FindArch(info.arch), nullptr) << info.name;
    const Arch& arch = DefaultArch(info.target);
    EXPECT_EQ(arch.target, info.target) << info.name;
    EXPECT_EQ(arch.sms, info.sms) << info.name;
  }
}

TEST(Arch, ClustersStayInsideGpcs) {
  const Arch& h200 = *FindArch("h200");
  EXPECT_EQ(h200.ClusterSlots(1), 132);
  EXPECT_EQ(h200.ClusterSlots(2), 66);
  EXPECT_EQ(h200.ClusterSlots(8), 15);  // hardware.md C.3, measured
}

TEST(Arch, PeakIsTheVendorsAtItsClock) {
  EXPECT_NEAR(FindArch("h100_sxm")->PeakTflops(), 989, 1);
  EXPECT_NEAR(FindArch("b200")->PeakTflops(), 2382, 1);
}

TEST(Arch, RejectsAValueWithoutSource) {
  std::string error;
  EXPECT_FALSE(
      ParseArch("name='x'\ntitle='x'\ntarget='sm_90a'\n[params]\n"
                "sms=[1,'SMs','vendor','']\n",
                &error));
  EXPECT_NE(error.find("sms"), std::string::npos);
}

TEST(Arch, RejectsBrokenText) {
  std::string error;
  EXPECT_FALSE(ParseArch("name = [", &error));
  EXPECT_FALSE(error.empty());
}

std::string WhyNot(const std::string& value) {
  std::string error;
  const std::string values[] = {value};
  EXPECT_FALSE(WithValues(*FindArch("h200"), values, &error)) << value;
  return error;
}

TEST(Arch, ValuesCanBeOthersForAQuestion) {
  const std::string values[] = {"tma_latency=400", "l2_merged=0"};
  std::string error;
  std::optional<Arch> changed = WithValues(*FindArch("h200"), values, &error);
  ASSERT_TRUE(changed.has_value()) << error;
  EXPECT_EQ(changed->tma_latency, 400);
  EXPECT_EQ(changed->l2_merged, 0);
  EXPECT_EQ(changed->clock_mhz, FindArch("h200")->clock_mhz);
  EXPECT_EQ(changed->name, "h200, tma_latency=400, l2_merged=0");
  EXPECT_EQ(AccuracyOf(changed->name), nullptr);
}

TEST(Arch, TheL2HasABandwidthOfTheWholeGpu) {
  const std::string values[] = {"l2_bandwidth=4000"};
  std::string error;
  std::optional<Arch> changed = WithValues(*FindArch("h200"), values, &error);
  ASSERT_TRUE(changed.has_value()) << error;
  const auto gpcs = changed->gpc_sms();
  EXPECT_EQ(changed->l2_gpc * static_cast<double>(gpcs.size()), 4000);
  EXPECT_NE(WhyNot("l2_bandwidth=0").find("`l2_bandwidth` takes"),
            std::string::npos);
}

TEST(Arch, ValuesThatCannotBeAreRefused) {
  EXPECT_EQ(WhyNot("tma_latency"), "`tma_latency` is not NAME=VALUE");
  EXPECT_NE(WhyNot("tma=1").find("no parameter `tma`"), std::string::npos);
  EXPECT_NE(WhyNot("sms=4").find("counts SMs"), std::string::npos);
  EXPECT_NE(WhyNot("hbm_bandwidth=0").find("from 0.001"), std::string::npos);
  for (const char* value : {"tma_latency=", "tma_latency=-1", "tma_latency=4x",
                            "tma_latency=nan", "tma_latency=inf"})
    EXPECT_NE(WhyNot(value).find("from 0 to 1e9"), std::string::npos) << value;
}

TEST(Arch, OnlyWhatWasMeasuredHasAnAccuracy) {
  const Accuracy* h200 = AccuracyOf("h200");
  ASSERT_NE(h200, nullptr);
  EXPECT_GT(h200->points, 400);
  EXPECT_GT(h200->mean_time, 0);
  EXPECT_GT(std::abs(h200->worst_time), h200->mean_time);
  EXPECT_EQ(AccuracyOf("b200"), nullptr);
}

}  // namespace
}  // namespace tilesim::arch
