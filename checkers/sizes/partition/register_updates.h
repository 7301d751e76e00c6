// What changes tiles of registers in place, and does nothing else:
//
//   if j == t % Q { mask.causal s, .. }
//
// Nobody waits for it, and whoever reads the tile finds it written whether or
// not it was done. So nothing is wrong with a kernel if nothing is with the one
// that does it always (docs/all_sizes.md 3.17).
#ifndef TILESIM_CHECKERS_SIZES_PARTITION_REGISTER_UPDATES_H_
#define TILESIM_CHECKERS_SIZES_PARTITION_REGISTER_UPDATES_H_

#include "ir/op.h"
#include "ir/program.h"

namespace tilesim::checkers::sizes::partition {

// It computes in registers.
bool IsInRegisters(const ir::Op& op);

// It leaves something else where something was. Of one that computes in
// registers.
bool IsUpdate(const ir::Op& op);

// Takes away conditions that are no polynomials of counters and constants, of
// ifs that guard updates alone, where all threads of the CTA find the same.
// False: there are none.
bool AlwaysUpdate(ir::Kernel& kernel);

}  // namespace tilesim::checkers::sizes::partition

#endif  // TILESIM_CHECKERS_SIZES_PARTITION_REGISTER_UPDATES_H_
