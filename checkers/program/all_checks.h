// Every whole-program check, in the order in which they conclude.
#ifndef TILESIM_CHECKERS_PROGRAM_ALL_CHECKS_H_
#define TILESIM_CHECKERS_PROGRAM_ALL_CHECKS_H_

#include <memory>
#include <vector>

#include "checkers/footprint/fragments.h"
#include "checkers/program/check.h"
#include "ir/program.h"

namespace tilesim::checkers::program {

// `program` and `fragments` must outlive them.
std::vector<std::unique_ptr<Check>> AllChecks(const ir::Program& program,
                                              footprint::Fragments& fragments);

}  // namespace tilesim::checkers::program

#endif  // TILESIM_CHECKERS_PROGRAM_ALL_CHECKS_H_
