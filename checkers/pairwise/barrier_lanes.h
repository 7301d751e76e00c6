// The life of an mbarrier among the lanes of one warp. Each lane has a program
// order of its own, so what one lane does with a barrier and what another lane
// of its warp does are in no order without a synchronisation (bar.warp.sync):
//
//   init, then a use            init/unpublished
//   init or a use, then inval   init/after-inval
//   inval, then the next init   init/twice
//
// The certificate takes a warp for one (docs/certificate.md 5) and judges the
// same of whole warps; here are the pairs that it takes to be in order.
#ifndef TILESIM_CHECKERS_PAIRWISE_BARRIER_LANES_H_
#define TILESIM_CHECKERS_PAIRWISE_BARRIER_LANES_H_

#include <map>
#include <string_view>
#include <vector>

#include "checkers/pairwise/checker.h"

namespace tilesim::checkers::pairwise {

class BarrierLanes : public Checker {
 public:
  std::span<const ir::Code> codes() const override;
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
  };

  void Judge(const Context& context, int32_t event, const run::BarrierUse& use);
  void Note(const Context& context, int32_t event, const run::BarrierUse& use);
  static bool OtherWarpsAreDone(const Context& context, int32_t event,
                                int32_t agent, const Last& earlier);
  // Tells of a lane of the event that does not know what another one of its
  // warp did.
  void After(const Context& context, int32_t event, const run::BarrierUse& use,
             const Last& earlier, const Pair& pair);

  std::map<run::BarrierLife, Life> lives_;
};

}  // namespace tilesim::checkers::pairwise

#endif  // TILESIM_CHECKERS_PAIRWISE_BARRIER_LANES_H_
