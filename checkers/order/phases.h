// Conditions 0 to 4 of the certificate: lives and phases of mbarriers.
#ifndef TILESIM_CHECKERS_ORDER_PHASES_H_
#define TILESIM_CHECKERS_ORDER_PHASES_H_

#include <cstdint>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "checkers/order/entries.h"
#include "checkers/proof/condition.h"
#include "checkers/report/findings.h"

namespace tilesim::checkers::order {

class Phases {
 public:
  Phases(const Order& order, report::Findings& findings)
      : order_(order), log_(order.log()), findings_(findings) {}

  // Between the order's Begin and Finish: what waits must know.
  void Before(int32_t event);
  // After Finish.
  void After(int32_t event);
  void End();
  bool holds() const { return holds_; }

 private:
  struct Pending {  // must be known to one contribution of its phase
    int32_t event;
    Mark mark;
  };
  struct Phase {
    Entries contributions;
    Entries seen;                  // waits that this phase has let pass
    std::vector<Pending> waits;    // of the phase before
    std::vector<Pending> expects;  // expect_tx, pending increments
    int64_t arrivals = 0;
    int64_t bytes = 0;  // expected, less those that came
    bool complete = false;
    bool observed = false;        // by a wait, in the order of this run
    bool assumed = false;         // by a wait that the run leaves out
    int32_t unseen_arrival = -1;  // event that knows no wait for the last
  };
  struct Life {
    Entries inits;
    Entries invals;
    Clock uses;
    int32_t first_use = -1;  // event
    int64_t count = 0;
  };

  Phase& phase(const run::BarrierUse& use, int64_t number) {
    return phases_[{use.barrier, number}];
  }
  void Wait(const run::BarrierUse& use, int32_t event);
  void Contribute(const run::BarrierUse& use, int32_t event);
  void Complete(const run::BarrierUse& use, int32_t event);
  void CheckSeen(const run::BarrierUse& use, int32_t event, Phase& before,
                 const Clocks& clocks);
  void TellUnseen(const run::BarrierLife& barrier, int64_t number,
                  int32_t event);
  void CheckConsumed(const run::BarrierUse& use, int32_t event);
  void InitOrInval(const run::BarrierUse& use, int32_t event);
  void InitAfterUse(const run::BarrierUse& use, int32_t event, int32_t first);
  void UsedAfterInit(const run::BarrierUse& use, int32_t event,
                     const Clocks& clocks);
  void CheckExpects(const Phase& p, const run::BarrierLife& barrier);
  void NoteUse(const run::BarrierUse& use, int32_t event);
  void ObserveAssumed(const run::Event& e);
  run::Lack LackOf(ir::Code code, int32_t op, int32_t other) const;
  // A condition fails. nullptr: it was told before, or is not judged.
  ir::Diagnostic* Fail(proof::Condition condition, ir::Code code, int32_t event,
                       const run::BarrierLife& barrier, int32_t other,
                       std::string_view other_text);
  // A fault of this run, no failed condition. nullptr: it was told before.
  ir::Diagnostic* Report(ir::Code code, int32_t event,
                         const run::BarrierLife& barrier, int32_t other,
                         std::string_view other_text);
  report::Finding* Add(ir::Code code, int32_t event,
                       const run::BarrierLife& barrier, int32_t other,
                       std::string_view other_text);

  const Order& order_;
  const run::Log& log_;
  report::Findings& findings_;
  absl::flat_hash_map<run::BarrierLife, Life> lives_;
  absl::flat_hash_map<std::pair<run::BarrierLife, int64_t>, Phase> phases_;
  absl::flat_hash_set<run::BarrierLife> failed_;  // a condition
  // Phases in which the earlier op of Log::assumed counts: the later one waits
  // for them.
  std::vector<std::pair<run::BarrierLife, int64_t>> assumed_;
  bool holds_ = true;
};

}  // namespace tilesim::checkers::order

#endif  // TILESIM_CHECKERS_ORDER_PHASES_H_
