#include "ir/ops/cp_async.h"

namespace tilesim::ir::ops {
namespace {

constexpr std::string_view kPtx = "PTX 9.7.9.25.3; hardware.md A.3";

constexpr OperandSpec kCopyOperands[] = {
    {.name = "dst",
     .types = kTakesShared,
     .doc = "shared tile",
     .start = StartRule::kVector},
    {.name = "src",
     .types = kTakesGlobal,
     .doc = "tile of the same shape, inside the tensor; with `.zfill` it may "
            "reach past the end, or begin there, but not before the tensor",
     .start = StartRule::kVector},
    {.name = "vec",
     .types = kTakesInt,
     .keyword = true,
     .optional = true,
     .doc = "bytes an instruction: 4, 8 or 16; 16 when absent"}};
constexpr OperandSpec kPendingOperands[] = {
    {.name = "pending",
     .types = kTakesInt,
     .doc = "youngest groups that may stay"}};
constexpr OperandSpec kBarOperands[] = {
    {.name = "bar", .types = kTakesBarrier, .doc = "the barrier, of this CTA"}};

}  // namespace

constexpr OpInfo CpAsync::kInfo = Row<CpAsync>(
    {.mnemonic = "cp.async",
     .operands = kCopyOperands,
     .scope = ExecScope::kAny,
     .async = AsyncUnit::kCpAsync,
     .arithmetic = Arithmetic::kExact,
     .doc = "the executing threads share out the copy of a tile, `vec` bytes "
            "each in turn, neighbours along a row to neighbouring threads. "
            "Both addresses of each are multiples of it. "
            "Joins each thread's open cp.async group.",
     .source = kPtx});
void CpAsync::Effects(const ConcreteOp&, EffectSink& out) {
  out.Read(kSrc, Proxy::kGeneric, Milestone::kRead);
  out.Write(kDst, Proxy::kGeneric, Milestone::kDone);
}

constexpr OpInfo CpAsyncCommitGroup::kInfo = Row<CpAsyncCommitGroup>(
    {.mnemonic = "cp.async.commit_group",
     .doc = "closes each thread's open group of cp.async.",
     .source = kPtx});
void CpAsyncCommitGroup::Effects(const ConcreteOp&, EffectSink& out) {
  out.Group(EffectKind::kCommit, GroupKind::kCpAsync);
}

constexpr OpInfo CpAsyncWaitGroup::kInfo = Row<CpAsyncWaitGroup>(
    {.mnemonic = "cp.async.wait_group",
     .operands = kPendingOperands,
     .doc =
         "waits until at most `pending` of the thread's own groups are left; "
         "other threads see the data only after a barrier.",
     .source = kPtx});
void CpAsyncWaitGroup::Effects(const ConcreteOp& op, EffectSink& out) {
  out.Group(EffectKind::kWaitGroup, GroupKind::kCpAsync, op.number(kPending));
}

constexpr OpInfo CpAsyncMbarrierArrive::kInfo = Row<CpAsyncMbarrierArrive>(
    {.mnemonic = "cp.async.mbarrier.arrive",
     .operands = kBarOperands,
     .doc = "arrives once all of the thread's earlier cp.async are done.",
     .source = kPtx});
void CpAsyncMbarrierArrive::Effects(const ConcreteOp& op, EffectSink& out) {
  if (!op.choice<CpAsyncMbarrierArrive, Noinc>())
    out.Value(EffectKind::kPendingIncrement, kBar, 1);
  Effect& e = out.Value(EffectKind::kTrack, kBar, 1);
  e.group = GroupKind::kCpAsync;
}

}  // namespace tilesim::ir::ops
