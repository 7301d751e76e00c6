// What goes into a run and what comes out, as tensors of codes.
#ifndef TILESIM_HWTESTS_RUN_INPUTS_H_
#define TILESIM_HWTESTS_RUN_INPUTS_H_

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "hwtests/emit/launch_plan.h"
#include "ir/values/tensor.h"

namespace tilesim::hwtests {

// Seeded data for every global that the program reads and that does not start
// as zeros: normal for floats, uniform over its domain for an integer tensor
// (ir/values/seeded.h; the tensor's id is its name's).
std::map<std::string, std::vector<uint8_t>> SeededInputs(const LaunchPlan& plan,
                                                         uint64_t seed);

// Dense codes in C order from and to the global's own strides.
values::Tensor ToTensor(const GlobalPlan& global,
                        const std::vector<uint8_t>& bytes);
std::vector<uint8_t> FromTensor(const GlobalPlan& global,
                                const values::Tensor& tensor);

}  // namespace tilesim::hwtests

#endif  // TILESIM_HWTESTS_RUN_INPUTS_H_
