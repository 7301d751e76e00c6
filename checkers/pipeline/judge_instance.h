// Third stage: one instance of a kernel's sizes. Each of its clusters is judged
// in every environment that it can have (run/environment.h), and whole-program
// checks are shown its runs: what clusters of the grid do to each other.
#ifndef TILESIM_CHECKERS_PIPELINE_JUDGE_INSTANCE_H_
#define TILESIM_CHECKERS_PIPELINE_JUDGE_INSTANCE_H_

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "checkers/pipeline/judging.h"
#include "checkers/pipeline/part.h"
#include "checkers/pipeline/plan_kernel.h"
#include "checkers/plan/instance.h"
#include "checkers/run/environment.h"
#include "checkers/run/ops_run.h"

namespace tilesim::checkers::pipeline {

// Grids are chosen small; of a large one that was asked for, this many clusters
// are run.
inline constexpr int64_t kMaxClusters = 32;

struct InstanceTask {
  const KernelPlan& plan;
  const plan::Instance& instance;
  // Of the kernel, found before: they need no witness.
  const report::Findings& known;
  // Each of its clusters by itself has been shown to be right.
  bool shown = false;
  // Sizes that were not run will leave the verdict open.
  bool sizes_open = false;
  // Declarations of inputs of which one draw stands for all.
  std::set<int32_t> once = {};
  // Instead of the draws; nullptr: those. What is shown of these alone is that
  // something is wrong.
  const run::Environment* inputs = nullptr;
  // The whole grid side by side, in a few schedules; likewise.
  bool together = false;
};

struct InstanceResult {
  Part part;
  // Of values that decide control, of which others were not tried: that it is
  // no proof.
  std::vector<std::string> draws;
  run::OpsRun ops;
  // Clusters of the grid, if not all were run; else 0.
  int64_t cut_grid = 0;
  // Every cluster's run stands for all its schedules.
  bool holds = true;
};

InstanceResult JudgeInstance(const InstanceTask& task, Judging& judging);

}  // namespace tilesim::checkers::pipeline

#endif  // TILESIM_CHECKERS_PIPELINE_JUDGE_INSTANCE_H_
