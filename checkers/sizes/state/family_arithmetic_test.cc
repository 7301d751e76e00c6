#include "checkers/sizes/state/family_arithmetic.h"

#include <gtest/gtest.h>

#include "checkers/sizes/algebra/numbers_test.h"

namespace tilesim::checkers::sizes::state {
using algebra::C;
using algebra::K;
using algebra::M;
using algebra::N;
using algebra::Polynomial;
using algebra::Symbolic;

namespace {

using ir::ExprOp;

// n <= 5 and m <= n.
FamilyArithmetic Arithmetic() {
  Family family;
  family.facts.Add(C(5) - N());
  family.facts.Add(N() - M());
  return FamilyArithmetic(std::move(family));
}

TEST(FamilyArithmetic, FactsDecideComparisons) {
  FamilyArithmetic arithmetic = Arithmetic();
  EXPECT_EQ(arithmetic.Compute(ExprOp::kLt, K(N()), K(6)).known(), 1);
  EXPECT_EQ(arithmetic.Compute(ExprOp::kGt, K(M()), K(N())).known(), 0);
  EXPECT_EQ(arithmetic.Compute(ExprOp::kNe, K(N()), K(9)).known(), 1);
  EXPECT_FALSE(arithmetic.undecided());
}

TEST(FamilyArithmetic, WhatTheyDoNotIsUnknownBecauseOfTheNumber) {
  FamilyArithmetic arithmetic = Arithmetic();
  Symbolic less = arithmetic.Compute(ExprOp::kLt, K(N()), K(5));
  EXPECT_TRUE(less.unknown());
  EXPECT_EQ(less.of, C(4) - N());
  EXPECT_EQ(arithmetic.compared(), C(4) - N());
}

TEST(FamilyArithmetic, DividesWhatOnlyFactsSayIsNatural) {
  FamilyArithmetic arithmetic = Arithmetic();
  // 4 (n - m) + 6 is 4 (n - m + 1) + 2.
  Symbolic number = K(N(4) - M(4) + C(6));
  EXPECT_EQ(arithmetic.Compute(ExprOp::kDiv, number, K(4)),
            K(N() - M() + C(1)));
  EXPECT_EQ(arithmetic.Compute(ExprOp::kRem, number, K(4)).known(), 2);
}

// n of m iterations are done, r are left.
TEST(FamilyArithmetic, ASumOfTwoIsReplacedForAWhile) {
  FamilyArithmetic arithmetic{Family()};
  const Polynomial left = Polynomial::Of(9);
  EXPECT_EQ(arithmetic.AtLeast0(M() - N()), std::nullopt);
  arithmetic.Push({M(), N() + left});
  EXPECT_EQ(arithmetic.AtLeast0(M() - N()), true);
  arithmetic.Pop();
  EXPECT_EQ(arithmetic.AtLeast0(M() - N()), std::nullopt);
}

TEST(FamilyArithmetic, ABoundedRestIsRoundedOff) {
  FamilyArithmetic arithmetic = Arithmetic();
  auto over8 = [&](const Polynomial& of) {
    return arithmetic.Compute(ExprOp::kDiv, K(of), K(8));
  };
  // n is at most 5: of 16 m + n + 2 nothing reaches the next multiple,
  EXPECT_EQ(over8(M(16) + N() + C(2)), K(M(2)));
  EXPECT_EQ(over8(M(16) - N() + C(13)), K(M(2) + C(1)));
  // of these something may.
  EXPECT_EQ(over8(M(16) + N() + C(3)).kind, Symbolic::Kind::kQuotient);
  EXPECT_NE(over8(M(16) - N() + C(12)), K(M(2) + C(1)));
}

TEST(FamilyArithmetic, ARemainderIsBelowItsDivisor) {
  FamilyArithmetic arithmetic = Arithmetic();
  Symbolic slot = arithmetic.Compute(ExprOp::kRem, K(N()), K(4));
  EXPECT_EQ(arithmetic.Below(slot, K(4)).known(), 1);
  EXPECT_EQ(arithmetic.Below(slot, K(C(4) + M())).known(), 1);
  EXPECT_TRUE(arithmetic.Below(slot, K(3)).unknown());
  EXPECT_EQ(arithmetic.Natural(slot).known(), 1);
}

TEST(FamilyArithmetic, WhatCannotBeSaidMayBeMadeUp) {
  FamilyArithmetic arithmetic = Arithmetic();
  EXPECT_TRUE(
      arithmetic.Compute(ExprOp::kMul, K(N()), Symbolic::Unknown()).unknown());
  arithmetic.OnUnsaid([](ExprOp, int32_t, const Symbolic&, const Symbolic&) {
    return Symbolic::Number(Polynomial::Of(8));
  });
  EXPECT_EQ(arithmetic.Compute(ExprOp::kMul, K(N()), Symbolic::Unknown()),
            Symbolic::Number(Polynomial::Of(8)));
}

TEST(Rewritten, TakesAllThatIsAMultiple) {
  // x y is n.
  const Polynomial x = Polynomial::Of(5), y = Polynomial::Of(6);
  const std::vector<Rewrite> known = {{x * y, N()}};
  EXPECT_EQ(Rewritten(C(3) + C(2) * x * y + x, known), C(3) + N(2) + x);
  EXPECT_EQ(Rewritten(x * y * M(), known), N() * M());
}

}  // namespace
}  // namespace tilesim::checkers::sizes::state
