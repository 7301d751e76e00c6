// Loops whose iterations do something only up to a number:
//
//   for i in 0..512 {
//     let j = cta.x * 512 + i
//     if j < N { .. }
//   }
//
// Each value that N leaves when it is divided by 512 is another branch of such
// a loop, somewhere. But it does the same as one that ends there,
//
//   for i in 0..min(512, N - cta.x * 512) { let j = cta.x * 512 + i  .. }
#ifndef TILESIM_CHECKERS_SIZES_PARTITION_GUARDED_LOOPS_H_
#define TILESIM_CHECKERS_SIZES_PARTITION_GUARDED_LOOPS_H_

#include <vector>

#include "checkers/sizes/partition/free_trips.h"
#include "ir/program.h"

namespace tilesim::checkers::sizes::partition {

// Ends loops where what they do ends, and says which: they may have fewer
// iterations than the text's.
std::vector<ir::Span> EndGuardedLoops(ir::Kernel& kernel);

// What is known of the text's loops is not of those that end earlier.
IsEntered EnteredBut(const IsEntered& entered, std::vector<ir::Span> ended);

}  // namespace tilesim::checkers::sizes::partition

#endif  // TILESIM_CHECKERS_SIZES_PARTITION_GUARDED_LOOPS_H_
