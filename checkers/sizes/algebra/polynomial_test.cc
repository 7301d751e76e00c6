#include "checkers/sizes/algebra/polynomial.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>

#include "checkers/sizes/algebra/numbers_test.h"

namespace tilesim::checkers::sizes::algebra {
namespace {

using testing::Optional;

TEST(Polynomial, MultipliesOut) {
  Polynomial p = (C(2) + N()) * (C(3) + M());
  EXPECT_EQ(p, C(6) + N(3) + M(2) + N() * M());
  EXPECT_EQ(p.Replace(kN, C(1)), C(9) + M(3));
  EXPECT_EQ(p - p, C(0));
}

TEST(Polynomial, DividesExactlyOrNotAtAll) {
  const Polynomial a = C(2) + N(3), b = C(5) + N() + M() * N();
  EXPECT_THAT((a * b).DividedBy(a), Optional(b));
  EXPECT_THAT((a * b).DividedBy(b), Optional(a));
  EXPECT_THAT((a * a * b).DividedBy(a * b), Optional(a));
  EXPECT_THAT(C(0).DividedBy(a), Optional(C(0)));
  EXPECT_EQ((a * b + C(1)).DividedBy(a), std::nullopt);
  EXPECT_EQ((N() * M()).DividedBy(N() + C(1)), std::nullopt);
  EXPECT_EQ(N(3).DividedBy(C(2)), std::nullopt);
  EXPECT_EQ(N().DividedBy(C(0)), std::nullopt);
  EXPECT_EQ(N().DividedBy(Polynomial::Bad()), std::nullopt);
}

TEST(Polynomial, ASignHoldsForAllValuesOrIsNotKnown) {
  EXPECT_THAT((C(0) + N()).AtLeast(0), Optional(true));
  EXPECT_THAT((C(-1) - N(2)).AtLeast(0), Optional(false));
  EXPECT_EQ((C(-1) + N()).AtLeast(0), std::nullopt);
  EXPECT_EQ((C(5) - N()).AtLeast(0), std::nullopt);
  EXPECT_THAT((C(1) + N()).IsZero(), Optional(false));
  EXPECT_EQ(N().IsZero(), std::nullopt);
}

TEST(Polynomial, OverflowIsBad) {
  Polynomial p = C(INT64_MAX) + C(1);
  EXPECT_TRUE(p.bad());
  EXPECT_TRUE((p * N()).bad());
  EXPECT_EQ(p.AtLeast(0), std::nullopt);
}

}  // namespace
}  // namespace tilesim::checkers::sizes::algebra
