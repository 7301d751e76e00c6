// cp.async: the threads of the scope share out a tile, so many bytes each in
// turn; those that are not here have not copied theirs.
#include <algorithm>

#include "sim/machine/data/compute.h"
#include "sim/machine/data/shape.h"

namespace tilesim::machine {
namespace {

constexpr int kDefaultBytes = 16;

Mask Share(const Job& job, int operand, int64_t bytes) {
  Mask mask;
  Unit unit = job.Scope();
  if (unit.all || unit.threads == 0) return mask;
  const ir::TileValue& tile = job.tile(operand);
  int64_t vector = std::max<int64_t>(1, bytes * 8 / values::BitsOf(tile.dtype));
  for (int64_t i = 0; i < tile.elements(); ++i) {
    int64_t turn = i / vector % unit.threads;
    mask.held.push_back(
        Executes(job.op().threads, unit.Thread(static_cast<int32_t>(turn))));
  }
  return mask;
}

}  // namespace

void Compute(ir::ops::CpAsync, Job& job) {
  using Op = ir::ops::CpAsync;
  if (!SameElements(job, Op::kDst, Op::kSrc)) return;
  const ir::TileValue& dst = job.tile(Op::kDst);
  Dense box = Reshaped(job.ReadGlobal(Op::kSrc), dst.rows(), dst.cols());
  job.WriteShared(
      Op::kDst, box, Job::kOwn,
      Share(job, Op::kDst, job.op().number_or(Op::kVec, kDefaultBytes)));
}

}  // namespace tilesim::machine
