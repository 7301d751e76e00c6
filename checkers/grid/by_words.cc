#include "checkers/grid/by_words.h"

#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "checkers/proof/condition.h"

namespace tilesim::checkers::grid {
using solver::All;
using solver::Answer;
using solver::Any;
using solver::Eq;
using solver::Lt;
using solver::Ne;

using Cta = Question::Cta;

class ByWords::Impl {
 public:
  Impl(const Accesses& accesses, const Words& words,
       const solver::Effort& effort)
      : accesses_(accesses), words_(words), effort_(effort) {}

  // No word puts `a` of the first CTA and `b` of the second in order.
  void Require(Question& q, const Access& a, const Access& b) {
    const Handed of_a = HandingsOf(a), of_b = HandingsOf(b);
    if (IsPutBack(a, b)) q.Require(CountApart(q));
    for (auto by : {&AllSyncEdges::by_release, &AllSyncEdges::by_fence_sc}) {
      const SyncEdges &first = of_a.Before(of_b).*by,
                      &after = of_b.After(of_a).*by,
                      &second = of_b.Before(of_a).*by,
                      &before = of_a.After(of_b).*by;
      // One CTA draws the last number of a word, after all others have counted.
      const bool one = (of_a.plain.*by).after_all && (of_b.plain.*by).after_all;
      if (one || (after.after_all && first.counted) ||
          (before.after_all && second.counted))
        q.Require(CountApart(q));
      const bool released = by == &AllSyncEdges::by_release;
      Told(q, first, Cta::kFirst, after, Cta::kSecond, released);
      Told(q, second, Cta::kSecond, before, Cta::kFirst, released);
      NotInSteps(q, first, a, Cta::kFirst, after, b, Cta::kSecond);
      NotInSteps(q, second, b, Cta::kSecond, before, a, Cta::kFirst);
      if (!released) continue;
      NotAfterSteps(q, first, a, Cta::kFirst, after, b, Cta::kSecond);
      NotAfterSteps(q, second, b, Cta::kSecond, before, a, Cta::kFirst);
    }
  }

 private:
  // That the CTAs count in two words, or one in none.
  Formula CountApart(Question& q) {
    return Any(
        {NotReached(q, words_.count, Cta::kFirst),
         NotReached(q, words_.count, Cta::kSecond),
         Apart(q, words_.count, Cta::kFirst, words_.count, Cta::kSecond)});
  }

  // docs/all_sizes.md 3.14: who puts back the word in which both count comes
  // after all counts, whatever they order besides, and is the only one.
  bool IsPutBack(const Access& a, const Access& b) const {
    const Site first = Site::Of(*a.op), second = Site::Of(*b.op);
    const bool puts = words_.put_back.contains(first),
               other = words_.put_back.contains(second);
    return (puts && (other || second == words_.count)) ||
           (other && first == words_.count);
  }

  // docs/all_sizes.md 5.2. What comes before the word of a step comes before
  // what comes after that, or a later one.
  void NotInSteps(Question& q, const SyncEdges& earlier, const Access& a,
                  Cta of_a, const SyncEdges& later, const Access& b, Cta of_b) {
    for (const auto& [decl, loop] : words_.steps) {
      const std::optional<Site> set = SiteIn(words_.set, decl);
      const Access* access = AccessAt(set);
      // Who sets a word has seen those of the steps before.
      const bool in_turn =
          access != nullptr &&
          HandingsOf(*access).plain.by_release.after_steps.contains({decl, 0});
      if (!in_turn) continue;
      const auto before =
          EpochOf(a, *access, loop, decl, earlier.before_steps, {0, 1});
      const auto after =
          EpochOf(b, *access, loop, decl, later.after_steps, {1, 0});
      if (before && after)
        q.Require(Lt(q.Of(*after, of_b), q.Of(*before, of_a) + 1));
    }
  }

  // docs/all_sizes.md 5.2. What comes before the word that its CTA sets in a
  // step comes before what comes after a wait for that word, or for that of a
  // later step.
  void NotAfterSteps(Question& q, const SyncEdges& earlier, const Access& a,
                     Cta of_a, const SyncEdges& later, const Access& b,
                     Cta of_b) {
    for (const auto& [site, shift] : later.seen_steps) {
      const int32_t decl = words_.wait.at(site);
      const auto steps = words_.own_steps.find(decl);
      const Access *set = AccessAt(SiteIn(words_.set, decl)),
                   *wait = AccessAt(site);
      if (steps == words_.own_steps.end() || set == nullptr || wait == nullptr)
        continue;
      const auto its = StepOf(a, steps->second.loop),
                 other = StepOf(b, steps->second.loop);
      const int more = earlier.before_steps.contains({decl, 0}) ? 0 : 1;
      if (!its || !other || !earlier.before_steps.contains({decl, more}) ||
          !OnlyBySteps(*set, *wait, steps->second) || !SetOnce(decl))
        continue;
      const Linear sets = q.Of(*its, of_a) + more,
                   seen = q.Of(*other, of_b) + (shift - 1);
      std::vector<Formula> any{Lt(seen, sets), Lt(seen, 0),
                               NotReached(q, site, of_b)};
      for (size_t d = 0; d < set->start.size(); ++d) {
        if (steps->second.dims.contains(d)) continue;
        any.push_back(
            Ne(q.Of(set->start[d], of_a), q.Of(wait->start[d], of_b)));
      }
      q.Require(Any(std::move(any)));
    }
  }

  static std::optional<Linear> StepOf(const Access& a, const Site& loop) {
    const bool in = !a.iterations.empty() && a.iterations[0].loop != nullptr &&
                    Site::Of(*a.iterations[0].loop) == loop;
    return in ? std::optional(a.iterations[0].number) : std::nullopt;
  }

  // In the other dimensions their words lie where they do in every step.
  bool OnlyBySteps(const Access& set, const Access& wait,
                   const Words::OwnSteps& steps) const {
    for (const Access* a : {&set, &wait}) {
      std::vector<Linear> others, numbers;
      if (!StepOf(*a, steps.loop)) return false;
      for (const Access::Iteration& i : a->iterations) {
        if (!i.number.variable()) return false;
        numbers.push_back(i.number);
      }
      for (size_t d = 0; d < a->start.size(); ++d) {
        if (!steps.dims.contains(d)) others.push_back(a->start[d]);
      }
      if (DependsOn(accesses_.terms, others, numbers)) return false;
    }
    return true;
  }

  // How many words of steps come before it, by what is known; `shifts`: what
  // says more first.
  static std::optional<Linear> EpochOf(
      const Access& a, const Access& set, const Site& loop, int32_t decl,
      const std::set<std::pair<int32_t, int>>& known,
      std::initializer_list<int> shifts) {
    const auto in = [&](const Access& of) {
      return !of.iterations.empty() && of.iterations[0].loop != nullptr &&
                     Site::Of(*of.iterations[0].loop) == loop
                 ? &of.iterations[0]
                 : nullptr;
    };
    for (int shift : shifts) {
      if (!known.contains({decl, shift})) continue;
      if (in(a) != nullptr) return in(a)->number + shift;
      if (shift == 0) return Linear(0);
      if (in(set) != nullptr) return in(set)->of;
    }
    return std::nullopt;
  }

  // The CTA that has set a flag after its access is not the one for whose flag
  // the other has waited.
  void Told(Question& q, const SyncEdges& setter, Cta sets,
            const SyncEdges& waiter, Cta waits, bool turns) {
    for (const Site& wait : waiter.waits) {
      const int32_t decl = words_.wait.at(wait);
      if (!setter.sets.contains(decl)) continue;
      if (words_.by_all.contains(decl)) {
        q.Require(Any({}));
      } else if (words_.by_some.contains(decl)) {
        q.Require(Apart(q, SiteIn(words_.set, decl), sets, wait, waits));
      } else if (SetOnce(decl)) {
        const auto set = SiteIn(words_.set, decl);
        q.Require(Any({NotReached(q, set, sets), NotReached(q, wait, waits),
                       NotSeen(q, decl, sets, wait, waits, turns)}));
      }
    }
  }

  // Nor is it one that is set in turn behind it. `turns`: whether that counts.
  Formula NotSeen(Question& q, int32_t decl, Cta sets, const Site& wait,
                  Cta waits, bool turns) {
    const auto set = SiteIn(words_.set, decl);
    const Access *a = AccessAt(set), *b = AccessAt(wait);
    std::vector<Formula> all{Apart(q, set, sets, wait, waits)};
    if (!turns || a == nullptr || b == nullptr) return All(std::move(all));
    for (const Turn& turn : TurnsOf(decl)) {
      std::vector<Formula> any;
      for (size_t d = 0; d < a->start.size(); ++d) {
        const Linear its = q.Of(a->start[d], sets),
                     seen = q.Of(b->start[d], waits);
        if (d != turn.dim)
          any.push_back(Ne(its, seen));
        else
          any.push_back(turn.up ? Lt(seen, its) : Lt(its, seen));
      }
      all.push_back(Any(std::move(any)));
    }
    return All(std::move(all));
  }

  // The dimensions in which words are set in turn: who sets one has seen that
  // before it, if one of those before is set at all.
  struct Turn {
    size_t dim = 0;
    bool up = true;  // each by the number above
  };

  const std::vector<Turn>& TurnsOf(int32_t decl) {
    auto [known, fresh] = turns_.try_emplace(decl);
    const Access* set = AccessAt(SiteIn(words_.set, decl));
    if (!fresh || set == nullptr) return known->second;
    for (const Site& seen : HandingsOf(*set).plain.by_release.waits) {
      const Access* wait = AccessAt(seen);
      if (wait == nullptr || words_.wait.at(seen) != decl) continue;
      for (size_t d = 0; d < set->start.size(); ++d) {
        for (bool up : {true, false}) {
          if (!set->start[d].is_constant() && InTurn(*set, *wait, {d, up}))
            known->second.push_back({d, up});
        }
      }
    }
    return known->second;
  }

  // docs/all_sizes.md 5.2. Of two CTAs that set words of which one lies further
  // on in the dimension, that one has waited for the word just before its own.
  bool InTurn(const Access& set, const Access& wait, const Turn& turn) {
    Question q(accesses_.terms);
    q.Require(accesses_.launch, Cta::kFirst);
    q.Require(set.when, Cta::kFirst);
    q.Require(set.when, Cta::kSecond);
    std::vector<Formula> not_so{
        NotReached(q, Site::Of(*wait.op), Cta::kSecond)};
    for (size_t d = 0; d < set.start.size(); ++d) {
      const Linear first = q.Of(set.start[d], Cta::kFirst),
                   its = q.Of(set.start[d], Cta::kSecond);
      Linear before = its;
      if (d != turn.dim) {
        q.Require(Eq(first, its));
      } else {
        q.Require(turn.up ? Lt(first, its) : Lt(its, first));
        before += turn.up ? -1 : 1;
      }
      not_so.push_back(Ne(q.Of(wait.start[d], Cta::kSecond), before));
    }
    q.Require(Any(std::move(not_so)));
    return q.Answer(effort_).answer == Answer::kNone;
  }

  // It is an op to which the CTA does not come. docs/all_sizes.md 5.2.
  Formula NotReached(Question& q, const std::optional<Site>& site, Cta cta) {
    if (!site || !words_.in_some.contains(*site)) return Any({});
    const Access* access = AccessAt(site);
    if (access == nullptr || !access->reached) return Formula::True();
    return q.Of(solver::Not(*access->reached), cta);
  }

  Handed HandingsOf(const Access& a) const {
    auto at = words_.handed.find(Site::Of(*a.op, a.operand, a.write));
    return at == words_.handed.end() ? Handed() : at->second;
  }

  static std::optional<Site> SiteIn(const std::map<int32_t, Site>& sites,
                                    int32_t decl) {
    auto at = sites.find(decl);
    return at == sites.end() ? std::nullopt : std::optional(at->second);
  }

  const Access* AccessAt(const std::optional<Site>& site) const {
    for (const Access& a : accesses_.all) {
      if (site && Site::Of(*a.op) == *site) return &a;
    }
    return nullptr;
  }

  // The word of an op by one CTA is not that of an op by the other.
  Formula Apart(Question& q, const std::optional<Site>& one, Cta by,
                const std::optional<Site>& other, Cta by_other) {
    const Access *a = AccessAt(one), *b = AccessAt(other);
    if (a == nullptr || b == nullptr) return Formula::True();
    std::vector<Formula> differ;
    for (size_t d = 0; d < a->start.size(); ++d)
      differ.push_back(Ne(q.Of(a->start[d], by), q.Of(b->start[d], by_other)));
    return Any(std::move(differ));
  }

  // Whether each word of the flags is set by one CTA at most: who has seen it
  // knows by whom.
  bool SetOnce(int32_t decl) {
    auto [known, fresh] = set_once_.try_emplace(decl);
    if (!fresh) return known->second;
    const Access* set = AccessAt(SiteIn(words_.set, decl));
    if (set == nullptr) return false;
    if (!proof::IsJudged(proof::Condition::kFlagOfOneCta))
      return known->second = true;
    Question q(accesses_.terms);
    TwoCtas(q);
    q.Require(set->when, Cta::kFirst);
    q.Require(set->when, Cta::kSecond);
    for (const Linear& l : set->start)
      q.Require(Eq(q.Of(l, Cta::kFirst), q.Of(l, Cta::kSecond)));
    return known->second = q.Answer(effort_).answer == Answer::kNone;
  }

  // Two CTAs of one launch, the first in an earlier cluster.
  void TwoCtas(Question& q) const {
    q.Require(accesses_.launch, Cta::kFirst);
    std::vector<Formula> any, equal;
    for (const Linear& c : accesses_.cluster) {
      const Linear first = q.Of(c, Cta::kFirst), second = q.Of(c, Cta::kSecond);
      std::vector<Formula> before = equal;
      before.push_back(Lt(first, second));
      any.push_back(All(std::move(before)));
      equal.push_back(Eq(first, second));
    }
    q.Require(Any(std::move(any)));
  }

  static bool DependsOn(const Terms& terms, const std::vector<Linear>& places,
                        const std::vector<Linear>& variables) {
    Question q(terms);
    for (const Linear& l : places) q.Of(l, Cta::kFirst);
    return std::any_of(
        variables.begin(), variables.end(),
        [&](const Linear& l) { return q.Asked(l, Cta::kFirst); });
  }

  const Accesses& accesses_;
  const Words& words_;
  const solver::Effort effort_;
  std::map<int32_t, bool> set_once_;
  std::map<int32_t, std::vector<Turn>> turns_;
};

ByWords::ByWords(const Accesses& accesses, const Words& words,
                 const solver::Effort& effort)
    : impl_(std::make_unique<Impl>(accesses, words, effort)) {}

ByWords::~ByWords() = default;

void ByWords::Require(Question& q, const Access& a, const Access& b) {
  impl_->Require(q, a, b);
}

}  // namespace tilesim::checkers::grid
