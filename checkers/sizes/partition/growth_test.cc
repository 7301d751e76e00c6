#include "checkers/sizes/partition/growth.h"

#include <gtest/gtest.h>

#include "checkers/sizes/algebra/numbers_test.h"

namespace tilesim::checkers::sizes::partition {
using algebra::kM;
using algebra::kN;
using algebra::Polynomial;

namespace {

SizeCell Two() {
  SizeCell cell;
  cell.params = {Polynomial::Of(kN), Polynomial::Of(kM)};
  cell.axes = {{kN, {"S"}}, {kM, {"T"}}};
  return cell;
}

TEST(Growth, AnInstanceNeedsWhatAFactHasTooLittleOf) {
  SizeCell cell = Two();
  EXPECT_FALSE(SymbolForInstance(cell));
  cell.facts.Add(Polynomial::Of(kM) - Polynomial::Of(kN) - Polynomial(3));
  EXPECT_EQ(SymbolForInstance(cell), kM);
}

TEST(Growth, SizesBecomePermittedByOneSymbolOfSeveral) {
  auto s_is_3 = [](const SizeCell& c) { return c.params[0].base() == 3; };
  EXPECT_EQ(SymbolForPermission(Two(), s_is_3), kN);
  auto t_is_3 = [](const SizeCell& c) { return c.params[1].base() == 3; };
  EXPECT_EQ(SymbolForPermission(Two(), t_is_3), kM);
  // By none: still one, that cells come to an end by.
  EXPECT_EQ(SymbolForPermission(Two(), [](const SizeCell&) { return false; }),
            kN);
}

}  // namespace
}  // namespace tilesim::checkers::sizes::partition
