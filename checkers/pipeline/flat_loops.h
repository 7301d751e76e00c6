// Loops that go through all steps of all tiles in one, where others of the
// kernel have a loop over tiles and in it one over steps, or how many steps
// there are is a size:
//
//   for i in 0..TILES * STEPS {        for t in 0..TILES {
//     .. i / STEPS .. i % STEPS          for k in 0..STEPS { .. t .. k
//
#ifndef TILESIM_CHECKERS_PIPELINE_FLAT_LOOPS_H_
#define TILESIM_CHECKERS_PIPELINE_FLAT_LOOPS_H_

#include "ir/bind.h"
#include "ir/program.h"

namespace tilesim::checkers::pipeline {

// Makes two loops of each (docs/all_sizes.md 3.10). Whether there was one.
bool NestFlatLoops(const ir::Overrides& defines, ir::Kernel& kernel);

}  // namespace tilesim::checkers::pipeline

#endif  // TILESIM_CHECKERS_PIPELINE_FLAT_LOOPS_H_
