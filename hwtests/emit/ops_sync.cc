// Hardware barriers, fences, setmaxnreg, dependent launches.
#include "hwtests/emit/op_table.h"
#include "ir/cat.h"

namespace tilesim::hwtests {
namespace {

using ir::Cat;
namespace ops = ir::ops;

void Setmaxnreg(OpEmitter& e, std::string_view function) {
  std::optional<int64_t> count = e.Immediate(0, "the count");
  if (!count) return;
  if (*count < 24 || *count > 256 || *count % 8 != 0) {
    e.Shape(Cat("the count is a multiple of 8 from 24 to 256, not ", *count));
    return;
  }
  e.Call(Cat(function, "<", *count, ">"), {});
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
  e.Call(e.mod(0) == 1 ? "cluster_arrive_relaxed" : "cluster_arrive", {});
}

template <>
void EmitOp<ops::ClusterWait>(OpEmitter& e) {
  e.Call("cluster_wait", {});
}

template <>
void EmitOp<ops::Fence>(OpEmitter& e) {
  const auto& mods = e.op().info->mods;
  e.Call(
      Cat("fence_", mods[0].choices[e.mod(0)], "_", mods[1].choices[e.mod(1)]),
      {});
}

template <>
void EmitOp<ops::FenceMbarrierInit>(OpEmitter& e) {
  e.Call("fence_mbarrier_init", {});
}

template <>
void EmitOp<ops::FenceProxyAsync>(OpEmitter& e) {
  constexpr std::string_view kSpaces[] = {"", "_shared", "_global", "_cluster"};
  e.Call(Cat("fence_proxy_async", kSpaces[e.mod(0)]), {});
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
  Setmaxnreg(e, "setmaxnreg_inc");
}

template <>
void EmitOp<ops::SetmaxnregDec>(OpEmitter& e) {
  Setmaxnreg(e, "setmaxnreg_dec");
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
