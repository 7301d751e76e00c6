#include "checkers/grid/depends.h"

#include <algorithm>

namespace tilesim::checkers::grid {
namespace {

class Parts {
 public:
  Parts(const Terms& terms, const std::set<Var>& wanted)
      : terms_(terms), wanted_(wanted) {}

  bool HasAny(const Linear& l) {
    return std::any_of(l.terms().begin(), l.terms().end(),
                       [&](const auto& term) { return HasAny(term.first); });
  }
  bool HasAny(const Formula& f) {
    return HasAny(f.linear) ||
           std::any_of(f.parts.begin(), f.parts.end(),
                       [&](const Formula& part) { return HasAny(part); });
  }

 private:
  bool HasAny(Var v) {
    if (wanted_.contains(v)) return true;
    if (!seen_.insert(v).second) return false;
    const Term& t = terms_[v];
    if (t.with && HasAny(*t.with)) return true;
    if (t.quotient && (HasAny(t.quotient->of) || HasAny(t.quotient->by) ||
                       HasAny(t.quotient->remainder)))
      return true;
    for (const Linear& argument : t.arguments) {
      if (HasAny(argument)) return true;
    }
    for (const solver::Product& p : t.products) {
      if (HasAny(p.value) || HasAny(p.a) || HasAny(p.b)) return true;
    }
    return HasAny(t.definition);
  }

  const Terms& terms_;
  const std::set<Var>& wanted_;
  std::set<Var> seen_;
};

}  // namespace

bool Depends(const Terms& terms, const Linear& l, const std::set<Var>& on) {
  return Parts(terms, on).HasAny(l);
}

bool Depends(const Terms& terms, const Formula& f, const std::set<Var>& on) {
  return Parts(terms, on).HasAny(f);
}

}  // namespace tilesim::checkers::grid
