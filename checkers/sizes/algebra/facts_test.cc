#include "checkers/sizes/algebra/facts.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>

#include "checkers/sizes/algebra/numbers_test.h"

namespace tilesim::checkers::sizes::algebra {
namespace {

using testing::Optional;

TEST(Facts, SumsOfThemAreConclusions) {
  Facts facts;
  facts.Add(C(131) - N());       // n <= 131
  facts.Add(N(2) - M() - C(1));  // m < 2 n
  EXPECT_THAT(facts.AtLeast0(C(140) - N()), Optional(true));
  EXPECT_THAT(facts.AtLeast0(N() - C(132)), Optional(false));
  EXPECT_THAT(facts.AtLeast0(C(261) - M()), Optional(true));
  EXPECT_EQ(facts.AtLeast0(C(260) - M()), std::nullopt);
  EXPECT_EQ(facts.AtLeast0(N() - C(5)), std::nullopt);
  EXPECT_THAT(facts.IsZero(N() - C(200)), Optional(false));
  EXPECT_EQ(facts.IsZero(N() - C(5)), std::nullopt);
  EXPECT_FALSE(facts.contradictory());
  facts.Add(M() - N(2));
  EXPECT_TRUE(facts.contradictory());
}

// x < N and y < M, with n and m one less.
TEST(Facts, TimesASymbolAreConclusions) {
  Facts facts;
  Polynomial x = Polynomial::Of(7), y = Polynomial::Of(8);
  facts.Add(N() - x);
  facts.Add(M() - y);
  const Polynomial one = C(1), number = (M() + one) * (N() + one) - one - x;
  EXPECT_THAT(facts.AtLeast0(number - y * (N() + one)), Optional(true));
  EXPECT_EQ(facts.AtLeast0(number - y * (M() + one)), std::nullopt);
  EXPECT_EQ(facts.AtLeast0(number - y * (N() + one) - one), std::nullopt);
}

TEST(Facts, OverflowIsNotCertain) {
  Facts facts;
  facts.Add(C(INT64_MAX) - N(INT64_MAX - 1));
  EXPECT_EQ(facts.AtLeast0(C(7) - N(INT64_MAX)), std::nullopt);
}

}  // namespace
}  // namespace tilesim::checkers::sizes::algebra
