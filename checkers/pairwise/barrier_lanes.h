// The life of an mbarrier among the lanes of one warp. Each lane has a program
// order of its own, so what one lane does with a barrier and what another lane
// of its warp does are in no order without a synchronisation (bar.warp.sync):
//
//   init, then a use            init/unpublished
//   init or a use, then inval   init/after-inval
//   inval, then the next init   init/twice
//
// A relaxed barrier.cluster.arrive shows no memory but the inits that a
// fence.mbarrier_init of its thread stands after (PTX 9.7.13.4).
//
// The certificate judges the same between warps (docs/certificate.md 3.0), by
// what runs before what; here are the lanes of one, and inits that another warp
// runs after and need not see.
#ifndef TILESIM_CHECKERS_PAIRWISE_BARRIER_LANES_H_
#define TILESIM_CHECKERS_PAIRWISE_BARRIER_LANES_H_

#include <cstdint>
#include <map>
#include <string_view>
#include <vector>

#include "checkers/pairwise/checker.h"

namespace tilesim::checkers::pairwise {

class BarrierLanes : public Checker {
 public:
  std::span<const ir::Code> codes() const override;
  void OnReached(const Context& context, int32_t event) override;
  void OnEvent(const Context& context, int32_t event) override;

 private:
  struct Done {
    int32_t event = 0;
    order::Mark mark;
  };
  // The last of each agent: who knows of it knows of those before.
  using Last = std::map<int32_t, Done>;
  struct Life {
    Last inits;
    Last uses;
    Last invals;
  };
  // What is told of a pair in no order.
  struct Pair {
    ir::Code code;
    std::string_view message;
    std::string_view earlier;
    std::string_view later;
    bool of_init = false;  // a fence.mbarrier_init shows the earlier one
  };

  // What an agent did at the cluster barrier.
  struct Rounds {
    uint32_t fenced = 0;   // its last fence.mbarrier_init, as Mark::seq
    int64_t arrived = -1;  // the last round in which it arrived
    int64_t waited = -1;   // ... and for which it waited
    // The first round in which it arrived after each of these fences.
    std::map<uint32_t, int64_t> after;
  };

  void FollowRounds(const Context& context, int32_t event);
  // `agent` has waited for a round in which that of `init` arrived after a
  // fence.mbarrier_init.
  bool ShownByRound(order::Mark init, int32_t agent) const;
  void Judge(const Context& context, int32_t event, const run::BarrierUse& use);
  void Note(const Context& context, int32_t event, const run::BarrierUse& use);
  static bool OtherWarpsAreDone(const Context& context, int32_t event,
                                int32_t agent, const Last& earlier);
  static bool OnlyRunsAfter(const Context& context, int32_t event,
                            int32_t agent, const Done& init);
  // Tells of a lane of the event that does not know what another one of its
  // warp did, or of an init by another warp.
  void After(const Context& context, int32_t event, const run::BarrierUse& use,
             const Last& earlier, const Pair& pair);

  std::map<run::BarrierLife, Life> lives_;
  std::map<int32_t, Rounds> rounds_;  // by agent
};

}  // namespace tilesim::checkers::pairwise

#endif  // TILESIM_CHECKERS_PAIRWISE_BARRIER_LANES_H_
