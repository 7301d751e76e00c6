// A kernel that is code already, at the one size at which it is launched:
// compiled PTX. Its clusters are judged as those of any instance.
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

// `program` has the one kernel that the code is of; `open`: why the verdict is
// no proof, whatever is found. Of grids larger than kMaxClusters not all
// clusters are run, which leaves the verdict open, too.
CheckReport CheckCode(const ir::Program& program,
                      std::unique_ptr<machine::Code> code,
                      const std::vector<std::string>& open,
                      const CheckOptions& options);

}  // namespace tilesim::checkers::pipeline

#endif  // TILESIM_CHECKERS_PIPELINE_JUDGE_CODE_H_
