#include "checkers/sizes/induction/base_case.h"

#include <algorithm>
#include <optional>

#include "checkers/proof/condition.h"
#include "checkers/sizes/induction/dependence_window.h"
#include "checkers/sizes/induction/slot_symmetry.h"
#include "checkers/sizes/induction/written.h"
#include "checkers/sizes/state/same_events.h"

namespace tilesim::checkers::sizes::induction {
using proof::Condition;
using proof::IsJudged;
using run::Log;
using state::Rotation;
using state::SameEvents;

namespace {

// Iterations of a loop in a run, as events: backwards from the last.
class Iterations {
 public:
  Iterations(const Log& log, const RunNotes& notes, const LoopSummary& loop)
      : log_(log), notes_(notes), loop_(loop), first_(loop.begin) {}

  int32_t begin() const { return notes_.EventAt(loop_.begin); }
  int32_t end() const { return notes_.EventAt(loop_.end); }
  int32_t events() const { return end() - begin(); }
  // The first event of those that have been gone back over.
  int32_t first() const { return notes_.EventAt(first_); }
  int64_t count() const { return count_; }

  // Over one more. False: what happened before is no iteration.
  bool GoBack() {
    int64_t before = first_ - loop_.length();
    if (before < 0 || first() - notes_.EventAt(before) != events())
      return false;
    Rotation rotation = loop_.rotation;
    if (!SameEvents(log_, notes_.EventAt(before), first(), events(), rotation))
      return false;
    first_ = before;
    ++count_;
    return true;
  }

 private:
  const Log& log_;
  const RunNotes& notes_;
  const LoopSummary& loop_;
  int64_t first_;  // turn
  int64_t count_ = 1;
};

// So many iterations more, at least: each brings the window's begin one nearer.
int64_t Lacking(const Iterations& iterations, int64_t wanted, int32_t window) {
  int64_t back = std::max(iterations.first() - window, 0);
  int64_t far = (back + iterations.events() - 1) / iterations.events();
  return std::max({int64_t{1}, wanted - iterations.count(), far});
}

BaseCase WithWholeRounds(std::optional<int64_t> iterations) {
  return {false, iterations.value_or(1), 0};
}

}  // namespace

// docs/all_sizes.md 3.2 and 3.3: orders only grow, so that what the instance
// has in order is in order in each member; and it has had each pair that is
// asked about if its iterations are as many as the window spans.
BaseCase BaseCaseOf(const Log& log, const RunNotes& notes,
                    const LoopSummary& loop) {
  auto own = [&](int32_t decl, int64_t) {
    return HasOwnMemory(log.code->bound, decl) ||
           !IsJudged(Condition::kRingMemory);
  };
  if (auto whole = IterationsToWholeRounds(*log.code, loop.rotation, own))
    return WithWholeRounds(whole);
  Iterations iterations(log, notes, loop);
  int32_t begin = iterations.begin(), end = iterations.end();
  int32_t window = WindowBegin(log, begin, end, loop.rotation);
  int64_t wanted = 1 + ReuseDistance(log, begin, end, loop.rotation);
  while (IsJudged(Condition::kWindow) &&
         (iterations.count() < wanted || iterations.first() > window)) {
    if (!iterations.GoBack())
      return {false, 1, Lacking(iterations, wanted, window)};
  }
  int32_t first = iterations.first();
  auto used_alike = [&](int32_t decl, int64_t turned) {
    const bool alike = WrittenAlike(log, end, decl, turned) &&
                       WrittenOver(log, first, end, decl);
    const bool one_by_one = ReadOneByOne(log, first, end, decl);
    return (alike || !IsJudged(Condition::kRingExtents)) &&
           (!one_by_one || !IsJudged(Condition::kReadsInOrder));
  };
  if (auto whole =
          IterationsToWholeRounds(*log.code, loop.rotation, used_alike))
    return WithWholeRounds(whole);
  return {true, 1, 0};
}

}  // namespace tilesim::checkers::sizes::induction
