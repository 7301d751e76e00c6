// A box of a tensor map: which bytes of its buffer, and how many in all.
#ifndef TILESIM_PTX_MACHINE_TENSOR_BOX_H_
#define TILESIM_PTX_MACHINE_TENSOR_BOX_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "ptx/launch/launch.h"
#include "sim/machine/byte_sets.h"

namespace tilesim::ptx {

struct TensorBox {
  // Of the buffer; what lies outside the tensor is neither read nor written.
  std::vector<machine::ByteSets::Run> global;
  int64_t bytes = 0;  // in shared memory: of the whole box
};

// Where its first byte lies in the buffer, if all of it lies inside the tensor:
// all such boxes of a map are the same but for that.
std::optional<int64_t> FirstOfWhole(const TensorMap& map,
                                    const std::vector<int64_t>& start);

// `start`: innermost dimension first. False: such a map is not followed.
bool BoxOf(const TensorMap& map, const std::vector<int64_t>& start,
           TensorBox* out, std::string* why);

}  // namespace tilesim::ptx

#endif  // TILESIM_PTX_MACHINE_TENSOR_BOX_H_
