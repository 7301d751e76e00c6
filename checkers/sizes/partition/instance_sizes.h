// At which sizes the instance of a cell is launched, and which of its clusters
// are handed others by cluster launch control.
#ifndef TILESIM_CHECKERS_SIZES_PARTITION_INSTANCE_SIZES_H_
#define TILESIM_CHECKERS_SIZES_PARTITION_INSTANCE_SIZES_H_

#include <cstdint>
#include <set>

#include "checkers/plan/instance.h"
#include "checkers/sizes/partition/representative.h"
#include "checkers/sizes/partition/size_cell.h"

namespace tilesim::checkers::sizes::partition {

class InstanceSizes {
 public:
  InstanceSizes(const ir::Kernel& kernel, const Varied& varied,
                const plan::InstanceOptions& options)
      : kernel_(kernel), varied_(varied), options_(options) {}

  // If clusters are handed out, with loose parameters as large as it takes.
  ir::Overrides Of(const SizeCell& cell) const;
  // Whether no larger symbols of the cell make these sizes permitted.
  bool NeverPermitted(const SizeCell& cell, const ir::Overrides& sizes) const;

  // Those of so many clusters that are judged, where some are handed out: the
  // one to which they are, and one to which none is. Empty: there are never so
  // many.
  static std::set<int64_t> HandedTo(const SizeCell& cell, int64_t clusters);
  // A loose parameter that could have been larger; nullptr: none.
  const ir::Param* Unbounded(const SizeCell& cell) const;

 private:
  void Enlarge(const SizeCell& cell, ir::Overrides& sizes) const;
  int64_t ClustersAt(const ir::Overrides& sizes) const;
  int64_t LargestSmCount() const;

  const ir::Kernel& kernel_;
  const Varied& varied_;
  const plan::InstanceOptions& options_;
};

}  // namespace tilesim::checkers::sizes::partition

#endif  // TILESIM_CHECKERS_SIZES_PARTITION_INSTANCE_SIZES_H_
