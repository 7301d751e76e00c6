#include "checkers/grid/question.h"

#include <utility>

namespace tilesim::checkers::grid {
using solver::Ge;
using solver::Le;

Question::Question(const Terms& terms, size_t ctas)
    : terms_(terms), names_(ctas) {
  for (std::vector<Var>& names : names_) names.assign(terms.size(), -1);
}

Var Question::Named(Var v, Cta cta) {
  const Term& term = terms_[v];
  Var& name = names(cta)[v];
  if (name >= 0) return name;
  Var fresh = problem_.New();
  name = fresh;
  if (term.of_launch) {
    for (std::vector<Var>& names : names_) names[v] = fresh;
  }
  if (term.low) Require(Ge(Linear::Of(fresh), *term.low));
  if (term.high) Require(Le(Linear::Of(fresh), *term.high));
  Require(term.definition, cta);
  if (term.with) Named(*term.with, cta);
  if (term.quotient) {
    problem_.quotients.push_back({Linear::Of(fresh), Of(term.quotient->of, cta),
                                  Of(term.quotient->by, cta)});
  }
  for (const solver::Product& p : term.products) {
    Linear value = Of(p.value, cta), a = Of(p.a, cta), b = Of(p.b, cta);
    auto low_a = terms_.Low(p.a), low_b = terms_.Low(p.b);
    // (a - low a) * (b - low b) >= 0
    if (low_a && low_b && *low_a < 2 && *low_b < 2 && *low_a >= 0 &&
        *low_b >= 0)
      Require(Ge(value, b * *low_a + a * *low_b - *low_a * *low_b));
    problem_.products.push_back(
        {std::move(value), std::move(a), std::move(b), v});
  }
  return fresh;
}

Linear Question::Of(const Linear& l, Cta cta) {
  for (const auto& [v, coefficient] : l.terms()) Named(v, cta);
  return l.Renamed(names(cta));
}

Formula Question::Of(const Formula& f, Cta cta) {
  Formula out{f.kind, Of(f.linear, cta), {}};
  for (const Formula& part : f.parts) out.parts.push_back(Of(part, cta));
  return out;
}

// What is a function of the same arguments for both is the same for both; and
// so is what has the same digits.
void Question::BeCongruent(Cta one, Cta other) {
  for (Var v = 0; v < terms_.size(); ++v) {
    const Linear of = Linear::Of(v);
    bool twice = Asked(of, one) && Asked(of, other) && !terms_[v].of_launch &&
                 !terms_[v].arguments.empty();
    if (!twice) continue;
    auto difference = [&](const Linear& l) {
      return Of(l, one) - Of(l, other);
    };
    solver::Congruence c;
    for (const Linear& argument : terms_[v].arguments)
      c.zero.push_back(difference(argument));
    c.difference = difference(of);
    problem_.congruences.push_back(std::move(c));
    const auto& quotient = terms_[v].quotient;
    if (!quotient || !terms_.OfLaunch(quotient->by)) continue;
    problem_.congruences.push_back(
        {{difference(of), difference(quotient->remainder)},
         difference(quotient->of)});
  }
}

solver::Point Question::Answer(const solver::Effort& effort) {
  for (size_t one = 0; one < names_.size(); ++one) {
    for (size_t other = one + 1; other < names_.size(); ++other)
      BeCongruent(static_cast<Cta>(one), static_cast<Cta>(other));
  }
  return Solve(problem_, effort);
}

int64_t Question::ValueOf(const Linear& l, Cta cta,
                          const std::vector<int64_t>& values) const {
  int64_t sum = l.constant();
  for (const auto& [v, coefficient] : l.terms()) {
    Var name = names_[static_cast<int>(cta)][v];
    if (name >= 0) sum += coefficient * values[name];
  }
  return sum;
}

}  // namespace tilesim::checkers::grid
