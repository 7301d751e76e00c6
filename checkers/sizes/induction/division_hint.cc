#include "checkers/sizes/induction/division_hint.h"

#include <algorithm>
#include <cstdlib>
#include <numeric>

#include "checkers/sizes/state/symbols.h"

namespace tilesim::checkers::sizes::induction {
using algebra::Polynomial;
using algebra::Symbol;
using state::kFreshSymbols;

namespace {

// A symbol by itself, so many times, if that is all that varies.
std::optional<std::pair<Symbol, int64_t>> OnlySymbol(const Polynomial& p) {
  if (p.terms().size() != 1) return std::nullopt;
  const auto& [monomial, c] = *p.terms().begin();
  if (monomial.size() != 1) return std::nullopt;
  return std::pair(monomial[0], c);
}

}  // namespace

std::optional<Stride> StrideFor(const Polynomial& number, int64_t by) {
  for (const auto& [monomial, c] : number.terms()) {
    int64_t steps = std::abs(by) / std::gcd(c, by);
    bool of_family = monomial.size() == 1 && monomial[0] < kFreshSymbols;
    if (of_family && steps > 1) return Stride{monomial[0], steps};
  }
  return std::nullopt;
}

void DivisionHint::Blame(const Polynomial& p) {
  for (const auto& [monomial, c] : p.terms())
    symbols.insert(monomial.begin(), monomial.end());
}

void DivisionHint::BlameNumber() {
  if (!number) return;
  Blame(*number);
  for (const auto& [monomial, c] : number->terms()) {
    if (monomial.size() == 2 && monomial[0] != monomial[1])
      product = {monomial[0], monomial[1]};
  }
}

void DivisionHint::WantFit(const std::optional<Unfit>& unfit) {
  if (!unfit) return;
  Blame(unfit->number);
  if (!stride) stride = StrideFor(unfit->number, unfit->by);
}

void DivisionHint::WantWholeRounds(const Polynomial& iterations,
                                   int64_t rounds) {
  auto only = OnlySymbol(iterations);
  if (!only) return;
  int64_t steps = rounds / std::gcd(rounds, only->second);
  if (steps > 1) stride = {only->first, steps};
}

// Each step of the symbol is so many iterations more.
void DivisionHint::WantIterations(const Polynomial& iterations,
                                  int64_t lacking) {
  auto only = OnlySymbol(iterations);
  if (!only || only->second <= 0) return;
  int64_t each = only->second;
  values = std::max<int64_t>(1, (lacking + each - 1) / each);
}

}  // namespace tilesim::checkers::sizes::induction
