// Where a CTA is in its grid: clusters are numbered x first, and so are the
// CTAs of one.
#ifndef TILESIM_SIM_MACHINE_PLACE_H_
#define TILESIM_SIM_MACHINE_PLACE_H_

#include <cstdint>

#include "ir/bind.h"
#include "sim/machine/state.h"

namespace tilesim::machine {

// Sets rank, id and place of the CTA of that rank.
inline void Place(const ir::BoundKernel& b, int64_t cluster, int rank,
                  Cta& cta) {
  cta.rank = static_cast<uint8_t>(rank);
  int64_t at = cluster, inside = rank;
  for (int d = 0; d < 3; ++d) {
    int64_t clusters = b.grid[d] / b.cluster[d];
    cta.id[d] = static_cast<int32_t>(at % clusters * b.cluster[d] +
                                     inside % b.cluster[d]);
    at /= clusters;
    inside /= b.cluster[d];
  }
  cta.linear = cta.id[0] + b.grid[0] * (cta.id[1] + b.grid[1] * cta.id[2]);
}

}  // namespace tilesim::machine

#endif  // TILESIM_SIM_MACHINE_PLACE_H_
