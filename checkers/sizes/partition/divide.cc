#include "checkers/sizes/partition/divide.h"

#include <numeric>
#include <utility>

#include "checkers/proof/condition.h"
#include "checkers/sizes/state/symbols.h"
#include "ir/cat.h"

namespace tilesim::checkers::sizes::partition {
using algebra::Polynomial;
using algebra::Symbol;
using state::kPositions;
using state::kRests;
using state::kTicketDim;

namespace {

// Of a polynomial over these symbols alone, each by itself.
bool Linear(const Polynomial& p, const SizeCell& cell) {
  for (const auto& [monomial, c] : p.terms()) {
    if (monomial.size() != 1 || cell.axes.count(monomial[0]) == 0) return false;
  }
  return !p.bad() && !p.terms().empty();
}

int64_t CommonDivisor(const Polynomial& p) {
  int64_t out = 0;
  for (const auto& [monomial, c] : p.terms()) out = std::gcd(out, c);
  return out;
}

// A symbol that the polynomial has once, and does not count with already.
std::optional<Symbol> Single(const Polynomial& p) {
  std::optional<Symbol> out;
  for (const auto& [monomial, c] : p.terms()) {
    if (monomial[0] >= kRests) return std::nullopt;
    if (c == 1 && !out) out = monomial[0];
  }
  return out;
}

}  // namespace

// docs/all_sizes.md 4: a natural number is 0 or one more than another.
SizeCells Lowest(const SizeCell& cell, Symbol symbol, int64_t values) {
  SizeCells out;
  SizeCell more = cell;
  for (int64_t i = 0; i < values; ++i) {
    out.push_back(more);
    out.back().Close(symbol);
    more.Raise(symbol);
    if (!more.Settle()) return out;
    if (more.axes.count(symbol) == 0) break;
  }
  if (proof::IsJudged(proof::Condition::kAllOfACell))
    out.push_back(std::move(more));
  return out;
}

SizeCells Spread(const SizeCell& cell, Symbol symbol, int64_t times) {
  SizeCells out;
  for (int64_t i = 0; i < times; ++i) {
    SizeCell c = cell;
    c.Replace(symbol, Polynomial(i) + Polynomial::Of(symbol, times));
    Axis& axis = c.axes.at(symbol);
    axis.steps += i * axis.stride;
    axis.stride *= times;
    out.push_back(std::move(c));
  }
  return out;
}

std::optional<SizeCells> Cut(const SizeCell& cell, const Polynomial& number,
                             int64_t least) {
  if (!Linear(number, cell) || number.terms().size() != 1) return std::nullopt;
  const auto& [monomial, c] = *number.terms().begin();
  Symbol s = monomial[0];
  // The first value from which on it is something else.
  int64_t first = c > 0 ? (c - 1 - number.base()) / c : number.base() / -c + 1;
  if (first < least) return std::nullopt;
  SizeCell low = cell, high = cell;
  low.facts.Add(Polynomial(first - 1) - Polynomial::Of(s));
  high.Replace(s, Polynomial(first) + Polynomial::Of(s));
  return SizeCells{std::move(low), std::move(high)};
}

std::optional<SizeCell> Counted(const SizeCell& cell, const Polynomial& number,
                                int64_t step) {
  Polynomial varying = number.Varying();
  if (step <= 0 || !Linear(number, cell)) return std::nullopt;
  auto natural = [&] { return cell.facts.AtLeast0(varying).value_or(false); };
  if (!natural()) varying = Polynomial(-1) * varying;
  if (!natural()) return std::nullopt;
  int64_t common = CommonDivisor(varying);
  varying = *varying.DividedBy(common);
  step /= std::gcd(step, common);
  std::optional<Symbol> symbol = Single(varying);
  if (!symbol || (step == 1 && varying.terms().size() == 1))
    return std::nullopt;
  SizeCell out = cell;
  out.axes[*symbol] = {cell.axes.at(*symbol).name};
  Polynomial counted = Polynomial::Of(*symbol, step);
  if (step > 1) {
    Symbol rest = kRests;
    while (out.axes.count(rest) != 0) ++rest;
    out.axes[rest] = {cell.axes.at(*symbol).name};
    out.facts.Add(Polynomial(step - 1) - Polynomial::Of(rest));
    counted += Polynomial::Of(rest);
  }
  Polynomial value = counted - (varying - Polynomial::Of(*symbol));
  out.Replace(*symbol, value);
  out.facts.Add(value);
  return out;
}

// With `at_least_0` in place of the symbol, which it has once.
static SizeCell MeasuredFrom(const SizeCell& cell, Symbol symbol,
                             const Polynomial& at_least_0) {
  SizeCell out = cell;
  Polynomial value =
      Polynomial::Of(symbol, 2) - at_least_0;  // what is left of it, from there
  out.Replace(symbol, value);
  out.facts.Add(value);
  return out;
}

// Likewise, but as how far below 0 the number is: one less of it for each.
static SizeCell MeasuredBelow(const SizeCell& cell, Symbol symbol,
                              const Polynomial& number) {
  SizeCell out = cell;
  Polynomial value = Polynomial(-1) - (number - Polynomial::Of(symbol)) -
                     Polynomial::Of(symbol);
  out.Replace(symbol, value);
  out.facts.Add(value);
  return out;
}

std::optional<SizeCells> Compared(const SizeCell& cell,
                                  const Polynomial& number, bool by_one) {
  if (!Linear(number, cell)) return std::nullopt;
  auto with = [&](int64_t coefficient) -> std::optional<Symbol> {
    for (const auto& [monomial, c] : number.terms()) {
      if (c == coefficient) return monomial[0];
    }
    return std::nullopt;
  };
  const Polynomial opposite = Polynomial(-1) - number;
  std::optional<Symbol> up = with(1), down = with(-1);
  // Of what grows with each symbol, or falls, lowest values are cells (Lowest).
  bool grows = false, falls = false;
  for (const auto& [monomial, c] : number.terms())
    (c > 0 ? grows : falls) = true;
  const bool can = by_one ? up || down : up && down;
  if (!grows || !falls || !can) return std::nullopt;
  return SizeCells{up ? MeasuredFrom(cell, *up, number)
                      : MeasuredBelow(cell, *down, opposite),
                   down ? MeasuredFrom(cell, *down, opposite)
                        : MeasuredBelow(cell, *up, number)};
}

SizeCell Placed(const SizeCell& cell, int d, const Polynomial& clusters,
                bool from_last) {
  SizeCell out = cell;
  Symbol symbol = kPositions + d;
  Polynomial last = clusters - Polynomial(1), at = Polynomial::Of(symbol);
  out.axes[symbol] = {d == kTicketDim
                          ? "the number that is drawn"
                          : ir::Cat("cta.", std::string(1, "xyz"[d]))};
  out.facts.Add(last - at);
  out.positions[d] = {from_last ? last - at : at, clusters};
  return out;
}

}  // namespace tilesim::checkers::sizes::partition
