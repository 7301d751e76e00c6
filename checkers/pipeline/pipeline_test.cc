// Each stage of a check, called with values.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "checkers/pipeline/every_cta.h"
#include "checkers/pipeline/global_memory.h"
#include "checkers/pipeline/judge_between_kernels.h"
#include "checkers/pipeline/judge_instance.h"
#include "checkers/pipeline/judge_kernel.h"
#include "checkers/pipeline/judging.h"
#include "checkers/pipeline/legality.h"
#include "checkers/pipeline/plan_kernel.h"
#include "checkers/pipeline/verdict.h"
#include "checkers/plan/instance.h"
#include "frontend/parse.h"
#include "ir/cat.h"

namespace tilesim::checkers::pipeline {
namespace {

using report::Finding;
using report::Findings;
using report::Provenance;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::Pair;
using testing::SizeIs;
using testing::UnorderedElementsAre;

// Each CTA doubles its row; with `to` "0" all write the first one.
std::string Rows(const std::string& name, const std::string& to,
                 const std::string& head = "", const std::string& how = "") {
  return "kernel " + name + " target sm_90a " + how + "{\n" + head +
         "  param N : 1.. step 1 = 4\n"
         "  const LANES = 32\n"
         "  global X : u32[N, LANES]\n"
         "  global Y : u32[N, LANES]\n"
         "  grid (N)\n"
         "  block 32\n"
         "  reg x : u32[1, 32] fragment blocked(1)\n"
         "  ld.global x, X[cta.x :+ 1, 0 :+ 32]\n"
         "  st.global Y[" +
         to +
         " :+ 1, 0 :+ 32], x\n"
         "}\n";
}

ir::Program Parsed(const std::string& text, const ir::Overrides& defines = {}) {
  ir::Source source{"program.tile", text};
  ir::Diagnostics diagnostics;
  std::optional<ir::Program> program =
      frontend::Parse(source, diagnostics, defines);
  for (const ir::Diagnostic& d : diagnostics.all())
    ADD_FAILURE() << ir::Render(d, source);
  return program ? std::move(*program) : ir::Program();
}

std::vector<std::string> CodesOf(const Findings& findings) {
  std::vector<std::string> out;
  for (const Finding& f : findings.all())
    out.emplace_back(f.diagnostic.code.name());
  return out;
}

TEST(PlanKernel, EachTakesTheDefinesItKnows) {
  CheckOptions options;
  options.defines = {{"N", 2}, {"A", 7}, {"NOBODY", 3}};
  ir::Program program = Parsed(
      Rows("first", "cta.x") + Rows("second", "cta.x", "  const A = 1\n"),
      {{"A", 7}});
  KernelPlan first = PlanKernel(program, 0, options);
  KernelPlan second = PlanKernel(program, 1, options);
  // What no kernel knows the first reports.
  EXPECT_THAT(first.sizes.defines,
              UnorderedElementsAre(Pair("N", 2), Pair("NOBODY", 3)));
  EXPECT_THAT(first.given, UnorderedElementsAre(Pair("N", 2)));
  // A constant is part of the program by now.
  EXPECT_THAT(second.sizes.defines, UnorderedElementsAre(Pair("N", 2)));
  EXPECT_THAT(second.given, UnorderedElementsAre(Pair("N", 2), Pair("A", 7)));
}

TEST(PlanKernel, AKernelThatAsksForSmsIsForTheGpuOfItsTarget) {
  ir::Program program = Parsed(Rows("asks", "cta.x", "  let SMS = sm.count\n") +
                               Rows("other", "cta.x"));
  CheckOptions options;
  KernelPlan asks = PlanKernel(program, 0, options);
  EXPECT_TRUE(asks.asks_for_sms);
  EXPECT_EQ(asks.gpu_sms, 132);
  EXPECT_EQ(PlanKernel(program, 1, options).gpu_sms, 0);
  options.sm_count = 8;
  EXPECT_EQ(PlanKernel(program, 0, options).gpu_sms, 8);
}

TEST(PlanKernel, LegalityTakesAllRemaindersBesideASize) {
  ir::Program program = Parsed(Rows("rows", "cta.x"));
  CheckOptions options;
  KernelPlan plan = PlanKernel(program, 0, options);
  const ir::Param& n = plan.kernel->params[0];
  std::vector<ir::Overrides> beside = SizesBeside(plan, n, {{"N", 5}});
  EXPECT_THAT(beside, SizeIs(63));
  EXPECT_EQ(beside.front().at("N"), 6);
  EXPECT_EQ(beside.back().at("N"), 68);
  options.defines["N"] = 5;
  EXPECT_THAT(SizesBeside(PlanKernel(program, 0, options), n, {{"N", 5}}),
              IsEmpty());
}

TEST(JudgeLegality, SaysAtWhichSizes) {
  ir::Program program = Parsed(Rows("rows", "cta.x"));
  CheckOptions options;
  KernelPlan plan = PlanKernel(program, 0, options);
  Legality odd = [&](const ir::BoundKernel& bound, ir::Diagnostics& found) {
    int64_t n = bound.slots[bound.kernel->params[0].slot]->number;
    if (n % 2 == 1) found.Error("shape/extent", {}, "odd");
  };
  Findings findings;
  JudgeLegalityBeside(plan, odd, {{"N", 4}}, 1, findings);
  ASSERT_THAT(findings.all(), SizeIs(1));
  const Finding& f = findings.all().front();
  EXPECT_EQ(f.seen.sizes.at("N"), 5);
  EXPECT_EQ(f.diagnostic.times, 32);
}

std::vector<Part> Alone(Part part) {
  std::vector<Part> parts;
  parts.push_back(std::move(part));
  return parts;
}

TEST(ReportOf, SaysAtWhichSizes) {
  Part part;
  part.findings.Add("race/war", "it")->seen.sizes = {{"N", 5}};
  CheckReport report = ReportOf(Alone(std::move(part)), {});
  ASSERT_THAT(report.findings, SizeIs(1));
  EXPECT_THAT(report.findings[0].diagnostic.notes, ElementsAre("with N = 5"));
  EXPECT_FALSE(report.findings[0].no_witness.empty());
}

// One mistake is one finding, told where the first of what follows was seen.
TEST(ReportOf, TellsWhatFollowsWithItsCause) {
  Part part;
  Findings& all = part.findings;
  all.Add("race/war", "first")->because = "parity/stale\ncause";
  all.Add("race/raw", "other");
  all.Add("parity/stale", "cause");
  all.Add("race/waw", "second")->because = all.all().front().key;
  CheckReport report = ReportOf(Alone(std::move(part)), {});
  ASSERT_THAT(report.findings, SizeIs(2));
  EXPECT_TRUE(report.findings[0].diagnostic.code == "parity/stale");
  EXPECT_THAT(report.findings[0].follows, SizeIs(2));
  EXPECT_TRUE(report.findings[1].diagnostic.code == "race/raw");
  EXPECT_THAT(report.findings[1].follows, IsEmpty());
}

// A warning does not count: what follows from it would not, either.
TEST(ReportOf, NoErrorFollowsFromAWarning) {
  Part part;
  Findings& all = part.findings;
  all.Add("race/war", "first")->because = "race/war\ncause";
  all.Add("race/war", "cause")->diagnostic.severity = ir::Severity::kWarning;
  all.Add("race/waw", "second")->because = all.all().front().key;
  CheckReport report = ReportOf(Alone(std::move(part)), {});
  ASSERT_THAT(report.findings, SizeIs(2));
  for (const report::Finding& f : report.findings) {
    const bool error = f.diagnostic.severity == ir::Severity::kError;
    EXPECT_THAT(f.follows, SizeIs(error ? 1 : 0));
  }
}

// What was seen by itself somewhere stands for itself.
TEST(Findings, MergeKeepsWhatStandsForItself) {
  Findings all, alone, with_cause;
  all.Add("race/war", "it")->because = "parity/stale\ncause";
  all.Add("parity/stale", "cause");
  with_cause.Merge(all);
  alone.Add("race/war", "it");
  all.Merge(with_cause);
  EXPECT_FALSE(all.all().front().because.empty());
  all.Merge(alone);
  EXPECT_TRUE(all.all().front().because.empty());
}

class JudgeInstanceTest : public testing::Test {
 protected:
  InstanceResult Judge(const std::string& to, const Findings& known) {
    program_ = Parsed(Rows("rows", to));
    judging_ = std::make_unique<Judging>(program_, options_);
    plan_ = PlanKernel(program_, 0, options_);
    auto instance = plan::InstanceAt(*plan_.kernel, {{"N", 3}}, 0);
    EXPECT_TRUE(instance.has_value());
    return JudgeInstance({plan_, *instance, known}, *judging_);
  }

  ir::Program program_;
  CheckOptions options_;
  std::unique_ptr<Judging> judging_;
  KernelPlan plan_;
};

TEST_F(JudgeInstanceTest, RunsEveryClusterOfTheGrid) {
  InstanceResult r = Judge("cta.x", {});
  EXPECT_THAT(r.part.findings.all(), IsEmpty());
  EXPECT_TRUE(r.part.open.empty());
  EXPECT_TRUE(r.holds);
  EXPECT_EQ(r.part.scope.clusters, 3);
  EXPECT_EQ(r.part.scope.clusters_checked, 3);
  EXPECT_EQ(r.cut_grid, 0);
  EXPECT_THAT(r.part.scope.params,
              UnorderedElementsAre(Pair("N", ElementsAre(3))));
}

TEST_F(JudgeInstanceTest, ComparesItsClusters) {
  InstanceResult r = Judge("0", {});
  ASSERT_THAT(CodesOf(r.part.findings), ElementsAre("race/waw"));
  const Finding& f = r.part.findings.all().front();
  EXPECT_EQ(f.seen.kernel, "rows");
  EXPECT_EQ(f.seen.cluster, Provenance::kBetweenClusters);
  EXPECT_EQ(f.seen.sizes.at("N"), 3);
}

TEST_F(JudgeInstanceTest, WhatIsKnownIsCountedAgain) {
  InstanceResult first = Judge("0", {});
  Part kernel;
  kernel.Add(first.part);
  InstanceResult again = Judge("0", kernel.findings);
  kernel.Add(again.part);
  ASSERT_THAT(kernel.findings.all(), SizeIs(1));
  EXPECT_EQ(kernel.findings.all().front().diagnostic.times,
            2 * first.part.findings.all().front().diagnostic.times);
}

TEST(JudgeKernel, CoversAllSizes) {
  ir::Program program = Parsed(Rows("rows", "cta.x"));
  CheckOptions options;
  Judging judging(program, options);
  Part part = JudgeKernel(PlanKernel(program, 0, options), judging);
  EXPECT_TRUE(part.scope.all_sizes);
  EXPECT_THAT(part.scope.all_of, ElementsAre("N"));
  EXPECT_THAT(part.findings.all(), IsEmpty());
}

TEST(JudgeKernel, AtOneSizeAlone) {
  ir::Program program = Parsed(Rows("rows", "cta.x"));
  CheckOptions options;
  Judging judging(program, options);
  Part part =
      JudgeKernelAt(PlanKernel(program, 0, options), {{"N", 5}}, 0, judging);
  EXPECT_THAT(part.scope.params,
              UnorderedElementsAre(Pair("N", ElementsAre(5))));
}

Part Judged(const std::string& text, const CheckOptions& options = {}) {
  ir::Program program = Parsed(text, options.defines);
  Judging judging(program, options);
  return JudgeKernel(PlanKernel(program, 0, options), judging);
}

// A loop of N turns, which is no longer at the size that is given than at those
// that stand for all.
TEST(JudgeKernel, GivenSizesAreSomeOfAll) {
  CheckOptions options;
  options.defines = {{"N", 1'000'000}};
  Part part = Judged(
      Rows("rows", "0 * N + cta.x", "  global F : u32[1] zero\n"), options);
  EXPECT_THAT(part.findings.all(), IsEmpty());
  EXPECT_TRUE(part.open.empty());
  EXPECT_LT(part.scope.clusters, 100);
  EXPECT_THAT(part.scope.params,
              UnorderedElementsAre(Pair("N", ElementsAre(1'000'000))));
}

TEST(JudgeKernel, WhatGoesWrongAtTheGivenSizesIsTold) {
  CheckOptions options;
  options.defines = {{"N", 100}};
  Part part = Judged(Rows("rows", "cta.x % 99"), options);
  EXPECT_THAT(CodesOf(part.findings), ElementsAre("race/waw"));
  options.defines = {{"N", 99}};
  EXPECT_THAT(Judged(Rows("rows", "cta.x % 99"), options).findings.all(),
              IsEmpty());
}

TEST(GlobalMemory, NamesTwoAccessesAndWhere) {
  ir::Program apart = Parsed(Rows("rows", "cta.x"));
  auto memory = GlobalMemory::Of(apart.kernels[0], {{"N", 4}}, {}, 0);
  ASSERT_TRUE(memory);
  EXPECT_THAT(memory->BetweenClusters({}), IsEmpty());
  ir::Program meet = Parsed(Rows("rows", "cta.x / 3"));
  memory = GlobalMemory::Of(meet.kernels[0], {{"N", 4}}, {}, 0);
  std::vector<MayMeet> all = memory->BetweenClusters({});
  ASSERT_THAT(all, SizeIs(1));
  EXPECT_THAT(all[0].why, testing::HasSubstr("the same elements of Y"));
  ASSERT_TRUE(all[0].where);
  EXPECT_EQ(all[0].where->first[0] / 3, all[0].where->second[0] / 3);
}

TEST(GlobalMemory, OfOneClusterWatchesWhatMayMeet) {
  auto watched = [](const std::string& index) {
    ir::Program program = Parsed(ir::Cat(R"(
kernel k target sm_90a {
  param N : 1.. = 4
  global W : u32[100000]
  grid (1)
  block 32
  thread 0 {
    for i in 0..N {
      st W[)",
                                         index, R"(], 1
    }
  }
})"));
    SiteOrder sites;
    GlobalMemory::Of(program.kernels[0], {{"N", 4}}, {}, 0)->Watch(sites);
    return sites.watches();
  };
  EXPECT_FALSE(watched("i"));
  EXPECT_TRUE(watched("i % 5000"));
}

// Rows of Y, all of them but the last, or in two kernels.
TEST(LookAtEveryCta, FindsHolesAndSuspects) {
  CheckOptions options;
  auto look = [&](const std::string& text, int64_t n) {
    ir::Program program = Parsed(text);
    Judging judging(program, options);
    KernelPlan plan = PlanKernel(program, 0, options);
    auto instance = plan::InstanceAt(*plan.kernel, {{"N", n}}, 0);
    return LookAtEveryCta(plan, *instance, judging);
  };
  auto computing = [](std::string rows, const std::string& when = "") {
    return rows.insert(rows.find("  grid"), "  computes Y = X" + when + "\n");
  };
  EveryCta whole = look(computing(Rows("rows", "cta.x")), 40);
  EXPECT_TRUE(whole.apart);
  EXPECT_THAT(whole.holes, IsEmpty());
  EXPECT_EQ(whole.whole.at("Y").where, Whole::Where::kOwnSizes);
  EveryCta hole = look(computing(Rows("rows", "cta.x % 39")), 40);
  EXPECT_FALSE(hole.apart);
  EXPECT_THAT(hole.suspects, ElementsAre(ElementsAre(0, 39)));
  EXPECT_THAT(hole.holes, SizeIs(1));
  EXPECT_FALSE(hole.whole.contains("Y"));
  // At these sizes nothing is computed.
  EveryCta other = look(computing(Rows("rows", "cta.x"), " when N > 40"), 40);
  EXPECT_EQ(other.whole.at("Y").where, Whole::Where::kNowhere);
  EXPECT_THAT(other.whole.at("Y").why, testing::HasSubstr("condition"));
  EveryCta shared =
      look(computing(Rows("rows", "cta.x")) + Rows("more", "cta.x"), 40);
  EXPECT_EQ(shared.whole.at("Y").where, Whole::Where::kNowhere);
  EXPECT_THAT(shared.whole.at("Y").why, testing::HasSubstr("other kernels"));
}

TEST(JudgeBetweenKernels, ThoseThatMayOverlap) {
  ir::Program program = Parsed(Rows("first", "cta.x") +
                               Rows("second", "cta.x", "", "programmatic "));
  CheckOptions options;
  Judging judging(program, options);
  for (size_t i = 0; i < 2; ++i)
    JudgeKernel(PlanKernel(program, i, options), judging);
  std::vector<Part> parts = JudgeBetweenKernels({}, judging);
  ASSERT_THAT(CodesOf(parts.back().findings), ElementsAre("race/waw"));
  EXPECT_EQ(parts.back().findings.all().front().seen.kernel, "second");
}

TEST(SearchBudget, ShrinksOnceSomethingIsWrong) {
  SearchBudget budget(0);
  EXPECT_EQ(budget.ForCluster(false, false), SearchBudget::kStates);
  EXPECT_EQ(budget.ForCluster(true, false), SearchBudget::kStatesOfSome);
  budget.Spend(1'000, false);
  EXPECT_EQ(budget.ForCluster(false, true), 5'000);
  budget.Spend(4'000, true);
  EXPECT_EQ(budget.ForCluster(false, true), 1'000);
  budget.Spend(4'000, true);
  EXPECT_EQ(budget.ForCluster(false, true), 0);
  EXPECT_EQ(SearchBudget(7).ForCluster(true, false), 7);
}

TEST(CheckScope, PartsAddUp) {
  CheckScope sum, part;
  part.clusters = 2;
  part.states = 10;
  part.trips = 4;
  part.params = {{"N", {1}}};
  sum.Add(part);
  part.params = {{"N", {8}}};
  part.all_sizes = false;
  part.trips = 3;
  sum.Add(part);
  EXPECT_EQ(sum.clusters, 4);
  EXPECT_EQ(sum.states, 20);
  EXPECT_EQ(sum.trips, 4);
  EXPECT_FALSE(sum.all_sizes);
  EXPECT_TRUE(sum.all_interleavings);
  EXPECT_THAT(sum.params, ElementsAre(Pair("N", ElementsAre(1, 8))));
}

std::vector<Part> OnePart(ir::Severity severity) {
  std::vector<Part> parts(1);
  Finding* f = parts[0].findings.Add("proxy-fence/war", "here");
  f->diagnostic.severity = severity;
  return parts;
}

TEST(ReportOf, ErrorsDecideAndWarningsDoNot) {
  CheckOptions options;
  EXPECT_EQ(ReportOf(OnePart(ir::Severity::kError), options).verdict,
            Verdict::kFindings);
  CheckReport warned = ReportOf(OnePart(ir::Severity::kWarning), options);
  EXPECT_EQ(warned.verdict, Verdict::kClean);
  EXPECT_THAT(warned.findings, SizeIs(1));
}

TEST(ReportOf, AStrictSwitchMakesItsWarningAnError) {
  CheckOptions options;
  options.strict = {"tensor-war"};
  EXPECT_EQ(ReportOf(OnePart(ir::Severity::kWarning), options).verdict,
            Verdict::kClean);
  options.strict = {"proxy-war"};
  EXPECT_EQ(ReportOf(OnePart(ir::Severity::kWarning), options).verdict,
            Verdict::kFindings);
}

TEST(ReportOf, WhatIsOpenOrBoundedIsNoProof) {
  CheckOptions options;
  std::vector<Part> open(2);
  open[0].open.Add("a size was not run");
  open[1].open.Add("a size was not run");
  CheckReport report = ReportOf(open, options);
  EXPECT_EQ(report.verdict, Verdict::kIncomplete);
  EXPECT_THAT(report.open, ElementsAre("a size was not run"));

  std::vector<Part> bounded(1);
  bounded[0].scope.all_interleavings = false;
  EXPECT_EQ(ReportOf(bounded, options).verdict, Verdict::kIncomplete);

  std::vector<Part> unfit(1);
  unfit[0].errors.Error("type/requires", {}, "does not hold");
  EXPECT_EQ(ReportOf(unfit, options).verdict, Verdict::kIncomplete);
}

}  // namespace
}  // namespace tilesim::checkers::pipeline
