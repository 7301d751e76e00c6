// What the proof for all sizes asks for is needed: without it `check` calls a
// program clean in all sizes that has findings at one, or no answer to.
// docs/all_sizes.md 8 names the programs.
#include <algorithm>
#include <iterator>
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
  Verdict verdict = Verdict::kFindings;  // there, with the condition
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
    {"OwnPart",
     Condition::kOwnPart,
     "tests/attacks/slot_of_an_array_that_has_fewer.tile",
     {{"K", 100000}}},
    {"StaysInRange",
     Condition::kStaysInRange,
     "tests/sizes/conditions/shift_by_63_far_on.tile",
     {{"N", 6400}}},
    {"FixedPlaces",
     Condition::kFixedPlaces,
     "tests/sizes/conditions/row_that_a_size_names.tile",
     {{"P", 5000}}},
    {"StepsRise",
     Condition::kStepsRise,
     "tests/sizes/conditions/step_that_was_missed.tile",
     {{"P", 6}},
     Verdict::kIncomplete},
    {"AsksOnly",
     Condition::kAsksOnly,
     "tests/sizes/conditions/reads_while_it_asks.tile",
     {{"N", 4001}}},
    {"AsByItsOwn",
     Condition::kAsByItsOwn,
     "tests/sizes/conditions/third_cluster_is_not_stored.tile",
     {{"N", 20}},
     Verdict::kIncomplete},
    {"EachAnswer",
     Condition::kEachAnswer,
     "tests/sizes/conditions/every_other_answer_is_not_read.tile",
     {{"N", 20}},
     Verdict::kIncomplete},
    {"LastStores",
     Condition::kLastStores,
     "tests/sizes/conditions/last_to_count_skips_a_row.tile",
     {{"Q", 8}},
     Verdict::kIncomplete},
    {"OnePlaceAWord",
     Condition::kOnePlaceAWord,
     "tests/sizes/conditions/last_of_a_row_stores_behind_it.tile",
     {{"S", 2}},
     Verdict::kIncomplete},
    {"AnyCounts",
     Condition::kAnyCounts,
     "tests/sizes/conditions/nobody_counts_where_one_is_enough.tile",
     {{"S", 1}},
     Verdict::kIncomplete},
    {"EachInAPiece",
     Condition::kEachInAPiece,
     "tests/sizes/conditions/tile_at_which_a_piece_ends.tile",
     {{"P", 20}}},
    {"LetsPass",
     Condition::kLetsPass,
     "tests/attacks/scope_of_nobody_in_large_grids.tile",
     {{"N", 1001}}},
    {"EqualArguments",
     Condition::kEqualArguments,
     "tests/verify/workspace_slot_comes_again.tile",
     {{"N", 23}}},
    {"NothingRaises",
     Condition::kNothingRaises,
     "tests/attacks/second_warp_seven_rows_on.tile",
     {{"K", 9}}},
    {"SameState",
     Condition::kSameState,
     "tests/sizes/conditions/counter_goes_faster_and_faster.tile",
     {{"N", 11}}},
    {"RingMemory",
     Condition::kRingMemory,
     "tests/sizes/conditions/ring_over_another_ring.tile",
     {{"N", 10}}},
    {"Window",
     Condition::kWindow,
     "tests/sizes/conditions/eight_barriers_that_nobody_frees.tile",
     {{"N", 17}}},
    {"FlagsSetOnce",
     Condition::kFlagsSetOnce,
     "tests/sizes/conditions/flag_set_after_each_store.tile",
     {{"K", 10}, {"N", 2}},
     Verdict::kIncomplete},
    {"SameTrips",
     Condition::kSameTrips,
     "tests/sizes/conditions/who_takes_has_one_more_far_on.tile",
     {{"N", 4000001}}},
    {"PassedOver",
     Condition::kPassedOver,
     "tests/sizes/conditions/tile_in_the_middle_is_passed_over.tile",
     {{"N", 4000000}}},
    {"AllEntered",
     Condition::kAllEntered,
     "tests/sizes/conditions/who_reads_has_no_iteration_far_on.tile",
     {{"N", 4000001}}},
    {"PassedBy",
     Condition::kPassedBy,
     "tests/sizes/conditions/loop_is_passed_by_far_on.tile",
     {{"N", 4000001}}},
    {"PlaceInside",
     Condition::kPlaceInside,
     "tests/sizes/conditions/page_behind_the_cache.tile",
     {{"B", 1}},
     Verdict::kIncomplete},
    {"PlaceUnread",
     Condition::kPlaceUnread,
     "tests/sizes/conditions/row_that_was_not_written_is_read.tile",
     {{"B", 1}},
     Verdict::kIncomplete},
    {"OwnInFront",
     Condition::kOwnInFront,
     "tests/sizes/conditions/left_by_a_tile_that_was_passed_over.tile",
     {{"T", 400132}}},
    {"SameElement",
     Condition::kSameElement,
     "tests/sizes/conditions/elements_of_two_ctas.tile",
     {{"N", 5001}},
     Verdict::kIncomplete},
    {"PutBackLast",
     Condition::kPutBackLast,
     "tests/sizes/conditions/put_back_by_the_last_but_one.tile",
     {{"N", 3}},
     Verdict::kIncomplete},
    {"AnyPlace",
     Condition::kAnyPlace,
     "tests/sizes/conditions/element_that_another_place_was_written.tile",
     {{"N", 1}},
     Verdict::kIncomplete},
    {"AsLoaded",
     Condition::kAsLoaded,
     "tests/sizes/conditions/bin_behind_the_last_one.tile",
     {{"N", 1}},
     Verdict::kIncomplete},
    {"OneStore",
     Condition::kOneStore,
     "tests/sizes/conditions/rows_that_two_ops_store.tile",
     {{"T", 6000}},
     Verdict::kIncomplete},
    {"OtherExecution",
     Condition::kOtherExecution,
     "tests/sizes/conditions/row_of_the_iteration_before.tile",
     {{"T", 6000}}},
    {"LastIteration",
     Condition::kLastIteration,
     "tests/sizes/conditions/no_iteration_from_the_thousandth_on.tile",
     {{"N", 1003}, {"T", 1}}},
    {"FlagsAlone",
     Condition::kFlagsAlone,
     "tests/sizes/conditions/flags_of_one_of_two_peers.tile",
     {{"M", 6}}},
    {"AccumulatorKept",
     Condition::kAccumulatorKept,
     "tests/sizes/conditions/adds_to_sums_of_another_type.tile",
     {{"KT", 2}, {"T", 4}}},
    {"AccumulatorWritten",
     Condition::kAccumulatorWritten,
     "tests/sizes/conditions/adds_to_nothing_in_some_sizes.tile",
     {{"N", 5000003}}},
    {"WholeRounds",
     Condition::kWholeRounds,
     "tests/sizes/conditions/one_of_two_barriers_begins_again.tile",
     {{"N", 6}}},
    {"OneLast",
     Condition::kOneLast,
     "tests/sizes/conditions/last_but_one_reads_far_on.tile",
     {{"N", 102}}},
    {"FlagOfOneCta",
     Condition::kFlagOfOneCta,
     "tests/sizes/conditions/all_of_a_column_set_one_flag.tile",
     {{"R", 11}, {"N", 2}},
     Verdict::kIncomplete},
    {"InCells",
     Condition::kInCells,
     "tests/sizes/conditions/store_begins_inside_a_cell.tile",
     {{"M", 128}}},
    {"Defined",
     Condition::kDefined,
     "tests/sizes/conditions/divides_by_zero_at_one_size.tile",
     {{"N", 8}}},
    {"PositiveFactor",
     Condition::kPositiveFactor,
     "tests/sizes/conditions/factor_that_is_negative_at_one_size.tile",
     {{"N", 3}, {"P", 5000}}},
    {"OneDivisor",
     Condition::kOneDivisor,
     "tests/sizes/conditions/quotients_by_100_and_by_101.tile",
     {{"N", 202}}},
    {"EndsAsWritten",
     Condition::kEndsAsWritten,
     "tests/sizes/conditions/guard_covers_a_tile_far_on.tile",
     {{"T", 5001}}},
    {"SameText",
     Condition::kSameText,
     "tests/sizes/conditions/lengths_of_two_tables.tile",
     {{"T", 9}},
     Verdict::kIncomplete},
    {"CountNow",
     Condition::kCountNow,
     "tests/attacks/count_kept_in_front_of_the_steps.tile",
     {{"T", 9}},
     Verdict::kIncomplete},
    {"OneCount",
     Condition::kOneCount,
     "tests/sizes/conditions/element_named_by_step_and_tile.tile",
     {{"T", 9}},
     Verdict::kIncomplete},
    {"OneForAll",
     Condition::kOneForAll,
     "tests/sizes/conditions/elements_named_by_either_count.tile",
     {{"T", 9}},
     Verdict::kIncomplete},
    {"NoneMissing",
     Condition::kNoneMissing,
     "tests/sizes/conditions/tile_is_handed_on_by_the_step_before.tile",
     {{"T", 9}},
     Verdict::kIncomplete},
    {"FixedNumbers",
     Condition::kFixedNumbers,
     "tests/attacks/groups_left_pending_by_two_counts.tile",
     {{"T", 9}},
     Verdict::kIncomplete},
    {"OfIteration",
     Condition::kOfIteration,
     "tests/sizes/conditions/element_outside_named_by_step_and_tile.tile",
     {{"T", 9}},
     Verdict::kIncomplete},
    {"Always",
     Condition::kAlways,
     "tests/attacks/tile_written_where_two_counts_agree.tile",
     {{"T", 9}},
     Verdict::kIncomplete},
    {"SumsBegin",
     Condition::kSumsBegin,
     "tests/sizes/conditions/sums_begin_with_the_ninth_tile.tile",
     {{"T", 9}},
     Verdict::kIncomplete},
    {"FixedRegisters",
     Condition::kFixedRegisters,
     "tests/attacks/registers_named_by_two_counts.tile",
     {{"T", 9}},
     Verdict::kIncomplete},
    {"OnlyUpdates",
     Condition::kOnlyUpdates,
     "tests/sizes/conditions/sums_begin_but_in_one_row.tile",
     {{"Q", 77}, {"T", 1}}},
    {"ElementOfTile",
     Condition::kElementOfTile,
     "tests/sizes/conditions/element_that_was_added_to.tile",
     {{"T", 9}},
     Verdict::kIncomplete},
    {"BelowGrid",
     Condition::kBelowGrid,
     "tests/sizes/conditions/begins_beyond_the_step.tile",
     {{"R", 3}, {"T", 9}}},
    {"SetterIsOver",
     Condition::kSetterIsOver,
     "tests/sizes/conditions/cleared_while_others_count.tile",
     {{"M", 41}},
     Verdict::kIncomplete},
    {"NoneLacks",
     Condition::kNoneLacks,
     "tests/attacks/order_that_one_step_lacks.tile",
     {{"T", 9}},
     Verdict::kIncomplete},
};

// Those of a certificate have programs of their own
// (tests/agree/conditions_test.cc). What else no program shows, a unit test
// does.
constexpr Condition kShownElsewhere[] = {
    Condition::kLives,
    Condition::kContributions,
    Condition::kWaits,
    Condition::kExpectations,
    Condition::kCounts,
    Condition::kBarriers,
    Condition::kPools,
    // tests/agree/dependence_window_test.cc
    Condition::kReadsInOrder,
    // checkers/sizes/protocol/grid_flags_test.cc
    Condition::kFlagsOneWay,
    Condition::kUnsetUnawaited,
    Condition::kSettersWaitForNone,
    Condition::kBarrierOfAll,
    Condition::kSetBeforeWaits,
    // checkers/grid/coverage_test.cc
    Condition::kGuardsInside,
    // checkers/sizes/partition/ragged_loops_test.cc
    Condition::kOwnBarriers,
    Condition::kOneBehind,
    // checkers/pipeline/in_step_test.cc
    Condition::kOnePair,
    Condition::kNotLater,
    Condition::kMeetInPart,
    Condition::kSameDistance,
    Condition::kNothingBegins,
};

bool IsCleanInAllSizes(const CheckReport& report) {
  return report.verdict == Verdict::kClean && report.scope.all_sizes;
}

class OneCondition : public testing::TestWithParam<Needed> {};

TEST_P(OneCondition, WithoutItTheAnswerIsWrong) {
  const std::string path = GetParam().program;
  EXPECT_FALSE(IsCleanInAllSizes(CheckFile(path, {})));
  CheckOptions there;
  there.defines = GetParam().wrong_at;
  EXPECT_EQ(CheckFile(path, there).verdict, GetParam().verdict);
  proof::Weakened without(GetParam().condition);
  EXPECT_TRUE(IsCleanInAllSizes(CheckFile(path, {})));
}

TEST(Conditions, EachIsShownToBeNeededOnce) {
  for (const proof::Named& named : proof::Conditions()) {
    auto rows = std::count_if(
        std::begin(kNeeded), std::end(kNeeded),
        [&](const Needed& n) { return n.condition == named.condition; });
    auto elsewhere = std::count(std::begin(kShownElsewhere),
                                std::end(kShownElsewhere), named.condition);
    EXPECT_EQ(rows + elsewhere, 1) << named.name;
  }
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

INSTANTIATE_TEST_SUITE_P(AllSizes, OneCondition, testing::ValuesIn(kNeeded),
                         [](const auto& test) { return test.param.name; });

}  // namespace
}  // namespace tilesim::checkers
