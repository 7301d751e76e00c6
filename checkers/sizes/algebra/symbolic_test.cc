#include "checkers/sizes/algebra/symbolic.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>
#include <utility>

#include "checkers/sizes/algebra/moved.h"
#include "checkers/sizes/algebra/numbers_test.h"
#include "ir/apply.h"

namespace tilesim::checkers::sizes::algebra {
namespace {

using ir::ExprOp;
using testing::Optional;

// What a symbolic value is for one value of its symbols.
int64_t At(const Symbolic& s, int64_t n, int64_t m) {
  int64_t of = s.of.Replace(kN, C(n)).Replace(kM, C(m)).base();
  switch (s.kind) {
    case Symbolic::Kind::kNumber:
      return of;
    case Symbolic::Kind::kRemainder:
      return of % s.by;
    case Symbolic::Kind::kQuotient:
      return of / s.by;
    case Symbolic::Kind::kDigit:
      return of / s.by % s.values;
    case Symbolic::Kind::kAtLeast0:
      return of >= 0;
    case Symbolic::Kind::kUnknown:
      break;
  }
  ADD_FAILURE() << "unknown";
  return 0;
}

TEST(Symbolic, ATruthValueThatIsComparedIsOne) {
  const Symbolic truth = Symbolic::AtLeast0(N() - C(3));
  for (ExprOp op : {ExprOp::kLt, ExprOp::kLe, ExprOp::kGt, ExprOp::kGe,
                    ExprOp::kEq, ExprOp::kNe}) {
    for (int64_t with = -2; with <= 3; ++with) {
      for (int64_t n = 0; n < 8; ++n) {
        EXPECT_EQ(At(Apply(op, truth, K(with)), n, 0),
                  *ir::Apply(op, n >= 3, with));
        EXPECT_EQ(At(Apply(op, K(with), truth), n, 0),
                  *ir::Apply(op, with, n >= 3));
      }
    }
  }
}

TEST(Symbolic, SlotAndParityOfARing) {
  Symbolic k = K(C(11) + N());
  Symbolic slot = Apply(ExprOp::kRem, k, K(4));
  Symbolic turn = Apply(ExprOp::kDiv, k, K(4));
  Symbolic parity = Apply(ExprOp::kBitAnd, turn, K(1));
  Symbolic other = Apply(ExprOp::kBitXor, parity, K(1));
  EXPECT_FALSE(slot.known());
  EXPECT_EQ(parity.kind, Symbolic::Kind::kDigit);
  for (int64_t n = 0; n < 20; ++n) {
    EXPECT_EQ(At(slot, n, 0), (11 + n) % 4);
    EXPECT_EQ(At(turn, n, 0), (11 + n) / 4);
    EXPECT_EQ(At(parity, n, 0), (11 + n) / 4 % 2);
    EXPECT_EQ(At(other, n, 0), 1 - (11 + n) / 4 % 2);
  }
}

TEST(Symbolic, AFlippedBitCounts) {
  Symbolic bit = K(0);
  for (int64_t i = 1; i < 5; ++i) {
    bit = Apply(ExprOp::kBitXor, bit, K(1));
    EXPECT_THAT(bit.known(), Optional(i % 2));
    EXPECT_EQ(bit.of, C(i));
  }
}

TEST(Symbolic, WholeTurnsLeaveTheSlotKnown) {
  Symbolic k = K(C(6) + N(8));
  EXPECT_THAT(Apply(ExprOp::kRem, k, K(4)).known(), Optional(2));
  Symbolic turn = Apply(ExprOp::kDiv, k, K(4));
  EXPECT_THAT(Apply(ExprOp::kBitAnd, turn, K(1)).known(), Optional(1));
}

TEST(Symbolic, AKnownSlotStillSaysWhichTurnItIsOf) {
  Symbolic slot = Apply(ExprOp::kRem, K(11), K(4));
  EXPECT_THAT(slot.known(), Optional(3));
  EXPECT_EQ(slot.kind, Symbolic::Kind::kRemainder);
  EXPECT_EQ(slot.of, C(11));
}

TEST(Symbolic, AnOpenComparisonSaysWhatIsCompared) {
  std::optional<Polynomial> compared;
  Symbolic less = Apply(ExprOp::kLt, K(3), K(C(3) + N()), &compared);
  EXPECT_TRUE(less.unknown());
  EXPECT_THAT(compared, Optional(C(-1) + N()));
  EXPECT_THAT(Apply(ExprOp::kLt, K(2), K(C(3) + N())).known(), Optional(1));
}

// The same numbers in different forms: what is added does not depend on them.
TEST(Symbolic, MovesOnInAnyForm) {
  Symbolic tiles = Apply(ExprOp::kDiv, K(C(384) + N(64)), K(64));
  Symbolic k = Apply(ExprOp::kAdd, tiles, K(1));  // a quotient still
  const std::pair<Symbolic, Symbolic> steps[] = {
      {K(3), K(C(5) + N())},
      {tiles, k},
      {K(C(6) + N()), k},
      {K(7), Apply(ExprOp::kDiv, K(C(17) + N(2)), K(2))},
      {Apply(ExprOp::kRem, K(C(6) + N()), K(2)), Apply(ExprOp::kRem, k, K(2))},
      {Apply(ExprOp::kRem, K(6), K(4)), Apply(ExprOp::kRem, K(7), K(4))},
      {Symbolic::AtLeast0(C(5) - N()), Symbolic::AtLeast0(C(4) - N())}};
  for (const auto& [from, to] : steps) {
    std::optional<Symbolic> moved = Moved(from, to);
    ASSERT_TRUE(moved);
    Symbolic once = MovedOn(from, *moved, C(1));
    Symbolic often = MovedOn(to, *moved, M());
    EXPECT_EQ(Moved(from, once), moved);
    for (int64_t n = 0; n < 9; ++n) {
      EXPECT_EQ(At(once, n, 0), At(to, n, 0));
      EXPECT_EQ(At(often, n, 0), At(to, n, 0));
    }
  }
  EXPECT_EQ(Moved(K(1), Apply(ExprOp::kRem, K(C(1) + N()), K(4))),
            std::nullopt);
  EXPECT_EQ(Moved(K(1), Symbolic::AtLeast0(N())), std::nullopt);
  EXPECT_EQ(Moved(Symbolic::Unknown(), K(1)), std::nullopt);
}

// Whatever is not unknown is right for every value of the symbols.
TEST(Symbolic, AgreesWithNumbers) {
  const Symbolic values[] = {K(0),
                             K(7),
                             K(C(5) + N()),
                             K(C(8) + N(4) + M(8)),
                             K(C(1) + N() * M()),
                             Apply(ExprOp::kRem, K(C(9) + N()), K(4)),
                             Apply(ExprOp::kDiv, K(C(9) + N(2)), K(4)),
                             Apply(ExprOp::kDiv, K(C(8) + M(8)), K(4)),
                             Symbolic::AtLeast0(C(3)),
                             Symbolic::AtLeast0(C(-3)),
                             Symbolic::AtLeast0(C(3) - N())};
  int known = 0;
  for (auto op = static_cast<int>(ExprOp::kMul);
       op <= static_cast<int>(ExprOp::kOr); ++op) {
    for (const Symbolic& a : values) {
      for (const Symbolic& b : values) {
        Symbolic out = Apply(static_cast<ExprOp>(op), a, b);
        if (out.unknown()) continue;
        ++known;
        for (int64_t n = 0; n < 7; ++n) {
          for (int64_t m = 0; m < 5; ++m) {
            EXPECT_THAT(
                ir::Apply(static_cast<ExprOp>(op), At(a, n, m), At(b, n, m)),
                Optional(At(out, n, m)))
                << "operator " << op << " at " << n << ", " << m;
          }
        }
      }
    }
  }
  EXPECT_GT(known, 320);
}

// Every way to take digits of digits, and to compare them, against numbers.
TEST(Symbolic, DigitsOfDigits) {
  Symbolic k = K(C(5) + N());
  int64_t decided = 0;
  for (int64_t m = 1; m <= 12; ++m) {
    for (int64_t d = 1; d <= 12; ++d) {
      for (ExprOp op : {ExprOp::kDiv, ExprOp::kRem}) {
        Symbolic rest = Apply(ExprOp::kRem, k, K(m));
        Symbolic digit = Apply(op, rest, K(d));
        EXPECT_EQ(digit.unknown(), m % d != 0 && d < m) << m << " " << d;
        for (int64_t n = 0; n < 30 && !digit.unknown(); ++n) {
          EXPECT_EQ(At(digit, n, 0), ir::Apply(op, (5 + n) % m, d));
          ++decided;
        }
      }
    }
  }
  EXPECT_GT(decided, 4000);
}

TEST(Symbolic, ComparisonsOfResidues) {
  Symbolic k = K(C(7) + N());
  int64_t decided = 0;
  for (int64_t m = 2; m <= 8; ++m) {
    Symbolic rest = Apply(ExprOp::kRem, k, K(m));
    for (int64_t c = -1; c <= 9; ++c) {
      for (ExprOp op : {ExprOp::kLt, ExprOp::kLe, ExprOp::kGt, ExprOp::kGe,
                        ExprOp::kEq, ExprOp::kNe}) {
        for (bool first : {true, false}) {
          Symbolic truth =
              first ? Apply(op, rest, K(c)) : Apply(op, K(c), rest);
          if (truth.unknown()) continue;
          ++decided;
          for (int64_t n = 0; n < 20; ++n) {
            int64_t is = (7 + n) % m;
            EXPECT_EQ(At(truth, n, 0),
                      first ? ir::Apply(op, is, c) : ir::Apply(op, c, is));
          }
        }
      }
    }
  }
  EXPECT_GT(decided, 300);
}

TEST(Symbolic, BitsAreAddedUp) {
  Symbolic k = K(C(3) + N());
  Symbolic parity = Apply(ExprOp::kRem, Apply(ExprOp::kDiv, k, K(3)), K(2));
  Symbolic bit = Apply(ExprOp::kRem, k, K(2));
  Symbolic sum = Apply(ExprOp::kBitXor, parity, bit);
  ASSERT_TRUE(IsOpenBit(sum));
  for (int64_t n = 0; n < 20; ++n) {
    EXPECT_EQ(At(sum, n, 0), ((3 + n) / 3 % 2) ^ ((3 + n) % 2));
    EXPECT_EQ(At(Apply(ExprOp::kBitXor, K(1), parity), n, 0),
              1 - (3 + n) / 3 % 2);
    EXPECT_EQ(At(Apply(ExprOp::kBitXor, parity, K(0)), n, 0), (3 + n) / 3 % 2);
  }
}

TEST(Symbolic, WhatIsNotFollowedSaysInWhichSteps) {
  Symbolic rest = Apply(ExprOp::kRem, K(N()), K(6));
  Symbolic sum = Apply(ExprOp::kAdd, rest, K(1));
  EXPECT_TRUE(sum.unknown());
  EXPECT_EQ(sum.of, N());
  EXPECT_EQ(sum.by, 6);
}

}  // namespace
}  // namespace tilesim::checkers::sizes::algebra
