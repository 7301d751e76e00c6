#include "checkers/sizes/induction/iteration_count.h"

#include <gtest/gtest.h>

#include "checkers/sizes/algebra/numbers_test.h"

namespace tilesim::checkers::sizes::induction {
using algebra::C;
using algebra::kN;
using algebra::M;
using algebra::N;
using algebra::Polynomial;

namespace {

IterationCount Count(const Polynomial& number, const Polynomial& moved) {
  return IterationsFor(number, moved,
                       [](const Polynomial& p) { return p.AtLeast(0); });
}

TEST(IterationCount, WhatIsLeftIsTheSameForAll) {
  EXPECT_EQ(Count(N() - C(1), C(1)).iterations, N());
  EXPECT_EQ(Count(N(6) + M(3) - C(1), C(3)).iterations, N(2) + M());
}

TEST(IterationCount, IsOfStepsThatFit) {
  IterationCount count = Count(N(2) - C(1), C(4));
  EXPECT_FALSE(count.iterations);
  EXPECT_TRUE(count.leaves_rest);
  EXPECT_FALSE(count.rest);  // iterations make no difference
  EXPECT_EQ(count.stride, (Stride{kN, 2}));
}

TEST(IterationCount, TellsWhatIsLeftToDecide) {
  IterationCount count = Count(N(4) + M() - C(1), C(4));
  EXPECT_FALSE(count.iterations);
  EXPECT_EQ(count.rest, M() - C(1));
}

TEST(IterationCount, OfTheNumberThatALoopWithinTakes) {
  // Each iteration takes n + 2 from it.
  EXPECT_EQ(Count((N() + C(2)) * M(), N() + C(2)).iterations, M());
  EXPECT_FALSE(Count((N() + C(3)) * M(), N() + C(2)).iterations);
}

TEST(IterationCount, NoneTakesNothing) {
  EXPECT_FALSE(Count(N(), C(0)).iterations);
  EXPECT_FALSE(Count(C(5), C(1)).iterations);  // nothing varies
}

}  // namespace
}  // namespace tilesim::checkers::sizes::induction
