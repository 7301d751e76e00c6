#include "checkers/sizes/induction/run_notes.h"

#include <gtest/gtest.h>

#include <vector>

namespace tilesim::checkers::sizes::induction {
using state::Guard;

namespace {

// Scalars, turn by turn, with two events a turn.
RunNotes Notes(const std::vector<std::vector<int64_t>>& turns) {
  RunNotes out;
  for (const auto& scalars : turns) {
    out.BeginTurn(static_cast<int32_t>(2 * out.turns()));
    for (int64_t s : scalars) out.AddScalar(s);
  }
  return out;
}

TEST(RunNotes, CountersAndParitiesMoveEvenly) {
  RunNotes notes = Notes({{0, 1}, {3, 0}, {6, 1}, {9, 0}, {12, 1}});
  EXPECT_TRUE(notes.MovedEvenly(4, 1, 16));
  EXPECT_TRUE(notes.MovedEvenly(4, 2, 16));
}

TEST(RunNotes, AStretchThatIsNoIterationDoesNot) {
  // The slot of a ring of 3: only whole rounds move it evenly.
  RunNotes notes =
      Notes({{0}, {1}, {2}, {0}, {1}, {2}, {0}, {1}, {2}, {0}, {1}, {2}});
  EXPECT_FALSE(notes.MovedEvenly(9, 1, 16));
  EXPECT_TRUE(notes.MovedEvenly(9, 3, 16));
  // As far as is looked back.
  EXPECT_TRUE(notes.MovedEvenly(8, 1, 1));
  EXPECT_FALSE(notes.MovedEvenly(8, 1, 2));
}

TEST(RunNotes, TurnsWithOtherScalarsAreNotCompared) {
  EXPECT_FALSE(Notes({{0}, {1}, {2, 5}}).MovedEvenly(2, 1, 1));
}

TEST(RunNotes, GoBackToATurn) {
  RunNotes notes = Notes({{0}, {1}});
  Guard guard;
  guard.pc = 7;
  notes.AddGuard(guard);
  notes.BeginTurn(4);
  notes.AddScalar(9);
  notes.AddGuard(guard);
  ASSERT_EQ(notes.guards().size(), 2u);
  EXPECT_EQ(notes.guards()[1].turn, 2);
  notes.BackTo(2);
  EXPECT_EQ(notes.turns(), 2);
  ASSERT_EQ(notes.guards().size(), 1u);
  EXPECT_EQ(notes.guards()[0].turn, 1);
  // What was there is forgotten.
  notes.BeginTurn(4);
  notes.AddScalar(2);
  EXPECT_EQ(notes.EventAt(2), 4);
  EXPECT_TRUE(notes.MovedEvenly(2, 1, 1));
}

}  // namespace
}  // namespace tilesim::checkers::sizes::induction
