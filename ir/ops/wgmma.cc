#include "ir/ops/wgmma.h"

namespace tilesim::ir::ops {
namespace {

constexpr std::string_view kPtx = "PTX 9.7.15; hardware.md A.7";

constexpr OperandSpec kMmaOperands[] = {
    {.name = "d",
     .types = kTakesReg,
     .doc = "accumulator, 64 x N, fragment wgmma"},
    {.name = "a",
     .types = kTakesShared | kTakesReg,
     .doc = "64 x K: a shared tile, or registers in fragment wgmma",
     .start = StartRule::kMatrix},
    {.name = "b",
     .types = kTakesShared,
     .doc = "N x K; `transpose(tile)` of a K x N tile makes it MN-major",
     .start = StartRule::kMatrix},
    {.name = "accumulate",
     .types = kTakesInt,
     .keyword = true,
     .doc = "0: D = A*B^T, else D += A*B^T; of the first instruction along K"}};
constexpr OperandSpec kPendingOperands[] = {
    {.name = "pending",
     .types = kTakesInt,
     .doc = "youngest groups that may stay"}};

}  // namespace

constexpr OpInfo WgmmaFence::kInfo = Row<WgmmaFence>(
    {.mnemonic = "wgmma.fence",
     .targets = kOnSm90a,
     .scope = ExecScope::kWarpgroup,
     .doc = "orders earlier accesses to accumulator and A registers before the "
            "wgmma that follow.",
     .source = kPtx});
void WgmmaFence::Effects(const ConcreteOp&, EffectSink& out) {
  out.Fence(FenceKind::kWgmma);
}

constexpr OpInfo WgmmaMmaAsync::kInfo = Row<WgmmaMmaAsync>(
    {.mnemonic = "wgmma.mma_async",
     .operands = kMmaOperands,
     .targets = kOnSm90a,
     .scope = ExecScope::kWarpgroup,
     .async = AsyncUnit::kWgmma,
     .arithmetic = Arithmetic::kExact,
     .doc =
         "one m64nNkK instruction after another along K, in ascending order. "
         "Starts when all four warps have issued it; sources and "
         "accumulator belong to it until a wgmma.wait_group covers it.",
     .source = kPtx});
void WgmmaMmaAsync::Effects(const ConcreteOp& op, EffectSink& out) {
  Proxy a =
      op.tile(kA).space == Space::kShared ? Proxy::kAsync : Proxy::kGeneric;
  out.Read(kA, a, Milestone::kRead);
  out.Read(kB, Proxy::kAsync, Milestone::kRead);
  if (op.number(kAccumulate) != 0)
    out.Read(kD, Proxy::kGeneric, Milestone::kRead);
  out.Write(kD, Proxy::kGeneric, Milestone::kDone);
}

constexpr OpInfo WgmmaCommitGroup::kInfo =
    Row<WgmmaCommitGroup>({.mnemonic = "wgmma.commit_group",
                           .targets = kOnSm90a,
                           .scope = ExecScope::kWarpgroup,
                           .doc = "closes the warpgroup's open group of wgmma.",
                           .source = kPtx});
void WgmmaCommitGroup::Effects(const ConcreteOp&, EffectSink& out) {
  out.Group(EffectKind::kCommit, GroupKind::kWgmma);
}

constexpr OpInfo WgmmaWaitGroup::kInfo = Row<WgmmaWaitGroup>(
    {.mnemonic = "wgmma.wait_group",
     .operands = kPendingOperands,
     .targets = kOnSm90a,
     .scope = ExecScope::kWarpgroup,
     .doc = "waits until at most `pending` of the warpgroup's groups are left: "
            "then registers may be touched and shared operands reused.",
     .source = kPtx});
void WgmmaWaitGroup::Effects(const ConcreteOp& op, EffectSink& out) {
  out.Group(EffectKind::kWaitGroup, GroupKind::kWgmma, op.number(kPending));
}

}  // namespace tilesim::ir::ops
