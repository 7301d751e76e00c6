#include "checkers/solver/products.h"

namespace tilesim::checkers::solver {
namespace {

// a * b = value grows with a, where b >= 1, compared with c * d = other, where
// d = b.
Formula Grows(const Product& p, const Linear& c, const Linear& d,
              const Linear& other) {
  return Any({Lt(p.b, d), Gt(p.b, d), Lt(p.b, 1),
              All({Lt(p.a, c), Le(p.value + p.b, other)}),
              All({Eq(p.a, c), Eq(p.value, other)}),
              All({Gt(p.a, c), Ge(p.value, other + p.b)})});
}

// Multiples of one product say nothing of each other.
bool SameValue(const Product& p, const Product& q) {
  return p.value.terms().size() == 1 && q.value.terms().size() == 1 &&
         p.value.terms()[0].first == q.value.terms()[0].first;
}

// Its value where the factor a has the value that it has at the point, and
// more or less elsewhere; exact, whatever the sign of b.
std::optional<Formula> AtValue(const Product& p, std::span<const int64_t> at) {
  std::optional<int64_t> a = p.a.At(at);
  if (!a) return std::nullopt;
  Linear there = p.b * *a;
  if (there.overflowed()) return std::nullopt;
  auto beyond = [&](const Formula& side, const Linear& low,
                    const Linear& high) {
    return All({side, Any({All({Ge(p.b, 0), Le(low, high)}),
                           All({Lt(p.b, 0), Ge(low, high)})})});
  };
  return Any({All({Eq(p.a, *a), Eq(p.value, there)}),
              beyond(Lt(p.a, *a), p.value + p.b, there),
              beyond(Gt(p.a, *a), there + p.b, p.value)});
}

}  // namespace

bool Products::Holds(const Product& p, std::span<const int64_t> at) {
  std::optional<int64_t> a = p.a.At(at), b = p.b.At(at);
  int64_t exact;
  return a && b && !__builtin_mul_overflow(*a, *b, &exact) &&
         p.value.At(at) == exact;
}

std::optional<Formula> Products::Violated(Formula f,
                                          std::span<const int64_t> at) {
  return f.At(at).value_or(true) ? std::nullopt : std::optional(std::move(f));
}

std::optional<Formula> Products::ViolatedProduct(
    std::span<const int64_t> at) const {
  for (const Product& p : problem_.products) {
    if (!Holds(p, at)) return AtValue(p, at);
  }
  return std::nullopt;
}

std::vector<Formula> Products::ViolatedGrowth(
    std::span<const int64_t> at) const {
  using Compared = std::optional<Formula> (Products::*)(
      const Product&, const Product&, std::span<const int64_t>) const;
  std::vector<Formula> out;
  for (Compared compared : {&Products::WithFamily, &Products::WithFactor,
                            &Products::WithConstants}) {
    for (const Product& p : problem_.products) {
      if (Holds(p, at)) continue;
      Product swapped{p.value, p.b, p.a, p.family};
      for (const Product& side : {p, swapped}) {
        if (out.size() == kMostCompared) return out;
        if (auto f = (this->*compared)(side, p, at))
          out.push_back(std::move(*f));
      }
    }
  }
  return out;
}

std::optional<Formula> Products::WithFamily(const Product& p,
                                            const Product& self,
                                            std::span<const int64_t> at) const {
  for (const Product& q : problem_.products) {
    if (&q == &self || q.family != p.family || SameValue(p, q)) continue;
    if (auto f = Violated(Grows(p, q.a, q.b, q.value), at)) return f;
    if (auto f = Violated(Grows(p, q.b, q.a, q.value), at)) return f;
  }
  return std::nullopt;
}

std::optional<Formula> Products::WithFactor(const Product& p,
                                            const Product& self,
                                            std::span<const int64_t> at) const {
  for (const Product& q : problem_.products) {
    if (&q == &self || SameValue(p, q)) continue;
    for (const auto& [c, d] : {std::pair(q.a, q.b), std::pair(q.b, q.a)}) {
      if (d != p.b) continue;
      if (auto f = Violated(Grows(p, c, d, q.value), at)) return f;
    }
  }
  return std::nullopt;
}

std::optional<Formula> Products::WithConstants(
    const Product& p, const Product&, std::span<const int64_t> at) const {
  for (int64_t c : {0, 1}) {
    if (auto f = Violated(Grows(p, c, p.b, p.b * c), at)) return f;
  }
  return std::nullopt;
}

}  // namespace tilesim::checkers::solver
