// What is noted of a run, turn by turn of its scheduler, so that a loop can be
// found in it: which events each turn has, what was compared, and the values of
// scalars.
//
// Nothing is concluded from notes alone. They suggest loop summaries
// (loop_summary.h), and each of those is shown by an inductive run: notes that
// were wrong would cost time, or leave sizes uncovered, and no more.
#ifndef TILESIM_CHECKERS_SIZES_INDUCTION_RUN_NOTES_H_
#define TILESIM_CHECKERS_SIZES_INDUCTION_RUN_NOTES_H_

#include <cstdint>
#include <span>
#include <vector>

#include "checkers/sizes/state/guard.h"
#include "sim/machine/machine.h"

namespace tilesim::checkers::sizes::induction {

// A comparison, when it was made.
struct TimedGuard {
  int64_t turn = 0;
  state::Guard guard;
};

class RunNotes {
 public:
  // A turn begins, with that event.
  void BeginTurn(int32_t event);
  // A scalar that matters there; in the same order in turns that are alike.
  void AddScalar(int64_t value) { scalars_.push_back(value); }
  // All that are live.
  void AddScalars(const machine::Code& code, const machine::State& state);
  // In the turn that began last.
  void AddGuard(const state::Guard& guard);
  // As it was before a turn began, as the run is taken back there.
  void BackTo(int64_t turn);

  int64_t turns() const { return static_cast<int64_t>(events_.size()); }
  // The first event of a turn that has begun.
  int32_t EventAt(int64_t turn) const { return events_[turn]; }
  const std::vector<TimedGuard>& guards() const { return guards_; }

  // Whether every scalar moved on by the same each time, or back and forth, in
  // stretches of `length` turns up to `end`, as far as these were the last
  // `copies`. A stretch in which they did not is seldom one iteration.
  bool MovedEvenly(int64_t end, int64_t length, int64_t copies) const;

 private:
  std::span<const int64_t> ScalarsAt(int64_t turn) const;

  std::vector<int32_t> events_;  // the first of each turn
  std::vector<TimedGuard> guards_;
  std::vector<int64_t> scalars_;
  std::vector<size_t> first_;     // of those, by turn
  std::vector<int32_t> strands_;  // of the last turn
};

}  // namespace tilesim::checkers::sizes::induction

#endif  // TILESIM_CHECKERS_SIZES_INDUCTION_RUN_NOTES_H_
