#include "ir/ops/sync.h"

#include <bit>

#include "ir/cat.h"
#include "ir/warp.h"

namespace tilesim::ir::ops {
namespace {

constexpr OperandSpec kBarSyncOperands[] = {
    {.name = "id", .types = kTakesInt, .doc = "barrier 0 to 15"},
    {.name = "threads",
     .types = kTakesInt,
     .optional = true,
     .doc =
         "threads that take part, a multiple of 32; when absent all of the CTA "
         "that "
         "have not exited"}};
constexpr OperandSpec kBarArriveOperands[] = {
    {.name = "id", .types = kTakesInt, .doc = "barrier 0 to 15"},
    {.name = "threads",
     .types = kTakesInt,
     .doc = "threads that take part, a multiple of 32"}};
constexpr OperandSpec kBarWarpSyncOperands[] = {
    {.name = "mask",
     .types = kTakesInt,
     .optional = true,
     .doc = "constant; bit i: lane i takes part. Those that take part are "
            "those that "
            "execute it; when absent all of the warp"}};
constexpr OperandSpec kRegisters[] = {
    {.name = "count",
     .types = kTakesInt,
     .doc = "registers a thread from now on: 24 to 256, a multiple of 8"}};

void NamedBarrier(EffectKind kind, const ConcreteOp& op, EffectSink& out,
                  int id, int threads) {
  Effect& e = out.Value(kind, -1, op.number(id));
  e.count = static_cast<int32_t>(op.number_or(threads, 0));
}

void Setmaxnreg(int64_t count, EffectSink& out) {
  out.Value(EffectKind::kRegisters, -1, count);
}

}  // namespace

constexpr OpInfo BarSync::kInfo = Row<BarSync>(
    {.mnemonic = "bar.sync",
     .operands = kBarSyncOperands,
     .scope = ExecScope::kWarp,
     .doc = "named barrier: waits until `threads` threads have arrived or "
            "synced on it, then it is free again. Counts 32 a warp.",
     .source = "PTX 9.7.13.1; hardware.md A.2"});
void BarSync::Effects(const ConcreteOp& op, EffectSink& out) {
  NamedBarrier(EffectKind::kNamedSync, op, out, kId, kThreads);
}

constexpr OpInfo BarArrive::kInfo =
    Row<BarArrive>({.mnemonic = "bar.arrive",
                    .operands = kBarArriveOperands,
                    .scope = ExecScope::kWarp,
                    .doc = "arrives on a named barrier without waiting.",
                    .source = "PTX 9.7.13.1; hardware.md A.2"});
void BarArrive::Effects(const ConcreteOp& op, EffectSink& out) {
  NamedBarrier(EffectKind::kNamedArrive, op, out, kId, kThreads);
}

constexpr OpInfo BarWarpSync::kInfo = Row<BarWarpSync>(
    {.mnemonic = "bar.warp.sync",
     .operands = kBarWarpSyncOperands,
     .scope = ExecScope::kWarp,
     .doc =
         "orders what the lanes of a warp did before it against what they "
         "do after it (__syncwarp). With a mask it is of the lanes in the mask "
         "and may stand where only these are.",
     .source = "PTX 9.7.13.2"});
void BarWarpSync::Effects(const ConcreteOp&, EffectSink& out) {
  out.Add(EffectKind::kWarpSync);
}

std::optional<WrongLanes> WrongLanesOf(int64_t mask, uint32_t lanes) {
  const auto members = static_cast<uint32_t>(mask);
  if (uint32_t outside = lanes & ~members; outside != 0) {
    return WrongLanes{"scope/collective",
                      Cat("lane ", std::countr_zero(outside),
                          " executes `bar.warp.sync` and is not in its mask")};
  }
  if (uint32_t missing = members & ~lanes; missing != 0) {
    return WrongLanes{
        "barrier/participants",
        Cat("`bar.warp.sync` waits for lane ", std::countr_zero(missing),
            ", which does not execute it")};
  }
  return std::nullopt;
}

constexpr OpInfo ClusterArrive::kInfo = Row<ClusterArrive>(
    {.mnemonic = "barrier.cluster.arrive",
     .scope = ExecScope::kWarp,
     .doc =
         "arrives on the cluster barrier: every thread of the cluster that has "
         "not exited, once a phase. Relaxed, it releases what a fence before "
         "it "
         "does.",
     .source = "PTX 9.7.13.3; hardware.md A.2"});
void ClusterArrive::Effects(const ConcreteOp& op, EffectSink& out) {
  Effect& e = out.Add(EffectKind::kClusterArrive);
  e.sem = op.choice<ClusterArrive, ClusterArriveSem>();
  e.scope = MemScope::kCluster;
}

constexpr OpInfo ClusterWait::kInfo = Row<ClusterWait>(
    {.mnemonic = "barrier.cluster.wait",
     .scope = ExecScope::kWarp,
     .doc = "waits until every thread of the cluster that has not exited has "
            "arrived (acquire).",
     .source = "PTX 9.7.13.3; hardware.md A.2"});
void ClusterWait::Effects(const ConcreteOp&, EffectSink& out) {
  Effect& e = out.Add(EffectKind::kClusterWait);
  e.sem = Sem::kAcquire;
  e.scope = MemScope::kCluster;
}

constexpr OpInfo Fence::kInfo =
    Row<Fence>({.mnemonic = "fence",
                .doc = "memory fence of each executing thread.",
                .source = "PTX 9.7.13.4"});
void Fence::Effects(const ConcreteOp& op, EffectSink& out) {
  out.Fence(FenceKind::kMemory, op.choice<ops::Fence, FenceSem>(),
            op.choice<ops::Fence, FenceScope>());
}

constexpr OpInfo FenceMbarrierInit::kInfo = Row<FenceMbarrierInit>(
    {.mnemonic = "fence.mbarrier_init",
     .doc = "fence.mbarrier_init.release.cluster: makes this thread's "
            "mbarrier.init ready for peers and async units.",
     .source = "PTX 9.7.13.4; hardware.md A.6"});
void FenceMbarrierInit::Effects(const ConcreteOp&, EffectSink& out) {
  out.Fence(FenceKind::kMbarrierInit, Sem::kRelease, MemScope::kCluster);
}

constexpr OpInfo FenceProxyAsync::kInfo = Row<FenceProxyAsync>(
    {.mnemonic = "fence.proxy.async",
     .doc = "orders each executing thread's generic accesses before against "
            "asynchronous ones after, and the other way round.",
     .source = "PTX 9.7.13.4; hardware.md A.6"});
void FenceProxyAsync::Effects(const ConcreteOp& op, EffectSink& out) {
  out.Fence(op.choice<FenceProxyAsync, ProxySpace>());
}

constexpr OpInfo FenceProxyAsyncAcquire::kInfo = Row<FenceProxyAsyncAcquire>(
    {.mnemonic =
         "fence.proxy.async::generic.acquire.sync_restrict::shared::cluster"
         ".cluster",
     .doc =
         "the second half of a proxy fence: by the thread that then issues an "
         "asynchronous access to shared memory of any CTA of the cluster, "
         "after "
         "it has synchronised with who executed the first.",
     .source = "PTX 9.7.13.4; hardware.md A.6"});
void FenceProxyAsyncAcquire::Effects(const ConcreteOp&, EffectSink& out) {
  out.Fence(FenceKind::kProxyAcquire, Sem::kAcquire, MemScope::kCluster);
}

constexpr OpInfo FenceProxyAsyncRelease::kInfo = Row<FenceProxyAsyncRelease>(
    {.mnemonic = "fence.proxy.async::generic.release.sync_restrict::shared::cta"
                 ".cluster",
     .doc =
         "the first half of a proxy fence: by each thread that has accessed "
         "shared memory of its own CTA, for asynchronous accesses to it by who "
         "executes the second.",
     .source = "PTX 9.7.13.4; hardware.md A.6"});
void FenceProxyAsyncRelease::Effects(const ConcreteOp&, EffectSink& out) {
  out.Fence(FenceKind::kProxyRelease, Sem::kRelease, MemScope::kCluster);
}

constexpr OpInfo SetmaxnregInc::kInfo = Row<SetmaxnregInc>(
    {.mnemonic = "setmaxnreg.inc",
     .operands = kRegisters,
     .scope = ExecScope::kWarpgroup,
     .doc =
         "takes registers from the CTA's pool until each thread has `count`; "
         "blocks until they are there. What a thread starts with stands in "
         "`block N regs R`.",
     .source = "PTX 9.7.19.5; hardware.md A.9"});
void SetmaxnregInc::Effects(const ConcreteOp& op, EffectSink& out) {
  Setmaxnreg(op.number(kCount), out);
}

constexpr OpInfo SetmaxnregDec::kInfo = Row<SetmaxnregDec>(
    {.mnemonic = "setmaxnreg.dec",
     .operands = kRegisters,
     .scope = ExecScope::kWarpgroup,
     .doc = "gives registers back to the CTA's pool until each thread has "
            "`count`. What a thread starts with stands in `block N regs R`.",
     .source = "PTX 9.7.19.5; hardware.md A.9"});
void SetmaxnregDec::Effects(const ConcreteOp& op, EffectSink& out) {
  Setmaxnreg(op.number(kCount), out);
}

}  // namespace tilesim::ir::ops
