#include "ir/operand_rules.h"

#include "ir/cat.h"
#include "ir/ops/bulk.h"
#include "ir/ops/common.h"
#include "ir/ops/cp_async.h"
#include "ir/ops/mbarrier.h"
#include "ir/ops/sync.h"
#include "ir/ops/tcgen05.h"
#include "ir/ops/wgmma.h"
#include "ir/warp.h"

namespace tilesim::ir {
namespace {

enum class Takes : uint8_t { kParity, kArrivals, kMask, kGroups, kWgmmaGroups };

struct TakesRow {
  OpKind op;
  int operand;
  Takes takes;
};
constexpr TakesRow kTakes[] = {
    {OpKind::kMbarrierWait, ops::MbarrierWait::kParity, Takes::kParity},
    {OpKind::kMbarrierTestWait, ops::MbarrierTestWait::kParity, Takes::kParity},
    {OpKind::kMbarrierArrive, ops::MbarrierArrive::kCount, Takes::kArrivals},
    {OpKind::kMbarrierArriveDrop, ops::MbarrierArriveDrop::kCount,
     Takes::kArrivals},
    {OpKind::kTmaLoad, ops::TmaLoad::kMulticast, Takes::kMask},
    {OpKind::kBulkLoad, ops::BulkLoad::kMulticast, Takes::kMask},
    {OpKind::kTcgen05Commit, ops::Tcgen05Commit::kMulticast, Takes::kMask},
    {OpKind::kBulkWaitGroup, ops::BulkWaitGroup::kPending, Takes::kGroups},
    {OpKind::kCpAsyncWaitGroup, ops::CpAsyncWaitGroup::kPending,
     Takes::kGroups},
    {OpKind::kWgmmaWaitGroup, ops::WgmmaWaitGroup::kPending,
     Takes::kWgmmaGroups},
};

NumberRange RangeOf(const BoundKernel& kernel, Takes takes) {
  switch (takes) {
    case Takes::kParity:
      return {0, 1, "parity/range"};
    case Takes::kArrivals:
      return {1, kMaxArrivals, "arrival-count/range"};
    case Takes::kMask:
      return {1, (int64_t{1} << kernel.cluster_size()) - 1, "cluster/mask"};
    case Takes::kGroups:
      return {0, INT32_MAX, "group/count"};
    case Takes::kWgmmaGroups:
      return {0, 7, "group/count"};
  }
  return {};
}

// The rank of the CTA in which an operand lies.
int RankOf(const ConcreteOp& op, int8_t cta) {
  return cta == kOwnCta ? op.cluster_rank : cta;
}

// With .cta_group::2 a load signals an mbarrier of the CTA that gets the data,
// or of its peer (PTX 9.7.9.27.1.2).
std::optional<WrongOperand> OfAnotherPair(const ConcreteOp& op) {
  using Load = ops::TmaLoad;
  if (op.info().kind != OpKind::kTmaLoad || !ops::IsPair(op)) return {};
  int data = RankOf(op, op.tile(Load::kDst).cta);
  int barrier = RankOf(op, op.barrier(Load::kBar).cta);
  if (data / 2 == barrier / 2) return {};
  return WrongOperand{
      "cluster/remote",
      Cat("the data goes to CTA ", data, " of the cluster and the barrier is ",
          "of CTA ", barrier, ", which is of another pair")};
}

// The lanes that are there, where scopes choose them by a variable.
std::optional<WrongOperand> OfOtherLanes(const ConcreteOp& op) {
  using Sync = ops::BarWarpSync;
  if (op.info().kind != OpKind::kBarWarpSync) return {};
  if (op.threads.electors != 0) {
    return WrongOperand{"scope/collective",
                        "which lane `elect` takes is not known, nor whether "
                        "the mask of `bar.warp.sync` has it"};
  }
  auto wrong =
      ops::WrongLanesOf(op.number_or(Sync::kMask, kAllLanes), op.threads.lanes);
  if (!wrong) return {};
  return WrongOperand{wrong->code, std::move(wrong->message)};
}

}  // namespace

std::optional<NumberRange> RangeOf(const BoundKernel& kernel, const OpInfo& op,
                                   int operand) {
  for (const TakesRow& row : kTakes) {
    if (row.op == op.kind && row.operand == operand)
      return RangeOf(kernel, row.takes);
  }
  return std::nullopt;
}

std::optional<WrongOperand> WrongOperandOf(const BoundKernel& kernel,
                                           const ConcreteOp& op) {
  for (const TakesRow& row : kTakes) {
    if (row.op != op.info().kind || !op.has(row.operand)) continue;
    NumberRange range = RangeOf(kernel, row.takes);
    int64_t n = op.number(row.operand);
    if (n >= range.low && n <= range.high) continue;
    return WrongOperand{range.code,
                        Cat(op.info().operands[row.operand].name, " is ", n,
                            "; it is ", range.low, " to ", range.high)};
  }
  if (auto wrong = OfOtherLanes(op)) return wrong;
  return OfAnotherPair(op);
}

}  // namespace tilesim::ir
