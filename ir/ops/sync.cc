#include "ir/ops/sync.h"

#include <bit>

#include "ir/cat.h"
#include "ir/warp.h"

namespace tilesim::ir::ops {
namespace {

constexpr OperandSpec kBarSyncOperands[] = {
    {"id", kTakesInt, false, false, "barrier 0 to 15"},
    {"threads", kTakesInt, false, true,
     "threads that take part, a multiple of 32; when absent all of the CTA "
     "that "
     "have not exited"}};
constexpr OperandSpec kBarArriveOperands[] = {
    {"id", kTakesInt, false, false, "barrier 0 to 15"},
    {"threads", kTakesInt, false, false,
     "threads that take part, a multiple of 32"}};
constexpr OperandSpec kBarWarpSyncOperands[] = {
    {"mask", kTakesInt, false, true,
     "constant; bit i: lane i takes part. Those that take part are those that "
     "execute it; when absent all of the warp"}};
constexpr OperandSpec kRegisters[] = {
    {"count", kTakesInt, false, false,
     "registers a thread from now on: 24 to 256, a multiple of 8"}};

constexpr std::string_view kClusterArriveSem[] = {"", "relaxed", "release"};
constexpr ModSpec kClusterArriveMods[] = {
    {"sem", kClusterArriveSem, "release when not written"}};

constexpr std::string_view kFenceSem[] = {"acq_rel", "sc", "acquire",
                                          "release"};
constexpr std::string_view kFenceScope[] = {"cta", "cluster", "gpu", "sys"};
constexpr ModSpec kFenceMods[] = {{"sem", kFenceSem, "what it orders"},
                                  {"scope", kFenceScope, "for whom"}};

constexpr std::string_view kProxySpace[] = {"", "shared::cta", "global",
                                            "shared::cluster"};
constexpr ModSpec kProxyMods[] = {
    {"space", kProxySpace,
     "one state space only, of shared::cta not what peers have; all when not "
     "written"}};

void NamedBarrier(EffectKind kind, const ConcreteOp& op, EffectSink& out,
                  int id, int threads) {
  Effect& e = out.Value(kind, -1, op.number(id));
  e.count = static_cast<int32_t>(op.number_or(threads, 0));
}

void Setmaxnreg(const ConcreteOp& op, EffectSink& out) {
  out.Value(EffectKind::kRegisters, -1, op.number(0));
}

}  // namespace

constexpr OpInfo BarSync::kInfo = {
    .kind = OpKind::kBarSync,
    .mnemonic = "bar.sync",
    .mods = {},
    .operands = kBarSyncOperands,
    .scope = ExecScope::kWarp,
    .doc =
        "named barrier: waits until `threads` threads have arrived or "
        "synced on it, then it is free again. Counts 32 a warp.",
    .source = "PTX 9.7.13.1; hardware.md A.2"};
void BarSync::Effects(const ConcreteOp& op, EffectSink& out) {
  NamedBarrier(EffectKind::kNamedSync, op, out, kId, kThreads);
}

constexpr OpInfo BarArrive::kInfo = {
    .kind = OpKind::kBarArrive,
    .mnemonic = "bar.arrive",
    .mods = {},
    .operands = kBarArriveOperands,
    .scope = ExecScope::kWarp,
    .doc = "arrives on a named barrier without waiting.",
    .source = "PTX 9.7.13.1; hardware.md A.2"};
void BarArrive::Effects(const ConcreteOp& op, EffectSink& out) {
  NamedBarrier(EffectKind::kNamedArrive, op, out, kId, kThreads);
}

constexpr OpInfo BarWarpSync::kInfo = {
    .kind = OpKind::kBarWarpSync,
    .mnemonic = "bar.warp.sync",
    .mods = {},
    .operands = kBarWarpSyncOperands,
    .scope = ExecScope::kWarp,
    .doc =
        "orders what the lanes of a warp did before it against what they "
        "do after it (__syncwarp). With a mask it is of the lanes in the mask "
        "and may stand where only these are.",
    .source = "PTX 9.7.13.2"};
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

constexpr OpInfo ClusterArrive::kInfo = {
    .kind = OpKind::kClusterArrive,
    .mnemonic = "barrier.cluster.arrive",
    .mods = kClusterArriveMods,
    .operands = {},
    .scope = ExecScope::kWarp,
    .doc =
        "arrives on the cluster barrier: every thread of the cluster that has "
        "not exited, once a phase. Relaxed, it releases what a fence before it "
        "does.",
    .source = "PTX 9.7.13.3; hardware.md A.2"};
void ClusterArrive::Effects(const ConcreteOp& op, EffectSink& out) {
  Effect& e = out.Add(EffectKind::kClusterArrive);
  e.sem = op.mod(0) == 1 ? Sem::kRelaxed : Sem::kRelease;
  e.scope = MemScope::kCluster;
}

constexpr OpInfo ClusterWait::kInfo = {
    .kind = OpKind::kClusterWait,
    .mnemonic = "barrier.cluster.wait",
    .mods = {},
    .operands = {},
    .scope = ExecScope::kWarp,
    .doc =
        "waits until every thread of the cluster that has not exited has "
        "arrived (acquire).",
    .source = "PTX 9.7.13.3; hardware.md A.2"};
void ClusterWait::Effects(const ConcreteOp&, EffectSink& out) {
  Effect& e = out.Add(EffectKind::kClusterWait);
  e.sem = Sem::kAcquire;
  e.scope = MemScope::kCluster;
}

constexpr OpInfo Fence::kInfo = {
    .kind = OpKind::kFence,
    .mnemonic = "fence",
    .mods = kFenceMods,
    .operands = {},
    .doc = "memory fence of each executing thread.",
    .source = "PTX 9.7.13.4"};
void Fence::Effects(const ConcreteOp& op, EffectSink& out) {
  constexpr Sem kSems[] = {Sem::kAcqRel, Sem::kSc, Sem::kAcquire,
                           Sem::kRelease};
  out.Fence(FenceKind::kMemory, kSems[op.mod(0)],
            static_cast<MemScope>(op.mod(1)));
}

constexpr OpInfo FenceMbarrierInit::kInfo = {
    .kind = OpKind::kFenceMbarrierInit,
    .mnemonic = "fence.mbarrier_init",
    .mods = {},
    .operands = {},
    .doc =
        "fence.mbarrier_init.release.cluster: makes this thread's "
        "mbarrier.init ready for peers and async units.",
    .source = "PTX 9.7.13.4; hardware.md A.6"};
void FenceMbarrierInit::Effects(const ConcreteOp&, EffectSink& out) {
  out.Fence(FenceKind::kMbarrierInit, Sem::kRelease, MemScope::kCluster);
}

constexpr OpInfo FenceProxyAsync::kInfo = {
    .kind = OpKind::kFenceProxyAsync,
    .mnemonic = "fence.proxy.async",
    .mods = kProxyMods,
    .operands = {},
    .doc =
        "orders each executing thread's generic accesses before against "
        "asynchronous ones after, and the other way round.",
    .source = "PTX 9.7.13.4; hardware.md A.6"};
void FenceProxyAsync::Effects(const ConcreteOp& op, EffectSink& out) {
  constexpr FenceKind kKinds[] = {
      FenceKind::kProxyAsync, FenceKind::kProxyShared, FenceKind::kProxyGlobal,
      FenceKind::kProxyCluster};
  out.Fence(kKinds[op.mod(0)]);
}

constexpr OpInfo FenceProxyAsyncAcquire::kInfo = {
    .kind = OpKind::kFenceProxyAsyncAcquire,
    .mnemonic =
        "fence.proxy.async::generic.acquire.sync_restrict::shared::cluster"
        ".cluster",
    .mods = {},
    .operands = {},
    .doc =
        "the second half of a proxy fence: by the thread that then issues an "
        "asynchronous access to shared memory of any CTA of the cluster, after "
        "it has synchronised with who executed the first.",
    .source = "PTX 9.7.13.4; hardware.md A.6"};
void FenceProxyAsyncAcquire::Effects(const ConcreteOp&, EffectSink& out) {
  out.Fence(FenceKind::kProxyAcquire, Sem::kAcquire, MemScope::kCluster);
}

constexpr OpInfo FenceProxyAsyncRelease::kInfo = {
    .kind = OpKind::kFenceProxyAsyncRelease,
    .mnemonic =
        "fence.proxy.async::generic.release.sync_restrict::shared::cta"
        ".cluster",
    .mods = {},
    .operands = {},
    .doc =
        "the first half of a proxy fence: by each thread that has accessed "
        "shared memory of its own CTA, for asynchronous accesses to it by who "
        "executes the second.",
    .source = "PTX 9.7.13.4; hardware.md A.6"};
void FenceProxyAsyncRelease::Effects(const ConcreteOp&, EffectSink& out) {
  out.Fence(FenceKind::kProxyRelease, Sem::kRelease, MemScope::kCluster);
}

constexpr OpInfo SetmaxnregInc::kInfo = {
    .kind = OpKind::kSetmaxnregInc,
    .mnemonic = "setmaxnreg.inc",
    .mods = {},
    .operands = kRegisters,
    .scope = ExecScope::kWarpgroup,
    .doc =
        "takes registers from the CTA's pool until each thread has `count`; "
        "blocks until they are there.",
    .source = "PTX 9.7.19.5; hardware.md A.9"};
void SetmaxnregInc::Effects(const ConcreteOp& op, EffectSink& out) {
  Setmaxnreg(op, out);
}

constexpr OpInfo SetmaxnregDec::kInfo = {
    .kind = OpKind::kSetmaxnregDec,
    .mnemonic = "setmaxnreg.dec",
    .mods = {},
    .operands = kRegisters,
    .scope = ExecScope::kWarpgroup,
    .doc =
        "gives registers back to the CTA's pool until each thread has "
        "`count`.",
    .source = "PTX 9.7.19.5; hardware.md A.9"};
void SetmaxnregDec::Effects(const ConcreteOp& op, EffectSink& out) {
  Setmaxnreg(op, out);
}

}  // namespace tilesim::ir::ops
