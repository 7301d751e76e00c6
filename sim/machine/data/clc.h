// The 16-byte answer of clc.try_cancel: four words, canceled, x, y, z.
// (Hardware's encoding is opaque too; only clc.query_cancel reads it.)
#ifndef TILESIM_SIM_MACHINE_DATA_CLC_H_
#define TILESIM_SIM_MACHINE_DATA_CLC_H_

#include <array>
#include <cstdint>

#include "sim/machine/data/job.h"

namespace tilesim::machine {

// Into the response tile of the executing CTA, or with .multicast of every CTA
// of its cluster.
void WriteClcResponse(Job& job, bool canceled,
                      const std::array<int32_t, 3>& first_cta);

}  // namespace tilesim::machine

#endif  // TILESIM_SIM_MACHINE_DATA_CLC_H_
