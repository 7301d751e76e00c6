// What clusters of a grid do to each other over global memory. Nothing orders
// them but words in it: who counts in one comes after those that counted before
// (run/ticket.h), who has waited for a flag after those that set it
// (run/flags.h). Bytes that two of them touch otherwise, one writing, are a
// race; a flag that is waited for and never set is a deadlock. Clusters with
// other words are run side by side instead, or not judged.
//
//   GridConflicts grid(fragments);
//   grid.Add(log, work, kind);      // of each cluster
//   grid.Finish(&come, findings);
#ifndef TILESIM_CHECKERS_PROGRAM_GRID_CONFLICTS_H_
#define TILESIM_CHECKERS_PROGRAM_GRID_CONFLICTS_H_

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "checkers/footprint/footprint.h"
#include "checkers/program/cluster_order.h"
#include "checkers/report/findings.h"
#include "ir/atomic.h"

namespace tilesim::checkers::program {

class GridConflicts {
 public:
  explicit GridConflicts(footprint::Fragments& fragments)
      : fragments_(fragments) {}

  // Whether a run with that work and number was added.
  bool Has(const std::vector<int64_t>& work,
           const std::optional<run::Ticket>& ticket) const {
    return added_.count(Part(work, ticket)) != 0;
  }

  // The run of one more cluster; all of the same code. `work`: the clusters
  // whose work it does, its own first. Of two runs that do the same work, or
  // draw the same number from a word, only one can be. `kind`: the order that
  // all schedules of the run have.
  void Add(const run::Log& log, const std::vector<int64_t>& work,
           order::Order::Kind kind);

  // Judges those that were added since it was called last. `come`: flags that
  // are set in the end; null: that is not known.
  void Finish(const run::GlobalWords* come, report::Findings& findings);

  // Why bytes that are touched may be in order all the same.
  const std::set<std::string>& open() const { return open_; }

 private:
  // What an operand of an op touches in one cluster.
  struct Use {
    std::vector<int64_t> work;
    PlaceInOrder place;
    bool write = false;
    ir::Atomic atomic = ir::Atomic::kNot;
    bool strong = false;  // atomic, for somebody
    bool generic = true;
    std::string name, who;
    std::string_view mnemonic;
    ir::Span span;
    footprint::IntervalSet bytes;
    bool counts = false, sets_back = false;  // in the ticket's word
    int32_t op = -1;
    int operand = -1;
    SyncWords holds;  // locks
    // What words are that locks guard, in the runs that have it (run/locks.h).
    std::set<std::string> given;
  };
  // decl, op, operand, written, released, acquired, and these with a fence
  using Key = std::tuple<int32_t, int32_t, int, bool, SyncWords, SyncWords,
                         SyncWords, SyncWords>;

  std::map<std::string, ir::Code> told_;  // by the ops

  std::map<Key, Use> UsesOf(const run::Log& log,
                            const std::vector<int64_t>& work,
                            const ReleaseAcquire& words);
  // What comes after flags that are never set.
  void DropWhatNeverComes(const run::GlobalWords& come,
                          report::Findings& findings);
  static bool Together(const Use& a, const Use& b);
  static bool SetsBack(const Use& a, const Use& b);
  bool BeforeThroughProxies(const Use& a, const Use& b) const;
  bool InOrderThroughProxies(const Use& a, const Use& b, bool held) const;
  static bool TooEarly(const PlaceInOrder& a, const PlaceInOrder& b);
  void AddUse(int32_t decl, Use use, const std::string& given);
  bool IsMade(const Use& use) const;
  bool IsDrawn(const Use& use) const;
  void JudgeGuarded(const std::vector<Use>& uses);
  void Conflict(const Use& a, const Use& b, report::Findings& findings);
  void CompareAll(const std::vector<Use>& uses, size_t first,
                  report::Findings& findings);
  void Compare(const Use& a, const Use& b, report::Findings& findings);
  void Report(const Use& a, const Use& b, report::Findings& findings);

  footprint::Fragments& fragments_;
  static std::pair<std::vector<int64_t>, int64_t> Part(
      const std::vector<int64_t>& work,
      const std::optional<run::Ticket>& ticket) {
    return {work, ticket ? ticket->number : -1};
  }

  std::map<int32_t, std::vector<Use>> uses_;  // by declaration
  // What words are that locks guard, in runs of the cluster.
  std::map<int64_t, std::set<std::string>> given_;
  std::map<int32_t, size_t> compared_;  // of those, with each other
  std::set<std::pair<std::vector<int64_t>, int64_t>> added_;
  std::vector<bool> drawn_;  // run::PlacesByDraws
  ClusterOrder order_;
  std::set<std::string> open_;
};

}  // namespace tilesim::checkers::program

#endif  // TILESIM_CHECKERS_PROGRAM_GRID_CONFLICTS_H_
