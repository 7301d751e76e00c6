// Whether every peek (run/peeks.h) asks for the phase that is observed by the
// waits that its answer may pass over: then a run in which all are answered
// with no stands for all answers.
#ifndef TILESIM_CHECKERS_ORDER_PEEKED_H_
#define TILESIM_CHECKERS_ORDER_PEEKED_H_

#include <array>
#include <cstdint>
#include <map>
#include <tuple>

#include "checkers/run/log.h"
#include "checkers/run/peeks.h"

namespace tilesim::checkers::order {

// A peek and the wait that its answer may pass over, for another phase.
struct OtherPhase {
  int32_t peek = -1;  // events
  int32_t wait = -1;
};

class Peeked {
 public:
  explicit Peeked(const run::Log& log)
      : log_(log), peeks_(run::PeeksOf(*log.code)) {}

  void After(int32_t event);
  bool any() const { return any_; }
  bool holds() const { return holds_; }
  // The first that do not ask for the same; -1: there are none.
  const OtherPhase& other_phase() const { return other_phase_; }

 private:
  // A warp, and what it asks for: CTA, warp and scalar.
  using Who = std::tuple<int32_t, int32_t, int32_t>;

  struct Asked {
    run::BarrierUse use;
    int32_t event = -1;  // none
  };
  // What each lane has asked last, and who was elected among which lanes.
  struct Last {
    std::array<Asked, ir::kWarpThreads> lanes;
    std::map<uint32_t, Asked> elected;
  };

  static void Ask(Last& last, const ir::ThreadSet& threads, const Asked& asked);
  void Wait(const Last& last, const run::BarrierUse& use, int32_t event);
  void WaitOfLane(const Last& last, int lane, uint32_t electors,
                  const Asked& wait);
  void Judge(const Asked& asked, const Asked& wait);

  const run::Log& log_;
  run::Peeks peeks_;
  std::map<Who, Last> last_;
  OtherPhase other_phase_;
  bool any_ = false;
  bool holds_ = true;
};

// The first peek of a run for another phase than its wait's.
OtherPhase PeekForAnotherPhase(const run::Log& log);

}  // namespace tilesim::checkers::order

#endif  // TILESIM_CHECKERS_ORDER_PEEKED_H_
