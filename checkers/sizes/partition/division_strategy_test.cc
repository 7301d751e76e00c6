#include "checkers/sizes/partition/division_strategy.h"

#include <gtest/gtest.h>

#include "checkers/sizes/algebra/numbers_test.h"
#include "checkers/sizes/state/symbols.h"

namespace tilesim::checkers::sizes::partition {
using algebra::C;
using algebra::kM;
using algebra::kN;
using algebra::M;
using algebra::N;
using algebra::Polynomial;
using algebra::Symbolic;

namespace {

using induction::FamilyProof;
using state::Family;
using state::kAnywhere;
using state::kFactors;

// S = 1 + n and T = 1 + m.
SizeCell Two() {
  SizeCell cell;
  cell.params = {C(1) + N(), C(1) + M()};
  cell.axes = {{kN, {"S"}}, {kM, {"T"}}};
  return cell;
}

struct Failed {
  SizeCell cell = Two();
  machine::Code code;
  Family family;
  FamilyProof proof;
  bool merged = false;

  Failed() { proof.why = "they part"; }
  void Number(const Polynomial& number) {
    proof.hint.number = number;
    proof.hint.BlameNumber();
  }
  Division Divided() const {
    return Divide({cell, code, family, proof, merged});
  }
};

TEST(DivisionStrategy, WithoutASymbolOfTheCellItIsGivenUp) {
  Failed failed;
  EXPECT_EQ(failed.Divided().why, "they part");
  failed.proof.hint.symbols = {77};
  EXPECT_TRUE(failed.Divided().cells.empty());
}

TEST(DivisionStrategy, LeavesOutTheLowestValues) {
  Failed failed;
  failed.proof.hint.symbols = {kM};
  failed.proof.hint.values = 3;
  Division division = failed.Divided();
  ASSERT_EQ(division.cells.size(), 4u);
  EXPECT_EQ(division.cells[2].params[1], C(3));
  EXPECT_EQ(division.cells[3].params[1], C(4) + M());
}

TEST(DivisionStrategy, BlamesTheSymbolThatMakesTheMostOfTheNumber) {
  Failed failed;
  failed.proof.hint.symbols = {kN, kM};
  failed.proof.hint.number = N(2) + M(3) - C(1);
  // It can be neither counted nor compared.
  Division division = failed.Divided();
  ASSERT_EQ(division.cells.size(), 2u);
  EXPECT_EQ(division.cells[0].params[1], C(1));
}

TEST(DivisionStrategy, SpreadsWhatAnIterationIsSeveralOf) {
  Failed failed;
  failed.proof.hint.symbols = {kN};
  failed.proof.hint.stride = {kN, 4};
  EXPECT_EQ(failed.Divided().cells.size(), 4u);
  // Not into too many.
  failed.proof.hint.stride = {kN, 1'000};
  EXPECT_EQ(failed.Divided().cells.size(), 2u);
}

TEST(DivisionStrategy, CutsFarAway) {
  Failed failed;
  failed.Number(N() - C(132));
  Division division = failed.Divided();
  ASSERT_EQ(division.cells.size(), 2u);
  EXPECT_EQ(division.cells[1].params[0], C(133) + N());
}

TEST(DivisionStrategy, ComparesTwo) {
  Failed failed;
  failed.Number(N() - M());
  failed.proof.hint.step = 0;  // no loop that counts
  Division division = failed.Divided();
  ASSERT_EQ(division.cells.size(), 2u);
  EXPECT_EQ(
      (division.cells[0].params[0] - division.cells[0].params[1]).AtLeast(0),
      true);
}

TEST(DivisionStrategy, CountsByTheStepsOfALoop) {
  Failed failed;
  failed.Number(N() + M() - C(5));
  failed.proof.hint.step = 1;
  Division division = failed.Divided();
  ASSERT_EQ(division.cells.size(), 1u);
  EXPECT_EQ(division.cells[0].params[0] + division.cells[0].params[1],
            C(2) + N());
}

// The trips of a loop are a quotient by its step.
TEST(DivisionStrategy, LooksAtEachOfFewSteps) {
  Failed failed;
  failed.Number(M() - N());
  failed.proof.hint.step_of_sizes = C(1) + N();
  EXPECT_LT(failed.Divided().cells.size(), 5u);  // there is no end to them
  failed.cell.facts.Add(C(4) - N());
  Division division = failed.Divided();
  ASSERT_GE(division.cells.size(), 5u);
  EXPECT_EQ(division.cells[4].params[0].constant(), true);
}

TEST(DivisionStrategy, TellsClustersApartFromWhereTheyPart) {
  Failed failed;
  failed.family.grid[0] = Symbolic::Number(C(1) + N());
  failed.Number(N() - Polynomial::Of(kAnywhere));
  Division division = failed.Divided();
  // The last, and others from there.
  ASSERT_FALSE(division.cells.empty());
  ASSERT_TRUE(division.cells[0].positions[0]);
  EXPECT_EQ(division.cells[0].positions[0]->clusters, C(1) + N());
  EXPECT_EQ(division.cells[0].positions[0]->at.Coefficient(kN), 1);
}

TEST(DivisionStrategy, ParametersOfAProductThatDecideThemselvesAreApart) {
  Failed failed;
  failed.merged = true;
  failed.proof.hint.symbols = {kFactors};
  EXPECT_TRUE(failed.Divided().unmerge);
  failed.proof.hint.symbols = {kAnywhere};
  failed.family.grid[0] = Symbolic::Number(Polynomial::Of(kFactors + 1));
  EXPECT_TRUE(failed.Divided().unmerge);
}

TEST(DivisionStrategy, ComesToAnEnd) {
  SizeCell cell = Two();
  cell.axes.at(kN).steps = kMaxSteps;
  Division division = DivideLowest(cell, kN, 1, "they part");
  EXPECT_TRUE(division.cells.empty());
  EXPECT_EQ(
      division.why,
      "more and more sizes of `S` had to be told apart, without end: they "
      "part");
  cell.axes.at(kN).steps = kMaxSteps - 2;
  EXPECT_EQ(DivideLowest(cell, kN, 9, "").cells.size(), 3u);
}

}  // namespace
}  // namespace tilesim::checkers::sizes::partition
