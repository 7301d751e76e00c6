#include "checkers/solver/linear.h"

#include <algorithm>
#include <numeric>

namespace tilesim::checkers::solver {

Linear Linear::Of(Var v) {
  Linear out;
  out.terms_.emplace_back(v, 1);
  return out;
}

std::optional<Var> Linear::variable() const {
  bool one = terms_.size() == 1 && terms_[0].second == 1 && constant_ == 0;
  return one && !overflowed_ ? std::optional(terms_[0].first) : std::nullopt;
}

Linear& Linear::Add(const Linear& other, int64_t factor) {
  overflowed_ |= other.overflowed_;
  auto add = [&](int64_t& to, int64_t what) {
    int64_t scaled;
    overflowed_ |= __builtin_mul_overflow(what, factor, &scaled) ||
                   __builtin_add_overflow(to, scaled, &to);
  };
  add(constant_, other.constant_);
  std::vector<std::pair<Var, int64_t>> sum;
  sum.reserve(terms_.size() + other.terms_.size());
  auto a = terms_.begin();
  auto b = other.terms_.begin();
  while (a != terms_.end() || b != other.terms_.end()) {
    bool from_b =
        a == terms_.end() || (b != other.terms_.end() && b->first < a->first);
    if (from_b) {
      int64_t coefficient = 0;
      add(coefficient, b->second);
      sum.emplace_back(b->first, coefficient);
      ++b;
      continue;
    }
    sum.push_back(*a);
    if (b != other.terms_.end() && b->first == a->first) {
      add(sum.back().second, b->second);
      if (sum.back().second == 0) sum.pop_back();
      ++b;
    }
    ++a;
  }
  terms_ = std::move(sum);
  return *this;
}

Linear& Linear::operator*=(int64_t factor) {
  overflowed_ |= __builtin_mul_overflow(constant_, factor, &constant_);
  for (auto& [v, coefficient] : terms_)
    overflowed_ |= __builtin_mul_overflow(coefficient, factor, &coefficient);
  if (factor == 0) terms_.clear();
  return *this;
}

std::optional<int64_t> Linear::At(std::span<const int64_t> values) const {
  int64_t sum = constant_;
  if (overflowed_) return std::nullopt;
  for (const auto& [v, coefficient] : terms_) {
    int64_t term;
    if (__builtin_mul_overflow(coefficient, values[v], &term) ||
        __builtin_add_overflow(sum, term, &sum))
      return std::nullopt;
  }
  return sum;
}

int64_t Linear::Content() const {
  int64_t out = 0;
  for (const auto& [v, c] : terms_) out = std::gcd(out, c);
  return out;
}

Linear Linear::Narrowed() const {
  const int64_t content = Content();
  Linear out = constant_ / content - (constant_ % content < 0 ? 1 : 0);
  for (const auto& [v, c] : terms_) out += Of(v) * (c / content);
  return out;
}

Linear Linear::Renamed(std::span<const Var> to) const {
  Linear out = *this;
  for (auto& [v, coefficient] : out.terms_) v = to[v];
  std::sort(out.terms_.begin(), out.terms_.end());
  return out;
}

Formula Formula::Renamed(std::span<const Var> to) const {
  Formula out{kind, linear.Renamed(to), {}};
  for (const Formula& part : parts) out.parts.push_back(part.Renamed(to));
  return out;
}

std::optional<bool> Formula::At(std::span<const int64_t> values) const {
  if (kind == Kind::kGe || kind == Kind::kEq) {
    std::optional<int64_t> at = linear.At(values);
    if (!at) return std::nullopt;
    return kind == Kind::kEq ? *at == 0 : *at >= 0;
  }
  bool known = true;
  for (const Formula& part : parts) {
    std::optional<bool> holds = part.At(values);
    known &= holds.has_value();
    if (holds && *holds != (kind == Kind::kAll)) return *holds;
  }
  if (!known) return std::nullopt;
  return kind == Kind::kAll;
}

namespace {

// What the sign of a constant decides; an expression that has left 64 bits
// decides nothing.
Formula Compare(Formula::Kind kind, Linear linear) {
  if (linear.overflowed()) return Formula::True();
  if (!linear.is_constant()) return {kind, std::move(linear), {}};
  bool holds = kind == Formula::Kind::kEq ? linear.constant() == 0
                                          : linear.constant() >= 0;
  return holds ? Formula::True() : Formula::False();
}

Formula Joined(Formula::Kind kind, std::vector<Formula> parts) {
  bool all = kind == Formula::Kind::kAll;
  Formula out{kind, {}, {}};
  for (Formula& part : parts) {
    if (all ? part.is_false() : part.is_true()) return part;
    if (all ? part.is_true() : part.is_false()) continue;
    if (part.kind == kind) {
      std::move(part.parts.begin(), part.parts.end(),
                std::back_inserter(out.parts));
    } else {
      out.parts.push_back(std::move(part));
    }
  }
  if (out.parts.size() == 1) return Formula(std::move(out.parts[0]));
  return out;
}

}  // namespace

Formula Ge(const Linear& a, const Linear& b) {
  return Compare(Formula::Kind::kGe, a - b);
}

Formula Gt(const Linear& a, const Linear& b) {
  return Compare(Formula::Kind::kGe, a - b - 1);
}

Formula Eq(const Linear& a, const Linear& b) {
  return Compare(Formula::Kind::kEq, a - b);
}

Formula All(std::vector<Formula> parts) {
  return Joined(Formula::Kind::kAll, std::move(parts));
}

Formula Any(std::vector<Formula> parts) {
  return Joined(Formula::Kind::kAny, std::move(parts));
}

Formula Not(const Formula& f) {
  switch (f.kind) {
    case Formula::Kind::kGe:
      return Lt(f.linear, 0);
    case Formula::Kind::kEq:
      return Ne(f.linear, 0);
    case Formula::Kind::kAll:
    case Formula::Kind::kAny:
      break;
  }
  std::vector<Formula> parts;
  for (const Formula& part : f.parts) parts.push_back(Not(part));
  return f.kind == Formula::Kind::kAll ? Any(std::move(parts))
                                       : All(std::move(parts));
}

}  // namespace tilesim::checkers::solver
