#include "checkers/solver/consequences.h"

#include <algorithm>

#include "checkers/proof/condition.h"

namespace tilesim::checkers::solver {
namespace {

constexpr int kMostSums = 2;         // in an expression that is multiplied
constexpr size_t kFewestShares = 3;  // the factor, and two products
constexpr size_t kMostFacts = 1000;  // of a node

using Shares = std::map<Linear, std::vector<Share>>;  // by factor

void AddShare(const Linear& factor, Share share, Shares& out) {
  std::vector<Share>& shares = out[factor];
  if (shares.empty()) shares.push_back({factor, 1});
  bool known = std::any_of(shares.begin(), shares.end(), [&](const Share& s) {
    return s.value == share.value;
  });
  if (!known) shares.push_back(std::move(share));
}

// The factor itself among them, each once.
Shares SharesOf(const Problem& problem) {
  Shares out;
  for (const Product& p : problem.products) {
    const auto& terms = p.value.terms();
    if (terms.size() == 1 && terms[0].second != 1) continue;  // a multiple
    AddShare(p.b, {p.value, p.a}, out);
    if (p.a != p.b) AddShare(p.a, {p.value, p.b}, out);
  }
  return out;
}

}  // namespace

Multiples::Multiples(Linear factor, const std::vector<Share>& shares)
    : factor_(std::move(factor)) {
  for (const Share& s : shares) {
    if (s.of.is_constant()) continue;
    const auto& terms = s.of.terms();
    bool one = terms.size() == 1 && terms[0].second == 1;
    if (one) {
      ones_[terms[0].first] = s.value - factor_ * s.of.constant();
    } else {
      sums_.push_back(s);
    }
  }
}

std::vector<Linear> Multiples::Of(const Linear& l) const {
  std::vector<Linear> out;
  if (l.is_constant()) return out;
  if (auto product = Of(l, kMostSums)) out.push_back(std::move(*product));
  if (auto product = WithASum(l)) out.push_back(std::move(*product));
  return out;
}

// How many times a sum is in l, which has each of its terms as often.
int64_t TimesIn(const Linear& l, const Linear& sum) {
  int64_t times = 0;
  for (const auto& [v, c] : sum.terms()) {
    auto at = std::lower_bound(
        l.terms().begin(), l.terms().end(), v,
        [](const auto& term, Var other) { return term.first < other; });
    if (at == l.terms().end() || at->first != v || at->second % c != 0)
      return 0;
    if (times != 0 && at->second / c != times) return 0;
    times = at->second / c;
  }
  return times;
}

// By the product of a sum, though its variables have products as well: the one
// or the other is what is divided, and what grows with it is known of that.
std::optional<Linear> Multiples::WithASum(const Linear& l) const {
  for (const Share& s : sums_) {
    int64_t times = TimesIn(l, s.of);
    if (times == 0) continue;
    std::optional<Linear> rest = Of(l - s.of * times, kMostSums - 1);
    if (rest) return *rest + s.value * times;
  }
  return std::nullopt;
}

std::optional<Linear> Multiples::Of(const Linear& l, int sums) const {
  auto other =
      std::find_if(l.terms().begin(), l.terms().end(),
                   [&](const auto& t) { return ones_.count(t.first) == 0; });
  if (other == l.terms().end()) {
    Linear out = factor_ * l.constant();
    for (const auto& [v, c] : l.terms()) out += ones_.at(v) * c;
    return out;
  }
  for (const Share& s : sums_) {
    if (sums == 0) break;
    for (const auto& [v, c] : s.of.terms()) {
      if (v != other->first || other->second % c != 0) continue;
      int64_t times = other->second / c;
      std::optional<Linear> rest = Of(l - s.of * times, sums - 1);
      if (rest) return *rest + s.value * times;
    }
  }
  return std::nullopt;
}

Floors::Floors(const std::vector<Quotient>& all) {
  std::map<Linear, std::vector<Quotient>> by_divisor;
  const bool apart = proof::IsJudged(proof::Condition::kOneDivisor);
  for (const Quotient& q : all)
    by_divisor[apart ? q.by : all.front().by].push_back(q);
  for (auto& [by, quotients] : by_divisor) {
    quotients.push_back({1, by, by});
    for (const Quotient& a : quotients) {
      for (const Quotient& b : quotients) {
        if (&a == &b) continue;
        Add(a.of - b.of, a.value - b.value);
        Add(a.of - b.of - by, a.value - b.value - 1);
      }
    }
  }
}

void Floors::Add(const Linear& difference, const Linear& value) {
  if (difference.is_constant() || value.is_constant()) return;
  const Linear part = (difference - difference.constant()).Narrowed();
  larger_[part].push_back({difference.Content(), difference.constant(), value});
}

std::vector<Linear> Floors::From(const Linear& natural) const {
  std::vector<Linear> out;
  if (natural.is_constant()) return out;
  const Linear narrow = natural.Narrowed();
  const int64_t more = narrow.constant();
  auto at = larger_.find(narrow - more);
  if (at == larger_.end()) return out;
  for (const Larger& l : at->second) {
    int64_t least;  // of what the difference is more than, by its constant
    if (!__builtin_mul_overflow(l.times, more, &least) && least <= l.constant)
      out.push_back(l.quotients);
  }
  return out;
}

Consequences::Consequences(const Problem& problem, const Bounds& root)
    : floors_(problem.quotients) {
  for (const auto& [factor, shares] : SharesOf(problem)) {
    const bool natural = !root.MayHold(Lt(factor, 0)) ||
                         !proof::IsJudged(proof::Condition::kPositiveFactor);
    if (shares.size() >= kFewestShares && natural) {
      natural_.emplace_back(factor, shares);
    } else {
      others_.emplace_back(factor, shares);
    }
  }
}

// docs/all_sizes.md 6.1 and 6.3, of which 6.2, 6.4, 6.5 and 6.6 follow: what is
// at least 0 is so times a natural factor, what is 0 is so times any, and so
// are quotients by one divisor.
void Consequences::AddTo(Node& node, size_t from) const {
  for (size_t i = from; i < node.facts.size(); ++i) {
    if (node.facts.size() > kMostFacts) return;
    const Fact fact = node.facts[i];
    auto multiply = [&](const std::vector<Multiples>& factors) {
      for (const Multiples& m : factors) {
        for (const Linear& product : m.Of(fact.linear))
          AddNew(node, {product, fact.zero, fact.decision});
      }
    };
    multiply(natural_);
    if (fact.zero) multiply(others_);
    for (const Linear& l : floors_.From(fact.linear))
      AddNew(node, {l, false, fact.decision});
    if (!fact.zero) continue;
    for (const Linear& l : floors_.From(-fact.linear))
      AddNew(node, {l, false, fact.decision});
  }
}

void Consequences::AddNew(Node& node, Fact fact) {
  bool known =
      std::any_of(node.facts.begin(), node.facts.end(), [&](const Fact& f) {
        return f.zero == fact.zero && f.linear == fact.linear;
      });
  if (!known && !fact.linear.overflowed())
    node.facts.push_back(std::move(fact));
}

}  // namespace tilesim::checkers::solver
