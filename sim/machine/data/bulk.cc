// Copies by the TMA engine (hardware.md A.4, A.5).
#include <algorithm>
#include <cmath>
#include <limits>

#include "sim/machine/data/compute.h"
#include "sim/machine/data/integers.h"
#include "sim/machine/data/shape.h"

namespace tilesim::machine {
namespace {

using ir::DType;

using Reduction = ir::ops::ReduceOp;

double FlushF32(DType type, double v) {
  bool tiny = std::abs(v) < std::numeric_limits<float>::min();
  return type == DType::kF32 && tiny ? std::copysign(0.0, v) : v;
}

double Pick(Reduction::Value op, double a, double b) {
  if (std::isnan(a)) return b;
  if (std::isnan(b)) return a;
  return op == Reduction::kMin ? std::min(a, b) : std::max(a, b);
}

uint64_t ReduceFloat(DType type, Reduction::Value op, uint64_t old,
                     uint64_t code) {
  double a = FlushF32(type, values::Decode(type, old));
  double b = FlushF32(type, values::Decode(type, code));
  // Sums of two f16, bf16 or f32 round once: in double they are exact, or
  // rounded so finely that rounding again changes nothing.
  double v = op == Reduction::kAdd ? a + b : Pick(op, a, b);
  return values::Encode(type, FlushF32(type, v));
}

uint64_t ReduceInteger(DType type, Reduction::Value op, uint64_t old,
                       uint64_t code) {
  if (op == Reduction::kAdd) return old + code;
  bool less = values::Info(type).is_signed()
                  ? IntegerOf(type, code) < IntegerOf(type, old)
                  : code < old;
  return less == (op == Reduction::kMin) ? code : old;
}

// A box of shared memory into a box of a tensor or back: dimensions of extent
// 1 do not count, so only the order of the elements does.
Dense Fit(Dense in, const ir::TileValue& to) {
  return Reshaped(std::move(in), to.rows(), to.cols());
}

void Load(Job& job, int dst, int src) {
  if (!SameElements(job, dst, src)) return;
  job.WriteShared(dst, Fit(job.ReadGlobal(src), job.tile(dst)),
                  job.destination());
}

void Store(Job& job, int dst, int src) {
  if (!SameElements(job, dst, src)) return;
  job.WriteGlobal(dst, Fit(job.ReadShared(src), job.tile(dst)));
}

}  // namespace

void Compute(ir::ops::TmaLoad, Job& job) {
  Load(job, ir::ops::TmaLoad::kDst, ir::ops::TmaLoad::kSrc);
}

void Compute(ir::ops::BulkLoad, Job& job) {
  Load(job, ir::ops::BulkLoad::kDst, ir::ops::BulkLoad::kSrc);
}

void Compute(ir::ops::TmaStore, Job& job) {
  Store(job, ir::ops::TmaStore::kDst, ir::ops::TmaStore::kSrc);
}

void Compute(ir::ops::BulkStore, Job& job) {
  Store(job, ir::ops::BulkStore::kDst, ir::ops::BulkStore::kSrc);
}

void Compute(ir::ops::BulkPush, Job& job) {
  using Op = ir::ops::BulkPush;
  if (!SameElements(job, Op::kDst, Op::kSrc)) return;
  job.WriteShared(Op::kDst, Fit(job.ReadShared(Op::kSrc), job.tile(Op::kDst)));
}

void Compute(ir::ops::TmaReduce, Job& job) {
  using Op = ir::ops::TmaReduce;
  if (!SameElements(job, Op::kDst, Op::kSrc)) return;
  DType type = job.tile(Op::kDst).dtype;
  auto op = job.op().choice<Op, Reduction>();
  auto reduce = values::IsFloat(type) ? ReduceFloat : ReduceInteger;
  Dense in = Fit(job.ReadShared(Op::kSrc), job.tile(Op::kDst));
  for (int time = 0; time < job.threads(); ++time) {
    Dense out = job.ReadGlobal(Op::kDst);
    for (int64_t i = 0; i < out.elements(); ++i) {
      uint64_t old = values::LoadCode(type, out.data.data(), i);
      uint64_t code = values::LoadCode(type, in.data.data(), i);
      values::StoreCode(type, out.data.data(), i, reduce(type, op, old, code));
    }
    job.WriteGlobal(Op::kDst, out);
  }
}

}  // namespace tilesim::machine
