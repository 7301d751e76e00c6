// What the frontend has checked for the default sizes and machine code must not
// rely on: operands that fit each other. Each answers false after a finding.
#ifndef TILESIM_SIM_MACHINE_DATA_SHAPE_H_
#define TILESIM_SIM_MACHINE_DATA_SHAPE_H_

#include "ir/cat.h"
#include "sim/machine/data/job.h"

namespace tilesim::machine {

// As many elements of as many bits.
inline bool SameElements(Job& job, int a, int b) {
  const ir::TileValue &x = job.tile(a), &y = job.tile(b);
  bool same = x.elements() == y.elements() &&
              values::BitsOf(x.dtype) == values::BitsOf(y.dtype);
  if (!same) {
    job.Fault("shape/mismatch",
              ir::Cat(x.elements(), " elements of ", values::NameOf(x.dtype),
                      " and ", y.elements(), " of ", values::NameOf(y.dtype),
                      " do not fit each other"));
  }
  return same;
}

}  // namespace tilesim::machine

#endif  // TILESIM_SIM_MACHINE_DATA_SHAPE_H_
