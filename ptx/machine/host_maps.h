// Tensor maps that the host has put into buffers, as the launch says (Buffer::
// maps): what lies there stays there if nobody writes the buffer.
#ifndef TILESIM_PTX_MACHINE_HOST_MAPS_H_
#define TILESIM_PTX_MACHINE_HOST_MAPS_H_

#include <string>
#include <vector>

#include "ptx/machine/guide.h"

namespace tilesim::ptx {

// Of each such buffer, an instruction of one of the launches that was seen to
// do more with it than to load from it. Empty: the maps are as they were put.
std::vector<std::string> WrittenMaps(
    const std::vector<const PtxGuide*>& launches);

}  // namespace tilesim::ptx

#endif  // TILESIM_PTX_MACHINE_HOST_MAPS_H_
