#include "checkers/sizes/induction/induction_variables.h"

#include <gtest/gtest.h>

#include "checkers/sizes/algebra/numbers_test.h"

namespace tilesim::checkers::sizes::induction {
using algebra::K;
using algebra::Polynomial;
using algebra::Symbol;
using algebra::Symbolic;

namespace {

using ir::ExprOp;

constexpr Symbol kDone = 0;

Symbolic Slot(int64_t use, int64_t slots) {
  return Apply(ExprOp::kRem, K(use), K(slots));
}

// k, its slot of a ring of 4, one that is set anew, one that is unknown.
Scalars With(int64_t k, int64_t other) {
  return {{K(k), Slot(k, 4)}, {K(other), Symbolic::Unknown()}};
}

TEST(InductionVariables, HaveTheStepThatTheRunHasTaken) {
  Scalars earlier = With(7, 100), now = With(10, 101);
  Scalars step = StepOf(earlier, now, {});
  Scalars begun = MovedOn(now, step, Polynomial::Of(kDone));
  EXPECT_EQ(begun[0][0],
            Symbolic::Number(Polynomial(10) + Polynomial::Of(kDone, 3)));
  for (int64_t i = 0; i < 9; ++i) {
    Symbolic slot = begun[0][1];
    slot.of = slot.of.Replace(kDone, Polynomial(i));
    EXPECT_EQ(slot.known(), (10 + 3 * i) % 4);
  }
  EXPECT_TRUE(begun[1][1].unknown());
}

TEST(InductionVariables, AStrayWhatHasNotMovedByItsStep) {
  Scalars step = StepOf(With(7, 100), With(10, 101), {});
  Scalars begun = With(10, 101);
  EXPECT_TRUE(Astray(begun, With(13, 102), step).empty());
  // What was unknown may be anything.
  Scalars ended = With(13, 102);
  ended[1][1] = K(5);
  EXPECT_TRUE(Astray(begun, ended, step).empty());
  EXPECT_EQ(Astray(begun, With(13, 101), step), (std::set<ScalarName>{{1, 0}}));
  EXPECT_EQ(Astray(begun, With(14, 102), step),
            (std::set<ScalarName>{{0, 0}, {0, 1}}));
}

TEST(InductionVariables, WhatIsHavockedMayBeAnything) {
  Scalars now = With(10, 101);
  Scalars step = StepOf(With(7, 100), now, {{1, 0}});
  Scalars begun = MovedOn(now, step, Polynomial::Of(kDone));
  EXPECT_TRUE(begun[1][0].unknown());
  EXPECT_FALSE(begun[0][0].unknown());
  EXPECT_TRUE(Astray(begun, MovedOn(begun, step, Polynomial(1)), step).empty());
}

// The run is turned by 1 in each iteration, and members by 2 n more.
TEST(InductionVariables, RingsAreTurnedByTheRunAsWell) {
  const Polynomial n = Polynomial::Of(1), done = Polynomial::Of(kDone);
  machine::Code code;
  LoopSummary loop;
  loop.rotation = {1};
  InductionVariables earlier, now;
  earlier.rings = {n};
  now.rings = {n + Polynomial(2) * n};
  InductionVariables step = now.StepSince(earlier, loop, code);
  InductionVariables begun = now.MovedOn(step, loop, done);
  EXPECT_EQ(begun.rings[0],
            Polynomial(3) * n + (Polynomial(2) * n + Polynomial(1)) * done);
  InductionVariables ended = begun;
  EXPECT_FALSE(ended.HasMoved(begun, step, loop, code));
  ended.rings[0] += Polynomial(2) * n;
  EXPECT_TRUE(ended.HasMoved(begun, step, loop, code));
}

}  // namespace
}  // namespace tilesim::checkers::sizes::induction
