// Judges instances, none of their clusters twice.
#ifndef TILESIM_CHECKERS_SIZES_PARTITION_INSTANCE_JUDGING_H_
#define TILESIM_CHECKERS_SIZES_PARTITION_INSTANCE_JUDGING_H_

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "checkers/sizes/partition/cover.h"

namespace tilesim::checkers::sizes::partition {

// Every parameter.
ir::Overrides SizesOf(const ir::Kernel& kernel, const machine::Code& code);

class InstanceJudging {
 public:
  InstanceJudging(const ir::Kernel& kernel, const JudgeInstance& judge)
      : kernel_(kernel), judge_(judge) {}

  // `handed_out`: to the first of the clusters. False: no more sizes are
  // wanted.
  bool Judge(const machine::Code& code, const ir::Overrides& sizes,
             const std::set<int64_t>& clusters,
             std::optional<int64_t> handed_out);

  // Some size was judged since the partition was begun anew.
  bool any() const { return any_; }
  void BeginAnew() { any_ = false; }
  // The order of one run was that of all schedules, in every instance. What was
  // found schedule by schedule says nothing of longer ones.
  bool by_order() const { return by_order_; }
  bool stopped() const { return stopped_; }

 private:
  // Clusters, by sizes and how many are handed out.
  using Judgements = std::map<std::pair<ir::Overrides, std::optional<int64_t>>,
                              std::set<int64_t>>;

  const ir::Kernel& kernel_;
  const JudgeInstance& judge_;
  Judgements judged_;
  bool any_ = false;
  bool by_order_ = true;
  bool stopped_ = false;
};

}  // namespace tilesim::checkers::sizes::partition

#endif  // TILESIM_CHECKERS_SIZES_PARTITION_INSTANCE_JUDGING_H_
