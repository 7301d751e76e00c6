#include "checkers/grid/defined.h"

#include <algorithm>

#include "checkers/grid/operators.h"
#include "checkers/grid/question.h"
#include "checkers/proof/condition.h"

namespace tilesim::checkers::grid {
using solver::Answer;
using solver::Any;
using solver::Eq;
using solver::Gt;
using solver::Lt;
using Cta = Question::Cta;

namespace {

Formula IsUndefined(const Operator& o) {
  return IsShift(*o.expr) ? Any({Lt(o.right, 0), Gt(o.right, kMostShifted)})
                          : Eq(o.right, 0);
}

bool SamePlace(const ir::Expr& a, const ir::Expr& b) {
  return a.span.line == b.span.line && a.span.column == b.span.column;
}

}  // namespace

// docs/all_sizes.md 5.6.
std::vector<Undefined> NotShownDefined(const Accesses& accesses) {
  std::vector<Undefined> out;
  if (!proof::IsJudged(proof::Condition::kDefined)) return out;
  for (const Operator& o : accesses.operators) {
    bool known = std::any_of(out.begin(), out.end(), [&](const Undefined& u) {
      return SamePlace(*u.expr, *o.expr);
    });
    if (known) continue;
    Question q(accesses.terms);
    // Of all parameters and the CTA, for the example.
    for (const auto& [name, param] : accesses.params) q.Of(param, Cta::kFirst);
    for (const Linear& cta : accesses.cta) q.Of(cta, Cta::kFirst);
    q.Require(accesses.launch, Cta::kFirst);
    q.Require(o.when, Cta::kFirst);
    q.Require(IsUndefined(o), Cta::kFirst);
    solver::Point at = q.Answer({});
    if (at.answer == Answer::kNone) continue;
    Undefined& u = out.emplace_back(Undefined{o.expr, {}});
    if (at.answer != Answer::kSome) continue;
    u.where = ExampleAt(accesses, q, at.values);
    u.where->second = u.where->first;  // of one CTA
  }
  return out;
}

}  // namespace tilesim::checkers::grid
