// Every CTA of one instance, as far as its scalars say what it touches: for
// less than it takes to judge each of them.
#ifndef TILESIM_CHECKERS_PIPELINE_EVERY_CTA_H_
#define TILESIM_CHECKERS_PIPELINE_EVERY_CTA_H_

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "checkers/pipeline/judging.h"
#include "checkers/pipeline/plan_kernel.h"
#include "checkers/pipeline/scope.h"
#include "checkers/plan/instance.h"
#include "ir/diagnostic.h"

namespace tilesim::checkers::pipeline {

struct EveryCta {
  // Clusters to run, in this order: those of one entry do something wrong.
  std::vector<std::vector<int64_t>> suspects;
  // No two clusters touch the same element in no order, one writing.
  bool apart = false;
  std::vector<ir::Diagnostic> holes;   // of results
  std::map<std::string, Whole> whole;  // results that are named by `computes`
};

EveryCta LookAtEveryCta(const KernelPlan& plan, const plan::Instance& instance,
                        const Judging& judging);

}  // namespace tilesim::checkers::pipeline

#endif  // TILESIM_CHECKERS_PIPELINE_EVERY_CTA_H_
