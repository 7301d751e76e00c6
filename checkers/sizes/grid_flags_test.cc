#include "checkers/sizes/grid_flags.h"

#include <gtest/gtest.h>

#include <vector>

#include "checkers/sizes/facts.h"

namespace tilesim::checkers {
namespace {

constexpr Symbol kX = 0, kY = 1, kP = 2, kQ = 3;

Polynomial Of(Symbol s) { return Polynomial::Of(s); }
Symbolic Number(Polynomial p) { return Symbolic::Number(std::move(p)); }

// A CTA at (1 + x, 1 + y) of a grid of 2 + p by 2 + q.
struct Cta {
  Facts facts;
  GridFlags::Place place;

  Cta() {
    const Polynomial one(1), two(2);
    facts.Add(Of(kP) - Of(kX));
    facts.Add(Of(kQ) - Of(kY));
    place.at = {one + Of(kX), one + Of(kY), Polynomial()};
    place.grid = {Number(two + Of(kP)), Number(two + Of(kQ)), Number(one)};
    place.at_least_0 = [this](const Polynomial& p) { return facts.AtLeast0(p); };
  }
  Cta(const Cta&) = delete;
};

std::vector<Flags> Decls(int count) {
  std::vector<Flags> out(count);
  for (int i = 0; i < count; ++i) out[i].decl = i;
  return out;
}

Symbolic X(int64_t more = 0) { return Number(Polynomial(1 + more) + Of(kX)); }
Symbolic Y(int64_t more = 0) { return Number(Polynomial(1 + more) + Of(kY)); }

TEST(GridFlags, ComeIfAllAreSetAndWaitedForOneWay) {
  Cta cta;
  GridFlags flags(Decls(1));
  flags.Wait(0, {X(-1)}, cta.place);
  EXPECT_EQ(flags.Missing(), 0);
  flags.Set(0, {X()}, cta.place, false);
  EXPECT_FALSE(flags.Missing());
  flags.Wait(0, {X()}, cta.place);  // its own
  EXPECT_EQ(flags.Missing(), 0);
}

TEST(GridFlags, OfNobodyInTheGridDoNotCome) {
  Cta cta;
  GridFlags flags(Decls(1));
  flags.Set(0, {X()}, cta.place, false);
  EXPECT_FALSE(flags.Missing());
  flags.Wait(0, {X(1)}, cta.place);  // might be the last
  EXPECT_EQ(flags.Missing(), 0);
}

TEST(GridFlags, OfBothWaysDoNotCome) {
  Cta cta;
  cta.facts.Add(Of(kP) - Of(kX) - Polynomial(1));  // nor the last
  GridFlags back(Decls(1)), on(Decls(1));
  for (GridFlags* flags : {&back, &on}) flags->Set(0, {X()}, cta.place, false);
  back.Wait(0, {X(-1)}, cta.place);
  on.Wait(0, {X(1)}, cta.place);
  EXPECT_FALSE(back.Missing());
  EXPECT_FALSE(on.Missing());
  back.Add(on);
  EXPECT_EQ(back.Missing(), 0);
}

TEST(GridFlags, OfOneWhoDoesNotSetItDoNotCome) {
  Cta cta;
  GridFlags sets(Decls(1)), does_not(Decls(1));
  sets.Set(0, {X()}, cta.place, false);
  sets.Wait(0, {X(-1)}, cta.place);
  EXPECT_FALSE(sets.Missing());
  GridFlags all = sets;
  all.Add(does_not);
  EXPECT_EQ(all.Missing(), 0);
  does_not.Add(sets);
  EXPECT_EQ(does_not.Missing(), 0);
}

TEST(GridFlags, SetAgainAreNotShownToCome) {
  Cta cta;
  GridFlags twice(Decls(1)), often(Decls(1));
  twice.Set(0, {X()}, cta.place, false);
  twice.Set(0, {X()}, cta.place, false);
  often.Set(0, {X()}, cta.place, true);
  for (GridFlags* flags : {&twice, &often}) {
    EXPECT_FALSE(flags->Missing());  // nobody waits
    flags->Wait(0, {X(-1)}, cta.place);
    EXPECT_EQ(flags->Missing(), 0);
  }
}

// Words of two dimensions, and one that is always the same number.
TEST(GridFlags, AWordIsOfThePlaceThatItsIndicesAre) {
  Cta cta;
  GridFlags flags(Decls(1));
  flags.Set(0, {Number(Polynomial(3)), Y(), X()}, cta.place, false);
  flags.Wait(0, {Number(Polynomial(3)), Y(-1), X()}, cta.place);
  EXPECT_FALSE(flags.Missing());
  GridFlags other = flags;
  other.Wait(0, {Number(Polynomial(2)), Y(-1), X()}, cta.place);
  EXPECT_EQ(other.Missing(), 0);
  GridFlags swapped = flags;
  swapped.Wait(0, {Number(Polynomial(3)), X(), Y(-1)}, cta.place);
  EXPECT_EQ(swapped.Missing(), 0);
}

// Where all wait one way in one word, and the other way in another, they may
// wait for each other.
TEST(GridFlags, TheWayIsOneForAllWords) {
  Cta cta;
  cta.facts.Add(Of(kP) - Of(kX) - Polynomial(1));  // nor the last
  GridFlags flags(Decls(2));
  for (int32_t decl : {0, 1}) flags.Set(decl, {X()}, cta.place, false);
  flags.Wait(0, {X(-1)}, cta.place);
  GridFlags same = flags;
  same.Wait(1, {X(-1)}, cta.place);
  EXPECT_FALSE(same.Missing());
  flags.Wait(1, {X(1)}, cta.place);
  EXPECT_TRUE(flags.Missing());
}

}  // namespace
}  // namespace tilesim::checkers
