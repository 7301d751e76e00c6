// In which step of a loop ops of a run were executed, of which each step has
// words of its own (run/step_words.h), and what these words hand over:
//
//   for t in 0..STEPS {
//     st.global U[1 - (t & 1), ..]       // comes before W[t] is set
//     bar.sync 0
//     thread 0 { red.add.release.gpu W[t], 1 .. wait for W[t] }
//     bar.sync 0                         // what follows comes after W[t]
//   }
//
// Every thread comes to an op that stands in the loop itself once in each step:
// by how often its warps have executed that, the step of an op is known.
#ifndef TILESIM_CHECKERS_PIPELINE_STEP_EPOCHS_H_
#define TILESIM_CHECKERS_PIPELINE_STEP_EPOCHS_H_

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include "checkers/grid/words.h"
#include "checkers/program/release_acquire.h"
#include "checkers/run/log.h"

namespace tilesim::checkers::pipeline {

class StepEpochs {
 public:
  // Of words that a declaration has for each step of a loop. nullopt: of some
  // op it is not known in which step it was executed.
  static std::optional<StepEpochs> In(const run::Log& log,
                                      const run::Flags& flags);

  // docs/all_sizes.md 5.2. What an event's accesses come before and after.
  void Add(int32_t event, const program::SyncWords& released,
           const program::SyncWords& acquired, grid::SyncEdges& out) const;

 private:
  struct Set {
    std::map<int64_t, run::GlobalWord> words;  // by step
  };
  void AddBarrier(int32_t event, const program::SyncWords& released,
                  const program::SyncWords& acquired,
                  grid::SyncEdges& out) const;
  void AddFlags(int32_t event, const program::SyncWords& released,
                const program::SyncWords& acquired, grid::SyncEdges& out) const;

  bool by_all_ = false;
  int32_t decl_ = -1;
  // By event, of ops in the loop; those outside of it come before, or after.
  std::map<int32_t, int64_t> step_;
  std::map<int32_t, bool> after_;
  Set set_;
  std::map<grid::Site, Set> waits_;
  std::set<grid::Site> fixed_;  // by the same threads in every step
};

}  // namespace tilesim::checkers::pipeline

#endif  // TILESIM_CHECKERS_PIPELINE_STEP_EPOCHS_H_
