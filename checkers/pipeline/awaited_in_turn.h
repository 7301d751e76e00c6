// Loops in which a CTA waits for another word in each iteration, and does with
// it what it waited for:
//
//   for z in 1..S {
//     while seen == 0 { ld.acquire.gpu seen, Flag[z] }
//     ld.global part, W[z, :]
//   }
#ifndef TILESIM_CHECKERS_PIPELINE_AWAITED_IN_TURN_H_
#define TILESIM_CHECKERS_PIPELINE_AWAITED_IN_TURN_H_

#include <map>

#include "checkers/grid/words.h"
#include "ir/program.h"

namespace tilesim::checkers::pipeline {

class AwaitedInTurn {
 public:
  // Of a kernel that outlives it.
  explicit AwaitedInTurn(const ir::Kernel& kernel);

  // Whether the n-th execution of `op` by a warp is in the same iteration of a
  // loop as the n-th poll of `wait` that is over, by the same warp or another,
  // for each n (docs/all_sizes.md 5.2).
  bool SameIteration(const ir::Op& op, const ir::Op& wait) const;

 private:
  // In which loop every iteration executes it once; a poll is a loop that the
  // op is alone in.
  struct Place {
    const ir::Stmt* loop = nullptr;
    bool polls = false;
  };
  void Walk(const ir::Block& block, const Place& in, bool in_loop);

  std::map<grid::Site, Place> places_;
};

}  // namespace tilesim::checkers::pipeline

#endif  // TILESIM_CHECKERS_PIPELINE_AWAITED_IN_TURN_H_
