// In which order words of global memory put what CTAs do: counters, of which
// the last to count comes after all, and flags, whose waiter comes after who
// set them.
#ifndef TILESIM_CHECKERS_GRID_WORDS_H_
#define TILESIM_CHECKERS_GRID_WORDS_H_

#include <algorithm>
#include <compare>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "ir/op.h"
#include "ir/program.h"

namespace tilesim::checkers::grid {

// What is accessed by which op of the text.
struct Site {
  int32_t line = 0, column = 0;
  int operand = -1;  // -1: the op
  bool write = false;

  static Site Of(const ir::Op& op, int operand = -1, bool write = false) {
    return {op.span.line, op.span.column, operand, write};
  }
  static Site Of(const ir::Stmt& s) { return {s.span.line, s.span.column}; }
  friend auto operator<=>(const Site&, const Site&) = default;
};

// True of every execution of an access. Of flags: where its CTA sets its word
// of them, or waits.
struct SyncEdges {
  bool counted = false;    // before its CTA counts, and released by that
  bool after_all = false;  // by a CTA that drew the last number, after it
  std::set<int32_t> sets;  // flags, by declaration: before its CTA sets its one
                           // word of them, and released by that
  // After its CTA has seen a flag set: ops that wait, each for one word.
  std::set<Site> waits;
  // Words that each step of a loop has, for all CTAs, by declaration, and 0 or
  // 1: released by that of its step, or of the next (before the loop: the
  // first), and by those that follow; after those of the steps before its own,
  // or before the next (behind the loop: 1, all).
  std::set<std::pair<int32_t, int>> before_steps, after_steps;
  // Where each step has a word of each CTA: before_steps of those that its own
  // CTA sets; and after those for which an op of its CTA has waited in the
  // steps before its own, or before the next.
  std::set<std::pair<Site, int>> seen_steps;
};

// By release and acquire, and by a fence.sc on each side
// (program/release_acquire.h): each of two accesses is handed over in the same
// way.
struct AllSyncEdges {
  SyncEdges by_release, by_fence_sc;
};

// Of an access: as it is, and with a fence.proxy.async between it and the
// release, by each thread that made it (or one that knew it to be over, if it
// is asynchronous), and between the acquisition and it, by each thread that
// makes it.
struct Handed {
  AllSyncEdges plain, fenced;
  bool async = false;

  // What orders it before `later`, and after `earlier`. From the generic proxy
  // to the async one a fence by who made the earlier access does
  // (pairwise/proxy_fence.h), and from that to the generic one none is needed.
  // Asynchronous accesses of two CTAs are of two proxies as well (PTX 8.9.5).
  const AllSyncEdges& Before(const Handed& later) const {
    return later.async ? fenced : plain;
  }
  const AllSyncEdges& After(const Handed& earlier) const {
    return async && earlier.async ? fenced : plain;
  }
};

// What runs that stand for all sizes have shown.
struct Words {
  // Accesses that some run makes; no size makes others. Absent: it is not
  // known.
  std::optional<std::set<Site>> executed;
  std::optional<Site> count;  // the op that counts
  // Ops that store 0 to the word, by nobody but the thread that has drawn its
  // last number (run/ticket.h).
  std::set<Site> put_back;
  std::map<int32_t, Site> set;   // the only op that sets flags of a declaration
  std::map<Site, int32_t> wait;  // declarations, by the ops that wait
  // Flags of one word that every CTA of the grid sets a part of: who has seen
  // it comes after all (run/grid_barrier.h).
  std::set<int32_t> by_all;
  // Likewise of words that some CTAs have: after all that have the same.
  std::set<int32_t> by_some;
  std::map<int32_t, Site> steps;  // those of steps, and the loop
  // Likewise of words that each CTA has in each step, and which indices say the
  // step.
  struct OwnSteps {
    Site loop;
    std::set<size_t> dims;
  };
  std::map<int32_t, OwnSteps> own_steps;
  std::map<Site, Handed> handed;
  // Ops that count, set flags or wait for them to which some runs do not come.
  // Of flags sizes and the place in the grid alone decide in which (reached.h).
  std::set<Site> in_some;
  // Accesses that in every run of a CTA which draws the last number of its word
  // these warps make, a bit each.
  std::map<Site, uint32_t> by_last;
  // Queries of cluster launch control of which some run did not read each
  // answer once, in turn (run/answers_read.h).
  std::set<Site> out_of_turn;

  // False: no run makes that access, at any size.
  bool MayExecute(const Site& access) const {
    return !executed || executed->contains(access);
  }
  // Whether CTAs are put in order by what the op there does.
  bool HasOp(const Site& op) const {
    return count == op || wait.contains(op) ||
           std::any_of(set.begin(), set.end(),
                       [&](const auto& flag) { return flag.second == op; });
  }
};

}  // namespace tilesim::checkers::grid

#endif  // TILESIM_CHECKERS_GRID_WORDS_H_
