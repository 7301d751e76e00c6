#include "ir/ops/cp_async.h"

namespace tilesim::ir::ops {
namespace {

constexpr std::string_view kPtx = "PTX 9.7.9.25.3; hardware.md A.3";

constexpr OperandSpec kCopyOperands[] = {
    {"dst", kTakesShared, false, false, "shared tile", false,
     StartRule::kVector},
    {"src", kTakesGlobal, false, false,
     "tile of the same shape, inside the tensor; with `.zfill` it may reach "
     "past the end",
     false, StartRule::kVector},
    {"vec", kTakesInt, true, true,
     "bytes an instruction: 4, 8 or 16; 16 when absent"}};
constexpr std::string_view kFillChoices[] = {"", "zfill"};
constexpr ModSpec kFillMods[] = {
    {"fill", kFillChoices,
     "src-size: an instruction reads what the tensor has of its bytes and "
     "fills the rest with zeros",
     true}};
constexpr OperandSpec kPendingOperands[] = {
    {"pending", kTakesInt, false, false, "youngest groups that may stay"}};
constexpr OperandSpec kBarOperands[] = {
    {"bar", kTakesBarrier, false, false, "the barrier, of this CTA"}};
constexpr std::string_view kNoincChoices[] = {"", "noinc"};
constexpr ModSpec kNoincMods[] = {
    {"noinc", kNoincChoices,
     "do not raise the pending count now: the arrival is one that init "
     "counted"}};

}  // namespace

constexpr OpInfo CpAsync::kInfo = {
    .kind = OpKind::kCpAsync,
    .mnemonic = "cp.async",
    .mods = kFillMods,
    .operands = kCopyOperands,
    .scope = ExecScope::kAny,
    .async = AsyncUnit::kCpAsync,
    .arithmetic = Arithmetic::kExact,
    .doc =
        "the executing threads share out the copy of a tile, `vec` bytes "
        "each in turn, neighbours along a row to neighbouring threads. "
        "Both addresses of each are multiples of it. "
        "Joins each thread's open cp.async group.",
    .source = kPtx};
void CpAsync::Effects(const ConcreteOp&, EffectSink& out) {
  out.Read(kSrc, Proxy::kGeneric, Milestone::kRead);
  out.Write(kDst, Proxy::kGeneric, Milestone::kDone);
}

constexpr OpInfo CpAsyncCommitGroup::kInfo = {
    .kind = OpKind::kCpAsyncCommitGroup,
    .mnemonic = "cp.async.commit_group",
    .mods = {},
    .operands = {},
    .doc = "closes each thread's open group of cp.async.",
    .source = kPtx};
void CpAsyncCommitGroup::Effects(const ConcreteOp&, EffectSink& out) {
  out.Group(EffectKind::kCommit, GroupKind::kCpAsync);
}

constexpr OpInfo CpAsyncWaitGroup::kInfo = {
    .kind = OpKind::kCpAsyncWaitGroup,
    .mnemonic = "cp.async.wait_group",
    .mods = {},
    .operands = kPendingOperands,
    .doc =
        "waits until at most `pending` of the thread's own groups are left; "
        "other threads see the data only after a barrier.",
    .source = kPtx};
void CpAsyncWaitGroup::Effects(const ConcreteOp& op, EffectSink& out) {
  out.Group(EffectKind::kWaitGroup, GroupKind::kCpAsync, op.number(kPending));
}

constexpr OpInfo CpAsyncMbarrierArrive::kInfo = {
    .kind = OpKind::kCpAsyncMbarrierArrive,
    .mnemonic = "cp.async.mbarrier.arrive",
    .mods = kNoincMods,
    .operands = kBarOperands,
    .doc = "arrives once all of the thread's earlier cp.async are done.",
    .source = kPtx};
void CpAsyncMbarrierArrive::Effects(const ConcreteOp& op, EffectSink& out) {
  if (op.mod(0) == 0) out.Value(EffectKind::kPendingIncrement, kBar, 1);
  Effect& e = out.Value(EffectKind::kTrack, kBar, 1);
  e.group = GroupKind::kCpAsync;
}

}  // namespace tilesim::ir::ops
