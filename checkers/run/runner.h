// The canonical run: one cluster, or several that talk, without a clock.
// Strands take turns, an op each, lowest first. Asynchronous operations are as
// late as they may be: one moves on only when no strand can, the oldest first.
// So whoever forgets to wait for one is seen to overtake it.
//
//   Log log = RunCluster(code, {});
//   Log log = RunCluster(code, {.path = &path});   // as a search went
#ifndef TILESIM_CHECKERS_RUN_RUNNER_H_
#define TILESIM_CHECKERS_RUN_RUNNER_H_

#include <memory>
#include <utility>

#include "checkers/run/doing.h"
#include "checkers/run/environment.h"
#include "checkers/run/log.h"
#include "checkers/run/move.h"
#include "checkers/run/patience.h"
#include "checkers/run/rank.h"
#include "sim/machine/machine.h"

namespace tilesim::checkers::run {

struct RunState;

// Goes along with a canonical run.
class RunObserver : public machine::ScalarObserver {
 public:
  // Before strands take their turns. False: it has seen enough.
  virtual bool Turn(const machine::State& state, const Log& log) = 0;
  // A strand has executed the op of the event.
  virtual void Executed(const machine::Machine& machine,
                        const machine::State& state, int32_t strand,
                        const Event& event) = 0;
};

struct RunOptions {
  int64_t cluster = 0;   // which of the grid
  int64_t clusters = 1;  // that one and so many in all run side by side
  const Environment* environment = nullptr;  // null: as it happens
  int64_t max_events = 100'000;
  // So few, because what is known at more of them takes more bytes than that.
  int64_t short_of = 0;
  // Or because a run of another cluster was cut.
  bool another_cut = false;
  // Instead of the canonical schedule: these moves, warp by warp.
  const Path* path = nullptr;
  RunObserver* observer = nullptr;
  // Peeks are answered with no (peeks.h); not along a path.
  bool peeks = true;
  // Waits that wait for the phase after the last one that their threads have
  // seen of the barrier, whatever parity they name.
  const PatientOps* patient = nullptr;
  // Operations are as early as they may be instead: what happens then recurs
  // soonest.
  bool early = false;
  Rank rank = Rank::kNone;  // of CTAs; not with `early`
  Doing doing{};            // of a search of its schedules
};

// What the machine reports and order decides (order/exits.h): one schedule may
// have been lucky, and knows nothing of operations that run in order.
inline bool LeftToOrder(const ir::Diagnostic& finding) {
  return finding.code == "exit/in-flight";
}

// A run that can be taken back, to go on observed by another. What is done once
// is as it was: the observer decides nothing.
class CanonicalRun {
 public:
  CanonicalRun(const machine::Code& code, const RunOptions& options);
  ~CanonicalRun();

  // On to its end, or until the observer has seen enough.
  void Run();
  Log& log();

  // Where it is, while its observer is told of a turn. nullptr: it cannot be
  // taken back to here, as its control depends on memory that changes, or
  // something went wrong already.
  std::shared_ptr<const RunState> Save() const;
  void Restore(const RunState& state, RunObserver* observer);

 private:
  std::unique_ptr<class Runner> runner_;
};

// `code` must outlive the log.
inline Log RunCluster(const machine::Code& code, const RunOptions& options) {
  CanonicalRun run(code, options);
  run.Run();
  return std::move(run.log());
}

}  // namespace tilesim::checkers::run

#endif  // TILESIM_CHECKERS_RUN_RUNNER_H_
