// A run of one cluster in which a guide has noted what depends on where in the
// grid the cluster lies, so that others need not be run.
//
//   watchable.Watch(cluster);
//   Log log = RunCluster(code, {.cluster = cluster});
//   std::unique_ptr<WatchedRun> run = watchable.Watched();
//   if (run != nullptr && run->SameIn(other, starts)) ...
#ifndef TILESIM_SIM_MACHINE_WATCHED_RUN_H_
#define TILESIM_SIM_MACHINE_WATCHED_RUN_H_

#include <array>
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

  // Of a run that cluster launch control has handed clusters. As SameIn, of
  // what depends on the cluster that the answer of that number was, from 1 on
  // (0: on the run's own), as if it were that one and all others stayed:
  // nothing that matters depends on two.
  virtual bool SameHanded(int32_t /*answer*/, int64_t /*cluster*/,
                          std::vector<Start>& /*out*/) {
    return false;
  }
  // From now on nothing is asked of what comes before the first refusal.
  virtual void AfterRefusal() {}
  // At each request, all that decides how the run goes on, as a hash: clusters
  // that were handed out are named by how many requests ago.
  using StateKey = std::array<uint64_t, 2>;
  virtual std::vector<StateKey> StatesAtRequests() const { return {}; }
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
