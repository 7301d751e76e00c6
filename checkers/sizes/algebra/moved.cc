#include "checkers/sizes/algebra/moved.h"

#include <numeric>

namespace tilesim::checkers::sizes::algebra {
namespace {

using Kind = Symbolic::Kind;

// A number is its quotient by 1, and its remainder the lowest digit of that.
Symbolic General(Symbolic s) {
  if (s.kind == Kind::kNumber) return {Kind::kQuotient, s.of, 1};
  if (s.kind == Kind::kRemainder) return Symbolic::Digit(s.of, 1, s.by);
  return s;
}

// The same quotient or digit, of and by times the same.
Symbolic Scaled(Symbolic s, int64_t by) {
  s.of = s.of * Polynomial(by / s.by);
  s.by = by;
  return s;
}

std::optional<int64_t> CommonMultiple(int64_t a, int64_t b) {
  int64_t out = 0;
  if (__builtin_mul_overflow(a / std::gcd(a, b), b, &out)) return std::nullopt;
  return out;
}

Symbolic Reduced(const Symbolic& s) {
  int64_t common = std::gcd(s.by, s.of.base());
  for (const auto& [monomial, c] : s.of.terms()) common = std::gcd(common, c);
  std::optional<Polynomial> of = s.of.DividedBy(common);
  return of ? Symbolic{s.kind, *of, s.by / common, s.values} : s;
}

}  // namespace

std::optional<Symbolic> Moved(const Symbolic& from, const Symbolic& to) {
  if (from.unknown() || to.unknown()) return std::nullopt;
  // A number that is a quotient now: what was rounded off does not count.
  bool becomes = (from.kind == Kind::kNumber && to.kind == Kind::kQuotient) ||
                 (from.kind == Kind::kQuotient && to.kind == Kind::kNumber);
  if (becomes) {
    std::optional<Polynomial> p = NumberOf(from), q = NumberOf(to);
    if (p && q) return Reduced({Kind::kQuotient, *q - *p, 1});
  }
  Symbolic a = General(from), b = General(to);
  if (a.kind != b.kind || a.values != b.values) return std::nullopt;
  std::optional<int64_t> by = CommonMultiple(a.by, b.by);
  if (!by) return std::nullopt;
  Polynomial moved = Scaled(b, *by).of - Scaled(a, *by).of;
  if (moved.bad()) return std::nullopt;
  return Reduced({Kind::kQuotient, moved, *by});
}

Symbolic MovedOn(const Symbolic& value, const Symbolic& moved,
                 const Polynomial& times) {
  Symbolic out = value;
  bool signless = value.kind == Kind::kNumber || value.kind == Kind::kAtLeast0;
  bool plain = moved.by == 1 && (signless || value.kind == Kind::kRemainder);
  if (!plain) {
    out = General(value);
    std::optional<int64_t> by = CommonMultiple(out.by, moved.by);
    if (!by) return Symbolic::Unknown();
    out = Scaled(out, *by);
  }
  int64_t scale = plain ? 1 : out.by / moved.by;
  out.of += moved.of * Polynomial(scale) * times;
  bool fits = signless || out.of.Grows();
  return fits ? out : Symbolic::Unknown();
}

}  // namespace tilesim::checkers::sizes::algebra
