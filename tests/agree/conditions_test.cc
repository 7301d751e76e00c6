// Each condition of the certificate is needed: without it `check` calls a
// program clean that it has findings of, or no answer to. docs/certificate.md 3
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
  Verdict verdict;  // with the condition
};

constexpr Needed kNeeded[] = {
    {"Lives", Condition::kLives, "tests/verify/init_not_published.tile",
     Verdict::kFindings},
    {"Contributions", Condition::kContributions,
     "tests/agree/conditions/arrival_counts_too_soon.tile", Verdict::kFindings},
    {"Waits", Condition::kWaits, "tests/verify/onlooker_is_overtaken.tile",
     Verdict::kFindings},
    {"WaitsForTheOneBefore", Condition::kWaits,
     "tests/peers/last_warp_skips_a_phase.tile", Verdict::kFindings},
    {"Expectations", Condition::kExpectations,
     "tests/agree/conditions/bytes_expected_too_late.tile", Verdict::kFindings},
    {"Counts", Condition::kCounts,
     "tests/agree/conditions/bytes_in_two_steps.tile", Verdict::kFindings},
    {"Barriers", Condition::kBarriers,
     "tests/peers/two_arrivals_at_a_named_barrier_in_no_order.tile",
     Verdict::kFindings},
    {"Pools", Condition::kPools,
     "tests/agree/conditions/registers_in_two_orders.tile", Verdict::kFindings},
};

class Conditions : public testing::TestWithParam<Needed> {};

TEST_P(Conditions, WithoutItTheAnswerIsWrong) {
  const std::string path = GetParam().program;
  EXPECT_EQ(CheckFile(path, {}).verdict, GetParam().verdict);
  proof::Weakened without(GetParam().condition);
  EXPECT_EQ(CheckFile(path, {}).verdict, Verdict::kClean);
}

INSTANTIATE_TEST_SUITE_P(Certificate, Conditions, testing::ValuesIn(kNeeded),
                         [](const auto& test) { return test.param.name; });

}  // namespace
}  // namespace tilesim::checkers
