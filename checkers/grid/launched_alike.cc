#include "checkers/grid/launched_alike.h"

#include <algorithm>
#include <vector>

#include "checkers/grid/entered.h"
#include "checkers/grid/question.h"
#include "checkers/proof/condition.h"

namespace tilesim::checkers::grid {
using solver::All;
using solver::Answer;
using solver::Any;
using solver::Eq;
using solver::Ge;
using solver::Ne;
using solver::Not;

namespace {

using Cta = Question::Cta;

// The query of the loop around it, if that is in no other.
const HandedOut* QueryOf(const Accesses& all, const Access& a) {
  if (a.iterations.empty()) return nullptr;
  const auto found = std::find_if(
      all.handed_out.begin(), all.handed_out.end(), [&](const HandedOut& h) {
        return h.iteration == a.iterations[0].number;
      });
  return found == all.handed_out.end() ? nullptr : &*found;
}

// Of a CTA to which a cluster was handed out, the first, and the CTA of that
// cluster with its rank, the second: the same warp, and as many iterations on
// in loops inside. The first makes `later`, and the second `own`.
class Pair {
 public:
  // `inner`: in so many loops, the outermost first, they are as many iterations
  // on.
  Pair(const Accesses& all, const HandedOut& answer, const Access& later,
       const Access& own, size_t inner)
      : later_(later), own_(own), q_(all.terms) {
    q_.Require(all.launch, Cta::kFirst);
    q_.Require(Ne(q_.Of(answer.valid, Cta::kFirst), 0));
    for (size_t d = 0; d < 3; ++d) {
      const int64_t size = all.cluster_size[d];
      q_.Require(Eq(q_.Of(answer.cta[d], Cta::kFirst),
                    q_.Of(all.cluster[d], Cta::kSecond) * size));
      Same(all.cta[d] - all.cluster[d] * size);
    }
    Same(all.warp);
    Same(all.warpgroup);
    for (size_t i = 0; i < inner; ++i)
      q_.Require(Eq(q_.Of(LoopOf(later, i).number, Cta::kFirst),
                    q_.Of(LoopOf(own, i).number, Cta::kSecond)));
  }

  void Require(const Formula& f, Cta cta) { q_.Require(f, cta); }

  // The loop goes around more often for one of them.
  bool DifferInLength(size_t inner) {
    q_.Require(Ne(q_.Of(LoopOf(later_, inner).of, Cta::kFirst),
                  q_.Of(LoopOf(own_, inner).of, Cta::kSecond)));
    return q_.Answer(kRefute).answer != Answer::kNone;
  }

  // One of them makes the access, and the other not, or elsewhere.
  bool Differ(Cta makes) {
    const bool first = makes == Cta::kFirst;
    q_.Require(first ? later_.when : own_.when, makes);
    std::vector<Formula> differ{first ? q_.Of(Not(own_.when), Cta::kSecond)
                                      : q_.Of(Not(later_.when), Cta::kFirst)};
    Differ(later_.start, own_.start, differ);
    Differ(later_.extent, own_.extent, differ);
    q_.Require(Any(std::move(differ)));
    return q_.Answer(kRefute).answer != Answer::kNone;
  }

 private:
  void Differ(const std::vector<Linear>& later, const std::vector<Linear>& own,
              std::vector<Formula>& out) {
    for (size_t d = 0; d < later.size(); ++d)
      out.push_back(
          Ne(q_.Of(later[d], Cta::kFirst), q_.Of(own[d], Cta::kSecond)));
  }
  void Same(const Linear& l) {
    q_.Require(Eq(q_.Of(l, Cta::kFirst), q_.Of(l, Cta::kSecond)));
  }

  // Of those in the loop that asks, or in front of it.
  const Access::Iteration& LoopOf(const Access& a, size_t inner) const {
    const size_t all = later_.iterations.size() - 1;
    return a.iterations[a.iterations.size() - all + inner];
  }

  const Access &later_, &own_;
  Question q_;
};

// For no such two CTAs, of which `given` says more, a loop around goes around
// more often than for the other, or one of them makes the access and the other
// not.
template <typename Given>
bool Alike(const Accesses& all, const HandedOut& answer, const Access& later,
           const Access& own, Given given) {
  const size_t inner = later.iterations.size() - 1;
  for (size_t i = 0; i < inner; ++i) {
    Pair pair(all, answer, later, own, i);
    given(pair);
    if (pair.DifferInLength(i)) return false;
  }
  for (const Cta makes : {Cta::kFirst, Cta::kSecond}) {
    Pair pair(all, answer, later, own, inner);
    given(pair);
    if (pair.Differ(makes)) return false;
  }
  return true;
}

bool DoneAsByItsOwn(const Accesses& all, const HandedOut& answer,
                    const Access& a) {
  if (!proof::IsJudged(proof::Condition::kAsByItsOwn)) return true;
  return Alike(all, answer, a, a, [&](Pair& pair) {
    pair.Require(Ge(*answer.iteration, 1), Cta::kFirst);
    pair.Require(Eq(*answer.iteration, 0), Cta::kSecond);
  });
}

bool IsInTurn(const Words& words, const HandedOut& answer) {
  return !proof::IsJudged(proof::Condition::kEachAnswer) ||
         !words.out_of_turn.contains(Site::Of(*answer.query));
}

// Nothing but conditions keeps it from being made in each iteration.
bool MadeInEach(const Access& a) { return a.each_iteration || a.guarded; }

// Shown of `a`.
const HandedOut* MadeAsLaunched(const Accesses& all, const Words& words,
                                const Access& a) {
  const HandedOut* answer = QueryOf(all, a);
  if (answer == nullptr || !MadeInEach(a) || !IsInTurn(words, *answer))
    return nullptr;
  const bool shown = AlwaysEntered(all, a.iterations[0].loop) &&
                     DoneAsByItsOwn(all, *answer, a);
  return shown ? answer : nullptr;
}

// `own`, in front of the loop, does for the CTA what `later` does in it, behind
// the query, for each cluster that is handed out.
bool ContinuedBy(const Accesses& all, const Words& words, const Access& own,
                 const Access& later) {
  const HandedOut* before = QueryOf(all, later);
  const bool may = before != nullptr && MadeInEach(later) && MadeInEach(own) &&
                   own.iterations.size() + 1 == later.iterations.size() &&
                   own.start.size() == later.start.size() &&
                   IsInTurn(words, *before) &&
                   AlwaysEntered(all, later.iterations[0].loop);
  if (!may) return false;
  for (const HandedOut& answer : all.handed_out) {
    if (answer.iteration || answer.query != before->query) continue;
    if (!proof::IsJudged(proof::Condition::kAsInFront)) return true;
    const bool alike = Alike(all, answer, later, own, [&](Pair& pair) {
      // It has asked.
      pair.Require(later.iterations[0].goes, Cta::kFirst);
    });
    if (alike) return true;
  }
  return false;
}

}  // namespace

// docs/all_sizes.md 5.9.
bool AsLaunched(const Accesses& accesses, const Words& words, Access& access) {
  const HandedOut* answer = MadeAsLaunched(accesses, words, access);
  if (answer == nullptr) return false;
  access.when = All({access.when, Eq(*answer->iteration, 0)});
  // The loop stays, as one that goes around once: of who stores at one place in
  // an iteration its number tells.
  Access::Iteration& first = access.iterations[0];
  first = {first.number, 1,         true, first.number, 0, 1, 1,
           first.loop,   first.goes};
  return true;
}

bool IsInLoopThatAsks(const Accesses& accesses, const Access& access) {
  return QueryOf(accesses, access) != nullptr;
}

std::set<size_t> Continuations(const Accesses& accesses, const Words& words,
                               int32_t decl) {
  const std::vector<Access>& all = accesses.all;
  std::set<size_t> out;
  for (const Access& own : all) {
    const bool stores =
        own.decl == decl && own.write &&
        words.MayExecute(Site::Of(*own.op, own.operand, own.write));
    if (!stores || IsInLoopThatAsks(accesses, own)) continue;
    size_t later = 0;
    while (later < all.size() &&
           (out.contains(later) || all[later].decl != decl ||
            !all[later].write ||
            !ContinuedBy(accesses, words, own, all[later])))
      ++later;
    if (later == all.size()) return {};
    out.insert(later);
  }
  return out;
}

bool StoreAsLaunched(const Accesses& accesses, const Words& words,
                     int32_t decl) {
  const std::set<size_t> later = Continuations(accesses, words, decl);
  for (size_t i = 0; i < accesses.all.size(); ++i) {
    const Access& a = accesses.all[i];
    const bool stores = a.decl == decl && a.write &&
                        words.MayExecute(Site::Of(*a.op, a.operand, a.write));
    if (!stores || later.contains(i)) continue;
    const bool shown = IsInLoopThatAsks(accesses, a)
                           ? MadeAsLaunched(accesses, words, a) != nullptr
                           : !later.empty();
    if (!shown) return false;
  }
  return true;
}

}  // namespace tilesim::checkers::grid
