#include "checkers/sizes/induction/family_proof.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "checkers/sizes/induction/loop_search.h"
#include "checkers/sizes/induction/resumable_run.h"
#include "checkers/sizes/state/symbols.h"
#include "ir/cat.h"

namespace tilesim::checkers::sizes::induction {
using algebra::Polynomial;
using run::Log;
using state::Family;
using state::Guard;
using state::kFreshSymbols;

namespace {

constexpr int kMaxLoops = 200;

// Events that are compared in the time that one more takes.
constexpr int64_t kComparedAsOne = 10;

class Prover {
 public:
  Prover(const machine::Code& code, int64_t cluster, const Family& family,
         int64_t max_events)
      : run_(code, cluster, family, max_events) {}

  FamilyProof Prove() {
    while (plan_.size() < kMaxLoops) {
      Try();
      int32_t failed = inductive().failure().loop;
      if (failed >= 0) {
        if (!Next(failed)) return Explained();
        continue;
      }
      if (!inductive().undecided()) return Conclusion();
      if (Extend()) continue;
      // What is decided in an iteration is not the same in all: no loop.
      int32_t inside = inductive().inside();
      if (inside < 0 || !Next(inside)) return Explained();
    }
    out_.why = "too many loops end differently";
    return std::move(out_);
  }

 private:
  const InductiveRun& inductive() const { return run_.inductive(); }

  // With the best candidate for each loop of the plan.
  void Try() {
    std::vector<LoopSummary> loops;
    for (const LoopCandidates& c : plan_) loops.push_back(c.all.front());
    out_.events += run_.Run(std::move(loops));
    out_.events += std::exchange(compared_, 0) / kComparedAsOne;
  }

  // Another candidate for a loop that does not hold, or the same without the
  // scalars that it failed for; loops after it were found with it.
  bool Next(int32_t failed) {
    plan_.resize(failed + 1);
    std::vector<LoopSummary>& all = plan_.back().all;
    auto& havoc = all.front().havoc;
    size_t before = havoc.size();
    const auto& astray = inductive().failure().astray;
    havoc.insert(astray.begin(), astray.end());
    if (havoc.size() > before) return true;
    last_iterations_ = all.front().iterations;
    all.erase(all.begin());
    if (!all.empty()) return true;
    longer_ = plan_.back().longer;
    larger_ = plan_.back().larger;
    return false;
  }

  // By a loop that makes up for the guard.
  bool Extend() {
    rest_.reset();
    if (!inductive().undecided()->loop) return false;
    LoopCandidates found = FindLoops(inductive(), run_.notes(), run_.log());
    compared_ += found.compared;
    rest_ = found.rest;
    auto& stride = out_.hint.stride;
    if (!stride) stride = found.stride;
    if (!found.all.empty()) {
      stride.reset();
    } else if (found.longer) {
      stride = found.longer;
    }
    if (found.all.empty()) return false;
    plan_.push_back(std::move(found));
    return true;
  }

  FamilyProof Conclusion() {
    const Log& log = run_.log();
    out_.why = inductive().failure().why;
    if (out_.why.empty() && !log.finished)
      out_.why = "the run does not get to its end";
    if (out_.why.empty() && !inductive().complete())
      out_.why = "the run is over before its repeats are";
    if (out_.why.empty() && !log.undetermined.empty())
      out_.why = log.undetermined.front();
    out_.holds = out_.why.empty();
    out_.flags = inductive().flags();
    out_.small_sizes = inductive().small_sizes();
    out_.hint.WantFit(inductive().failure().unfit);
    return std::move(out_);
  }

  // Why it does not hold.
  FamilyProof Explained() {
    if (inductive().undecided()) {
      Explain(*inductive().undecided());
    } else {
      Explain(inductive().failure());
    }
    auto& stride = out_.hint.stride;
    const InductionFailure& failure = inductive().failure();
    if (!stride && failure.lacking == 0) stride = longer_;
    // A slot that is named otherwise than its ring is one that is known, if
    // iterations are longer.
    if (!stride && failure.unfit && failure.unfit->by > 0) stride = larger_;
    return std::move(out_);
  }

  void Explain(const InductionFailure& failure) {
    out_.why = failure.why;
    out_.hint.Blame(last_iterations_);
    out_.hint.WantWholeRounds(last_iterations_, failure.whole_rounds);
    out_.hint.WantFit(failure.unfit);
    out_.hint.WantIterations(last_iterations_, failure.lacking);
  }

  void Explain(const Guard& open) {
    DivisionHint& hint = out_.hint;
    hint.number = NumberThatDecides(open);
    hint.BlameNumber();
    const Polynomial step = StepOf(open);
    hint.step = rest_ || !step.constant() ? 1 : step.base();
    if (!step.constant()) hint.step_of_sizes = step;
    if (!rest_) hint.Blame(open.because);
    if (!hint.stride) hint.stride = StrideFor(open.because, open.by);
    BlameLoops();
    out_.why = WhyUndecided(open);
  }

  // `for` says by what it goes on. Of another loop, by what the number was more
  // when it was compared last.
  Polynomial StepOf(const Guard& open) const {
    if (!(open.step == Polynomial(1)) || !open.number) return open.step;
    const auto& guards = run_.notes().guards();
    auto before =
        std::find_if(guards.rbegin(), guards.rend(), [&](const TimedGuard& g) {
          return SamePlace(g.guard, open) && g.guard.number &&
                 !(*g.guard.number == *open.number);
        });
    if (before == guards.rend()) return open.step;
    Polynomial moved = *before->guard.number - *open.number;
    bool forward = moved.constant() ? moved.base() > 1 : moved.Grows();
    return forward ? moved : open.step;
  }

  // Inside an iteration: what it depends on is how many there are; of loops
  // before it only where that says nothing.
  void BlameLoops() {
    DivisionHint& hint = out_.hint;
    bool inside =
        hint.symbols.empty() || *hint.symbols.rbegin() >= kFreshSymbols;
    if (!inside) return;
    const bool given_up = !plan_.empty() && plan_.back().all.empty();
    if (given_up && !last_iterations_.constant())
      return hint.Blame(last_iterations_);
    for (const LoopCandidates& c : plan_) {
      if (!c.all.empty()) hint.Blame(c.all.front().iterations);
    }
    hint.Blame(last_iterations_);
  }

  static std::string WhyUndecided(const Guard& open) {
    bool by_memory =
        !open.number && open.because.constant() && open.because.base() == 0;
    return ir::Cat(
        open.loop ? "what is decided on line "
                  : "whether the element, or the start of a box, on line ",
        open.span.text_line(), open.loop ? "" : " lies inside its array",
        by_memory ? " depends on what an op reads, or on arithmetic of sizes "
                    "that is not followed"
                  : " depends on the size");
  }

  // What an iteration leaves of it, if that is undecided too.
  std::optional<Polynomial> NumberThatDecides(const Guard& open) const {
    if (rest_ || open.number) return rest_ ? rest_ : open.number;
    bool compared = open.by == 1 && !open.because.constant();
    return compared ? std::optional(open.because) : std::nullopt;
  }

  ResumableRun run_;
  std::vector<LoopCandidates> plan_;
  int64_t compared_ = 0;        // events, since the last run
  Polynomial last_iterations_;  // of the loop given up last
  // In place of what was given up last.
  std::optional<Stride> longer_, larger_;
  std::optional<Polynomial> rest_;  // of the number, after the loop
  FamilyProof out_;
};

}  // namespace

FamilyProof ProveFamily(const machine::Code& code, int64_t cluster,
                        const Family& family, int64_t max_events) {
  return Prover(code, cluster, family, max_events).Prove();
}

}  // namespace tilesim::checkers::sizes::induction
