#include "ir/ops/mbarrier.h"

namespace tilesim::ir::ops {
namespace {

constexpr std::string_view kPtx = "PTX 9.7.13.15; hardware.md A.1";

constexpr OperandSpec kInitOperands[] = {
    {"bar", kTakesBarrier, false, false, "the barrier, of this CTA"},
    {"count", kTakesInt, false, false, "arrivals a phase, 1 to 2^20-1"}};
constexpr OperandSpec kBarOnly[] = {
    {"bar", kTakesBarrier, false, false, "the barrier, of this CTA"}};
constexpr OperandSpec kArriveOperands[] = {
    {"bar", kTakesBarrier, false, false, "the barrier, own or `@ cta` rank"},
    {"count", kTakesInt, true, true, "arrivals of each thread; 1"}};
constexpr OperandSpec kBytesOperands[] = {
    {"bar", kTakesBarrier, false, false, "the barrier, own or `@ cta` rank"},
    {"bytes", kTakesInt, false, false, "transaction bytes, of each thread"}};
constexpr OperandSpec kWaitOperands[] = {
    {"bar", kTakesBarrier, false, false, "the barrier, of this CTA"},
    {"parity", kTakesInt, true, false, "parity of the phase to see complete"}};
constexpr OperandSpec kTestOperands[] = {
    {"dst", kTakesVar, false, false, "1 if that phase is complete, else 0"},
    {"bar", kTakesBarrier, false, false, "the barrier, of this CTA"},
    {"parity", kTakesInt, true, false, "parity of the phase to see complete"}};

}  // namespace

constexpr OpInfo MbarrierInit::kInfo = {
    .kind = OpKind::kMbarrierInit,
    .mnemonic = "mbarrier.init",
    .mods = {},
    .operands = kInitOperands,
    .doc =
        "starts a barrier: phase 0, `count` arrivals pending, no bytes. "
        "Initialising a live barrier is undefined; publish with "
        "fence.mbarrier_init and a barrier before others use it.",
    .source = kPtx};
void MbarrierInit::Effects(const ConcreteOp& op, EffectSink& out) {
  out.Value(EffectKind::kInit, kBar, op.number(kCount));
}

constexpr OpInfo MbarrierInval::kInfo = {
    .kind = OpKind::kMbarrierInval,
    .mnemonic = "mbarrier.inval",
    .mods = {},
    .operands = kBarOnly,
    .doc =
        "ends a barrier's life; required before its memory is used for "
        "anything else, or initialised again.",
    .source = kPtx};
void MbarrierInval::Effects(const ConcreteOp&, EffectSink& out) {
  out.Add(EffectKind::kInval, kBar);
}

constexpr OpInfo MbarrierArrive::kInfo = {
    .kind = OpKind::kMbarrierArrive,
    .mnemonic = "mbarrier.arrive",
    .mods = kArriveMods,
    .operands = kArriveOperands,
    .doc =
        "one arrival (or `count`) for each thread that executes it: reached "
        "by 128 threads it is 128 arrivals.",
    .source = kPtx};
void MbarrierArrive::Effects(const ConcreteOp& op, EffectSink& out) {
  Effect& e = out.Value(EffectKind::kArrive, kBar, op.number_or(kCount, 1));
  SetOrder(op, Sem::kRelease, e);
}

constexpr OpInfo MbarrierArriveDrop::kInfo = {
    .kind = OpKind::kMbarrierArriveDrop,
    .mnemonic = "mbarrier.arrive_drop",
    .mods = kArriveMods,
    .operands = kArriveOperands,
    .doc = "arrives, and lowers the arrivals expected in every later phase.",
    .source = kPtx};
void MbarrierArriveDrop::Effects(const ConcreteOp& op, EffectSink& out) {
  Effect& e = out.Value(EffectKind::kArriveDrop, kBar, op.number_or(kCount, 1));
  SetOrder(op, Sem::kRelease, e);
}

constexpr OpInfo MbarrierArriveExpectTx::kInfo = {
    .kind = OpKind::kMbarrierArriveExpectTx,
    .mnemonic = "mbarrier.arrive.expect_tx",
    .mods = kArriveMods,
    .operands = kBytesOperands,
    .doc =
        "expects `bytes` more in the current phase, then arrives once; a "
        "phase needs both its arrivals and its bytes.",
    .source = kPtx};
void MbarrierArriveExpectTx::Effects(const ConcreteOp& op, EffectSink& out) {
  out.Value(EffectKind::kExpectTx, kBar, op.number(kBytes)).sem = Sem::kRelaxed;
  SetOrder(op, Sem::kRelease, out.Value(EffectKind::kArrive, kBar, 1));
}

constexpr OpInfo MbarrierExpectTx::kInfo = {
    .kind = OpKind::kMbarrierExpectTx,
    .mnemonic = "mbarrier.expect_tx",
    .mods = {},
    .operands = kBytesOperands,
    .doc = "expects `bytes` more in the current phase, without arriving.",
    .source = kPtx};
void MbarrierExpectTx::Effects(const ConcreteOp& op, EffectSink& out) {
  out.Value(EffectKind::kExpectTx, kBar, op.number(kBytes)).sem = Sem::kRelaxed;
}

constexpr OpInfo MbarrierCompleteTx::kInfo = {
    .kind = OpKind::kMbarrierCompleteTx,
    .mnemonic = "mbarrier.complete_tx",
    .mods = {},
    .operands = kBytesOperands,
    .doc =
        "counts `bytes` as arrived, without moving any: what a bulk copy "
        "does at its end.",
    .source = kPtx};
void MbarrierCompleteTx::Effects(const ConcreteOp& op, EffectSink& out) {
  out.Value(EffectKind::kCompleteTx, kBar, op.number(kBytes)).sem =
      Sem::kRelaxed;
}

constexpr OpInfo MbarrierWait::kInfo = {
    .kind = OpKind::kMbarrierWait,
    .mnemonic = "mbarrier.wait",
    .mods = kWaitMods,
    .operands = kWaitOperands,
    .doc =
        "loops on try_wait.parity until the phase of that parity, current "
        "or just before, is complete. Parity 1 passes at once on a fresh "
        "barrier.",
    .source = kPtx};
void MbarrierWait::Effects(const ConcreteOp& op, EffectSink& out) {
  Effect& e = out.Value(EffectKind::kWait, kBar, op.number(kParity) & 1);
  SetOrder(op, Sem::kAcquire, e);
}

constexpr OpInfo MbarrierTestWait::kInfo = {
    .kind = OpKind::kMbarrierTestWait,
    .mnemonic = "mbarrier.test_wait",
    .mods = kWaitMods,
    .operands = kTestOperands,
    .doc = "asks once, without blocking, whether that phase is complete.",
    .source = kPtx};
void MbarrierTestWait::Effects(const ConcreteOp& op, EffectSink& out) {
  Effect& e = out.Value(EffectKind::kTest, kBar, op.number(kParity) & 1);
  SetOrder(op, Sem::kAcquire, e);
}

}  // namespace tilesim::ir::ops
