#include "checkers/sizes/induction/division_hint.h"

#include <gtest/gtest.h>

#include "checkers/sizes/algebra/numbers_test.h"
#include "checkers/sizes/state/symbols.h"

namespace tilesim::checkers::sizes::induction {
using algebra::kM;
using algebra::kN;
using algebra::M;
using algebra::N;
using algebra::Polynomial;
using algebra::Symbol;

namespace {

TEST(DivisionHint, StridesMakeANumberFit) {
  EXPECT_EQ(StrideFor(N(2), 8), (Stride{kN, 4}));
  EXPECT_EQ(StrideFor(N(8) + M(3), 8), (Stride{kM, 8}));
  EXPECT_EQ(StrideFor(N(16), 8), std::nullopt);
  // Iterations are no steps of a size.
  EXPECT_EQ(StrideFor(Polynomial::Of(state::kFreshSymbols), 8), std::nullopt);
}

TEST(DivisionHint, BlamesWhatTheNumberHas) {
  DivisionHint hint;
  hint.number = N() * M() + Polynomial::Of(7);
  hint.BlameNumber();
  EXPECT_EQ(hint.symbols, (std::set<Symbol>{kN, kM, 7}));
  EXPECT_EQ(hint.product, std::pair(kN, kM));
}

TEST(DivisionHint, SoManyValuesAreSoManyIterations) {
  DivisionHint hint;
  hint.WantIterations(N(2), 5);
  EXPECT_EQ(hint.values, 3);
  DivisionHint none;
  none.WantIterations(N(2), 0);
  EXPECT_EQ(none.values, 1);
  none.WantIterations(N() + M(), 5);  // of several
  EXPECT_EQ(none.values, 1);
}

TEST(DivisionHint, WholeRoundsAreStrides) {
  DivisionHint hint;
  hint.WantWholeRounds(N(2), 3);
  EXPECT_EQ(hint.stride, (Stride{kN, 3}));
  DivisionHint whole;
  whole.WantWholeRounds(N(6), 3);
  EXPECT_EQ(whole.stride, std::nullopt);
}

TEST(DivisionHint, TheFirstStrideStays) {
  DivisionHint hint;
  hint.WantFit(Unfit{N(), 4});
  hint.WantFit(Unfit{M(), 2});
  EXPECT_EQ(hint.stride, (Stride{kN, 4}));
  EXPECT_EQ(hint.symbols, (std::set<Symbol>{kN, kM}));
}

}  // namespace
}  // namespace tilesim::checkers::sizes::induction
