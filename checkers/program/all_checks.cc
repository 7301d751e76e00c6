#include "checkers/program/all_checks.h"

#include "checkers/program/across_clusters.h"
#include "checkers/program/across_kernels.h"
#include "checkers/program/late_allocation.h"
#include "checkers/program/read_only.h"
#include "checkers/program/shared_control.h"
#include "checkers/program/unwritten.h"

namespace tilesim::checkers::program {

std::vector<std::unique_ptr<Check>> AllChecks(const ir::Program& program,
                                              footprint::Fragments& fragments) {
  std::vector<std::unique_ptr<Check>> all;
  all.push_back(std::make_unique<AcrossClusters>(fragments));
  all.push_back(std::make_unique<SharedControl>(program));
  all.push_back(std::make_unique<LateAllocation>(program));
  all.push_back(std::make_unique<AcrossKernels>(program, fragments));
  all.push_back(std::make_unique<ReadOnly>(fragments));
  all.push_back(std::make_unique<Unwritten>(program, fragments));
  return all;
}

}  // namespace tilesim::checkers::program
