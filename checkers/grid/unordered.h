// What runs of a cluster show of the order of two sites' executions: in which
// relations to each other there are two that nothing orders.
#ifndef TILESIM_CHECKERS_GRID_UNORDERED_H_
#define TILESIM_CHECKERS_GRID_UNORDERED_H_

#include <compare>
#include <cstdint>
#include <map>
#include <optional>
#include <utility>

#include "checkers/grid/words.h"

namespace tilesim::checkers::grid {

// How two executions, by one warp or two, are related.
struct Relation {
  enum class Iteration : uint8_t { kAny, kSame, kOther };  // of their loops
  enum class Warps : uint8_t { kAny, kSame, kOther };  // by number in the CTA

  Iteration iteration = Iteration::kAny;
  bool one_cta = true;
  Warps warps = Warps::kAny;

  friend auto operator<=>(const Relation&, const Relation&) = default;
};

// Of those of a relation that are in no order.
struct InNoOrder {
  // Some touch the same bytes if their boxes begin at one place; false: each
  // has a part of its own.
  bool share = false;
  // kOther: so many executions they are apart, at most. nullopt: any number.
  std::optional<int64_t> apart = 0;
};

using SitePair = std::pair<Site, Site>;  // the lower first
using Unordered = std::map<SitePair, std::map<Relation, InNoOrder>>;

}  // namespace tilesim::checkers::grid

#endif  // TILESIM_CHECKERS_GRID_UNORDERED_H_
