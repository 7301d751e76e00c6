#include "checkers/sizes/induction/loop_search.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "absl/hash/hash.h"
#include "checkers/sizes/induction/iteration_count.h"
#include "checkers/sizes/state/same_events.h"

namespace tilesim::checkers::sizes::induction {
using algebra::Polynomial;
using run::Event;
using run::Log;
using state::Guard;
using state::RingsOf;
using state::Rotation;
using state::SameEvents;

namespace {

// Lengths of an iteration that are tried at one place.
constexpr size_t kMaxCandidates = 6;
// Iterations over which scalars are checked: rings are seldom longer.
constexpr int64_t kCopies = 16;

// By turn. Turns that differ in it are not the same.
std::vector<size_t> TurnHashes(const RunNotes& notes, const Log& log) {
  std::vector<size_t> out;
  for (int64_t t = 0; t < notes.turns(); ++t) {
    size_t end =
        t + 1 < notes.turns() ? notes.EventAt(t + 1) : log.events.size();
    size_t hash = 0;
    for (size_t i = notes.EventAt(t); i < end; ++i) {
      const Event& e = log.events[i];
      hash = absl::HashOf(hash, e.kind, e.op, e.cta, e.threads().first_warp,
                          e.threads().warps, e.threads().lanes);
    }
    out.push_back(hash);
  }
  return out;
}

class Search {
 public:
  Search(const InductiveRun& run, const RunNotes& notes, const Log& log)
      : run_(run),
        notes_(notes),
        log_(log),
        open_(*run.undecided()),
        end_(TurnOfGuard()),
        hashes_(TurnHashes(notes, log)) {}

  LoopCandidates Find() {
    for (int64_t length = 1; 2 * length <= end_; ++length) {
      if (out_.all.size() + uneven_.size() == kMaxCandidates) break;
      if (Twice(length)) Try(length);
    }
    std::move(uneven_.begin(), uneven_.end(), std::back_inserter(out_.all));
    return std::move(out_);
  }

 private:
  // In which the guard was met.
  int64_t TurnOfGuard() const {
    int64_t turn = 0;
    for (const TimedGuard& g : notes_.guards()) {
      if (SamePlace(g.guard, open_) && g.guard.number == open_.number)
        turn = g.turn;
    }
    return std::max<int64_t>(turn, 0);
  }

  // As far as hashes say.
  bool Twice(int64_t length) const {
    auto end = hashes_.begin() + end_;
    return std::equal(end - length, end, end - 2 * length);
  }

  // How often it came again, up to the end.
  int64_t Again(int64_t length) const {
    auto end = hashes_.begin() + end_;
    int64_t n = 1;
    while (n < kCopies && (n + 2) * length <= end_ &&
           std::equal(end - (n + 1) * length, end - n * length,
                      end - (n + 2) * length))
      ++n;
    return n;
  }

  void Try(int64_t length) {
    std::optional<LoopSummary> loop = StretchOf(length);
    if (!loop) return;
    bool even = notes_.MovedEvenly(end_, length, Again(length));
    IterationCount count = IterationsOf(length);
    if (count.leaves_rest) out_.rest = count.rest;
    if (!out_.stride) out_.stride = count.stride;
    if (even && out_.all.empty() && !out_.longer) out_.longer = count.stride;
    if (even && !out_.larger) out_.larger = count.stride;
    if (!count.iterations) return;
    loop->iterations = std::move(*count.iterations);
    (even ? out_.all : uneven_).push_back(std::move(*loop));
  }

  std::optional<LoopSummary> StretchOf(int64_t length) {
    LoopSummary out{end_ - length, end_, {}, Rotation(RingsOf(*log_.code)), {}};
    int32_t before = notes_.EventAt(out.first());
    int32_t begin = notes_.EventAt(out.begin);
    int32_t events = notes_.EventAt(end_) - begin;
    out_.compared += events;
    bool same = SameEvents(log_, before, begin, events, out.rotation);
    return same ? std::optional(std::move(out)) : std::nullopt;
  }

  // So that the guard is the same for all again: by what it was an iteration
  // ago.
  IterationCount IterationsOf(int64_t length) const {
    if (!open_.number) return {};
    const auto& guards = notes_.guards();
    auto earlier =
        std::find_if(guards.rbegin(), guards.rend(), [&](const TimedGuard& g) {
          return g.turn == end_ - length && SamePlace(g.guard, open_) &&
                 g.guard.number;
        });
    if (earlier == guards.rend()) return {};
    return IterationsFor(
        *open_.number, *earlier->guard.number - *open_.number,
        [&](const Polynomial& number) { return run_.AtLeast0(number); });
  }

  const InductiveRun& run_;
  const RunNotes& notes_;
  const Log& log_;
  const Guard& open_;
  int64_t end_;  // turn
  std::vector<size_t> hashes_;
  std::vector<LoopSummary> uneven_;
  LoopCandidates out_;
};

}  // namespace

LoopCandidates FindLoops(const InductiveRun& run, const RunNotes& notes,
                         const Log& log) {
  return Search(run, notes, log).Find();
}

}  // namespace tilesim::checkers::sizes::induction
