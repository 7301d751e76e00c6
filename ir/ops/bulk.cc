#include "ir/ops/bulk.h"

namespace tilesim::ir::ops {
namespace {

constexpr std::string_view kTensor = "PTX 9.7.9.25.5; hardware.md A.5";
constexpr std::string_view kLinear = "PTX 9.7.9.25.4; hardware.md A.4";

constexpr OperandSpec kLoadOperands[] = {
    {.name = "dst",
     .types = kTakesShared,
     .doc = "shared tile; `@ cta` for a peer's",
     .start = StartRule::kBox},
    {.name = "src",
     .types = kTakesGlobal,
     .doc = "the box, of the tile's shape; it begins at a multiple of 16 bytes "
            "of a row",
     .start = StartRule::kCoordinates},
    {.name = "bar",
     .types = kTakesBarrier,
     .doc = "gets complete_tx of the full box"},
    {.name = "multicast",
     .types = kTakesInt,
     .keyword = true,
     .optional = true,
     .doc =
         "mask of cluster ranks that all receive it, each at the same "
         "offset and "
         "each on its own copy of the barrier; with .cta_group::2 on that of "
         "the CTA of its pair which has the parity of the barrier's CTA"}};
constexpr OperandSpec kStoreOperands[] = {
    {.name = "dst",
     .types = kTakesGlobal,
     .doc = "the box, which does not begin before its tensor, and at a "
            "multiple of 16 bytes of a row; what lies past the end is dropped",
     .start = StartRule::kCoordinates},
    {.name = "src",
     .types = kTakesShared,
     .doc = "shared tile of the same shape",
     .start = StartRule::kBox}};
constexpr OperandSpec kRawLoadOperands[] = {
    {.name = "dst",
     .types = kTakesShared,
     .doc = "shared tile; `@ cta` for a peer's",
     .start = StartRule::kRaw},
    {.name = "src",
     .types = kTakesGlobal,
     .doc = "as many elements, all inside the tensor",
     .start = StartRule::kRaw},
    {.name = "bar",
     .types = kTakesBarrier,
     .doc = "gets complete_tx of the bytes"},
    {.name = "multicast",
     .types = kTakesInt,
     .keyword = true,
     .optional = true,
     .doc = "mask of cluster ranks that all receive it, each at the same "
            "offset and "
            "each on its own copy of the barrier"}};
constexpr OperandSpec kRawStoreOperands[] = {
    {.name = "dst",
     .types = kTakesGlobal,
     .doc = "as many elements, all inside the tensor",
     .start = StartRule::kRaw},
    {.name = "src",
     .types = kTakesShared,
     .doc = "shared tile",
     .start = StartRule::kRaw}};
constexpr OperandSpec kPrefetchOperands[] = {
    {.name = "src",
     .types = kTakesGlobal,
     .doc = "the box to bring into L2; it begins at a multiple of 16 bytes of "
            "a row",
     .start = StartRule::kCoordinates}};
constexpr OperandSpec kTensormapOperands[] = {
    {.name = "tile",
     .types = kTakesShared,
     .doc = "tile that the copies fill or drain"},
    {.name = "box",
     .types = kTakesGlobal,
     .doc = "a box of theirs, at any place"}};
constexpr OperandSpec kPushOperands[] = {
    {.name = "dst",
     .types = kTakesShared,
     .doc = "a peer's shared tile, `@ cta` rank",
     .start = StartRule::kRaw},
    {.name = "src",
     .types = kTakesShared,
     .doc = "own shared tile of the same size",
     .start = StartRule::kRaw},
    {.name = "bar", .types = kTakesBarrier, .doc = "barrier of the same peer"}};
constexpr OperandSpec kPendingOperands[] = {
    {.name = "pending",
     .types = kTakesInt,
     .doc = "youngest groups that may stay"}};

// Data into shared memory, then complete_tx, in every destination CTA.
void LoadEffects(const ConcreteOp& op, EffectSink& out, int dst, int src,
                 int bar, int multicast) {
  uint32_t ranks = static_cast<uint32_t>(op.number_or(multicast, 0));
  out.Read(src, Proxy::kAsync, Milestone::kRead);
  out.Write(dst, Proxy::kAsync, Milestone::kDone).ranks = ranks;
  Effect& tx = out.Value(EffectKind::kCompleteTx, bar, op.tile(dst).bytes(),
                         Milestone::kDone);
  tx.ranks = ranks;
  tx.sem = Sem::kRelease;
  tx.scope = MemScope::kCluster;
}

void StoreEffects(EffectSink& out, int dst, int src) {
  out.Read(src, Proxy::kAsync, Milestone::kRead);
  out.Write(dst, Proxy::kAsync, Milestone::kDone);
}

}  // namespace

constexpr OpInfo TmaLoad::kInfo = Row<TmaLoad>(
    {.mnemonic = "tma.load",
     .operands = kLoadOperands,
     .async = AsyncUnit::kTma,
     .arithmetic = Arithmetic::kExact,
     .doc = "one box of a tensor into shared memory "
            "(cp.async.bulk.tensor.global.shared). Elements outside the tensor "
            "become zero and count in the bytes.",
     .source = kTensor});
void TmaLoad::Effects(const ConcreteOp& op, EffectSink& out) {
  LoadEffects(op, out, kDst, kSrc, kBar, kMulticast);
}

constexpr OpInfo TmaStore::kInfo = Row<TmaStore>(
    {.mnemonic = "tma.store",
     .operands = kStoreOperands,
     .async = AsyncUnit::kTma,
     .arithmetic = Arithmetic::kExact,
     .doc = "a shared tile into one box of a tensor. Joins the executing "
            "thread's open bulk group.",
     .source = kTensor});
void TmaStore::Effects(const ConcreteOp&, EffectSink& out) {
  StoreEffects(out, kDst, kSrc);
}

constexpr OpInfo TmaReduce::kInfo = Row<TmaReduce>(
    {.mnemonic = "tma.reduce",
     .operands = kStoreOperands,
     .async = AsyncUnit::kTma,
     .arithmetic = Arithmetic::kUnordered,
     .doc = "as tma.store, but combined with what is there, element by element "
            "(relaxed.gpu), in no order between CTAs.",
     .source = kTensor});
void TmaReduce::Effects(const ConcreteOp&, EffectSink& out) {
  StoreEffects(out, kDst, kSrc);
  out.Read(kDst, Proxy::kAsync, Milestone::kDone).sem = Sem::kRelaxed;
}

constexpr OpInfo TmaPrefetch::kInfo = Row<TmaPrefetch>(
    {.mnemonic = "tma.prefetch",
     .operands = kPrefetchOperands,
     .doc = "hints that a box will be loaded soon: into L2, nothing waits.",
     .source = kTensor});
void TmaPrefetch::Effects(const ConcreteOp&, EffectSink&) {}

constexpr OpInfo PrefetchTensormap::kInfo = Row<PrefetchTensormap>(
    {.mnemonic = "prefetch.tensormap",
     .operands = kTensormapOperands,
     .doc =
         "hints that the tensor map with which such a box is copied to or from "
         "such a tile will be used soon. The map follows from the tensor, the "
         "shape of the box and the swizzle of the tile.",
     .source = "PTX 9.7.9.15"});
void PrefetchTensormap::Effects(const ConcreteOp&, EffectSink&) {}

constexpr OpInfo BulkLoad::kInfo = Row<BulkLoad>(
    {.mnemonic = "bulk.load",
     .operands = kRawLoadOperands,
     .async = AsyncUnit::kTma,
     .arithmetic = Arithmetic::kExact,
     .doc =
         "contiguous global elements into a contiguous shared tile "
         "(cp.async.bulk). Bytes and addresses are multiples of 16, and all of "
         "it lies inside the tensor: nothing fills what does not.",
     .source = kLinear});
void BulkLoad::Effects(const ConcreteOp& op, EffectSink& out) {
  LoadEffects(op, out, kDst, kSrc, kBar, kMulticast);
}

constexpr OpInfo BulkStore::kInfo = Row<BulkStore>(
    {.mnemonic = "bulk.store",
     .operands = kRawStoreOperands,
     .async = AsyncUnit::kTma,
     .arithmetic = Arithmetic::kExact,
     .doc =
         "a contiguous shared tile to contiguous global elements, as bulk.load "
         "the other way: what lies outside the tensor would be overwritten. "
         "Joins the executing thread's open bulk group.",
     .source = kLinear});
void BulkStore::Effects(const ConcreteOp&, EffectSink& out) {
  StoreEffects(out, kDst, kSrc);
}

constexpr OpInfo BulkPush::kInfo = Row<BulkPush>(
    {.mnemonic = "bulk.push",
     .operands = kPushOperands,
     .async = AsyncUnit::kTma,
     .arithmetic = Arithmetic::kExact,
     .doc = "own shared memory to a peer's (cp.async.bulk shared::cta to "
            "shared::cluster); completes on the peer's barrier.",
     .source = kLinear});
void BulkPush::Effects(const ConcreteOp& op, EffectSink& out) {
  LoadEffects(op, out, kDst, kSrc, kBar, kMaxOperands - 1);
}

constexpr OpInfo BulkCommitGroup::kInfo = Row<BulkCommitGroup>(
    {.mnemonic = "bulk.commit_group",
     .doc = "closes this thread's open group of bulk stores.",
     .source = kLinear});
void BulkCommitGroup::Effects(const ConcreteOp&, EffectSink& out) {
  out.Group(EffectKind::kCommit, GroupKind::kBulk);
}

constexpr OpInfo BulkWaitGroup::kInfo = Row<BulkWaitGroup>(
    {.mnemonic = "bulk.wait_group",
     .operands = kPendingOperands,
     .doc = "waits until at most `pending` of this thread's bulk groups are "
            "left; groups belong to the thread that committed them.",
     .source = kLinear});
void BulkWaitGroup::Effects(const ConcreteOp& op, EffectSink& out) {
  out.Group(EffectKind::kWaitGroup, GroupKind::kBulk, op.number(kPending))
      .reads_only = op.choice<BulkWaitGroup, ReadOnly>();
}

}  // namespace tilesim::ir::ops
