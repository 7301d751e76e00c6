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
  return q.Answer(kRefute).answer == solver::Answer::kNone;
}

// The CTA comes to the counting op. Of what nobody knows it is not shown.
Formula WhetherItCounts(const Access& count) {
  if (!proof::IsJudged(proof::Condition::kAnyCounts)) return Formula::True();
  return count.reached.value_or(Formula::False());
}

// Of the CTAs along a dimension that have one word, the first, if its index
// says where they are: not at all, or by digits of their place.
class First {
 public:
  First(const Accesses& all, const Access& count, Terms& terms)
      : all_(all), count_(count), terms_(terms), places_(all.terms) {
    for (const Linear& l : count.start) places_.Of(l, Cta::kFirst);
  }

  void Of(size_t d, Representatives& out) {
    const Linear& cta = all_.cta[d];
    if (!cta.variable()) return;
    if (!places_.Asked(cta, Cta::kFirst)) {
      out.are = solver::All({out.are, Eq(cta, 0)});
      out.ctas[d] = 1;
    } else if (Says(cta)) {
      const auto first = Chosen(cta, all_.grid[d]);
      if (!first) return;
      out.are = solver::All({out.are, first->are});
      out.ctas[d] = first->numbers;
    }
  }

 private:
  // Of natural numbers below something: those for which it holds.
  struct Some {
    Formula are;
    Linear numbers;
  };

  // Of `l`, below `end`: all, if the index has it; 0, if it says nothing of it;
  // else those with such quotients and such remainders, of which there are as
  // many as pairs of them where the divisor divides `end`.
  std::optional<Some> Chosen(const Linear& l, const Linear& end) {
    if (Names(l)) return Some{Formula::True(), end};
    if (!Says(l)) return Some{Eq(l, 0), 1};
    for (Var v = 0; v < all_.terms.size(); ++v) {
      const auto& quotient = all_.terms[v].quotient;
      const Linear of = Linear::Of(v);
      if (!quotient || quotient->of != l ||
          (!Says(of) && !Says(quotient->remainder)))
        continue;
      const Terms::Division parts = Divided(end, quotient->by);
      if (parts.remainder != Linear(0)) continue;
      const auto above = Chosen(of, parts.quotient);
      const auto below = Chosen(quotient->remainder, quotient->by);
      if (!above || !below) continue;
      return Some{solver::All({above->are, below->are}),
                  terms_.Multiply(above->numbers, below->numbers)};
    }
    return std::nullopt;
  }

  Terms::Division Divided(const Linear& a, const Linear& by) {
    if (!by.is_constant()) return terms_.PartsOf(a, by, false);
    return {terms_.Divide(a, by), terms_.Remainder(a, by)};
  }

  // The index has it, or digits of it.
  bool Says(const Linear& l) const {
    if (Names(l)) return true;
    for (Var v = 0; v < all_.terms.size(); ++v) {
      const auto& quotient = all_.terms[v].quotient;
      if (quotient && quotient->of == l &&
          (Says(Linear::Of(v)) || Says(quotient->remainder)))
        return true;
    }
    return false;
  }

  bool Names(const Linear& l) const {
    return std::find(count_.start.begin(), count_.start.end(), l) !=
           count_.start.end();
  }

  const Accesses& all_;
  const Access& count_;
  Terms& terms_;
  Question places_;
};

}  // namespace

// docs/all_sizes.md 5.10.
std::optional<Representatives> CountTogether(const Accesses& accesses,
                                             const Words& words,
                                             const Access& access,
                                             Terms& terms) {
  const Access* count = CountIn(accesses, words);
  if (count == nullptr || !AtOnePlace(accesses, *count, access))
    return std::nullopt;
  Representatives out{Formula::True(), WhetherItCounts(*count), accesses.grid};
  First first(accesses, *count, terms);
  for (size_t d = 0; d < accesses.cta.size(); ++d) first.Of(d, out);
  return out;
}

}  // namespace tilesim::checkers::grid
