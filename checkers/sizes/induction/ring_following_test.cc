#include "checkers/sizes/induction/ring_following.h"

#include <gtest/gtest.h>

#include <vector>

#include "checkers/sizes/algebra/numbers_test.h"

namespace tilesim::checkers::sizes::induction {
using algebra::C;
using algebra::K;
using algebra::kN;
using algebra::N;
using algebra::Polynomial;
using algebra::Symbolic;

namespace {

using ir::ExprOp;

constexpr int64_t kValues = 40;

int64_t At(const Polynomial& p, int64_t n) {
  return p.Replace(kN, C(n)).base();
}

// As it is for one n.
int64_t At(const Symbolic& s, int64_t n) {
  Symbolic at = s;
  at.of = s.of.Replace(kN, C(n));
  return *at.known();
}

// Numbers by which rings are turned, and uses of them are numbered.
std::vector<Polynomial> Turns() {
  return {C(0), N(), N(2), N(3), N(4), N(6), N(8), N(12)};
}

// The forms in which a use is the index of a slot of so many.
std::vector<Symbolic> Indices(const Polynomial& use, int64_t slots) {
  Symbolic slot = Apply(ExprOp::kRem, K(use), K(slots));
  return {slot, K(use.base() % slots), K(use)};
}

// Whatever follows is the slot of the run, turned on.
TEST(RingFollowing, AnIndexThatFollowsIsTheSlotTurnedOn) {
  int follow = 0;
  for (int64_t slots : {1, 2, 3, 4, 6}) {
    for (const Polynomial& turned : Turns()) {
      for (const Polynomial& varies : Turns()) {
        for (const Symbolic& index : Indices(C(7) + varies, slots)) {
          if (!TurnedRing{turned, slots}.FollowedBy(index).holds) continue;
          ++follow;
          for (int64_t n = 0; n < kValues; ++n)
            ASSERT_EQ(At(index, n) % slots,
                      (At(index, 0) + At(turned, n)) % slots);
        }
      }
    }
  }
  EXPECT_GT(follow, 100);
}

TEST(RingFollowing, AParityThatFollowsIsOfThePhaseTurnedOn) {
  int follow = 0;
  for (int64_t slots : {1, 2, 3, 4}) {
    for (const Polynomial& turned : Turns()) {
      for (const Polynomial& varies : Turns()) {
        const Polynomial use = C(7) + varies;
        int64_t slot = 7 % slots;
        Symbolic index = Apply(ExprOp::kRem, K(use), K(slots));
        Symbolic round = Apply(ExprOp::kDiv, K(use), K(slots));
        for (const Symbolic& parity :
             {Apply(ExprOp::kBitAnd, round, K(1)), K(1),
              Apply(ExprOp::kBitAnd, K(use), K(1))}) {
          bool holds = TurnedRing{turned, slots}
                           .FollowedByParity(index, slot, parity)
                           .holds;
          if (!holds) continue;
          ++follow;
          for (int64_t n = 0; n < kValues; ++n) {
            int64_t wraps = (slot + At(turned, n)) / slots;
            ASSERT_EQ(At(parity, n), (At(parity, 0) + wraps) % 2)
                << "of " << slots << " at " << n;
          }
        }
      }
    }
  }
  EXPECT_GT(follow, 50);
}

// A consumer that goes around twice for each use of a slot.
TEST(RingFollowing, AParityMayBeOfHalfAUse) {
  int follow = 0;
  for (int64_t slots : {1, 2, 3, 4}) {
    for (const Polynomial& turned : Turns()) {
      for (const Polynomial& varies : Turns()) {
        for (int64_t first : {6, 7, 9}) {
          const Symbolic half = Apply(ExprOp::kDiv, K(C(first) + varies), K(2));
          const int64_t slot = first / 2 % slots;
          Symbolic index = Apply(ExprOp::kRem, half, K(slots));
          Symbolic round = Apply(ExprOp::kDiv, half, K(slots));
          Symbolic parity = Apply(ExprOp::kBitAnd, round, K(1));
          const TurnedRing ring{turned, slots};
          if (!ring.FollowedBy(index).holds ||
              !ring.FollowedByParity(index, slot, parity).holds)
            continue;
          ++follow;
          for (int64_t n = 0; n < kValues; ++n) {
            const int64_t use = (first + At(varies, n)) / 2;
            ASSERT_EQ(use % slots, (slot + At(turned, n)) % slots);
            ASSERT_EQ(use / slots % 2,
                      (first / 2 / slots + (slot + At(turned, n)) / slots) % 2)
                << "of " << slots << " at " << n;
          }
        }
      }
    }
  }
  EXPECT_GT(follow, 20);
}

TEST(RingFollowing, ANamedSlotIsThatOneWhateverTheRingDoes) {
  const Polynomial some = N(), rounds = N(4);
  EXPECT_FALSE((TurnedRing{some, 4}.FollowedBy(K(2)).holds));
  EXPECT_TRUE((TurnedRing{rounds, 4}.FollowedBy(K(2)).holds));
}

TEST(RingFollowing, TellsWhatDoesNotFit) {
  const Polynomial turned = N(3);
  Symbolic index = Apply(ExprOp::kRem, K(C(1) + N(2)), K(4));
  Following following = TurnedRing{turned, 4}.FollowedBy(index);
  EXPECT_FALSE(following.holds);
  ASSERT_TRUE(following.unfit);
  EXPECT_EQ(following.unfit->number, N());
  EXPECT_EQ(following.unfit->by, 4);
}

TEST(RingFollowing, ArraysOfTwoDimensionsAreOne) {
  Symbolic first = Apply(ExprOp::kRem, K(C(5) + N()), K(3));
  std::optional<Symbolic> index = Flattened(first, 2, 1);
  ASSERT_TRUE(index);
  for (int64_t n = 0; n < kValues; ++n)
    EXPECT_EQ(At(*index, n), (5 + n) % 3 * 2 + 1);
  EXPECT_EQ(Flattened(K(2), 4, 3)->known(), 11);
  EXPECT_FALSE(Flattened(K(N()), 2, 1));
}

}  // namespace
}  // namespace tilesim::checkers::sizes::induction
