// What the proof for all sizes asks for is needed: without it `check` calls a
// program clean in all sizes that has findings at one. docs/all_sizes.md 8
// names the programs.
#include <string>

#include "checkers/proof/condition.h"
#include "gtest/gtest.h"
#include "tests/agree/check_text.h"

namespace tilesim::checkers {
namespace {

using proof::Condition;

struct Needed {
  const char* name;
  Condition condition;
  const char* program;
  ir::Overrides wrong_at;
};

const Needed kNeeded[] = {
    {"RingOperands",
     Condition::kRingOperands,
     "tests/sizes/conditions/slot_stays_from_turn_ten_on.tile",
     {{"N", 12}}},
    {"RingExtents",
     Condition::kRingExtents,
     "tests/sizes/conditions/slots_written_to_different_extents.tile",
     {{"N", 13}}},
    {"WholeDigits",
     Condition::kWholeDigits,
     "tests/sizes/conditions/divisor_of_no_digit.tile",
     {{"N", 4001}}},
    {"IdleIterations",
     Condition::kIdleIterations,
     "tests/sizes/conditions/idle_up_to_turn_5000.tile",
     {{"N", 5001}}},
    {"AllOfACell",
     Condition::kAllOfACell,
     "tests/catalogue/D05_consumer_loop_is_capped.tile",
     {{"N", 14}}},
    {"SeenToTheEnd",
     Condition::kSeenToTheEnd,
     "tests/attacks/ring_of_one_slot_too_few.tile",
     {{"N", 10}}},
    {"AsManyAsCells",
     Condition::kAsManyAsCells,
     "tests/verify/last_half_tile_is_not_stored.tile",
     {{"M", 1600}}},
    {"EqualArguments",
     Condition::kEqualArguments,
     "tests/verify/workspace_slot_comes_again.tile",
     {{"N", 23}}},
    {"NothingRaises",
     Condition::kNothingRaises,
     "tests/attacks/second_warp_seven_rows_on.tile",
     {{"K", 9}}},
};

bool IsCleanInAllSizes(const CheckReport& report) {
  return report.verdict == Verdict::kClean && report.scope.all_sizes;
}

class Conditions : public testing::TestWithParam<Needed> {};

TEST_P(Conditions, WithoutItTheAnswerIsWrong) {
  const std::string path = GetParam().program;
  EXPECT_FALSE(IsCleanInAllSizes(CheckFile(path, {})));
  CheckOptions there;
  there.defines = GetParam().wrong_at;
  EXPECT_EQ(CheckFile(path, there).verdict, Verdict::kFindings);
  proof::Weakened without(GetParam().condition);
  EXPECT_TRUE(IsCleanInAllSizes(CheckFile(path, {})));
}

// Short runs at a size that is asked for are judged, whatever was proved.
TEST(AskedSizes, ASizeThatIsAskedForIsRunAsWell) {
  proof::Weakened without(Condition::kRingOperands);
  const char* path = "tests/sizes/conditions/slot_stays_from_turn_ten_on.tile";
  EXPECT_TRUE(IsCleanInAllSizes(CheckFile(path, {})));
  CheckOptions there;
  there.defines = {{"N", 12}};
  EXPECT_EQ(CheckFile(path, there).verdict, Verdict::kFindings);
}

INSTANTIATE_TEST_SUITE_P(AllSizes, Conditions, testing::ValuesIn(kNeeded),
                         [](const auto& test) { return test.param.name; });

}  // namespace
}  // namespace tilesim::checkers
