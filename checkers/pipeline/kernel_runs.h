// The runs of one kernel, at one choice of sizes after the other, and what they
// have found so far: what every step of judging it adds to.
#ifndef TILESIM_CHECKERS_PIPELINE_KERNEL_RUNS_H_
#define TILESIM_CHECKERS_PIPELINE_KERNEL_RUNS_H_

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "checkers/pipeline/global_memory.h"
#include "checkers/pipeline/judge_instance.h"
#include "checkers/pipeline/shown_by_solver.h"
#include "checkers/run/environment.h"
#include "ir/bind.h"

namespace tilesim::checkers::pipeline {

struct PerCta;

class KernelRuns {
 protected:
  KernelRuns(const KernelPlan& plan, Judging& judging, ShownBySolver shown)
      : plan_(plan), judging_(judging), shown_(std::move(shown)) {}

  // Sizes, and SMs of the GPU.
  using Grid = std::pair<ir::Overrides, int64_t>;
  static Grid GridOf(const plan::Instance& instance) {
    return {instance.sizes, instance.code->bound.sm_count};
  }

  bool Wrong() const { return out_.findings.has_errors(); }
  // What kernels do to each other is judged at the sizes that were run.
  bool OthersRunToo() const { return judging_.program.kernels.size() > 1; }
  bool OneSize() const;
  // Of the one size that there is: then each pair of clusters was compared.
  bool EveryCtaWasRun() const;
  // Sizes, on the GPU that the kernel is for.
  plan::InstanceOptions OnItsGpu() const;
  // Those that were run; of all sizes, the largest.
  std::set<int64_t> Gpus(bool all_sizes) const;

  void Run(const plan::Instance& instance, bool shown = false);
  void RunNew(const plan::Instance& instance);
  void RunAt(const ir::Overrides& wanted, int64_t sm_count);
  // The clusters of two CTAs of a grid.
  void RunTwo(const grid::Example& e);
  // What some clusters of a grid do wrong is told; that they do nothing wrong
  // says nothing of the others.
  void RunSuspects(const plan::Instance& instance,
                   const run::Environment* in = nullptr);
  // A CTA that goes wrong is there in some launch, or in none.
  void RunSuspect(const PerCta& judged);
  // Before the first run, if the order of what may meet is to be seen in all.
  void ReadMemory(const plan::Instance& instance, bool watch);
  // What was found between clusters of the text's own sizes.
  void Tell(const ir::Diagnostic& d, const plan::Instance& instance,
            bool every_schedule);
  // Ops that nobody executed. Of the text as it is: with -D it is another, or
  // not all of its sizes.
  void Unreached();
  // Those of parameters of the kernel.
  ir::Overrides OwnSizesOf(const ir::Overrides& wanted) const;

  const KernelPlan& plan_;
  Judging& judging_;
  const ShownBySolver shown_;
  Part out_;
  std::set<Grid> run_;
  std::optional<GlobalMemory> memory_;
  run::OpsRun ops_;
  int64_t cut_grid_ = 0;     // clusters of the largest that was not run whole
  bool holds_ = true;        // every cluster's run stands for its schedules
  bool sizes_open_ = false;  // not all sizes will be covered
  bool ctas_wait_ = false;
  report::Reasons draws_;  // of values that decide control, in runs

 private:
  // Of a grid that is not of one cluster always.
  void NoteWhetherCtasWait(const machine::Code& code);
};

}  // namespace tilesim::checkers::pipeline

#endif  // TILESIM_CHECKERS_PIPELINE_KERNEL_RUNS_H_
