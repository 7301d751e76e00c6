// What a kernel's text says of a launch, for a family of sizes at once: the
// extents of the grid, and of tensors.
#ifndef TILESIM_CHECKERS_SIZES_STATE_LAUNCH_SHAPE_H_
#define TILESIM_CHECKERS_SIZES_STATE_LAUNCH_SHAPE_H_

#include <array>
#include <cstdint>
#include <map>
#include <vector>

#include "checkers/sizes/state/family.h"
#include "sim/machine/code.h"

namespace tilesim::checkers::sizes::state {

// CTAs in each dimension; looks at no `grid` itself.
std::array<algebra::Symbolic, 3> GridOf(const machine::Code& code,
                                        Family family);

// Of the global tensors of which ops name what must be there, by declaration.
std::map<int32_t, TensorShape> ShapesOf(const machine::Code& code,
                                        Family family);

// What must be there of the operand's box, if it is a global tensor's.
ir::There MustBeThere(const machine::Code& code, const machine::CompiledOp& op,
                      size_t operand);

}  // namespace tilesim::checkers::sizes::state

#endif  // TILESIM_CHECKERS_SIZES_STATE_LAUNCH_SHAPE_H_
