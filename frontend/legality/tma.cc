// Copies by the TMA engine: tensor boxes and linear ranges.
#include <algorithm>

#include "frontend/legality/layout.h"
#include "frontend/legality/rules.h"
#include "ir/cat.h"
#include "ir/ops/bulk.h"
#include "ir/ops/cp_async.h"

namespace tilesim::frontend {
namespace {

using ir::DType;
namespace ops = ir::ops;

constexpr std::string_view kTensor = "hardware.md A.5";
constexpr std::string_view kLinear = "hardware.md A.4";
constexpr std::string_view kCpAsync = "hardware.md A.3";
constexpr int64_t kMaxBox = 256;
constexpr int64_t kMaxStride = (int64_t{1} << 40) - 1;  // bytes
constexpr int64_t kChunk = 16;                          // bytes

// boxDim, and bytes of its innermost row.
void Box(OpCheck& c, int global) {
  Tile t = c.tile(global);
  for (const Tile::Dim& d : t.dims) {
    if (d.extent <= kMaxBox) continue;
    c.Error("shape/box", global,
            ir::Cat("the box is ", t.Shape(), "; its extents are at most ",
                    kMaxBox),
            kTensor);
    return;
  }
  int64_t bits = t.cols() * t.bits();
  if (bits % (8 * kChunk) == 0) return;
  c.Error(
      "shape/box", global,
      ir::Cat("rows of the box are ", bits / 8, " bytes, not a multiple of 16"),
      kTensor);
}

// globalStrides: multiples of 16 bytes, innermost dimension dense.
void Strides(OpCheck& c, int global) {
  Tile t = c.tile(global);
  int rank = t.bound->rank;
  if (rank == 0) return;
  if (t.bound->strides[rank - 1] != 1) {
    c.Error("layout/stride", global,
            ir::Cat("neighbours in a row of `", t.decl->name, "` are ",
                    t.bound->strides[rank - 1], " elements apart"),
            kTensor);
  }
  for (int d = 0; d + 1 < rank; ++d) {
    int64_t stride = t.bound->strides[d];
    if (t.bound->shape[d] > 1 && stride > kMaxStride * 8 / t.bits()) {
      c.Error("layout/stride", global,
              ir::Cat("dimension ", d, " of `", t.decl->name,
                      "` has a stride of ", stride, " elements of ", t.bits(),
                      " bits; a tensor map takes less than 2^40 bytes"),
              kTensor);
      return;
    }
    if (stride % (8 * kChunk) * t.bits() % (8 * kChunk) == 0) continue;
    c.Error("layout/stride", global,
            ir::Cat("dimension ", d, " of `", t.decl->name,
                    "` has a stride of ", stride, " elements of ", t.bits(),
                    " bits, not a multiple of 16 bytes"),
            kTensor);
    return;
  }
}

// The engine writes (or reads) shared memory densely, row after row.
void SharedSide(OpCheck& c, int shared) {
  Tile t = c.tile(shared);
  if (t.decl->swizzle == ir::Swizzle::kNone) {
    DenseRows(c, shared, kTensor);
    return;
  }
  int64_t span = ir::SpanOf(t.decl->swizzle);
  if (t.row_bytes() == span) return;
  int64_t columns = span * 8 / t.bits();
  c.Error("layout/swizzle", shared,
          ir::Cat("rows of ", c.Text(shared), " are ", t.row_bytes(),
                  " bytes; one box fills rows of the swizzle's ", span),
          kTensor)
      .help = t.row_bytes() < span
                  ? "copy one panel of the tile at a time"
                  : ir::Cat("a copy for each panel: columns `0 :+ ", columns,
                            "`, then `", columns, " :+ ", columns,
                            "`, of the tile and of the box alike");
}

void Copy(OpCheck& c, int global, int shared) {
  c.SameType(shared, global);
  c.SameShape(shared, global);
  Box(c, global);
  Strides(c, global);
  SharedSide(c, shared);
}

// The barrier that a load completes on is in the CTA that gets the data; the
// leader of a CTA pair may stand in for both (cta_group::2).
void SameCta(OpCheck& c, int dst, int bar, std::string_view source) {
  if (c.ref(dst).cta == c.ref(bar).cta) return;
  c.Error("cluster/remote", bar,
          ir::Cat(c.Text(dst), " and ", c.Text(bar), " are in different CTAs"),
          source);
}

void Load(OpCheck& c) {
  using Op = ops::TmaLoad;
  Copy(c, Op::kSrc, Op::kDst);
  auto group = c.op().choice<Op, ops::CtaGroup>();
  bool pair = group == ops::CtaGroup::kTwo;
  if (!pair) SameCta(c, Op::kDst, Op::kBar, kTensor);
  if (c.has(Op::kMulticast)) c.ClusterMask(Op::kMulticast);
  const ir::TargetInfo& target = ir::InfoOf(c.kernel().target);
  if (group != ops::CtaGroup::kUnwritten && !target.cta_pairs) {
    c.Error("target/modifier", -1,
            ir::Cat("`.cta_group` is not on ", target.name), kTensor);
  }
}

void Store(OpCheck& c) { Copy(c, ops::TmaStore::kDst, ops::TmaStore::kSrc); }

// cp.reduce.async.bulk.tensor: hardware.md A.4 lists what each operation has.
void Reduce(OpCheck& c) {
  using Op = ops::TmaReduce;
  Copy(c, Op::kDst, Op::kSrc);
  std::vector<DType> types = {DType::kF16, DType::kBF16, DType::kS32,
                              DType::kU32, DType::kU64};
  bool add = c.op().choice<Op, ops::ReduceOp>() == ops::ReduceOp::kAdd;
  types.push_back(add ? DType::kF32 : DType::kS64);
  c.TypeIn(Op::kDst, types, kLinear);
}

void Prefetch(OpCheck& c) {
  Box(c, ops::TmaPrefetch::kSrc);
  Strides(c, ops::TmaPrefetch::kSrc);
}

void PrefetchTensormap(OpCheck& c) {
  Copy(c, ops::PrefetchTensormap::kBox, ops::PrefetchTensormap::kTile);
}

// --- linear copies -----------------------------------------------------------

void Bytes(OpCheck& c, int operand) {
  Tile t = c.tile(operand);
  if (t.bytes() % kChunk == 0) return;
  c.Error("shape/bytes", operand,
          ir::Cat(c.Text(operand), " is ", t.bytes(),
                  " bytes, not a multiple of 16"),
          kLinear);
}

void NoSwizzle(OpCheck& c, int operand) {
  if (c.tile(operand).decl->swizzle == ir::Swizzle::kNone) return;
  c.Error("layout/swizzle", operand,
          ir::Cat("a linear copy does not swizzle; ", c.Text(operand), " is"),
          kLinear);
}

void Linear(OpCheck& c, int a, int b) {
  c.SameType(a, b);
  if (c.tile(a).elements() != c.tile(b).elements()) c.SameShape(a, b);
  for (int operand : {a, b}) {
    Dense(c, operand, kLinear);
    if (c.tile(operand).space() == ir::Space::kShared) NoSwizzle(c, operand);
  }
  Bytes(c, b);
}

void BulkLoad(OpCheck& c) {
  using Op = ops::BulkLoad;
  Linear(c, Op::kDst, Op::kSrc);
  SameCta(c, Op::kDst, Op::kBar, kLinear);
  if (c.has(Op::kMulticast)) c.ClusterMask(Op::kMulticast);
}

void BulkStore(OpCheck& c) {
  Linear(c, ops::BulkStore::kDst, ops::BulkStore::kSrc);
}

void BulkPush(OpCheck& c) {
  using Op = ops::BulkPush;
  Linear(c, Op::kDst, Op::kSrc);
  c.OwnCta(Op::kSrc, kLinear);
  SameCta(c, Op::kDst, Op::kBar, kLinear);
  if (!c.ref(Op::kDst).cta.empty()) return;
  c.Error("cluster/remote", Op::kDst,
          ir::Cat(c.Text(Op::kDst),
                  " is this CTA's own; a push goes to a "
                  "peer"),
          kLinear)
      .help = "name the peer: `@ cta rank`";
}

void Pending(OpCheck& c, int pending) {
  c.InRange(pending, 0, INT32_MAX, 1, "group/count", "PTX 9.7.9.25");
}

// --- cp.async ----------------------------------------------------------------

// Of several elements, an instruction copies those that lie side by side.
void Neighbours(OpCheck& c, int global, int64_t vec) {
  Tile t = c.tile(global);
  const int rank = t.bound->rank;
  if (rank == 0 || t.bound->strides[rank - 1] == 1 || 8 * vec <= t.bits())
    return;
  c.Error("layout/stride", global,
          ir::Cat("neighbours in a row of `", t.decl->name, "` are ",
                  t.bound->strides[rank - 1],
                  " elements apart, and an instruction copies ", vec,
                  " bytes that lie side by side"),
          kCpAsync);
}

void CpAsync(OpCheck& c) {
  using Op = ops::CpAsync;
  c.SameType(Op::kDst, Op::kSrc);
  if (!c.SameShape(Op::kDst, Op::kSrc)) return;
  int64_t vec = c.number(Op::kVec).value_or(kChunk);
  if (vec != 4 && vec != 8 && vec != 16) {
    c.Error("shape/vector", Op::kVec,
            ir::Cat("vec is ", vec,
                    "; an instruction copies 4, 8 or 16 "
                    "bytes"),
            kCpAsync);
    return;
  }
  Neighbours(c, Op::kSrc, vec);
  Tile t = c.tile(Op::kDst);
  if (t.row_bytes() % vec == 0) return;
  c.Error("shape/vector", Op::kDst,
          ir::Cat("rows of ", c.Text(Op::kDst), " are ", t.row_bytes(),
                  " bytes, not a multiple of ", vec),
          kCpAsync);
}

}  // namespace

void CheckOp(ops::TmaLoad, OpCheck& c) { Load(c); }
void CheckOp(ops::TmaStore, OpCheck& c) { Store(c); }
void CheckOp(ops::TmaReduce, OpCheck& c) { Reduce(c); }
void CheckOp(ops::TmaPrefetch, OpCheck& c) { Prefetch(c); }
void CheckOp(ops::PrefetchTensormap, OpCheck& c) { PrefetchTensormap(c); }
void CheckOp(ops::BulkLoad, OpCheck& c) { BulkLoad(c); }
void CheckOp(ops::BulkStore, OpCheck& c) { BulkStore(c); }
void CheckOp(ops::BulkPush, OpCheck& c) { BulkPush(c); }
void CheckOp(ops::BulkWaitGroup, OpCheck& c) {
  Pending(c, ops::BulkWaitGroup::kPending);
}
void CheckOp(ops::CpAsync, OpCheck& c) { CpAsync(c); }
void CheckOp(ops::CpAsyncWaitGroup, OpCheck& c) {
  Pending(c, ops::CpAsyncWaitGroup::kPending);
}

}  // namespace tilesim::frontend
