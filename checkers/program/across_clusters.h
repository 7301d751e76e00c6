// Conflicts and flags between the clusters of a grid (grid_conflicts.h), grid
// by grid.
#ifndef TILESIM_CHECKERS_PROGRAM_ACROSS_CLUSTERS_H_
#define TILESIM_CHECKERS_PROGRAM_ACROSS_CLUSTERS_H_

#include <map>
#include <span>
#include <string>
#include <tuple>

#include "checkers/footprint/fragments.h"
#include "checkers/program/check.h"
#include "checkers/program/grid_conflicts.h"

namespace tilesim::checkers::program {

class AcrossClusters : public Check {
 public:
  explicit AcrossClusters(footprint::Fragments& fragments)
      : fragments_(fragments) {}

  std::span<const ir::Code> codes() const override;
  void OnCluster(const ClusterRun& run, Conclusions out) override;
  void OnGrid(const GridRun& run, Conclusions out) override;
  void OnKernelEnd() override { grids_.clear(); }

 private:
  // Sizes, SMs of the GPU, inputs.
  using Key = std::tuple<ir::Overrides, int64_t, std::string>;
  GridConflicts& GridOf(const KernelRun& run, const std::string& inputs);

  footprint::Fragments& fragments_;
  std::map<Key, GridConflicts> grids_;  // of one kernel
};

}  // namespace tilesim::checkers::program

#endif  // TILESIM_CHECKERS_PROGRAM_ACROSS_CLUSTERS_H_
