#include "checkers/sizes/induction/iteration_count.h"

#include <utility>

namespace tilesim::checkers::sizes::induction {
using algebra::Polynomial;

namespace {

// Of a number by what an iteration takes from it: where loops lie within the
// iteration, that depends on sizes itself.
std::optional<Polynomial> Quotient(const Polynomial& number,
                                   const Polynomial& moved) {
  Polynomial out;
  for (const auto& [monomial, c] : number.terms()) {
    if (monomial.size() == 1 && c % moved.base() == 0)
      out += Polynomial::Of(monomial[0], c / moved.base());
  }
  bool exact = out * moved == number && !out.constant();
  return exact && out.Grows() ? std::optional(std::move(out)) : std::nullopt;
}

// What of it is a multiple, divided.
Polynomial Multiples(const Polynomial& number, int64_t by) {
  Polynomial out;
  for (const auto& [monomial, c] : number.terms()) {
    if (c % by == 0) out += Polynomial::Of(monomial, c / by);
  }
  return out;
}

}  // namespace

IterationCount IterationsFor(
    const Polynomial& number, const Polynomial& moved,
    absl::FunctionRef<std::optional<bool>(const Polynomial&)> at_least_0) {
  IterationCount out;
  if (moved.base() == 0) return out;
  if (!moved.constant()) {
    out.iterations = Quotient(number.Varying(), moved);
    return out;
  }
  Polynomial times = Multiples(number, moved.base());
  Polynomial rest = number - Polynomial(moved.base()) * times;
  if (!at_least_0(rest)) {
    out.leaves_rest = true;
    out.stride = StrideFor(number, moved.base());
    if (!times.constant()) out.rest = std::move(rest);
    return out;
  }
  if (!times.constant() && times.Grows()) out.iterations = std::move(times);
  return out;
}

}  // namespace tilesim::checkers::sizes::induction
