#include "checkers/sizes/protocol/grid_flags.h"

#include <gtest/gtest.h>

#include <vector>

#include "checkers/proof/condition.h"
#include "checkers/sizes/algebra/facts.h"

namespace tilesim::checkers::sizes::protocol {
using algebra::Facts;
using algebra::Polynomial;
using algebra::Symbol;
using algebra::Symbolic;
using run::Flags;

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
    place.at_least_0 = [this](const Polynomial& p) {
      return facts.AtLeast0(p);
    };
  }
  Cta(const Cta&) = delete;

  // Of an array that is large enough.
  GridFlags::Word Word(int32_t decl, std::vector<Symbolic> index) const {
    Symbolic extent = Number(Polynomial(4) + Of(kP) + Of(kQ));
    std::vector<Symbolic> shape(index.size(), extent);
    return {decl, std::move(index), std::move(shape)};
  }
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
  flags.Wait(cta.Word(0, {X(-1)}), cta.place);
  EXPECT_EQ(flags.Missing(), 0);
  flags.Set(cta.Word(0, {X()}), cta.place, false);
  EXPECT_FALSE(flags.Missing());
  flags.Wait(cta.Word(0, {X()}), cta.place);  // its own
  EXPECT_EQ(flags.Missing(), 0);
}

TEST(GridFlags, OfNobodyInTheGridDoNotCome) {
  Cta cta;
  GridFlags flags(Decls(1));
  flags.Set(cta.Word(0, {X()}), cta.place, false);
  EXPECT_FALSE(flags.Missing());
  flags.Wait(cta.Word(0, {X(1)}), cta.place);  // might be the last
  EXPECT_EQ(flags.Missing(), 0);
}

// Of which it is known that some CTA stores each, in every launch.
TEST(GridFlags, ThatAreAllStoredComeFromWhoWaitsForNone) {
  Cta cta;
  GridFlags sets(Decls(2)), waits(Decls(2));
  sets.Set(cta.Word(0, {X(-1)}), cta.place, false);
  waits.Wait(cta.Word(0, {X(3)}), cta.place);
  sets.Add(waits);
  EXPECT_EQ(sets.Missing(), 0);
  EXPECT_EQ(sets.Missing({1}), 0);
  EXPECT_FALSE(sets.Missing({0}));
  GridFlags first(Decls(2));  // who sets it waits for another before
  first.Wait(cta.Word(1, {X(1)}), cta.place);
  first.Set(cta.Word(0, {X(-1)}), cta.place, false);
  sets.Add(first);
  EXPECT_TRUE(sets.Missing({0}));
  EXPECT_FALSE(sets.Missing({0, 1}));
  GridFlags twice(Decls(1));
  twice.Set(cta.Word(0, {X()}), cta.place, true);
  twice.Wait(cta.Word(0, {X(3)}), cta.place);
  EXPECT_EQ(twice.Missing({0}), 0);
  GridFlags own(Decls(1));
  own.Wait(cta.Word(0, {X()}), cta.place);
  own.Set(cta.Word(0, {X()}), cta.place, false);
  EXPECT_EQ(own.Missing({0}), 0);
  GridFlags none(Decls(1));
  none.Set(cta.Word(0, {X(-1)}), cta.place, false);
  none.Wait(cta.Word(0, {X(3)}), cta.place);
  EXPECT_EQ(none.Missing(), 0);
  proof::Weakened without(proof::Condition::kWordsStored);
  EXPECT_FALSE(none.Missing());
}

TEST(GridFlags, BeyondTheirArrayDoNotCome) {
  Cta cta;
  GridFlags flags(Decls(1));
  GridFlags::Word own = cta.Word(0, {X()}), before = cta.Word(0, {X(-1)});
  own.shape = before.shape = {cta.place.grid[0]};
  flags.Set(own, cta.place, false);
  flags.Wait(before, cta.place);
  EXPECT_FALSE(flags.Missing());
  own.shape = before.shape = {Number(Polynomial(100))};
  GridFlags few(Decls(1));
  few.Set(own, cta.place, false);
  few.Wait(before, cta.place);
  EXPECT_EQ(few.Missing(), 0);
}

TEST(GridFlags, OfBothWaysDoNotCome) {
  Cta cta;
  cta.facts.Add(Of(kP) - Of(kX) - Polynomial(1));  // nor the last
  GridFlags back(Decls(1)), on(Decls(1));
  back.Wait(cta.Word(0, {X(-1)}), cta.place);
  on.Wait(cta.Word(0, {X(1)}), cta.place);
  for (GridFlags* flags : {&back, &on})
    flags->Set(cta.Word(0, {X()}), cta.place, false);
  EXPECT_FALSE(back.Missing());
  EXPECT_FALSE(on.Missing());
  back.Add(on);
  EXPECT_EQ(back.Missing(), 0);
  proof::Weakened without(proof::Condition::kFlagsOneWay);
  EXPECT_FALSE(back.Missing());
}

TEST(GridFlags, SetBeforeAnyIsWaitedForComeBothWays) {
  Cta cta;
  cta.facts.Add(Of(kP) - Of(kX) - Polynomial(1));
  GridFlags before(Decls(1)), after(Decls(1)), beyond(Decls(1));
  before.Set(cta.Word(0, {X()}), cta.place, false);
  for (GridFlags* flags : {&before, &after}) {
    flags->Wait(cta.Word(0, {X(-1)}), cta.place);
    flags->Wait(cta.Word(0, {X(1)}), cta.place);
  }
  after.Set(cta.Word(0, {X()}), cta.place, false);
  EXPECT_FALSE(before.Missing());
  EXPECT_EQ(after.Missing(), 0);
  beyond.Set(cta.Word(0, {X()}), cta.place, false);
  beyond.Wait(cta.Word(0, {X(2)}), cta.place);  // of nobody in the grid
  EXPECT_EQ(beyond.Missing(), 0);
  proof::Weakened without(proof::Condition::kSetBeforeWaits);
  GridFlags both(Decls(1));
  both.Wait(cta.Word(0, {X(-1)}), cta.place);
  both.Wait(cta.Word(0, {X(1)}), cta.place);
  both.Set(cta.Word(0, {X()}), cta.place, false);
  EXPECT_FALSE(both.Missing());
}

TEST(GridFlags, ComeOneTensorAfterTheOther) {
  Cta cta;
  cta.facts.Add(Of(kP) - Of(kX) - Polynomial(1));
  GridFlags in_order(Decls(2)), in_a_circle(Decls(2));
  for (GridFlags* flags : {&in_order, &in_a_circle}) {
    if (flags == &in_a_circle) flags->Wait(cta.Word(1, {X(1)}), cta.place);
    flags->Set(cta.Word(0, {X()}), cta.place, false);
    for (int64_t to : {-1, 1}) flags->Wait(cta.Word(0, {X(to)}), cta.place);
    flags->Set(cta.Word(1, {X()}), cta.place, false);
    for (int64_t to : {-1, 1}) flags->Wait(cta.Word(1, {X(to)}), cta.place);
  }
  EXPECT_FALSE(in_order.Missing());
  EXPECT_TRUE(in_a_circle.Missing());
}

TEST(GridFlags, OfABarrierComeOnceAllHaveAdded) {
  Cta cta;
  std::vector<Flags> decls = Decls(1);
  decls[0].by_all = true;
  const GridFlags::Word word{0, {Symbolic::Number(0)}, {Symbolic::Number(1)}};
  const Polynomial all = *cta.place.Ctas();
  const auto barrier = [&](const Polynomial& count, bool first) {
    GridFlags flags(decls);
    if (first) flags.Set(word, cta.place, false);
    flags.WaitForCount(word, Number(count), cta.place);
    if (!first) flags.Set(word, cta.place, false);
    return flags;
  };
  EXPECT_FALSE(barrier(all, true).Missing());
  EXPECT_EQ(barrier(all, false).Missing(), 0);
  EXPECT_EQ(barrier(all - Polynomial(1), true).Missing(), 0);
  GridFlags some = barrier(all, true);
  some.Add(GridFlags(decls));  // of a CTA that adds nothing
  EXPECT_EQ(some.Missing(), 0);
  proof::Weakened without(proof::Condition::kBarrierOfAll);
  EXPECT_FALSE(barrier(all - Polynomial(1), true).Missing());
}

TEST(GridFlags, OfABarrierOfSomeComeOnceTheseHaveAdded) {
  Cta cta;
  std::vector<Flags> decls = Decls(1);
  decls[0].by_all = decls[0].of_some = true;
  const Polynomial all(7);
  const auto barrier = [&](int64_t of,
                           const std::optional<Polynomial>& adders) {
    GridFlags flags(decls);
    flags.Set(cta.Word(0, {X()}), cta.place, false);
    flags.WaitForCount(cta.Word(0, {X(of)}), Number(all), cta.place, adders);
    return flags;
  };
  EXPECT_FALSE(barrier(0, all).Missing());
  EXPECT_EQ(barrier(0, std::nullopt).Missing(), 0);
  EXPECT_EQ(barrier(0, all - Polynomial(1)).Missing(), 0);
  EXPECT_EQ(barrier(1, all).Missing(), 0);  // it has added to another
  proof::Weakened without(proof::Condition::kAddedToIt);
  EXPECT_FALSE(barrier(1, all).Missing());
}

TEST(GridFlags, OfOneWhoDoesNotSetItDoNotCome) {
  Cta cta;
  GridFlags sets(Decls(1)), does_not(Decls(1));
  sets.Set(cta.Word(0, {X()}), cta.place, false);
  sets.Wait(cta.Word(0, {X(-1)}), cta.place);
  EXPECT_FALSE(sets.Missing());
  GridFlags all = sets;
  all.Add(does_not);
  EXPECT_EQ(all.Missing(), 0);
  does_not.Add(sets);
  EXPECT_EQ(does_not.Missing(), 0);
}

// For the first nobody waits, as all wait for words further on.
TEST(GridFlags, TheFirstNeedSetNone) {
  Cta cta;
  cta.facts.Add(Of(kP) - Of(kX) - Polynomial(1));
  Cta first;
  first.place.at[0] = Polynomial();
  GridFlags on(Decls(1)), none(Decls(1)), back(Decls(1));
  none.Here(first.place);
  on.Here(cta.place);
  on.Set(cta.Word(0, {X()}), cta.place, false);
  on.Wait(cta.Word(0, {X(1)}), cta.place);
  GridFlags all = on;
  all.Add(none);
  EXPECT_FALSE(all.Missing());
  none.Add(on);
  EXPECT_FALSE(none.Missing());
  back.Here(cta.place);
  back.Set(cta.Word(0, {X()}), cta.place, false);
  back.Wait(cta.Word(0, {X(-1)}), cta.place);
  GridFlags alone(Decls(1));
  alone.Here(first.place);
  back.Add(alone);
  EXPECT_EQ(back.Missing(), 0);
  proof::Weakened without(proof::Condition::kUnsetUnawaited);
  EXPECT_FALSE(back.Missing());
}

// A CTA that is the first in x, and one that is not: the first sets the word of
// its y, the other waits for it.
struct InTurns {
  Cta first, other;
  GridFlags sets{Decls(1)}, waits{Decls(1)};

  InTurns() {
    first.place.at[0] = Polynomial();
    sets.Here(first.place);
    sets.Set(first.Word(0, {Y()}), first.place, false);
    waits.Here(other.place);
    waits.Wait(other.Word(0, {Y()}), other.place);
  }
};

TEST(GridFlags, OfTheFirstAloneCome) {
  InTurns t;
  GridFlags all = t.sets;
  all.Add(t.waits);
  EXPECT_FALSE(all.Missing());
  t.waits.Add(t.sets);
  EXPECT_FALSE(t.waits.Missing());
  t.waits.Add(all);
  EXPECT_FALSE(t.waits.Missing());
}

TEST(GridFlags, OfTheFirstDoNotComeIfItWaits) {
  InTurns t;
  t.sets.Wait(t.first.Word(0, {Y()}), t.first.place);
  t.waits.Add(t.sets);
  EXPECT_EQ(t.waits.Missing(), 0);
  proof::Weakened without(proof::Condition::kSettersWaitForNone);
  InTurns again;
  again.sets.Wait(again.first.Word(0, {Y()}), again.first.place);
  again.waits.Add(again.sets);
  EXPECT_FALSE(again.waits.Missing());
}

TEST(GridFlags, OfTheFirstDoNotComeIfNotAllSetThem) {
  InTurns t;
  GridFlags none(Decls(1));
  none.Here(t.first.place);
  t.waits.Add(t.sets);
  t.waits.Add(none);
  EXPECT_EQ(t.waits.Missing(), 0);
}

// The place in the dimension of who sets it may not be in its index.
TEST(GridFlags, OfTheFirstDoNotComeForThePlaceOfOthers) {
  InTurns t;
  GridFlags sets(Decls(1)), waits(Decls(1));
  sets.Here(t.first.place);
  sets.Set(t.first.Word(0, {Number(Polynomial())}), t.first.place, false);
  waits.Here(t.other.place);
  waits.Wait(t.other.Word(0, {X()}), t.other.place);
  sets.Add(waits);
  EXPECT_EQ(sets.Missing(), 0);
}

TEST(GridFlags, SetAgainAreNotShownToCome) {
  Cta cta;
  GridFlags twice(Decls(1)), often(Decls(1));
  twice.Set(cta.Word(0, {X()}), cta.place, false);
  twice.Set(cta.Word(0, {X()}), cta.place, false);
  often.Set(cta.Word(0, {X()}), cta.place, true);
  for (GridFlags* flags : {&twice, &often}) {
    EXPECT_FALSE(flags->Missing());  // nobody waits
    flags->Wait(cta.Word(0, {X(-1)}), cta.place);
    EXPECT_EQ(flags->Missing(), 0);
  }
}

// Words of two dimensions, and one that is always the same number.
TEST(GridFlags, AWordIsOfThePlaceThatItsIndicesAre) {
  Cta cta;
  GridFlags flags(Decls(1));
  flags.Set(cta.Word(0, {Number(Polynomial(3)), Y(), X()}), cta.place, false);
  flags.Wait(cta.Word(0, {Number(Polynomial(3)), Y(-1), X()}), cta.place);
  EXPECT_FALSE(flags.Missing());
  GridFlags other = flags;
  other.Wait(cta.Word(0, {Number(Polynomial(2)), Y(-1), X()}), cta.place);
  EXPECT_EQ(other.Missing(), 0);
  GridFlags swapped = flags;
  swapped.Wait(cta.Word(0, {Number(Polynomial(3)), X(), Y(-1)}), cta.place);
  EXPECT_EQ(swapped.Missing(), 0);
}

// The first index names the step, here any number.
TEST(GridFlags, OfStepsComeIfEachIsSetBeforeItIsWaitedFor) {
  Cta cta;
  cta.facts.Add(Of(kP) - Of(kX) - Polynomial(1));  // nor the last
  std::vector<Flags> decls = Decls(1);
  decls[0].steps = run::StepWords{1, 1, {0}};
  const auto step = [&](int64_t at, int64_t to) {
    return cta.Word(0, {Y(at), X(to)});
  };
  const auto waiting = [&](int64_t at, bool before) {
    GridFlags flags(decls);
    if (!before) flags.Set(step(0, 0), cta.place, true);
    for (int64_t to : {-1, 1}) flags.Wait(step(at, to), cta.place);
    if (before) flags.Set(step(0, 0), cta.place, true);
    return flags;
  };
  EXPECT_FALSE(waiting(0, false).Missing());
  EXPECT_FALSE(waiting(-1, false).Missing());
  EXPECT_TRUE(waiting(1, false).Missing());
  EXPECT_TRUE(waiting(0, true).Missing());
  proof::Weakened without(proof::Condition::kSetBeforeWaits);
  EXPECT_FALSE(waiting(0, true).Missing());
}

// In launches without a step nobody sets one, and nobody waits.
TEST(GridFlags, OfNoStepsNeedNotBeSet) {
  Cta cta;
  std::vector<Flags> decls = Decls(1);
  decls[0].steps = run::StepWords{1, 1, {0}};
  decls[0].by_all = true;
  GridFlags some(decls), none(decls), waits(decls);
  const GridFlags::Word word = cta.Word(0, {Y()});
  const Symbolic all = Number(*cta.place.Ctas());
  some.Set(word, cta.place, true);
  some.WaitForCount(word, all, cta.place);
  some.Add(none);
  EXPECT_FALSE(some.Missing());
  waits.WaitForCount(word, all, cta.place);
  some.Add(waits);
  EXPECT_TRUE(some.Missing());
}

// Where all wait one way in one word, and the other way in another, they may
// wait for each other.
TEST(GridFlags, TheWayIsOneForAllWords) {
  Cta cta;
  cta.facts.Add(Of(kP) - Of(kX) - Polynomial(1));  // nor the last
  auto waiting = [&](int64_t other) {
    GridFlags flags(Decls(2));
    flags.Wait(cta.Word(0, {X(-1)}), cta.place);
    flags.Wait(cta.Word(1, {X(other)}), cta.place);
    for (int32_t decl : {0, 1})
      flags.Set(cta.Word(decl, {X()}), cta.place, false);
    return flags;
  };
  EXPECT_FALSE(waiting(-1).Missing());
  EXPECT_TRUE(waiting(1).Missing());
}

}  // namespace
}  // namespace tilesim::checkers::sizes::protocol
