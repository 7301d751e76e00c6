// Blocks of a kernel that another form of it has several times.
#ifndef TILESIM_CHECKERS_PIPELINE_COPIED_BLOCK_H_
#define TILESIM_CHECKERS_PIPELINE_COPIED_BLOCK_H_

#include <cstdint>

#include "ir/program.h"

namespace tilesim::checkers::pipeline {

// Every name that is kept in `slot` becomes the expression.
void Replace(int32_t slot, const ir::Expr& by, ir::Block& block);

// A copy number `nth` (from 1) that stands at a place of its own, whose scalars
// are others than those that `block` declares.
ir::Block CopyOf(ir::Block block, int64_t nth, ir::Kernel& kernel);

// Whether, of the threads that reach the innermost of scopes inside each other,
// one executes it: the same in every CTA.
class OneThread {
 public:
  explicit OneThread(const ir::Kernel& kernel)
      : one_warp_(kernel.block.is_int(32)) {}

  void Enter(const ir::Scope& scope);
  bool is() const { return one_thread_; }
  // Whatever warps and threads there are.
  bool always() const { return always_; }

 private:
  bool one_warp_, one_thread_ = false, always_ = true;
};

}  // namespace tilesim::checkers::pipeline

#endif  // TILESIM_CHECKERS_PIPELINE_COPIED_BLOCK_H_
