// How sets of bytes number those of tensor memory (byte_sets.h): pools that are
// not allocated at the same time may be more than a lane has.
#ifndef TILESIM_SIM_MACHINE_TENSOR_BYTES_H_
#define TILESIM_SIM_MACHINE_TENSOR_BYTES_H_

#include <cstdint>

namespace tilesim::machine {

// From a byte of a lane to that of the next lane.
inline constexpr int64_t kLaneStride = int64_t{1} << 24;

}  // namespace tilesim::machine

#endif  // TILESIM_SIM_MACHINE_TENSOR_BYTES_H_
