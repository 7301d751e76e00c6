// What runs show of threads that go around the same loops.
#include "checkers/pipeline/in_step.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>

#include "checkers/proof/condition.h"
#include "checkers/run/environment.h"
#include "checkers/run/runner.h"
#include "frontend/parse.h"
#include "ir/cat.h"
#include "sim/machine/code.h"

namespace tilesim::checkers::pipeline {
namespace {

using proof::Condition;
using proof::Weakened;

// What two warps do in each tile in front of the steps, in each step and behind
// them, and behind the loops.
struct Word {
  std::string front, step, behind, end;
  std::string lanes = ", elect";
};

std::string Role(int warp, const Word& w) {
  return ir::Cat("warp ", warp, w.lanes, " {\n var k = 0\n var x = 0\n",
                 " for t in 0..R {\n", w.front, "\n for j in 0..N {\n", w.step,
                 "\n k = k + 1\n }\n", w.behind, "\n }\n", w.end, "\n}\n");
}

bool IsInStep(const std::string& text) {
  ir::Diagnostics diagnostics;
  auto program = frontend::Parse({"step.tile", text}, diagnostics);
  EXPECT_TRUE(program) << text << diagnostics.all()[0].message;
  if (!program) return false;
  auto bound = ir::Bind(program->kernels[0], {}, 1, diagnostics);
  auto code =
      machine::Compile(*std::move(bound), diagnostics, machine::Params::kKept);
  const run::Environment none;
  run::RunOptions options;
  options.environment = &none;
  const run::Log log = RunCluster(*code, options);
  EXPECT_TRUE(log.finished) << text;
  return GoesInStep(log, {"R", "N", false});
}

bool InStep(const Word& one, const Word& two) {
  return IsInStep(ir::Cat(
      "kernel k target sm_90a {\n param R : 0.. = 3\n param N : 0.. = 2\n"
      " grid (1)\n block 64\n mbarrier b[5], c, d\n shared s : u32[32]\n"
      " thread 0 {\n for i in 0..5 {\n mbarrier.init b[i], 1\n }\n"
      " mbarrier.init c, 1\n fence.mbarrier_init\n }\n bar.sync 0\n",
      Role(0, one), Role(1, two), "}\n"));
}

// Two warpgroups; the first gives registers back, the second asks for them.
bool InStepWith(const std::string& front, const std::string& end) {
  const std::string loops =
      "for t in 0..R {\n for j in 0..N {\n bar.warp.sync\n }\n }\n";
  return IsInStep(ir::Cat(
      "kernel k target sm_90a {\n param R : 0.. = 3\n param N : 0.. = 2\n"
      " grid (1)\n block 256 regs 168\n warpgroup 1 {\n",
      front, "\n", loops, end, "\n }\n warpgroup 0 {\n setmaxnreg.inc 232\n",
      loops, "}\n}\n"));
}

const Word kGives{.step = "mbarrier.arrive b[k % 4]"};
const Word kTakes{.step = "mbarrier.wait b[k % 4], parity = k / 4 & 1"};

TEST(InStep, WhoWaitsForTheSameStep) { EXPECT_TRUE(InStep(kGives, kTakes)); }

TEST(InStep, NotWhereOneStepWaitsForAnotherDistance) {
  const Word takes{
      .step = "mbarrier.wait b[k == 2 ? 1 : k % 4], parity = k / 4 & 1"};
  EXPECT_FALSE(InStep(kGives, takes));
  Weakened without(Condition::kSameDistance);
  EXPECT_TRUE(InStep(kGives, takes));
}

// Of a barrier that nobody arrives at parity 1 is over.
TEST(InStep, NotWhereOneStepWaitsForNothing) {
  const Word takes{.step =
                       "mbarrier.wait b[k == 2 ? 4 : k % 4], "
                       "parity = k == 2 ? 1 : k / 4 & 1"};
  EXPECT_FALSE(InStep(kGives, takes));
  Weakened without(Condition::kNoneLacks);
  EXPECT_TRUE(InStep(kGives, takes));
}

TEST(InStep, NotWhereItIsDoneInALaterPart) {
  const Word gives{.behind = "mbarrier.arrive c"};
  const Word takes{.front = "mbarrier.wait c, parity = t & 1"};
  EXPECT_FALSE(InStep(gives, takes));
  Weakened without(Condition::kNotLater);
  EXPECT_TRUE(InStep(gives, takes));
}

TEST(InStep, NotWhereTheyMeetInTwoParts) {
  const Word front{.front = "bar.sync 1, 64", .lanes = ""};
  const Word behind{.behind = "bar.sync 1, 64", .lanes = ""};
  EXPECT_TRUE(InStep(front, front));
  EXPECT_FALSE(InStep(front, behind));
  Weakened without(Condition::kMeetInPart);
  EXPECT_TRUE(InStep(front, behind));
}

// Who is second in the text is not behind the first one's loops.
TEST(InStep, NotWhereRegistersAreGivenBackBehindTheLoops) {
  EXPECT_TRUE(InStepWith("setmaxnreg.dec 40", ""));
  EXPECT_FALSE(InStepWith("", "setmaxnreg.dec 40"));
  Weakened without(Condition::kNotLater);
  EXPECT_TRUE(InStepWith("", "setmaxnreg.dec 40"));
}

TEST(InStep, NotWhereABarrierBegins) {
  const Word inits{.front = "mbarrier.init d, 1\n mbarrier.inval d"};
  EXPECT_FALSE(InStep(inits, {}));
  Weakened without(Condition::kNothingBegins);
  EXPECT_TRUE(InStep(inits, {}));
}

TEST(InStep, NotWhereAThreadGoesAroundTwice) {
  const Word again{
      .step = "st s[0], 1",
      .end = "for t in 0..R {\n for j in 0..N {\n st s[1], 1\n }\n }"};
  EXPECT_FALSE(InStep(again, {}));
  Weakened without(Condition::kOnePair);
  EXPECT_TRUE(InStep(again, {}));
}

}  // namespace
}  // namespace tilesim::checkers::pipeline
