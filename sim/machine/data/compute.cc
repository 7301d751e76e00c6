#include "sim/machine/data/compute.h"

namespace tilesim::machine {
namespace {

using ComputeFn = void (*)(Job&);
constexpr ComputeFn kCompute[] = {
#define TILE_OP(Name) [](Job& job) { Compute(ir::ops::Name{}, job); },
#include "ir/ops.def"
#undef TILE_OP
};

}  // namespace

void ComputeAny(Job& job) {
  kCompute[static_cast<int>(job.op().info().kind)](job);
}

// Ops that move no payload: their effects are all they do. The answer of
// ClcTryCancel comes through Memory::ClcResponse, that of MbarrierTestWait from
// the barrier.
#define TILESIM_NO_PAYLOAD(Name) \
  void Compute(ir::ops::Name, Job&) {}
TILESIM_NO_PAYLOAD(MbarrierInit)
TILESIM_NO_PAYLOAD(MbarrierInval)
TILESIM_NO_PAYLOAD(MbarrierArrive)
TILESIM_NO_PAYLOAD(MbarrierArriveDrop)
TILESIM_NO_PAYLOAD(MbarrierArriveExpectTx)
TILESIM_NO_PAYLOAD(MbarrierExpectTx)
TILESIM_NO_PAYLOAD(MbarrierCompleteTx)
TILESIM_NO_PAYLOAD(MbarrierWait)
TILESIM_NO_PAYLOAD(MbarrierTestWait)
TILESIM_NO_PAYLOAD(BarSync)
TILESIM_NO_PAYLOAD(BarArrive)
TILESIM_NO_PAYLOAD(BarWarpSync)
TILESIM_NO_PAYLOAD(ClusterArrive)
TILESIM_NO_PAYLOAD(ClusterWait)
TILESIM_NO_PAYLOAD(Fence)
TILESIM_NO_PAYLOAD(FenceMbarrierInit)
TILESIM_NO_PAYLOAD(FenceProxyAsync)
TILESIM_NO_PAYLOAD(FenceProxyAsyncAcquire)
TILESIM_NO_PAYLOAD(FenceProxyAsyncRelease)
TILESIM_NO_PAYLOAD(SetmaxnregInc)
TILESIM_NO_PAYLOAD(SetmaxnregDec)
TILESIM_NO_PAYLOAD(TmaPrefetch)
TILESIM_NO_PAYLOAD(PrefetchTensormap)
TILESIM_NO_PAYLOAD(BulkCommitGroup)
TILESIM_NO_PAYLOAD(BulkWaitGroup)
TILESIM_NO_PAYLOAD(CpAsyncCommitGroup)
TILESIM_NO_PAYLOAD(CpAsyncWaitGroup)
TILESIM_NO_PAYLOAD(CpAsyncMbarrierArrive)
TILESIM_NO_PAYLOAD(WgmmaFence)
TILESIM_NO_PAYLOAD(WgmmaCommitGroup)
TILESIM_NO_PAYLOAD(WgmmaWaitGroup)
TILESIM_NO_PAYLOAD(Tcgen05RelinquishAllocPermit)
TILESIM_NO_PAYLOAD(Tcgen05Commit)
TILESIM_NO_PAYLOAD(Tcgen05WaitLd)
TILESIM_NO_PAYLOAD(Tcgen05WaitSt)
TILESIM_NO_PAYLOAD(Tcgen05FenceBefore)
TILESIM_NO_PAYLOAD(Tcgen05FenceAfter)
TILESIM_NO_PAYLOAD(ClcTryCancel)
TILESIM_NO_PAYLOAD(GriddepcontrolLaunchDependents)
TILESIM_NO_PAYLOAD(GriddepcontrolWait)
#undef TILESIM_NO_PAYLOAD

}  // namespace tilesim::machine
