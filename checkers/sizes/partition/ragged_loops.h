// Loops that go around another number of times in each iteration of the loop
// around them:
//
//   for t in cta.x..TILES step G {
//     for j in 0..t % Q + 1 { .. }
//   }
//
// In the kernel that this makes of it, both go around as often as a parameter
// says, the inner one equally often in each iteration. If nothing is wrong with
// that kernel, whatever the two numbers are, and its runs go in step
// (checkers/pipeline/in_step.h), nothing is with this one
// (docs/all_sizes.md 3.17).
#ifndef TILESIM_CHECKERS_SIZES_PARTITION_RAGGED_LOOPS_H_
#define TILESIM_CHECKERS_SIZES_PARTITION_RAGGED_LOOPS_H_

#include <cstdint>
#include <optional>
#include <string>

#include "checkers/sizes/partition/free_trips.h"
#include "ir/program.h"

namespace tilesim::checkers::sizes::partition {

// The parameters, as they are called in the kernel.
struct EvenLoops {
  std::string outer;
  std::string inner;
  bool may_be_0 = false;  // some may have no iteration of the inner loop
};

// `if c { for j in 0..n { .. } }` as `for j in 0..c ? n : 0 { .. }`, in place.
void EndWhereGuarded(ir::Kernel& kernel);

// nullopt: there are no such loops, or not all is as the lemma asks for. The
// kernel is then of no use.
std::optional<EvenLoops> MakeEven(const KnownOfKernel& known,
                                  ir::Kernel& kernel);

}  // namespace tilesim::checkers::sizes::partition

#endif  // TILESIM_CHECKERS_SIZES_PARTITION_RAGGED_LOOPS_H_
