// What a CTA hands over to others through words of global memory, and is
// handed: what comes before it sets a flag or counts, and what comes after it
// has seen a flag set, or has counted.
//
//   st.global ; bar.sync ; st.release.gpu Ready[c], 1             released
//   bar.sync ; atom.add.acq_rel.gpu n, Arrived[t], 1 ; bar.sync   both
//   ld.acquire.gpu ready, Ready[p] ; ld.global                    acquired
//
// Who reads what a release wrote, and acquires, comes after what came before
// the release, if the scope of both has both (PTX 8.9.5, release and acquire
// patterns). A fence by the same thread does in place of either. Every atomic
// on a word reads from the one before it, so that each synchronises with all
// that come later (8.9.2, observation order).
//
// A fence.sc on each side does as well, by whatever thread, if it comes before
// the write of the word, or after the read:
//
//   st.global ; fence.sc.gpu ; bar.sync ; atom.add.relaxed.gpu n, Arrived[t], 1
//
// Of two such fences one synchronises with the other (8.9.3, 8.9.4).
// If it were the reader's with the writer's, the read would come before the
// write that it reads from, which causality forbids (8.10.6).
#ifndef TILESIM_CHECKERS_PROGRAM_RELEASE_ACQUIRE_H_
#define TILESIM_CHECKERS_PROGRAM_RELEASE_ACQUIRE_H_

#include <cstdint>
#include <map>
#include <set>
#include <vector>

#include "checkers/footprint/fragments.h"
#include "checkers/order/order.h"

namespace tilesim::checkers::program {

// A word, and how what it hands over gets from thread to thread: by release and
// acquire, or by a fence.sc on each side.
struct SyncWord {
  run::GlobalWord word;
  bool by_fence_sc = false;

  friend auto operator<=>(const SyncWord&, const SyncWord&) = default;
};
using SyncWords = std::set<SyncWord>;

// A flag is set.
struct FlagSet {
  run::GlobalWord word;
  int32_t event = -1;
  bool alone = true;  // by one thread
  // Before what it releases, and before the fences.sc that come before it.
  SyncWords acquired, acquired_before_fence_sc;
  run::GlobalWords needs;  // flags that must have been seen before
  // Of a semaphore: by all in the CTA that wait for that word.
  bool after_all = true;

  const SyncWords& Before(bool by_fence_sc) const {
    return by_fence_sc ? acquired_before_fence_sc : acquired;
  }
};

// From when one thread takes a lock until it is put back.
struct LockSection {
  run::GlobalWord word;  // at the number of the section (run/locks.h)
  int32_t take = -1;     // events
  int32_t put_back = -1;
  // One thread takes it; one puts it back, and comes after the first.
  bool one_by_one = true;
  // Other sections of the CTA are over before, or begin after.
  bool apart = true;
  // What who takes it acquires, who puts it back releases.
  bool hands_on = false;
};

struct ReleaseAcquire {
  // Words through which an event's accesses to global memory are released, and
  // others' are acquired, by event; empty: the run has no such words.
  std::vector<SyncWords> released, acquired;
  // Likewise, with a fence.proxy.async for global memory between: after the
  // access, by each thread that made it, or one that knew it to be over; before
  // it, by each thread that makes it.
  std::vector<SyncWords> released_fenced, acquired_fenced;
  // Words that are acquired more than once, of which an event comes after each
  // time; empty: there are none.
  std::vector<run::GlobalWords> acquired_each_time;
  std::vector<FlagSet> sets;
  // Rounds of barriers of the grid in which threads add or ask in no order with
  // others of their CTA.
  run::GlobalWords out_of_round;
  std::map<run::GlobalWord, int32_t> waits;  // flags; the first event
  std::vector<LockSection> sections;
  // A lock is put back that was not taken, or is tried for while it is held.
  int32_t stray = -1;
};

// `kind`: the order that all schedules of the run have.
ReleaseAcquire ReleaseAcquireIn(const run::Log& log, order::Order::Kind kind,
                                footprint::Fragments& fragments);

}  // namespace tilesim::checkers::program

#endif  // TILESIM_CHECKERS_PROGRAM_RELEASE_ACQUIRE_H_
