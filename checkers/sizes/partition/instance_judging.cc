#include "checkers/sizes/partition/instance_judging.h"

#include <algorithm>
#include <memory>

namespace tilesim::checkers::sizes::partition {
using plan::Instance;

ir::Overrides SizesOf(const ir::Kernel& kernel, const machine::Code& code) {
  ir::Overrides out;
  for (const ir::Param& p : kernel.params)
    out[p.name] = code.bound.slots[p.slot]->number;
  return out;
}

bool InstanceJudging::Judge(const machine::Code& code,
                            const ir::Overrides& sizes,
                            const std::set<int64_t>& clusters,
                            std::optional<int64_t> handed_out) {
  // A verdict depends on sizes, cluster and what is handed out, so one that has
  // been judged need not be again, in whichever cell it comes up.
  any_ = true;
  std::set<int64_t>& judged = judged_[{sizes, handed_out}];
  if (std::includes(judged.begin(), judged.end(), clusters.begin(),
                    clusters.end()))
    return true;
  judged.insert(clusters.begin(), clusters.end());
  Instance instance;
  instance.code = std::make_unique<machine::Code>(code);
  instance.clusters.assign(clusters.begin(), clusters.end());
  instance.handed_out = handed_out;
  instance.sizes = SizesOf(kernel_, code);
  Judged judgement = judge_(instance);
  stopped_ = judgement == Judged::kWrong;
  // A search enumerates the schedules of this instance and says nothing of a
  // larger one: induction needs the certificate (docs/all_sizes.md 2).
  if (judgement == Judged::kSearched) by_order_ = false;
  return !stopped_;
}

}  // namespace tilesim::checkers::sizes::partition
