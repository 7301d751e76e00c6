#include "checkers/grid/renaming.h"

#include <algorithm>
#include <optional>
#include <utility>

namespace tilesim::checkers::grid {

// A function of what stays is the same number again.
bool Renaming::Stays(Var v) {
  const Term& t = terms_[v];
  if (t.of_launch || keeps_(v)) return true;
  auto [known, fresh] = stays_.try_emplace(v, false);
  if (!fresh) return known->second;
  const bool stays =
      !t.arguments.empty() &&
      std::all_of(t.arguments.begin(), t.arguments.end(), [&](auto& argument) {
        const auto& of = argument.terms();
        return std::all_of(of.begin(), of.end(),
                           [&](const auto& part) { return Stays(part.first); });
      });
  return stays_[v] = stays;
}

Linear Renaming::Of(const Linear& l) {
  Linear out = l.constant();
  for (const auto& [v, coefficient] : l.terms())
    out += Linear::Of(Stays(v) ? v : Copy(v)) * coefficient;
  return out;
}

Formula Renaming::Of(const Formula& f) {
  Formula out{f.kind, Of(f.linear), {}};
  for (const Formula& part : f.parts) out.parts.push_back(Of(part));
  return out;
}

// Definitions lead back to what they define. Bounds that leave no number are of
// a loop that has no iteration: nothing may follow from them.
Var Renaming::Copy(Var v) {
  if (auto known = names_.find(v); known != names_.end()) return known->second;
  Term t = terms_[v];
  const bool any = !(t.low && t.high && *t.low > *t.high);
  const Var copy = *terms_
                        .New(t.name, false, any ? t.low : std::nullopt,
                             any ? t.high : std::nullopt)
                        .variable();
  names_[v] = copy;
  // Where the loop has no iteration, nothing may follow from what it counts.
  const Formula entered = Of(t.entered);
  t.definition = solver::Any(
      {solver::Not(where_), solver::Not(entered), Of(t.definition)});
  t.entered = entered;
  if (t.with) t.with = Stays(*t.with) ? *t.with : Copy(*t.with);
  for (Linear& argument : t.arguments) argument = Of(argument);
  if (t.quotient) {
    t.quotient = Term::Quotient{Of(t.quotient->of), Of(t.quotient->by),
                                Of(t.quotient->remainder)};
  }
  for (solver::Product& p : t.products) {
    p.value = Of(p.value);
    p.a = Of(p.a);
    p.b = Of(p.b);
  }
  terms_.Complete(copy, std::move(t));
  return copy;
}

void Renaming::HandOut() {
  const std::vector<HandedOut> before = accesses_.handed_out;
  for (const HandedOut& h : before) {
    const bool copied = std::any_of(h.cta.begin(), h.cta.end(), [&](auto& at) {
      return names_.contains(*at.variable());
    });
    if (!copied) continue;
    HandedOut again{{}, h.query, Of(h.valid), {}};
    if (h.iteration) again.iteration = Of(*h.iteration);
    for (size_t d = 0; d < h.cta.size(); ++d) again.cta[d] = Of(h.cta[d]);
    accesses_.handed_out.push_back(std::move(again));
  }
}

}  // namespace tilesim::checkers::grid
