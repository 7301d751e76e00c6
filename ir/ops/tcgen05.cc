#include "ir/ops/tcgen05.h"

#include "ir/pipeline.h"

namespace tilesim::ir::ops {
namespace {

constexpr std::string_view kPtx = "PTX 9.7.16; hardware.md A.8";
constexpr std::string_view kPtxMma = "PTX 9.7.16.10; hardware.md A.8, B.2";

constexpr OperandSpec kPoolOperands[] = {
    {.name = "pool",
     .types = kTakesPool,
     .doc = "a `tmem NAME : columns N slot S` declaration"}};
constexpr OperandSpec kMmaOperands[] = {
    {.name = "d", .types = kTakesTmem, .doc = "accumulator in tensor memory"},
    {.name = "a",
     .types = kTakesShared | kTakesTmem,
     .doc = "M x K, of each CTA",
     .start = StartRule::kMatrix},
    {.name = "b",
     .types = kTakesShared,
     .doc = "N x K, of each CTA N/2 x K with cta_group::2",
     .start = StartRule::kMatrix},
    {.name = "accumulate",
     .types = kTakesInt,
     .keyword = true,
     .doc = "0: D = A*B^T, else D += A*B^T; of the first instruction along K"}};
constexpr OperandSpec kScaledOperands[] = {
    {.name = "d", .types = kTakesTmem, .doc = "accumulator in tensor memory"},
    {.name = "a",
     .types = kTakesShared | kTakesTmem,
     .doc = "M x K",
     .start = StartRule::kMatrix},
    {.name = "b",
     .types = kTakesShared,
     .doc = "N x K",
     .start = StartRule::kMatrix},
    {.name = "sfa",
     .types = kTakesTmem,
     .doc = "scale factors of A, M x K/block",
     .start = StartRule::kVector},
    {.name = "sfb",
     .types = kTakesTmem,
     .doc = "scale factors of B, N x K/block",
     .start = StartRule::kVector},
    {.name = "accumulate",
     .types = kTakesInt,
     .keyword = true,
     .doc = "0: D = A*B^T, else D += A*B^T; of the first instruction along K"}};
constexpr OperandSpec kCommitOperands[] = {
    {.name = "bar", .types = kTakesBarrier, .doc = "gets one arrival"},
    {.name = "multicast",
     .types = kTakesInt,
     .keyword = true,
     .optional = true,
     .doc = "mask of cluster ranks whose copies of the barrier get it"}};
constexpr OperandSpec kLdOperands[] = {
    {.name = "dst", .types = kTakesReg, .doc = "register tile in fragment row"},
    {.name = "src",
     .types = kTakesTmem,
     .doc = "tile of as many lanes and columns"}};
constexpr OperandSpec kStOperands[] = {
    {.name = "dst",
     .types = kTakesTmem,
     .doc = "tile of as many lanes and columns"},
    {.name = "src",
     .types = kTakesReg,
     .doc = "register tile in fragment row"}};
constexpr OperandSpec kCpOperands[] = {
    {.name = "dst", .types = kTakesTmem, .doc = "tile of tensor memory"},
    {.name = "src", .types = kTakesShared, .doc = "shared tile"}};
constexpr OperandSpec kShiftOperands[] = {{.name = "tile",
                                           .types = kTakesTmem,
                                           .doc = "rows move down by one lane",
                                           .start = StartRule::kLanes}};

// Both CTAs of a pair take part in a cta_group::2 operation.
uint32_t Ranks(const ConcreteOp& op) {
  return IsPair(op) ? PairMask(op.cluster_rank) : 0;
}

void MmaEffects(const ConcreteOp& op, EffectSink& out, int accumulate) {
  constexpr int kD = Tcgen05Mma::kD, kA = Tcgen05Mma::kA, kB = Tcgen05Mma::kB;
  uint32_t ranks = Ranks(op);
  Proxy a =
      op.tile(kA).space == Space::kShared ? Proxy::kAsync : Proxy::kTensor;
  out.Read(kA, a, Milestone::kRead).ranks = ranks;
  out.Read(kB, Proxy::kAsync, Milestone::kRead).ranks = ranks;
  if (op.number(accumulate) != 0)
    out.Read(kD, Proxy::kTensor, Milestone::kRead).ranks = ranks;
  out.Write(kD, Proxy::kTensor, Milestone::kDone).ranks = ranks;
}

}  // namespace

constexpr OpInfo Tcgen05Alloc::kInfo = Row<Tcgen05Alloc>(
    {.mnemonic = "tcgen05.alloc",
     .operands = kPoolOperands,
     .targets = kOnSm100a,
     .scope = ExecScope::kWarp,
     .doc =
         "allocates the pool's columns, blocking until they are free, and "
         "stores their address in the pool's slot (a weak generic store that "
         "a barrier must publish). One warp.",
     .source = kPtx});
void Tcgen05Alloc::Effects(const ConcreteOp& op, EffectSink& out) {
  out.Add(EffectKind::kTmemAlloc, kPool).ranks = Ranks(op);
}

constexpr OpInfo Tcgen05Dealloc::kInfo = Row<Tcgen05Dealloc>(
    {.mnemonic = "tcgen05.dealloc",
     .operands = kPoolOperands,
     .targets = kOnSm100a,
     .scope = ExecScope::kWarp,
     .doc = "gives the pool's columns back; every pool before the kernel ends. "
            "One warp.",
     .source = kPtx});
void Tcgen05Dealloc::Effects(const ConcreteOp& op, EffectSink& out) {
  out.Add(EffectKind::kTmemDealloc, kPool).ranks = Ranks(op);
}

constexpr OpInfo Tcgen05RelinquishAllocPermit::kInfo =
    Row<Tcgen05RelinquishAllocPermit>(
        {.mnemonic = "tcgen05.relinquish_alloc_permit",
         .targets = kOnSm100a,
         .scope = ExecScope::kWarp,
         .doc = "this CTA will not allocate again; others may.",
         .source = kPtx});
void Tcgen05RelinquishAllocPermit::Effects(const ConcreteOp& op,
                                           EffectSink& out) {
  out.Add(EffectKind::kTmemRelinquish).ranks = Ranks(op);
}

constexpr OpInfo Tcgen05Mma::kInfo = Row<Tcgen05Mma>(
    {.mnemonic = "tcgen05.mma",
     .operands = kMmaOperands,
     .targets = kOnSm100a,
     .async = AsyncUnit::kTcgen05,
     .arithmetic = Arithmetic::kExact,
     .doc = "one instruction after another along K, in ascending order, issued "
            "by one thread. The kind follows from the operand types. With "
            "cta_group::2 one thread of the pair issues for both CTAs: each "
            "holds half the rows of A and D and half the rows of B.",
     .source = kPtxMma});
void Tcgen05Mma::Effects(const ConcreteOp& op, EffectSink& out) {
  MmaEffects(op, out, kAccumulate);
}

constexpr OpInfo Tcgen05MmaBlockScale::kInfo = Row<Tcgen05MmaBlockScale>(
    {.mnemonic = "tcgen05.mma.block_scale",
     .operands = kScaledOperands,
     .targets = kOnSm100a,
     .async = AsyncUnit::kTcgen05,
     .arithmetic = Arithmetic::kExact,
     .doc = "as tcgen05.mma with a scale factor for each block of 16 or 32 "
            "elements along K: kinds mxf8f6f4, mxf4 and mxf4nvf4.",
     .source = kPtxMma});
void Tcgen05MmaBlockScale::Effects(const ConcreteOp& op, EffectSink& out) {
  MmaEffects(op, out, kAccumulate);
  out.Read(kSfa, Proxy::kTensor, Milestone::kRead).ranks = Ranks(op);
  out.Read(kSfb, Proxy::kTensor, Milestone::kRead).ranks = Ranks(op);
}

constexpr OpInfo Tcgen05Commit::kInfo = Row<Tcgen05Commit>(
    {.mnemonic = "tcgen05.commit",
     .operands = kCommitOperands,
     .targets = kOnSm100a,
     .doc = "arrives once on the barrier when every earlier mma, cp and shift "
            "of the executing thread is done. An arrival, not bytes: the "
            "barrier must count it. Implies fence::before_thread_sync.",
     .source = kPtx});
void Tcgen05Commit::Effects(const ConcreteOp& op, EffectSink& out) {
  out.Fence(FenceKind::kTcgen05Before);
  Effect& e = out.Value(EffectKind::kTrack, kBar, 1);
  e.ranks = static_cast<uint32_t>(op.number_or(kMulticast, 0));
  e.sem = Sem::kRelease;
  e.scope = MemScope::kCluster;
}

constexpr OpInfo Tcgen05Ld::kInfo = Row<Tcgen05Ld>(
    {.mnemonic = "tcgen05.ld",
     .operands = kLdOperands,
     .targets = kOnSm100a,
     .scope = ExecScope::kWarp,
     .async = AsyncUnit::kTmemLd,
     .arithmetic = Arithmetic::kExact,
     .doc = "tensor memory to registers, .32x32b: thread i of the warp gets "
            "lane i of the warp's quarter. Memory order needs wait::ld.",
     .source = kPtx});
void Tcgen05Ld::Effects(const ConcreteOp&, EffectSink& out) {
  out.Read(kSrc, Proxy::kTensor, Milestone::kRead);
  out.Write(kDst, Proxy::kGeneric, Milestone::kDone);
}

constexpr OpInfo Tcgen05St::kInfo =
    Row<Tcgen05St>({.mnemonic = "tcgen05.st",
                    .operands = kStOperands,
                    .targets = kOnSm100a,
                    .scope = ExecScope::kWarp,
                    .async = AsyncUnit::kTmemSt,
                    .arithmetic = Arithmetic::kExact,
                    .doc = "registers to tensor memory, .32x32b.",
                    .source = kPtx});
void Tcgen05St::Effects(const ConcreteOp&, EffectSink& out) {
  // Its registers are ordinary operands: a later write waits for them.
  out.Read(kSrc);
  out.Write(kDst, Proxy::kTensor, Milestone::kDone);
}

constexpr OpInfo Tcgen05Cp::kInfo = Row<Tcgen05Cp>(
    {.mnemonic = "tcgen05.cp",
     .operands = kCpOperands,
     .targets = kOnSm100a,
     .async = AsyncUnit::kTcgen05,
     .arithmetic = Arithmetic::kExact,
     .doc = "shared memory to tensor memory, in order before later tcgen05.mma "
            "of the same thread. Scale factors are copied 32x128b.warpx4.",
     .source = kPtx});
void Tcgen05Cp::Effects(const ConcreteOp& op, EffectSink& out) {
  out.Read(kSrc, Proxy::kAsync, Milestone::kRead).ranks = Ranks(op);
  out.Write(kDst, Proxy::kTensor, Milestone::kDone).ranks = Ranks(op);
}

constexpr OpInfo Tcgen05Shift::kInfo = Row<Tcgen05Shift>(
    {.mnemonic = "tcgen05.shift",
     .operands = kShiftOperands,
     .targets = kOnSm100a,
     .async = AsyncUnit::kTcgen05,
     .arithmetic = Arithmetic::kExact,
     .doc = "moves the rows of a tile down by one lane (shift.down).",
     .source = kPtx});
void Tcgen05Shift::Effects(const ConcreteOp& op, EffectSink& out) {
  out.Read(kTile, Proxy::kTensor, Milestone::kRead).ranks = Ranks(op);
  out.Write(kTile, Proxy::kTensor, Milestone::kDone).ranks = Ranks(op);
}

constexpr OpInfo Tcgen05WaitLd::kInfo = Row<Tcgen05WaitLd>(
    {.mnemonic = "tcgen05.wait::ld",
     .targets = kOnSm100a,
     .scope = ExecScope::kWarp,
     .doc = "waits until all earlier tcgen05.ld of the thread are done.",
     .source = kPtx});
void Tcgen05WaitLd::Effects(const ConcreteOp&, EffectSink& out) {
  out.Group(EffectKind::kWaitGroup, GroupKind::kTmemLd, 0);
}

constexpr OpInfo Tcgen05WaitSt::kInfo = Row<Tcgen05WaitSt>(
    {.mnemonic = "tcgen05.wait::st",
     .targets = kOnSm100a,
     .scope = ExecScope::kWarp,
     .doc = "waits until all earlier tcgen05.st of the thread are done.",
     .source = kPtx});
void Tcgen05WaitSt::Effects(const ConcreteOp&, EffectSink& out) {
  out.Group(EffectKind::kWaitGroup, GroupKind::kTmemSt, 0);
}

constexpr OpInfo Tcgen05FenceBefore::kInfo = Row<Tcgen05FenceBefore>(
    {.mnemonic = "tcgen05.fence::before_thread_sync",
     .targets = kOnSm100a,
     .doc =
         "orders the thread's earlier tcgen05 operations before what follows "
         "a synchronisation.",
     .source = kPtx});
void Tcgen05FenceBefore::Effects(const ConcreteOp&, EffectSink& out) {
  out.Fence(FenceKind::kTcgen05Before);
}

constexpr OpInfo Tcgen05FenceAfter::kInfo = Row<Tcgen05FenceAfter>(
    {.mnemonic = "tcgen05.fence::after_thread_sync",
     .targets = kOnSm100a,
     .doc = "orders the thread's later tcgen05 operations after what a "
            "synchronisation showed it.",
     .source = kPtx});
void Tcgen05FenceAfter::Effects(const ConcreteOp&, EffectSink& out) {
  out.Fence(FenceKind::kTcgen05After);
}

}  // namespace tilesim::ir::ops

namespace tilesim::ir {
namespace {

bool IsMma(const ConcreteOp& op) {
  return op.info().kind == OpKind::kTcgen05Mma ||
         op.info().kind == OpKind::kTcgen05MmaBlockScale;
}

bool SameProduct(const ConcreteOp& a, const ConcreteOp& b) {
  constexpr int kD = ops::Tcgen05Mma::kD, kA = ops::Tcgen05Mma::kA;
  return a.info().kind == b.info().kind && a.tile(kD) == b.tile(kD) &&
         a.tile(kA).dtype == b.tile(kA).dtype;
}

// What PTX 9.7.16.6.2.1 names; copies of other shapes are in no order with a
// shift.
bool Is4x256b(const ConcreteOp& op) {
  constexpr int32_t kRows = 4;
  return op.info().kind == OpKind::kTcgen05Cp &&
         op.tile(ops::Tcgen05Cp::kDst).rows() == kRows;
}

}  // namespace

bool RunInOrder(const ConcreteOp& first, const ConcreteOp& second) {
  OpKind a = first.info().kind, b = second.info().kind;
  if (IsMma(first) && IsMma(second)) return SameProduct(first, second);
  if (IsMma(second))
    return a == OpKind::kTcgen05Cp || a == OpKind::kTcgen05Shift;
  return (IsMma(first) && b == OpKind::kTcgen05Shift) ||
         (a == OpKind::kTcgen05Shift && Is4x256b(second));
}

}  // namespace tilesim::ir
