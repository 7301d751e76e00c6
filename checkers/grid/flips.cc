#include "checkers/grid/flips.h"

#include <algorithm>
#include <cstddef>

#include "checkers/grid/text.h"
#include "checkers/proof/condition.h"

namespace tilesim::checkers::grid {
using ir::Stmt;

namespace {

// The one statement of the text that sets the scalar, if each iteration
// executes it once; nullptr: there is no such.
const Stmt* OnlySet(const ir::Block& body, int32_t slot) {
  const Stmt* only = nullptr;
  for (const Stmt& s : body) {
    if (SetIn(s).count(slot) == 0) continue;
    if (only != nullptr || s.kind != Stmt::Kind::kAssign) return nullptr;
    only = &s;
  }
  return only;
}

}  // namespace

Flips::Flips(const ir::Block& body, const std::set<int32_t>& set,
             const Growth& growth, Scalars& scalars) {
  if (Jumps(body, Stmt::Kind::kContinue)) return;
  for (const int32_t slot : set) {
    const bool may = scalars.Has(slot) && !growth.contains(slot);
    const Stmt* s = may ? OnlySet(body, slot) : nullptr;
    std::set<int32_t> others = set;
    others.erase(slot);
    // Nothing else that it is made of changes in the loop.
    if (s == nullptr || !Mentions(s->value, {slot}) ||
        Mentions(s->value, others))
      continue;
    const Linear even = scalars.Of(slot), odd = scalars.Value(s->value);
    scalars.Set(slot, odd);
    const Linear again = scalars.Value(s->value);
    scalars.Set(slot, even);
    if (proof::IsJudged(proof::Condition::kBackAgain) &&
        scalars.MayHold(solver::Ne(again, even)))
      continue;
    all_.push_back({slot, even, odd});
  }
}

void Flips::Enter(const Linear& iteration, Terms& terms,
                  Scalars& scalars) const {
  for (const Flip& f : all_) {
    const Linear rest = terms.Remainder(iteration, 2);
    scalars.Set(f.slot, terms.Select(solver::Eq(rest, 0), f.even, f.odd));
  }
}

}  // namespace tilesim::checkers::grid
