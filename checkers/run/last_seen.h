// Which phase of each barrier the warps of a run have seen last.
#ifndef TILESIM_CHECKERS_RUN_LAST_SEEN_H_
#define TILESIM_CHECKERS_RUN_LAST_SEEN_H_

#include <cstdint>
#include <map>
#include <tuple>

#include "checkers/run/log.h"

namespace tilesim::checkers::run {

class LastSeen {
 public:
  // -1 is the phase before the first, which a fresh barrier shows.
  static constexpr int64_t kNone = -2;

  struct Phase {
    int64_t number = kNone;
    int32_t event = -1;  // that saw it
  };

  // The latest that any warp of `threads` has seen.
  Phase Of(int32_t cta, const ir::ThreadSet& threads,
           const BarrierLife& barrier) const {
    Phase out;
    for (int w = 0; w < threads.warps; ++w) {
      auto seen = last_.find({cta, threads.first_warp + w, barrier});
      if (seen != last_.end() && seen->second.number > out.number)
        out = seen->second;
    }
    return out;
  }

  // `event`: the place of `e` in its log.
  void Add(const Event& e, int32_t event) {
    for (const BarrierUse& use : e.uses) {
      if (!use.Is(ir::kAsks)) continue;
      for (int w = 0; w < e.threads().warps; ++w)
        last_[{e.cta, e.threads().first_warp + w, use.barrier}] = {use.phase,
                                                                   event};
    }
  }

 private:
  std::map<std::tuple<int32_t, int32_t, BarrierLife>, Phase> last_;
};

}  // namespace tilesim::checkers::run

#endif  // TILESIM_CHECKERS_RUN_LAST_SEEN_H_
