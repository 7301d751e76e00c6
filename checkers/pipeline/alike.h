// Clusters of a compiled kernel's grid that do the same on chip. One of them is
// judged; the others are run, and compared with it.
//
// What a run shows of shared and tensor memory, registers, barriers and groups
// follows from the operations of the run, in their order, and from where they
// lie on chip. So two clusters whose runs differ only in where they lie in
// global memory are right or wrong there together, in all schedules. What is
// left is global memory. Inside of a cluster, accesses of a buffer that all lie
// as far from those of the cluster that was judged meet where those do, and are
// in the same order. Of other buffers nothing is to be ordered if no two
// accesses touch the same bytes, one of them writing, but by the same thread
// one after the other; where neither is so the cluster is judged by itself.
// Between clusters, GridBytes says which meet.
//
//   AlikeClusters alike(code, fragments);
//   alike.Judged(cluster, verdict.log);           // nothing was found in it
//   if (alike.IsAlike(cluster, log)) ...          // it needs no verdict
//   for (auto [a, b] : alike.Meetings()) ...      // these are to be judged
#ifndef TILESIM_CHECKERS_PIPELINE_ALIKE_H_
#define TILESIM_CHECKERS_PIPELINE_ALIKE_H_

#include <cstdint>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "checkers/footprint/footprint.h"
#include "checkers/run/log.h"
#include "sim/machine/watched_run.h"

namespace tilesim::checkers::pipeline {

// Bytes of globals by who touches them: clusters, or agents of one.
class GridBytes {
 public:
  // Atomic: by which proxy (ir/atomic.h).
  enum class Use : uint8_t { kRead, kWrite, kAtomic, kAsyncAtomic };
  static constexpr size_t kUses = 4;
  void Add(int32_t decl, int64_t who, Use use,
           const footprint::IntervalSet& bytes);
  // Two that touch the same bytes, one of them writing, not both atomically by
  // one proxy; of each declaration some, at least one if there are any.
  std::vector<std::pair<int64_t, int64_t>> Meetings() const;

 private:
  struct Item {
    footprint::Interval bytes;
    int64_t who;
    Use use;
  };
  std::map<int32_t, std::vector<Item>> items_;  // by declaration
};

class AlikeClusters {
 public:
  AlikeClusters(const machine::Code& code, footprint::Fragments& fragments);

  // Whether clusters of such a kernel may stand for each other at all: they do
  // not talk to each other, and are handed no work. Once it is false, those
  // that were alike must be judged, too.
  bool possible() const { return possible_; }

  // The cluster was judged: `holds`, its run stands for all schedules;
  // `right`, nothing is wrong in it. It stands for those alike; what is wrong
  // in it is wrong in those.
  void Judged(int64_t cluster, const run::Log& log, bool holds, bool right);
  // Whether the run is as one that was judged.
  bool IsAlike(int64_t cluster, const run::Log& log);
  // That run, which was watched, is of a cluster that was judged last.
  void Watched(int64_t cluster, const run::Log& log,
               std::unique_ptr<machine::WatchedRun> run);
  // Whether a run that was watched tells that the cluster is alike, which need
  // not be run then.
  bool IsAlike(int64_t cluster);
  // Clusters that may be in each other's way, of all that were shown.
  std::vector<std::pair<int64_t, int64_t>> Meetings() const {
    return bytes_.Meetings();
  }

 private:
  // An event without what lies in global memory.
  struct Action {
    run::Event::Kind kind;
    int32_t cta, op, operation, what;
    int64_t generation;
    friend bool operator==(const Action&, const Action&) = default;
  };
  // What a cluster does, and where in buffers that are written: the
  // declaration, and the first byte, in the order of its events.
  struct Kind {
    std::vector<Action> actions;
    std::vector<std::pair<int32_t, int64_t>> places;
  };

  // Who is in order with itself; `by_place`: where the access begins at one
  // place.
  struct Agent {
    int64_t number = 0;
    bool by_place = false;
  };
  class Agents;
  class Placed;

  // An access of a buffer that is written, in a run that was watched.
  struct Touch {
    int32_t decl = 0;
    GridBytes::Use use = GridBytes::Use::kRead;
    Agent agent;
    int64_t first = 0;
    footprint::IntervalSet bytes;
  };
  struct WatchedKind {
    std::unique_ptr<machine::WatchedRun> run;
    std::vector<Touch> touches;
    std::map<std::pair<int64_t, int>, std::vector<size_t>> by_operand;
    // All of a buffer together, by use.
    std::map<std::pair<int32_t, GridBytes::Use>, footprint::IntervalSet> all;
  };

  Kind KindOf(const run::Log& log);
  // Of each access of that cluster, how far it is from the one that was run.
  bool ShiftsIn(WatchedKind& kind, int64_t cluster, std::vector<int64_t>& out);
  bool AddShifted(const WatchedKind& kind, int64_t cluster,
                  const std::vector<int64_t>& shifts);
  int32_t WhatIs(const ir::ConcreteOp& op);
  // False: it touches a global in a way that says nothing of other clusters.
  bool AddBytes(int64_t cluster, const run::Log& log);
  // But for the buffers in which all lies as far from where it lies in `kind`.
  bool Apart(const run::Log& log, const Kind& own, const Kind& kind);

  const machine::Code& code_;
  footprint::Fragments& fragments_;
  bool possible_;
  std::vector<Kind> kinds_, wrong_;  // of clusters that were judged
  bool right_ = false;               // the last of them was
  std::vector<WatchedKind> watched_;
  std::map<std::vector<int64_t>, int32_t> whats_;
  // Declarations that runs judged have written; have touched.
  std::vector<bool> written_, touched_;
  GridBytes bytes_;
};

}  // namespace tilesim::checkers::pipeline

#endif  // TILESIM_CHECKERS_PIPELINE_ALIKE_H_
