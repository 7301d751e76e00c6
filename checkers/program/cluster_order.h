// The order between accesses of two clusters of a grid: nothing gives one but
// words of global memory (release_acquire.h), counters from which numbers are
// drawn (run/ticket.h), flags that are awaited (run/flags.h), locks.
//
//   ClusterOrder order;
//   order.Add(log, cluster, words);       // of each cluster
//   order.Before(access, other_access);
#ifndef TILESIM_CHECKERS_PROGRAM_CLUSTER_ORDER_H_
#define TILESIM_CHECKERS_PROGRAM_CLUSTER_ORDER_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "checkers/program/flag_graph.h"
#include "checkers/program/lock_order.h"
#include "checkers/program/release_acquire.h"
#include "checkers/run/ticket.h"

namespace tilesim::checkers::program {

// What orders an access of one cluster with those of others: the number that
// its CTA has drawn, words that are released after it and acquired before it.
struct PlaceInOrder {
  std::optional<run::Ticket> ticket;
  SyncWords released, acquired;
  SyncWords released_fenced, acquired_fenced;  // release_acquire.h

  // Of one run, or of two that draw no numbers.
  bool IsAs(const PlaceInOrder& other) const {
    return released == other.released && acquired == other.acquired &&
           released_fenced == other.released_fenced &&
           acquired_fenced == other.acquired_fenced;
  }
};

// Of an event.
PlaceInOrder PlaceOf(const run::Log& log, const ReleaseAcquire& words,
                     size_t event);

// Whether both count in one word, `a` before `b`.
bool CountedFirst(const PlaceInOrder& a, const PlaceInOrder& b);

class ClusterOrder {
 public:
  void Add(const run::Log& log, int64_t cluster, const ReleaseAcquire& words) {
    flags_.Add(log, cluster, words);
    locks_.Add(log, cluster, words);
  }

  // Whether `a` is over and told to others before `b` begins.
  bool Before(const PlaceInOrder& a, const PlaceInOrder& b) const;
  // ... if it is the right one of several sets of a flag that `b` has seen.
  bool MayBeBefore(const PlaceInOrder& a, const PlaceInOrder& b) const;
  // Whether it is known what comes before what was told by flags: where not all
  // clusters were run, another one may stand between two.
  bool Followed(const PlaceInOrder& place) const;

  // Whether both hold one lock, so that one of them is before the other,
  // whichever that is.
  bool HoldsApart(const PlaceInOrder& a, const PlaceInOrder& b) const;

  const FlagGraph& flags() const { return flags_; }
  const LockOrder& locks() const { return locks_; }

  // Locks.
  SyncWords Holds(const PlaceInOrder& place) const {
    return locks_.Holds(place.acquired, place.released);
  }

 private:
  FlagGraph flags_;
  LockOrder locks_;
};

}  // namespace tilesim::checkers::program

#endif  // TILESIM_CHECKERS_PROGRAM_CLUSTER_ORDER_H_
