// Linear expressions over integer variables, and formulas of comparisons of
// them with 0. What the solver decides, with products besides (solver.h).
#ifndef TILESIM_CHECKERS_SOLVER_LINEAR_H_
#define TILESIM_CHECKERS_SOLVER_LINEAR_H_

#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace tilesim::checkers::solver {

using Var = int32_t;

// constant + sum of coefficient * variable. A coefficient that leaves 64 bits
// makes the expression overflowed(): it must not be used.
class Linear {
 public:
  Linear() = default;
  Linear(int64_t constant)
      : constant_(constant) {}  // NOLINT: reads as a number
  static Linear Of(Var v);

  int64_t constant() const { return constant_; }
  // By variable; no coefficient is 0.
  const std::vector<std::pair<Var, int64_t>>& terms() const { return terms_; }
  bool is_constant() const { return terms_.empty(); }
  bool overflowed() const { return overflowed_; }
  // The variable that this is, if it is one and nothing else.
  std::optional<Var> variable() const;

  Linear& operator+=(const Linear& other) { return Add(other, 1); }
  Linear& operator-=(const Linear& other) { return Add(other, -1); }
  Linear& operator*=(int64_t factor);
  friend Linear operator+(Linear a, const Linear& b) { return a += b; }
  friend Linear operator-(Linear a, const Linear& b) { return a -= b; }
  friend Linear operator*(Linear a, int64_t b) { return a *= b; }
  friend Linear operator-(Linear a) { return a *= -1; }

  // nullopt: beyond 64 bits.
  std::optional<int64_t> At(std::span<const int64_t> values) const;
  // The largest number that divides all coefficients; 0 of a constant.
  int64_t Content() const;
  // l >= 0 for integers, with coefficients that have no common factor. Not of a
  // constant.
  Linear Narrowed() const;
  // With variable v named to[v].
  Linear Renamed(std::span<const Var> to) const;

  friend auto operator<=>(const Linear&, const Linear&) = default;

 private:
  Linear& Add(const Linear& other, int64_t factor);

  std::vector<std::pair<Var, int64_t>> terms_;
  int64_t constant_ = 0;
  bool overflowed_ = false;
};

// A comparison with 0, or several, all or one of which hold.
struct Formula {
  enum class Kind : uint8_t { kGe, kEq, kAll, kAny };
  Kind kind = Kind::kAll;  // of nothing: true
  Linear linear;
  std::vector<Formula> parts;

  static Formula True() { return {}; }
  static Formula False() { return {Kind::kAny, {}, {}}; }
  bool is_true() const { return kind == Kind::kAll && parts.empty(); }
  bool is_false() const { return kind == Kind::kAny && parts.empty(); }

  friend bool operator==(const Formula&, const Formula&) = default;

  Formula Renamed(std::span<const Var> to) const;
  // Whether it holds at these values; nullopt: beyond 64 bits.
  std::optional<bool> At(std::span<const int64_t> values) const;
};

Formula Ge(const Linear& a, const Linear& b);  // a >= b
Formula Gt(const Linear& a, const Linear& b);
Formula Eq(const Linear& a, const Linear& b);
Formula All(std::vector<Formula> parts);
Formula Any(std::vector<Formula> parts);
Formula Not(const Formula& f);
inline Formula Le(const Linear& a, const Linear& b) { return Ge(b, a); }
inline Formula Lt(const Linear& a, const Linear& b) { return Gt(b, a); }
inline Formula Ne(const Linear& a, const Linear& b) {
  return Any({Lt(a, b), Gt(a, b)});
}

}  // namespace tilesim::checkers::solver

#endif  // TILESIM_CHECKERS_SOLVER_LINEAR_H_
