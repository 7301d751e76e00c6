// init/unpublished, the fence: an mbarrier is signalled by an asynchronous
// operation or from another CTA, and the thread that initialised it executed no
// fence.mbarrier_init in between (hardware.md A.1, A.6). For operations of the
// own CTA a fence.proxy.async does as well. (That the init comes first at all
// is the certificate's business, and that of barrier_lanes.h.)
#ifndef TILESIM_CHECKERS_PAIRWISE_INIT_FENCE_H_
#define TILESIM_CHECKERS_PAIRWISE_INIT_FENCE_H_

#include <map>
#include <vector>

#include "checkers/pairwise/checker.h"

namespace tilesim::checkers::pairwise {

class InitFence : public Checker {
 public:
  std::span<const ir::Code> codes() const override;
  void OnEvent(const Context& context, int32_t event) override;

 private:
  struct Init {
    int32_t event = 0;
    order::Mark mark;
  };
  struct Fence {
    order::Mark mark;
    bool proxy = false;  // fence.proxy.async
  };

  void Note(const Context& context, int32_t event);
  // By a thread agent; -1: by the operation that is done.
  void Used(const Context& context, int32_t event, const run::BarrierUse& use,
            int32_t agent);

  std::map<run::BarrierLife, std::vector<Init>> inits_;
  std::map<int32_t, std::vector<Fence>> fences_;  // by agent
};

}  // namespace tilesim::checkers::pairwise

#endif  // TILESIM_CHECKERS_PAIRWISE_INIT_FENCE_H_
