// Accesses that runs have not come to, whose addresses are made like that of
// one whose words are followed. Code that nvcc has unrolled loads one element
// after the other, and stops at each that is not known; found one in each
// attempt, they would be more than there are attempts.
#ifndef TILESIM_PTX_MACHINE_WORDS_BESIDE_H_
#define TILESIM_PTX_MACHINE_WORDS_BESIDE_H_

#include <cstddef>
#include <cstdint>
#include <map>

#include "ptx/flow/graph.h"

namespace tilesim::ptx {

// Of `words` (Followed::words), loads that differ from one of them in what is
// added to the address alone, and the buffer of that one. An access that lies
// elsewhere after all is told when it is executed (Filling::Words).
std::map<int32_t, size_t> WordsBeside(const Graph& graph,
                                      const std::map<int32_t, size_t>& words);

}  // namespace tilesim::ptx

#endif  // TILESIM_PTX_MACHINE_WORDS_BESIDE_H_
