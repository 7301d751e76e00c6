// What all stages of one check share: the request, and what is kept from one
// cluster to the next.
#ifndef TILESIM_CHECKERS_PIPELINE_JUDGING_H_
#define TILESIM_CHECKERS_PIPELINE_JUDGING_H_

#include <memory>
#include <string_view>
#include <vector>

#include "checkers/footprint/fragments.h"
#include "checkers/pipeline/budget.h"
#include "checkers/pipeline/global_order.h"
#include "checkers/pipeline/options.h"
#include "checkers/program/all_checks.h"
#include "ir/cat.h"
#include "ir/program.h"

namespace tilesim::checkers::pipeline {

struct Judging {
  // Both must outlive it.
  Judging(const ir::Program& judged, const CheckOptions& asked)
      : program(judged),
        options(asked),
        checks(program::AllChecks(judged, *fragments)),
        budget(asked.max_states) {}
  Judging(const Judging&) = delete;
  Judging& operator=(const Judging&) = delete;

  const ir::Program& program;
  const CheckOptions& options;
  // What was found for one instance.
  std::unique_ptr<footprint::Fragments> fragments =
      std::make_unique<footprint::Fragments>();
  std::vector<std::unique_ptr<program::Check>> checks;
  SearchBudget budget;
  GlobalOrder order;  // of the kernel that is being judged

  // What checks of the program saw of the other's runs, instead of these.
  void TakeRuns(Judging& other) {
    checks = std::move(other.checks);  // they know its fragments
    fragments = std::move(other.fragments);
    order = std::move(other.order);
  }

  // A stage that may take long, for who watches.
  void Doing(const ir::Kernel& kernel, std::string_view what) const {
    if (options.doing) options.doing(ir::Cat(kernel.name, ": ", what));
  }
};

}  // namespace tilesim::checkers::pipeline

#endif  // TILESIM_CHECKERS_PIPELINE_JUDGING_H_
