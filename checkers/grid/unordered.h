// What runs of a cluster show of the order of two sites' executions: in which
// relations to each other there are two that nothing orders.
#ifndef TILESIM_CHECKERS_GRID_UNORDERED_H_
#define TILESIM_CHECKERS_GRID_UNORDERED_H_

#include <compare>
#include <cstdint>
#include <map>
#include <set>
#include <utility>

#include "checkers/grid/words.h"

namespace tilesim::checkers::grid {

// Of two executions, by one warp or two.
struct Relation {
  enum class Turn : uint8_t { kAny, kSame, kOther };  // of their loops

  Turn turn = Turn::kAny;
  bool one_cta = true;
  // They touch the same bytes if their boxes begin at one place; false: then
  // each has a part of its own.
  bool share = true;

  friend auto operator<=>(const Relation&, const Relation&) = default;
};

using SitePair = std::pair<Site, Site>;  // the lower first
using Unordered = std::map<SitePair, std::set<Relation>>;

}  // namespace tilesim::checkers::grid

#endif  // TILESIM_CHECKERS_GRID_UNORDERED_H_
