#include "checkers/program/across_clusters.h"

#include "checkers/run/locks.h"
#include "checkers/run/turns.h"

namespace tilesim::checkers::program {

std::span<const ir::Code> AcrossClusters::codes() const {
  static constexpr ir::Code kCodes[] = {"race/raw", "race/war", "race/waw",
                                        "deadlock/cycle",
                                        "deadlock/missing-arrival"};
  return kCodes;
}

GridConflicts& AcrossClusters::GridOf(const KernelRun& run,
                                      const std::string& inputs) {
  return grids_.try_emplace({run.sizes, run.sm_count, inputs}, fragments_)
      .first->second;
}

void AcrossClusters::OnCluster(const ClusterRun& run, Conclusions) {
  if (run.whole_grid || run.runs.empty()) return;
  GridConflicts& grid = GridOf(run.of, run.grid_inputs);
  const run::Log& first = *run.runs.front().log;
  // Runs of a cluster that find locks or semaphores otherwise are of one grid.
  const bool several = HaveLocks(first.flags) || AskInRounds(first.flags);
  if (!several && grid.Has(run.work, first.ticket)) return;
  for (const JudgedRun& judged : run.runs) {
    grid.Add(*judged.log, run.work,
             judged.order.value_or(order::Order::Kind::kNoFlags));
  }
}

void AcrossClusters::OnGrid(const GridRun& run, Conclusions out) {
  GridConflicts& grid = GridOf(run.of, run.of.inputs);
  grid.Finish(run.flags_set, out.findings);
  out.open.AddAll(grid.open());
}

}  // namespace tilesim::checkers::program
