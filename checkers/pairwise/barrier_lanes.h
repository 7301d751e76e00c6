// The life of an mbarrier as memory. Init and inval write its word, so they are
// in order with its uses as a write is:
//
//   init, then a use            init/unpublished
//   init or a use, then inval   init/after-inval
//   inval, then the next init   init/twice
//
// Each lane has a program order of its own, so what one lane does with a
// barrier and what another lane of its warp does are in no order without a
// synchronisation (bar.warp.sync). Between warps, and CTAs, the certificate
// judges what runs before what (docs/certificate.md 3.0); here is what runs one
// after the other by a signal that shows no memory, as a relaxed one.
//
// A relaxed barrier.cluster.arrive shows no memory but the inits that a
// fence.mbarrier_init of its thread stands after (PTX 9.7.13.4). Whoever has
// seen a phase to be over has seen what counted in it, and in those before,
// whatever that orders: and no use of a thread comes after what it counts
// later.
#ifndef TILESIM_CHECKERS_PAIRWISE_BARRIER_LANES_H_
#define TILESIM_CHECKERS_PAIRWISE_BARRIER_LANES_H_

#include <cstdint>
#include <limits>
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
  static constexpr int64_t kNoPhase = std::numeric_limits<int64_t>::max();
  struct Done {
    int32_t event = 0;
    order::Mark mark;
    int64_t shown_by = kNoPhase;  // who has seen that phase to be over
  };
  // The last of each agent: who knows of it knows of those before.
  using Last = std::map<int32_t, Done>;
  // Which phases an agent has seen to be over, and when.
  struct Seen {
    uint32_t seq = 0;
    int64_t phase = 0;
  };
  struct Life {
    Last inits;
    Last counts;  // contributions
    Last asks;
    Last invals;
    std::map<int32_t, std::vector<Seen>> seen;  // by agent
  };
  // What is told of a pair in no order.
  struct Pair {
    ir::Code code;
    std::string_view message;
    std::string_view earlier;
    std::string_view later;
    bool of_init = false;  // a fence.mbarrier_init shows the earlier one
    // Of threads that run one after the other.
    std::string_view between =
        "is used by a warp that need not have seen its init: a relaxed barrier "
        "lies between";
    std::string_view help =
        "fence.mbarrier_init in the thread that initialises it, or a barrier "
        "that is not relaxed";
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
                            int32_t agent, const Done& done);
  // The last phase that the agent knows to be over.
  static int64_t LastSeen(const Context& context, const Life& life,
                          int32_t agent);
  static void NoteUse(Life& life, const run::BarrierUse& use, int32_t event,
                      order::Mark mark);
  static void Report(const Context& context, int32_t event,
                     const run::BarrierUse& use, const Done& done, bool lanes,
                     const Pair& pair);
  // Tells of a thread of the event that does not know what another did.
  void After(const Context& context, int32_t event, const run::BarrierUse& use,
             const Last& earlier, const Pair& pair);

  std::map<run::BarrierLife, Life> lives_;
  std::map<int32_t, Rounds> rounds_;  // by agent
};

}  // namespace tilesim::checkers::pairwise

#endif  // TILESIM_CHECKERS_PAIRWISE_BARRIER_LANES_H_
