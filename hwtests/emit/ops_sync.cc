// Hardware barriers, fences, setmaxnreg, dependent launches.
#include "hwtests/emit/op_table.h"
#include "ir/cat.h"

namespace tilesim::hwtests {
namespace {

using ir::Cat;
namespace ops = ir::ops;

void Setmaxnreg(OpEmitter& e, std::string_view function, int operand) {
  std::optional<int64_t> count = e.Immediate(operand, "the count");
  if (count) e.Call(Cat(function, "<", *count, ">"), {});
}

std::string_view SpaceSuffix(ir::FenceKind kind) {
  if (kind == ir::FenceKind::kProxyShared) return "_shared";
  if (kind == ir::FenceKind::kProxyGlobal) return "_global";
  return kind == ir::FenceKind::kProxyCluster ? "_cluster" : "";
}

}  // namespace

template <>
void EmitOp<ops::BarSync>(OpEmitter& e) {
  if (!e.has(ops::BarSync::kThreads)) {
    e.Call("bar_sync_all", {e.Int(ops::BarSync::kId)});
    return;
  }
  e.Call("bar_sync", {e.Int(ops::BarSync::kId), e.Int(ops::BarSync::kThreads)});
}

template <>
void EmitOp<ops::BarArrive>(OpEmitter& e) {
  e.Call("bar_arrive",
         {e.Int(ops::BarArrive::kId), e.Int(ops::BarArrive::kThreads)});
}

template <>
void EmitOp<ops::BarWarpSync>(OpEmitter& e) {
  using Op = ops::BarWarpSync;
  if (!e.has(Op::kMask)) return e.out().Line("__syncwarp();");
  std::optional<int64_t> mask = e.Immediate(Op::kMask, "the mask");
  if (mask) e.out().Line(Cat("__syncwarp(", *mask, "u);"));
}

template <>
void EmitOp<ops::ClusterArrive>(OpEmitter& e) {
  ir::Sem sem = e.op().choice<ops::ClusterArrive, ops::ClusterArriveSem>();
  bool relaxed = sem == ir::Sem::kRelaxed;
  e.Call(relaxed ? "cluster_arrive_relaxed" : "cluster_arrive", {});
}

template <>
void EmitOp<ops::ClusterWait>(OpEmitter& e) {
  e.Call("cluster_wait", {});
}

template <>
void EmitOp<ops::Fence>(OpEmitter& e) {
  using Op = ops::Fence;
  e.Call(Cat("fence_", e.op().spelling<Op, ops::FenceSem>(), "_",
             e.op().spelling<Op, ops::FenceScope>()),
         {});
}

template <>
void EmitOp<ops::FenceMbarrierInit>(OpEmitter& e) {
  e.Call("fence_mbarrier_init", {});
}

template <>
void EmitOp<ops::FenceProxyAsync>(OpEmitter& e) {
  ir::FenceKind kind = e.op().choice<ops::FenceProxyAsync, ops::ProxySpace>();
  e.Call(Cat("fence_proxy_async", SpaceSuffix(kind)), {});
}

template <>
void EmitOp<ops::FenceProxyAsyncAcquire>(OpEmitter& e) {
  e.Call("fence_proxy_async_acquire", {});
}

template <>
void EmitOp<ops::FenceProxyAsyncRelease>(OpEmitter& e) {
  e.Call("fence_proxy_async_release", {});
}

template <>
void EmitOp<ops::SetmaxnregInc>(OpEmitter& e) {
  Setmaxnreg(e, "setmaxnreg_inc", ops::SetmaxnregInc::kCount);
}

template <>
void EmitOp<ops::SetmaxnregDec>(OpEmitter& e) {
  Setmaxnreg(e, "setmaxnreg_dec", ops::SetmaxnregDec::kCount);
}

template <>
void EmitOp<ops::GriddepcontrolLaunchDependents>(OpEmitter& e) {
  e.Call("griddepcontrol_launch_dependents", {});
}

template <>
void EmitOp<ops::GriddepcontrolWait>(OpEmitter& e) {
  e.Call("griddepcontrol_wait", {});
}

}  // namespace tilesim::hwtests
