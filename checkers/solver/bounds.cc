#include "checkers/solver/bounds.h"

#include <algorithm>
#include <utility>

namespace tilesim::checkers::solver {
namespace {

constexpr size_t kNoTerm = static_cast<size_t>(-1);

__int128 FloorDiv(__int128 a, __int128 b) {
  __int128 q = a / b;
  return a % b != 0 && (a < 0) != (b < 0) ? q - 1 : q;
}

}  // namespace

__int128 Bounds::Most(const Linear& l, size_t except) const {
  __int128 sum = l.constant();
  for (size_t i = 0; i < l.terms().size(); ++i) {
    if (i == except) continue;
    const auto& [v, c] = l.terms()[i];
    int64_t bound = c > 0 ? of_[v].high : of_[v].low;
    if (bound == kNone || bound == -kNone) return kUnbounded;
    sum += static_cast<__int128>(c) * bound;
  }
  return sum;
}

bool Bounds::Natural(const Linear& l) {
  if (Most(l, kNoTerm) < 0) return false;
  for (size_t i = 0; i < l.terms().size(); ++i) {
    __int128 rest = Most(l, i);
    if (rest == kUnbounded) continue;
    const auto& [v, c] = l.terms()[i];
    Range& r = of_[v];
    // c * v + rest >= 0
    __int128 bound = c > 0 ? -FloorDiv(rest, c) : FloorDiv(rest, -c);
    if (bound >= kNone || bound <= -kNone) continue;
    auto at = static_cast<int64_t>(bound);
    int64_t& side = c > 0 ? r.low : r.high;
    if (c > 0 ? at <= side : at >= side) continue;
    side = at;
    changed_ = true;
    if (r.low > r.high) return false;
  }
  return true;
}

bool Bounds::TakeChanged() { return std::exchange(changed_, false); }

bool Bounds::MayHold(const Formula& f) const {
  switch (f.kind) {
    case Formula::Kind::kGe:
      return Most(f.linear, kNoTerm) >= 0;
    case Formula::Kind::kEq:
      return Most(f.linear, kNoTerm) >= 0 && Most(-f.linear, kNoTerm) >= 0;
    case Formula::Kind::kAll:
      return std::all_of(f.parts.begin(), f.parts.end(),
                         [&](const Formula& p) { return MayHold(p); });
    case Formula::Kind::kAny:
      return std::any_of(f.parts.begin(), f.parts.end(),
                         [&](const Formula& p) { return MayHold(p); });
  }
  return true;
}

}  // namespace tilesim::checkers::solver
