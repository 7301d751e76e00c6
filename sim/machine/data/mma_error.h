// How far the arithmetic of a kernel's matrix products may be from exact.
#ifndef TILESIM_SIM_MACHINE_DATA_MMA_ERROR_H_
#define TILESIM_SIM_MACHINE_DATA_MMA_ERROR_H_

#include "sim/machine/code.h"

namespace tilesim::machine {

inline constexpr int kErrorChunk = 64;  // products along K

// The worst of the kernel's instructions: sum over those that make up a chunk
// of (k+1) * 2^-F + u (hardware.md D.2), to be multiplied by a bound on every
// partial sum and product in it. 0 for integers; f32 additions when there is
// no MMA at all.
double ChunkError(const Code& code);

}  // namespace tilesim::machine

#endif  // TILESIM_SIM_MACHINE_DATA_MMA_ERROR_H_
