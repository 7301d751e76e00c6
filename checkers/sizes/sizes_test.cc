#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "checkers/sizes/divide.h"
#include "checkers/sizes/facts.h"
#include "checkers/sizes/moved.h"
#include "checkers/sizes/polynomial.h"
#include "checkers/sizes/symbolic.h"
#include "ir/apply.h"

namespace tilesim::checkers::sizes {
namespace {

using ir::ExprOp;
using testing::Optional;

constexpr Symbol kN = 0, kM = 1;

Polynomial N(int64_t times = 1) { return Polynomial::Of(kN, times); }
Polynomial M(int64_t times = 1) { return Polynomial::Of(kM, times); }
Polynomial C(int64_t n) { return Polynomial(n); }

TEST(Polynomial, MultipliesOut) {
  Polynomial p = (C(2) + N()) * (C(3) + M());
  EXPECT_EQ(p, C(6) + N(3) + M(2) + N() * M());
  EXPECT_EQ(p.Replace(kN, C(1)), C(9) + M(3));
  EXPECT_EQ(p - p, C(0));
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

// S = 1 + n and T = 1 + m, not more than `sum` together.
SizeCell Two(int64_t sum) {
  SizeCell cell;
  cell.params = {C(1) + N(), C(1) + M()};
  cell.axes = {{kN, {"S"}}, {kM, {"T"}}};
  cell.facts.Add(C(sum) - N() - M());
  return cell;
}

// The pairs (n, m) of a cell whose symbols are all below `limit`.
std::multiset<std::pair<int64_t, int64_t>> Members(const SizeCell& cell,
                                                   int64_t limit) {
  std::multiset<std::pair<int64_t, int64_t>> out;
  std::vector<SizeCell> todo = {cell};
  while (!todo.empty()) {
    SizeCell c = todo.back();
    todo.pop_back();
    if (!c.axes.empty()) {
      Symbol s = c.axes.begin()->first;
      for (int64_t i = 0; i < limit; ++i) {
        todo.push_back(c);
        todo.back().Replace(s, C(i));
        todo.back().axes.erase(s);
      }
      continue;
    }
    if (c.HasInstance())
      out.emplace(c.params[0].base() - 1, c.params[1].base() - 1);
  }
  return out;
}

// No member is lost, and none is in two of them.
TEST(SizeCell, IsDividedIntoAllOfItself) {
  const SizeCell cell = Two(9);
  const auto all = Members(cell, 16);
  EXPECT_EQ(all.size(), 55u);
  Polynomial sum = N() + M(), number = N(2) - C(9);
  const SizeCells divided[] = {
      Lowest(cell, kN, 1),
      Lowest(cell, kM, 4),
      Lowest(cell, kM, 20),
      Spread(cell, kN, 3),
      *Cut(cell, number, 1),
      *Cut(cell, C(7) - M(3), 1),
      *Compared(cell, N() - M()),
      *Compared(cell, C(3) + N() - M()),
      *Compared(cell, M() - N() - C(4)),
      {*Counted(cell, sum - C(3), 1)},
      {*Counted(cell, sum - C(3), 4)},
      {*Counted(cell, C(5) - sum, 2)},
      {*Counted(cell, C(5) - M(), 3)},
  };
  for (const SizeCells& cells : divided) {
    std::multiset<std::pair<int64_t, int64_t>> together;
    for (SizeCell c : cells) {
      if (c.Settle()) together.merge(Members(c, 16));
    }
    EXPECT_EQ(together, all) << "way " << &cells - divided;
  }
  EXPECT_FALSE(Cut(cell, sum, 1));         // of two
  EXPECT_FALSE(Cut(cell, N() - C(2), 4));  // not that far
  EXPECT_FALSE(Counted(cell, N(), 1));     // is a symbol already
  EXPECT_FALSE(Compared(cell, sum));       // no difference
  EXPECT_FALSE(Compared(cell, N(2) - M(3)));
}

TEST(SizeCell, OfTwoThatAreComparedOneIsMore) {
  for (int64_t base = -3; base <= 3; ++base) {
    SizeCells cells = *Compared(Two(9), C(base) + N() - M());
    for (size_t i = 0; i < 2; ++i) {
      Polynomial difference = C(base) + cells[i].params[0] - cells[i].params[1];
      EXPECT_THAT(difference.AtLeast(0), Optional(i == 0));
    }
  }
}

TEST(SizeCell, FactsRaiseAndCloseSymbols) {
  SizeCell cell = Two(9);
  cell.facts.Add(N() - C(7));
  ASSERT_TRUE(cell.Settle());
  EXPECT_EQ(cell.params[0], C(8) + N());
  cell.facts.Add(Polynomial(-1) * M());
  ASSERT_TRUE(cell.Settle());
  EXPECT_EQ(cell.params[1], C(1));
  EXPECT_EQ(cell.axes.count(kM), 0u);
  cell.facts.Add(N() - C(3));
  EXPECT_FALSE(cell.Settle());
}

TEST(SizeCell, IsRaisedToAnInstance) {
  SizeCell cell = Two(9);
  cell.facts.Add(N() + M() - C(7));
  cell.facts.Add(C(2) - N());
  ASSERT_TRUE(cell.Settle());
  ASSERT_FALSE(cell.HasInstance());
  EXPECT_FALSE(SizeCell(cell).RaiseToInstance(1));
  ASSERT_TRUE(cell.RaiseToInstance(20));
  EXPECT_TRUE(cell.HasInstance());
  EXPECT_GE(cell.params[0].base() + cell.params[1].base(), 9);
  EXPECT_LE(cell.params[0].base(), 3);
}

TEST(SizeCell, APlaceIsInTheGrid) {
  for (bool from_last : {false, true}) {
    SizeCell cell = Placed(Two(9), 0, C(1) + N(), from_last);
    const Placing& p = *cell.positions[0];
    EXPECT_THAT(cell.facts.AtLeast0(p.at), Optional(true));
    EXPECT_THAT(cell.facts.AtLeast0(p.clusters - p.at - C(1)), Optional(true));
  }
}

Symbolic K(Polynomial p) { return Symbolic::Number(std::move(p)); }
Symbolic K(int64_t n) { return Symbolic::Number(n); }

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
    case Symbolic::Kind::kParity:
      return of / s.by % 2;
    case Symbolic::Kind::kAtLeast0:
      return of >= 0;
    case Symbolic::Kind::kUnknown:
      break;
  }
  ADD_FAILURE() << "unknown";
  return 0;
}

TEST(Symbolic, SlotAndParityOfARing) {
  Symbolic k = K(C(11) + N());
  Symbolic slot = Apply(ExprOp::kRem, k, K(4));
  Symbolic turn = Apply(ExprOp::kDiv, k, K(4));
  Symbolic parity = Apply(ExprOp::kBitAnd, turn, K(1));
  Symbolic other = Apply(ExprOp::kBitXor, parity, K(1));
  EXPECT_FALSE(slot.known());
  EXPECT_EQ(parity.kind, Symbolic::Kind::kParity);
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

}  // namespace
}  // namespace tilesim::checkers::sizes
