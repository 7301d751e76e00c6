// How many of the lowest bits of each register anybody asks for: of a count of
// iterations that only says a stage and a parity, a few; of one that nothing
// but its own sum reads, none. What lies above them decides nothing.
#ifndef TILESIM_PTX_MACHINE_WANTED_BITS_H_
#define TILESIM_PTX_MACHINE_WANTED_BITS_H_

#include <cstdint>
#include <vector>

#include "ptx/machine/program.h"

namespace tilesim::ptx {

// By register of the program, up to 64.
std::vector<uint8_t> WantedBits(const Program& program);

}  // namespace tilesim::ptx

#endif  // TILESIM_PTX_MACHINE_WANTED_BITS_H_
