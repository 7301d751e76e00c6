// What is computed before an op, for addresses.
#ifndef TILESIM_SIM_TIMING_ADDRESSES_H_
#define TILESIM_SIM_TIMING_ADDRESSES_H_

#include <vector>

#include "sim/machine/code.h"

namespace tilesim::timing {

// By op: of wgmma, how many of its batch need descriptors before the first one
// of them; of tiles between registers and swizzled shared memory, 1 if a loop
// moves the origin in the tile, so that each access needs an address.
std::vector<int> AddressesOf(const machine::Code& code);

}  // namespace tilesim::timing

#endif  // TILESIM_SIM_TIMING_ADDRESSES_H_
