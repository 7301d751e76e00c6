#include "ir/ops/bulk.h"

namespace tilesim::ir::ops {
namespace {

constexpr std::string_view kTensor = "PTX 9.7.9.25.5; hardware.md A.5";
constexpr std::string_view kLinear = "PTX 9.7.9.25.4; hardware.md A.4";

constexpr OperandSpec kLoadOperands[] = {
    {"dst", kTakesShared, false, false, "shared tile; `@ cta` for a peer's",
     false, StartRule::kBox},
    {"src", kTakesGlobal, false, false, "the box, of the tile's shape"},
    {"bar", kTakesBarrier, false, false, "gets complete_tx of the full box"},
    {"multicast", kTakesInt, true, true,
     "mask of cluster ranks that all receive it, each at the same offset and "
     "each on its own copy of the barrier"}};
constexpr OperandSpec kStoreOperands[] = {
    {"dst", kTakesGlobal, false, false,
     "the box, which begins inside; what "
     "lies past the end is dropped"},
    {"src", kTakesShared, false, false, "shared tile of the same shape", false,
     StartRule::kBox}};
constexpr OperandSpec kRawLoadOperands[] = {
    {"dst", kTakesShared, false, false, "shared tile; `@ cta` for a peer's",
     false, StartRule::kRaw},
    {"src", kTakesGlobal, false, false,
     "as many elements, all inside the tensor", false, StartRule::kRaw},
    {"bar", kTakesBarrier, false, false, "gets complete_tx of the bytes"},
    {"multicast", kTakesInt, true, true,
     "mask of cluster ranks that all receive it, each at the same offset and "
     "each on its own copy of the barrier"}};
constexpr OperandSpec kRawStoreOperands[] = {
    {"dst", kTakesGlobal, false, false,
     "as many elements, all inside the tensor", false, StartRule::kRaw},
    {"src", kTakesShared, false, false, "shared tile", false, StartRule::kRaw}};
constexpr OperandSpec kPrefetchOperands[] = {
    {"src", kTakesGlobal, false, false, "the box to bring into L2"}};
constexpr OperandSpec kTensormapOperands[] = {
    {"tile", kTakesShared, false, false, "tile that the copies fill or drain"},
    {"box", kTakesGlobal, false, false, "a box of theirs, at any place"}};
constexpr OperandSpec kPushOperands[] = {
    {"dst", kTakesShared, false, false, "a peer's shared tile, `@ cta` rank",
     false, StartRule::kRaw},
    {"src", kTakesShared, false, false, "own shared tile of the same size",
     false, StartRule::kRaw},
    {"bar", kTakesBarrier, false, false, "barrier of the same peer"}};
constexpr OperandSpec kPendingOperands[] = {
    {"pending", kTakesInt, false, false, "youngest groups that may stay"}};

constexpr std::string_view kReduceChoices[] = {"add", "min", "max"};
constexpr ModSpec kReduceMods[] = {
    {"op", kReduceChoices, "what is done to each element in global memory"}};
constexpr std::string_view kReadChoices[] = {"", "read"};
constexpr ModSpec kReadMods[] = {
    {"read", kReadChoices,
     "wait only until the sources are read: shared memory may be reused, the "
     "global writes may be in flight"}};

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

constexpr OpInfo TmaLoad::kInfo = {
    .kind = OpKind::kTmaLoad,
    .mnemonic = "tma.load",
    .mods = kCtaGroupMods,
    .operands = kLoadOperands,
    .async = AsyncUnit::kTma,
    .arithmetic = Arithmetic::kExact,
    .doc =
        "one box of a tensor into shared memory "
        "(cp.async.bulk.tensor.global.shared). Elements outside the tensor "
        "become zero and count in the bytes.",
    .source = kTensor};
void TmaLoad::Effects(const ConcreteOp& op, EffectSink& out) {
  LoadEffects(op, out, kDst, kSrc, kBar, kMulticast);
}

constexpr OpInfo TmaStore::kInfo = {
    .kind = OpKind::kTmaStore,
    .mnemonic = "tma.store",
    .mods = {},
    .operands = kStoreOperands,
    .async = AsyncUnit::kTma,
    .arithmetic = Arithmetic::kExact,
    .doc =
        "a shared tile into one box of a tensor. Joins the executing "
        "thread's open bulk group.",
    .source = kTensor};
void TmaStore::Effects(const ConcreteOp&, EffectSink& out) {
  StoreEffects(out, kDst, kSrc);
}

constexpr OpInfo TmaReduce::kInfo = {
    .kind = OpKind::kTmaReduce,
    .mnemonic = "tma.reduce",
    .mods = kReduceMods,
    .operands = kStoreOperands,
    .async = AsyncUnit::kTma,
    .arithmetic = Arithmetic::kUnordered,
    .doc =
        "as tma.store, but combined with what is there, element by element "
        "(relaxed.gpu), in no order between CTAs.",
    .source = kTensor};
void TmaReduce::Effects(const ConcreteOp&, EffectSink& out) {
  StoreEffects(out, kDst, kSrc);
  out.Read(kDst, Proxy::kAsync, Milestone::kDone).sem = Sem::kRelaxed;
}

constexpr OpInfo TmaPrefetch::kInfo = {
    .kind = OpKind::kTmaPrefetch,
    .mnemonic = "tma.prefetch",
    .mods = {},
    .operands = kPrefetchOperands,
    .doc = "hints that a box will be loaded soon: into L2, nothing waits.",
    .source = kTensor};
void TmaPrefetch::Effects(const ConcreteOp&, EffectSink&) {}

constexpr OpInfo PrefetchTensormap::kInfo = {
    .kind = OpKind::kPrefetchTensormap,
    .mnemonic = "prefetch.tensormap",
    .mods = {},
    .operands = kTensormapOperands,
    .doc =
        "hints that the tensor map with which such a box is copied to or from "
        "such a tile will be used soon. The map follows from the tensor, the "
        "shape of the box and the swizzle of the tile.",
    .source = "PTX 9.7.9.15"};
void PrefetchTensormap::Effects(const ConcreteOp&, EffectSink&) {}

constexpr OpInfo BulkLoad::kInfo = {
    .kind = OpKind::kBulkLoad,
    .mnemonic = "bulk.load",
    .mods = {},
    .operands = kRawLoadOperands,
    .async = AsyncUnit::kTma,
    .arithmetic = Arithmetic::kExact,
    .doc =
        "contiguous global elements into a contiguous shared tile "
        "(cp.async.bulk). Bytes and addresses are multiples of 16, and all of "
        "it lies inside the tensor: nothing fills what does not.",
    .source = kLinear};
void BulkLoad::Effects(const ConcreteOp& op, EffectSink& out) {
  LoadEffects(op, out, kDst, kSrc, kBar, kMulticast);
}

constexpr OpInfo BulkStore::kInfo = {
    .kind = OpKind::kBulkStore,
    .mnemonic = "bulk.store",
    .mods = {},
    .operands = kRawStoreOperands,
    .async = AsyncUnit::kTma,
    .arithmetic = Arithmetic::kExact,
    .doc =
        "a contiguous shared tile to contiguous global elements, as bulk.load "
        "the other way: what lies outside the tensor would be overwritten. "
        "Joins the executing thread's open bulk group.",
    .source = kLinear};
void BulkStore::Effects(const ConcreteOp&, EffectSink& out) {
  StoreEffects(out, kDst, kSrc);
}

constexpr OpInfo BulkPush::kInfo = {
    .kind = OpKind::kBulkPush,
    .mnemonic = "bulk.push",
    .mods = {},
    .operands = kPushOperands,
    .async = AsyncUnit::kTma,
    .arithmetic = Arithmetic::kExact,
    .doc =
        "own shared memory to a peer's (cp.async.bulk shared::cta to "
        "shared::cluster); completes on the peer's barrier.",
    .source = kLinear};
void BulkPush::Effects(const ConcreteOp& op, EffectSink& out) {
  LoadEffects(op, out, kDst, kSrc, kBar, kMaxOperands - 1);
}

constexpr OpInfo BulkCommitGroup::kInfo = {
    .kind = OpKind::kBulkCommitGroup,
    .mnemonic = "bulk.commit_group",
    .mods = {},
    .operands = {},
    .doc = "closes this thread's open group of bulk stores.",
    .source = kLinear};
void BulkCommitGroup::Effects(const ConcreteOp&, EffectSink& out) {
  out.Group(EffectKind::kCommit, GroupKind::kBulk);
}

constexpr OpInfo BulkWaitGroup::kInfo = {
    .kind = OpKind::kBulkWaitGroup,
    .mnemonic = "bulk.wait_group",
    .mods = kReadMods,
    .operands = kPendingOperands,
    .doc =
        "waits until at most `pending` of this thread's bulk groups are "
        "left; groups belong to the thread that committed them.",
    .source = kLinear};
void BulkWaitGroup::Effects(const ConcreteOp& op, EffectSink& out) {
  out.Group(EffectKind::kWaitGroup, GroupKind::kBulk, op.number(kPending))
      .reads_only = op.mod(0) == 1;
}

}  // namespace tilesim::ir::ops
