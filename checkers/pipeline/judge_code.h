// Kernels that are code already, at the one size at which each is launched:
// compiled PTX. Their clusters are judged as those of any instance.
#ifndef TILESIM_CHECKERS_PIPELINE_JUDGE_CODE_H_
#define TILESIM_CHECKERS_PIPELINE_JUDGE_CODE_H_

#include <memory>
#include <string>
#include <vector>

#include "checkers/pipeline/options.h"
#include "checkers/pipeline/verdict.h"
#include "ir/program.h"
#include "sim/machine/code.h"

namespace tilesim::checkers::pipeline {

// `program` has a kernel for each code, in the order of their launches; globals
// of one name are the same memory. `open`: why the verdict is no proof,
// whatever is found. Of a grid whose clusters do too many different things not
// all are run, which leaves the verdict open, too.
CheckReport CheckCode(const ir::Program& program,
                      std::vector<std::unique_ptr<machine::Code>> codes,
                      const std::vector<std::string>& open,
                      const CheckOptions& options);

}  // namespace tilesim::checkers::pipeline

#endif  // TILESIM_CHECKERS_PIPELINE_JUDGE_CODE_H_
