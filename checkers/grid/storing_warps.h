// Which warps of a CTA make an access, and at how many places at once.
#ifndef TILESIM_CHECKERS_GRID_STORING_WARPS_H_
#define TILESIM_CHECKERS_GRID_STORING_WARPS_H_

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "checkers/grid/accesses.h"
#include "checkers/grid/of_one_warp.h"
#include "sim/machine/code.h"

namespace tilesim::checkers::grid {

class StoringWarps {
 public:
  // Of what outlives it.
  StoringWarps(const Accesses& all, const machine::Code& code)
      : all_(all), code_(code) {}

  const OfOneWarp& Of(int64_t w);
  // Whether it says something of more than the warp.
  bool SaysMore(const Formula& f);
  // Those that the scopes let pass; none: it is not known.
  std::vector<int64_t> Executing(const Access& a);
  // How many places they store to at once. nullopt: it is not known, or some of
  // what is stored is held by warps that do not take part.
  std::optional<int64_t> Places(const Access& a);
  // To have all of the registers that are stored.
  int64_t Needed(const Access& a) const;

 private:
  bool OnlyBy(const Access& a);

  const Accesses& all_;
  const machine::Code& code_;
  std::map<int64_t, OfOneWarp> of_warps_;
};

}  // namespace tilesim::checkers::grid

#endif  // TILESIM_CHECKERS_GRID_STORING_WARPS_H_
