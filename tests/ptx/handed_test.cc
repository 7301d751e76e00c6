// What docs/all_sizes.md 3.19 asks for of clusters that are handed out is
// needed: without one condition a launch that has findings, or no answer, is
// clean.
#include <fstream>
#include <memory>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "checkers/pipeline/judge_code.h"
#include "checkers/pipeline/run_some.h"
#include "checkers/proof/condition.h"
#include "gtest/gtest.h"
#include "ptx/launch/launch.h"
#include "ptx/machine/lower.h"
#include "ptx/text/parser.h"
#include "sim/machine/byte_sets.h"

namespace tilesim {
namespace {

using checkers::pipeline::Verdict;
using checkers::proof::Condition;
using checkers::proof::Weakened;

std::string ReadFile(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

struct Change {
  std::string_view cut, put;
};

// tests/ptx/check/handed.ptx with that change, at 64 clusters.
Verdict VerdictOf(const Change& change) {
  const std::string at = "tests/ptx/check/handed";
  std::string text = ReadFile(at + ".ptx");
  const size_t place = text.find(change.cut);
  EXPECT_NE(place, std::string::npos);
  text.replace(place, change.cut.size(), change.put);
  ir::Diagnostics diagnostics;
  const auto module = ptx::Parse({at + ".ptx", text}, diagnostics);
  std::vector<ptx::LaunchError> errors;
  const auto launches = ptx::ReadLaunch(ReadFile(at + ".json"), errors);
  EXPECT_TRUE(module && launches);
  const auto sets = std::make_shared<machine::ByteSets>();
  ptx::Followed followed;
  constexpr int kMostRounds = 40;
  constexpr int64_t kMaxEvents = 20'000;
  for (int round = 0; round < kMostRounds; ++round) {
    auto lowered =
        ptx::Lower(*module, *launches, 0, followed, sets, diagnostics);
    if (!lowered) return Verdict::kIncomplete;
    checkers::pipeline::RunSome(*lowered->code, !followed.words.empty(),
                                kMaxEvents);
    if (lowered->guide->Grow(followed)) continue;
    ptx::NameFound(*lowered);
    ir::Program program;
    program.kernels.push_back(std::move(lowered->program->kernels[0]));
    lowered->code->bound.kernel = program.kernels.data();
    std::vector<std::unique_ptr<machine::Code>> codes;
    codes.push_back(std::move(lowered->code));
    return checkers::pipeline::CheckCode(program, std::move(codes),
                                         lowered->open, {})
        .verdict;
  }
  return Verdict::kIncomplete;
}

// Who stores does not hand back a tile: that of the twentieth iteration; of
// cluster 40. And each stores a word behind its tile.
constexpr Change kTwentieth = {
    "  mbarrier.arrive.shared::cta.b64 _, [%r12+48];\n",
    "  setp.eq.u32 %p8, %r8, 20;\n  @%p8 bra HEARD;\n"
    "  mbarrier.arrive.shared::cta.b64 _, [%r12+48];\n"};
constexpr Change kFortieth = {
    "  mbarrier.arrive.shared::cta.b64 _, [%r12+48];\n",
    "  setp.eq.u32 %p8, %r7, 40;\n  @%p8 bra HEARD;\n"
    "  mbarrier.arrive.shared::cta.b64 _, [%r12+48];\n"};
constexpr Change kSlots = {"  or.b32 %r21, %r17, %r3;\n",
                           "  or.b32 %r21, %r17, %r3;\n"
                           "  and.b32 %r21, %r21, 1023;\n"};

TEST(Handed, RightOneIsClean) {
  EXPECT_EQ(VerdictOf({"ret;", "ret;"}), Verdict::kClean);
}

TEST(Handed, StateRecurs) {
  EXPECT_EQ(VerdictOf(kTwentieth), Verdict::kFindings);
  const Weakened without(Condition::kHandedState);
  EXPECT_EQ(VerdictOf(kTwentieth), Verdict::kClean);
}

TEST(Handed, WhicheverItIs) {
  EXPECT_EQ(VerdictOf(kFortieth), Verdict::kFindings);
  const Weakened without(Condition::kHandedWhichever);
  EXPECT_EQ(VerdictOf(kFortieth), Verdict::kClean);
}

TEST(Handed, LieApart) {
  EXPECT_EQ(VerdictOf(kSlots), Verdict::kFindings);
  const Weakened without(Condition::kHandedApart);
  EXPECT_EQ(VerdictOf(kSlots), Verdict::kClean);
}

}  // namespace
}  // namespace tilesim
