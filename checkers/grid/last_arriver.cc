#include "checkers/grid/last_arriver.h"

#include <algorithm>
#include <vector>

#include "checkers/grid/question.h"
#include "checkers/proof/condition.h"

namespace tilesim::checkers::grid {
using solver::Any;
using solver::Eq;
using solver::Ne;

namespace {

using Cta = Question::Cta;

constexpr solver::Effort kEffort{.points = 200, .refute_only = true};

const Access* CountIn(const Accesses& all, const Words& words) {
  const auto count =
      std::find_if(all.all.begin(), all.all.end(), [&](const Access& a) {
        return words.count && Site::Of(*a.op) == *words.count;
      });
  return count == all.all.end() ? nullptr : &*count;
}

// Two CTAs that count in one word would make it at one place, with the same
// warp and as many iterations on.
bool AtOnePlace(const Accesses& all, const Access& count, const Access& a) {
  if (!proof::IsJudged(proof::Condition::kOnePlaceAWord)) return true;
  Question q(all.terms);
  q.Require(all.launch, Cta::kFirst);
  const auto same = [&](const Linear& l) {
    q.Require(Eq(q.Of(l, Cta::kFirst), q.Of(l, Cta::kSecond)));
  };
  for (const Linear& l : count.start) same(l);
  for (const Access::Iteration& i : a.iterations) same(i.number);
  same(all.warp);
  same(all.warpgroup);
  for (const Cta cta : {Cta::kFirst, Cta::kSecond}) q.Require(a.when, cta);
  std::vector<Formula> differ;
  for (const std::vector<Linear>* box : {&a.start, &a.extent}) {
    for (const Linear& l : *box)
      differ.push_back(Ne(q.Of(l, Cta::kFirst), q.Of(l, Cta::kSecond)));
  }
  q.Require(Any(std::move(differ)));
  return q.Answer(kEffort).answer == solver::Answer::kNone;
}

}  // namespace

// docs/all_sizes.md 5.10.
std::optional<std::set<size_t>> CountTogether(const Accesses& accesses,
                                              const Words& words,
                                              const Access& access) {
  const Access* count = CountIn(accesses, words);
  if (count == nullptr || !AtOnePlace(accesses, *count, access))
    return std::nullopt;
  Question places(accesses.terms);
  for (const Linear& l : count->start) places.Of(l, Cta::kFirst);
  std::set<size_t> out;
  for (size_t d = 0; d < accesses.cta.size(); ++d) {
    const Linear& cta = accesses.cta[d];
    if (!cta.variable() || !places.Asked(cta, Cta::kFirst)) out.insert(d);
  }
  return out;
}

}  // namespace tilesim::checkers::grid
