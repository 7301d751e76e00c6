#include "checkers/grid/launched_alike.h"

#include <algorithm>
#include <vector>

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

constexpr solver::Effort kEffort{.points = 200, .refute_only = true};

// The query of the loop around it, if that is in no other.
const HandedOut* QueryOf(const Accesses& all, const Access& a) {
  if (a.iterations.empty()) return nullptr;
  const auto found = std::find_if(
      all.handed_out.begin(), all.handed_out.end(), [&](const HandedOut& h) {
        return h.iteration == a.iterations[0].number;
      });
  return found == all.handed_out.end() ? nullptr : &*found;
}

// Every CTA comes to the loop, and there is a first iteration.
bool AlwaysEntered(const Accesses& all, const ir::Stmt* loop) {
  return std::any_of(all.loops.begin(), all.loops.end(),
                     [&](const LoopEntry& entry) {
                       if (entry.loop != loop || !entry.goes) return false;
                       Question q(all.terms);
                       q.Require(all.launch, Cta::kFirst);
                       q.Require(entry.when, Cta::kFirst);
                       q.Require(Not(*entry.goes), Cta::kFirst);
                       return q.Answer(kEffort).answer == Answer::kNone;
                     });
}

// Of a CTA in an iteration to which a cluster was handed out, the first, and
// the CTA of that cluster with its rank, in its first iteration, the second:
// the same warp, and as many iterations on in the loops inside.
class Pair {
 public:
  Pair(const Accesses& all, const HandedOut& answer, const Access& a)
      : a_(a), q_(all.terms) {
    q_.Require(all.launch, Cta::kFirst);
    q_.Require(Ge(q_.Of(*answer.iteration, Cta::kFirst), 1));
    q_.Require(Eq(q_.Of(*answer.iteration, Cta::kSecond), 0));
    q_.Require(Ne(q_.Of(answer.valid, Cta::kFirst), 0));
    for (size_t d = 0; d < 3; ++d) {
      const int64_t size = all.cluster_size[d];
      q_.Require(Eq(q_.Of(answer.cta[d], Cta::kFirst),
                    q_.Of(all.cluster[d], Cta::kSecond) * size));
      Same(all.cta[d] - all.cluster[d] * size);
    }
    Same(all.warp);
    Same(all.warpgroup);
    for (size_t i = 1; i < a.iterations.size(); ++i)
      Same(a.iterations[i].number);
  }

  // One of them makes the access, and the other not, or elsewhere.
  bool Differ(Cta makes) {
    const Cta other = makes == Cta::kFirst ? Cta::kSecond : Cta::kFirst;
    q_.Require(a_.when, makes);
    std::vector<Formula> differ{q_.Of(Not(a_.when), other)};
    for (const std::vector<Linear>* box : {&a_.start, &a_.extent}) {
      for (const Linear& l : *box)
        differ.push_back(Ne(q_.Of(l, Cta::kFirst), q_.Of(l, Cta::kSecond)));
    }
    q_.Require(Any(std::move(differ)));
    return q_.Answer(kEffort).answer != Answer::kNone;
  }

 private:
  void Same(const Linear& l) {
    q_.Require(Eq(q_.Of(l, Cta::kFirst), q_.Of(l, Cta::kSecond)));
  }

  const Access& a_;
  Question q_;
};

bool DoneAsByItsOwn(const Accesses& all, const HandedOut& answer,
                    const Access& a) {
  if (!proof::IsJudged(proof::Condition::kAsByItsOwn)) return true;
  return !Pair(all, answer, a).Differ(Cta::kFirst) &&
         !Pair(all, answer, a).Differ(Cta::kSecond);
}

// Shown of `a`, which nothing but conditions keeps from being made in each
// iteration.
const HandedOut* MadeAsLaunched(const Accesses& all, const Words& words,
                                const Access& a) {
  const HandedOut* answer = QueryOf(all, a);
  if (answer == nullptr || !(a.each_iteration || a.guarded)) return nullptr;
  const bool in_turn = !words.out_of_turn.contains(Site::Of(*answer->query));
  if (proof::IsJudged(proof::Condition::kEachAnswer) && !in_turn)
    return nullptr;
  const bool shown = AlwaysEntered(all, a.iterations[0].loop) &&
                     DoneAsByItsOwn(all, *answer, a);
  return shown ? answer : nullptr;
}

}  // namespace

// docs/all_sizes.md 5.9.
bool AsLaunched(const Accesses& accesses, const Words& words, Access& access) {
  const HandedOut* answer = MadeAsLaunched(accesses, words, access);
  if (answer == nullptr) return false;
  access.when = All({access.when, Eq(*answer->iteration, 0)});
  access.iterations.erase(access.iterations.begin());
  return true;
}

bool StoreAsLaunched(const Accesses& accesses, const Words& words,
                     int32_t decl) {
  return std::all_of(
      accesses.all.begin(), accesses.all.end(), [&](const Access& a) {
        const bool stores =
            a.decl == decl && a.write &&
            words.MayExecute(Site::Of(*a.op, a.operand, a.write));
        return !stores || MadeAsLaunched(accesses, words, a) != nullptr;
      });
}

}  // namespace tilesim::checkers::grid
