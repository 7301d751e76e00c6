// Accumulators that have been written, so that it makes no difference whether a
// product adds to what is there or begins anew:
//
//   for u in u0..u1 {  .. wgmma.mma_async acc, a, b, accumulate = u % KT > 0  }
//
// It writes to the same registers or columns either way, and what it reads
// besides are these: who may write there may read there, and finds a sum,
// unless another declaration has the columns too and something else was
// written.
#ifndef TILESIM_CHECKERS_SIZES_INDUCTION_ACCUMULATORS_H_
#define TILESIM_CHECKERS_SIZES_INDUCTION_ACCUMULATORS_H_

#include <array>
#include <cstdint>
#include <set>
#include <tuple>

#include "checkers/sizes/induction/executed_op.h"
#include "ir/loops.h"

namespace tilesim::checkers::sizes::induction {

class Accumulators {
 public:
  explicit Accumulators(const machine::Code& code)
      : code_(code), loops_(code.kernel()) {}

  void Executed(const ExecutedOp& op);
  // Whether the operand says only if the product adds to its accumulator, all
  // of which an earlier product of these warps has written.
  bool Written(const ExecutedOp& op, int operand) const;

 private:
  // CTA, first warp, number of warps, declaration, start and extent.
  using Key =
      std::tuple<int32_t, int, int, int32_t, std::array<int64_t, ir::kMaxRank>,
                 std::array<int32_t, ir::kMaxRank>>;

  Key KeyOf(const ExecutedOp& op, const ir::TileValue& tile) const;
  const ir::TileValue* AccumulatorOf(const ExecutedOp& op) const;
  void Overwrite(const ir::TileValue& by);

  const machine::Code& code_;
  const ir::Loops loops_;
  std::set<Key> written_;
};

}  // namespace tilesim::checkers::sizes::induction

#endif  // TILESIM_CHECKERS_SIZES_INDUCTION_ACCUMULATORS_H_
