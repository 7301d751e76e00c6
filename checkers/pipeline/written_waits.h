// Loops that ask an mbarrier until it says yes, and do nothing else:
//
//   while ok == 0 {
//     mbarrier.test_wait ok, full, parity = 0
//   }
//
// That is what mbarrier.wait does, by its definition (ir/ops.md), and has a
// name there: schedules differ only in how often it asks
// (docs/all_sizes.md 3.10).
#ifndef TILESIM_CHECKERS_PIPELINE_WRITTEN_WAITS_H_
#define TILESIM_CHECKERS_PIPELINE_WRITTEN_WAITS_H_

#include <optional>

#include "ir/program.h"

namespace tilesim::checkers::pipeline {

// With mbarrier.wait in their place; nullopt: there is none.
std::optional<ir::Program> WithWaits(const ir::Program& program);

}  // namespace tilesim::checkers::pipeline

#endif  // TILESIM_CHECKERS_PIPELINE_WRITTEN_WAITS_H_
