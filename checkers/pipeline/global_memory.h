// What the CTAs of a grid, and the threads of a cluster, do to each other's
// places in global memory, at every size: shown from the text of the kernel
// (grid/meetings.h), not from grids that were run.
#ifndef TILESIM_CHECKERS_PIPELINE_GLOBAL_MEMORY_H_
#define TILESIM_CHECKERS_PIPELINE_GLOBAL_MEMORY_H_

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "checkers/grid/accesses.h"
#include "checkers/grid/example.h"
#include "checkers/grid/meetings.h"
#include "checkers/grid/parts.h"
#include "checkers/pipeline/global_order.h"
#include "checkers/pipeline/shown_by_solver.h"
#include "checkers/pipeline/undefined.h"
#include "ir/bind.h"
#include "ir/program.h"
#include "sim/machine/code.h"

namespace tilesim::checkers::pipeline {

// Two accesses that may touch the same place.
struct MayMeet {
  std::string why;  // for the verdict
  grid::SitePair sites;
  std::optional<grid::Example> where;      // they would
  std::vector<grid::Example> others = {};  // where they would as well
};

// An operator that may get a right operand for which it is not defined.
struct MayFail {
  std::string why;                     // for the verdict
  std::optional<grid::Example> where;  // it would
};

class GlobalMemory {
 public:
  // `some`: sizes that are permitted; `fixed`: those that -D gives. `inputs`:
  // in their domains, if the kernel is the only one. nullopt: the sizes are not
  // permitted.
  static std::optional<GlobalMemory> Of(
      const ir::Kernel& kernel, const ir::Overrides& some,
      const ir::Overrides& fixed, int64_t sm_count,
      grid::Inputs inputs = grid::Inputs::kAny);

  const machine::Code& code() const { return code_; }
  bool has_accesses() const { return accesses_.limit.empty(); }
  // Empty: no two clusters touch the same place, one writing, in no order.
  std::vector<MayMeet> BetweenClusters(const grid::Words& words) const;
  // Empty: no threads of one cluster do, if runs were seen by a `sites` that
  // watches what may meet.
  // `open`: pairs of accesses of which the verdict is open anyway.
  // `for_larger`: sizes of those runs that stand for larger ones.
  std::vector<MayMeet> InClusters(const GlobalOrder& order,
                                  const std::set<ir::Overrides>& for_larger,
                                  const std::set<grid::SitePair>& open) const;
  void Watch(SiteOrder& sites) const;
  // What was not shown of the text, at every size: that each division and each
  // shift is defined, and that elements lie apart where values decide.
  std::vector<MayFail> NotShown() const;
  // Sides of boxes that no CTA has outside a tensor, as bounds of loops and
  // guards show it (sizes/state/text_bounds.h).
  std::set<grid::Side> InsideByText() const;
  // Empty, where that is no more than the text shows.
  ShownBySolver Shown() const;
  // Sizes with those that are `given` at which there is no launch, and why:
  // "N = 1: the grid is empty".
  std::string NotLaunched(const ir::Overrides& given) const;
  // Whether all of a tensor is stored, by what runs execute.
  bool StoresAll(const grid::Words& words, int32_t decl) const;
  // What is asked of it where other kernels store to the tensor as well.
  grid::StoringKernel Storing(const grid::Words& words, int32_t decl) const {
    return {accesses_, code_, words, decl};
  }
  // Where clusters are handed out, whether what is stored of it is what is
  // stored if none is.
  bool StoredAsLaunched(const grid::Words& words, int32_t decl) const;
  // `all_sizes`: what runs execute is what is executed at any size.
  UndefinedUse UndefinedTensors(const ir::Program& program,
                                const grid::Words& words, bool all_sizes) const;

  // Whether what is shown is so if parameters are below 2^31.
  bool small_sizes() const { return accesses_.small_sizes; }

 private:
  GlobalMemory(const ir::Kernel& kernel, const ir::Overrides& fixed,
               machine::Code code, grid::Inputs inputs)
      : kernel_(&kernel),
        fixed_(fixed),
        code_(std::move(code)),
        accesses_(
            grid::AccessesOf(code_, fixed, grid::Tensors::kWritten, inputs)) {}

  grid::Example AtSizes(grid::Example e) const;
  MayMeet Met(const grid::Meeting& m, std::string why) const;
  std::set<std::string> FlagsStored() const;
  std::string PlaceOf(const grid::Meeting& m) const;
  std::string StridesOf(int32_t decl) const;
  std::string BytesOf(int32_t decl) const;

  const ir::Kernel* kernel_;
  ir::Overrides fixed_;
  machine::Code code_;
  grid::Accesses accesses_;
};

}  // namespace tilesim::checkers::pipeline

#endif  // TILESIM_CHECKERS_PIPELINE_GLOBAL_MEMORY_H_
