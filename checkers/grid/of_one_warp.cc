#include "checkers/grid/of_one_warp.h"

#include <algorithm>

#include "ir/warp.h"

namespace tilesim::checkers::grid {

OfOneWarp::OfOneWarp(const Accesses& all, int64_t warp) : terms_(all.terms) {
  values_.resize(static_cast<size_t>(terms_.size()));
  Learn(all.warp, warp);
  Learn(all.warpgroup, warp / ir::kWarpgroupWarps);
  // Terms of a quotient come before it.
  for (Var q = 0; q < std::ssize(values_); ++q) {
    const auto& quotient = terms_[q].quotient;
    if (!quotient || !quotient->by.is_constant()) continue;
    const int64_t by = quotient->by.constant();
    const std::optional<int64_t> of = ValueOf(quotient->of);
    if (!of || *of < 0 || by < 1) continue;
    Learn(Linear::Of(q), *of / by);
    Learn(quotient->remainder, *of % by);
  }
}

void OfOneWarp::Learn(const Linear& l, int64_t value) {
  const std::optional<Var> v = l.variable();
  if (!v || Knows(*v)) return;
  known_.push_back(*v);
  values_[*v] = value;
}

bool OfOneWarp::Knows(Var v) const {
  return std::find(known_.begin(), known_.end(), v) != known_.end();
}

std::optional<int64_t> OfOneWarp::ValueOf(const Linear& l) const {
  int64_t out = l.constant();
  for (const auto& [v, c] : l.terms()) {
    if (!Knows(v)) return std::nullopt;
    out += c * values_[v];
  }
  return out;
}

int64_t OfOneWarp::Sum(const Linear& l) const {
  int64_t out = 0;
  for (const auto& [v, c] : l.terms()) {
    if (Knows(v)) out += c * values_[v];
  }
  return out;
}

Linear OfOneWarp::Rest(const Linear& l) const {
  Linear rest = l;
  for (const auto& [v, c] : l.terms()) {
    if (Knows(v)) rest -= Linear::Of(v) * c;
  }
  return rest;
}

Linear OfOneWarp::Put(const Linear& l) const {
  Linear out = Rest(l) + Sum(l);
  for (const auto& [v, c] : l.terms()) {
    if (Knows(v)) continue;
    for (const solver::Product& p : terms_[v].products) {
      const std::optional<int64_t> a = ValueOf(p.a);
      const std::optional<int64_t> b = ValueOf(p.b);
      if (p.value != Linear::Of(v) || (!a && !b)) continue;
      out += (a ? p.b * (*a * c) : p.a * (*b * c)) - Linear::Of(v) * c;
      break;
    }
  }
  return out;
}

}  // namespace tilesim::checkers::grid
