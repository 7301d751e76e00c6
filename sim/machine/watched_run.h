// A run of one cluster in which a guide has noted what depends on where in the
// grid the cluster lies, so that others need not be run.
//
//   watchable.Watch(cluster);
//   Log log = RunCluster(code, {.cluster = cluster});
//   std::unique_ptr<WatchedRun> run = watchable.Watched();
//   if (run != nullptr && run->SameIn(other, starts)) ...
#ifndef TILESIM_SIM_MACHINE_WATCHED_RUN_H_
#define TILESIM_SIM_MACHINE_WATCHED_RUN_H_

#include <cstdint>
#include <memory>
#include <vector>

namespace tilesim::machine {

class WatchedRun {
 public:
  virtual ~WatchedRun() = default;
  // Where a tile of a global begins, of the op that was executed as that
  // number.
  struct Start {
    int64_t nth = 0;
    int operand = 0;
    int64_t first = 0;
  };
  // Whether that cluster executes the same ops, as the same threads, in the
  // same order as the one that was run, with the same operands but for where in
  // globals they begin: `out` has all that may begin elsewhere. False: not
  // known.
  virtual bool SameIn(int64_t cluster, std::vector<Start>& out) = 0;
};

// Guides whose runs can be watched are these, too.
class Watchable {
 public:
  // The next run is watched, which is of that cluster alone.
  virtual void Watch(int64_t cluster) const = 0;
  // That run; null: it says nothing of others.
  virtual std::unique_ptr<WatchedRun> Watched() const = 0;

 protected:
  ~Watchable() = default;
};

}  // namespace tilesim::machine

#endif  // TILESIM_SIM_MACHINE_WATCHED_RUN_H_
