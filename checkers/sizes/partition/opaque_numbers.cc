#include "checkers/sizes/partition/opaque_numbers.h"

#include <algorithm>

#include "ir/eval.h"

namespace tilesim::checkers::sizes::partition {
using algebra::NumberOf;
using algebra::Polynomial;
using algebra::Symbolic;
using ir::ExprOp;

std::optional<Polynomial> OpaqueNumbers::AsNumber(const Symbolic& s) {
  if (s.unknown()) return std::nullopt;
  if (auto number = NumberOf(s)) return number;
  Key key{static_cast<int>(s.kind),
          -2,
          TermsOf(s.of),
          {{{}, s.by}, {{}, s.values}}};
  bool quotient = s.kind == Symbolic::Kind::kQuotient;
  auto residue = algebra::ResidueOf(s);
  Polynomial most =
      quotient ? s.of : Polynomial(residue ? residue->values - 1 : 1);
  auto say = [&](const Polynomial& v) { Know(most - v); };
  return Made(key, say, quotient ? s.of.base() / s.by : 0);
}

// docs/all_sizes.md 3.5: a number that is no polynomial is any for which the
// facts hold, so that the family has all members that there are, and more.
Symbolic OpaqueNumbers::Unsaid(ExprOp op, int32_t function, const Symbolic& a,
                               const Symbolic& b) {
  auto x = AsNumber(a), y = AsNumber(b);
  if (!x || !y) return Symbolic::Unknown();
  auto made = function >= 0 ? Called(ir::Functions()[function].name, *x, *y)
                            : Operated(op, *x, *y);
  return made ? Symbolic::Number(*made) : Symbolic::Unknown();
}

OpaqueNumbers::Terms OpaqueNumbers::TermsOf(const Polynomial& p) {
  Terms out{{{}, p.base()}};
  for (const auto& [m, c] : p.terms()) out.push_back({{m.begin(), m.end()}, c});
  return out;
}

Polynomial OpaqueNumbers::Made(const Key& key, Say say, int64_t low) {
  auto [at, fresh] = made_.try_emplace(key);
  if (fresh) {
    at->second = Polynomial(low) + Polynomial::Of(Fresh());
    say(at->second);
  }
  return at->second;
}

std::optional<Polynomial> OpaqueNumbers::Operated(ExprOp op,
                                                  const Polynomial& a,
                                                  const Polynomial& b) {
  if (op == ExprOp::kAdd) return a + b;
  if (op == ExprOp::kSub) return a - b;
  if (op == ExprOp::kMul) return a * b;
  bool divides = op == ExprOp::kDiv || op == ExprOp::kRem;
  if (!divides || !AtLeast(a, 0) || !AtLeast(b, 1)) return std::nullopt;
  Key key{static_cast<int>(op), -1, TermsOf(a), TermsOf(b)};
  return Made(key, [&](const Polynomial& v) {
    Know(a - v);
    if (op == ExprOp::kDiv) Order({a, b, v});
    if (op == ExprOp::kRem) Know(b - Polynomial(1) - v);
  });
}

std::optional<Polynomial> OpaqueNumbers::Called(std::string_view name,
                                                const Polynomial& a,
                                                const Polynomial& b) {
  bool low = name == "min", high = name == "max", up = name == "cdiv";
  auto at_least = [&](int64_t bound) {
    bool first = AtLeast(a, bound), second = AtLeast(b, up ? 1 : bound);
    return high ? first || second : first && second;
  };
  if (!at_least(0) || (!low && !high && !up)) return std::nullopt;
  Key key{low ? 0 : high ? 1 : 2, 0, TermsOf(a), TermsOf(b)};
  auto say = [&](const Polynomial& v) {
    if (low || up) Know(a - v);
    if (low) Know(b - v);
    if (high) Know(v - a);
    if (high) Know(v - b);
    if (up) return;
    KnowWithin(low, a, b, v);
    KnowWithin(low, b, a, v);
  };
  return Made(key, say, at_least(1) ? 1 : 0);
}

// A place that is held inside of something (`max(cta.x - 1, 0)`, which is at
// most cta.x) is not further from where it was than the other can be.
void OpaqueNumbers::KnowWithin(bool least, const Polynomial& a,
                               const Polynomial& b, const Polynomial& v) {
  const Polynomial beyond = least ? a - b : b - a;
  const Polynomial by(std::max<int64_t>(beyond.base(), 0));
  if (AtLeast(by - beyond, 0)) Know(least ? v - a + by : a + by - v);
}

// The more is divided by the same, the more it is.
void OpaqueNumbers::Order(const Quotient& q) {
  for (const Quotient& other : quotients_) {
    if (!(other.by == q.by)) continue;
    if (AtLeast(q.of - other.of, 0)) Know(q.is - other.is);
    if (AtLeast(other.of - q.of, 0)) Know(other.is - q.is);
  }
  quotients_.push_back(q);
}

}  // namespace tilesim::checkers::sizes::partition
