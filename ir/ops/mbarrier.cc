#include "ir/ops/mbarrier.h"

namespace tilesim::ir::ops {
namespace {

constexpr std::string_view kPtx = "PTX 9.7.13.15; hardware.md A.1";

constexpr OperandSpec kInitOperands[] = {
    {.name = "bar", .types = kTakesBarrier, .doc = "the barrier, of this CTA"},
    {.name = "count",
     .types = kTakesInt,
     .doc = "arrivals a phase, 1 to 2^20-1"}};
constexpr OperandSpec kBarOnly[] = {
    {.name = "bar", .types = kTakesBarrier, .doc = "the barrier, of this CTA"}};
constexpr OperandSpec kArriveOperands[] = {
    {.name = "bar",
     .types = kTakesBarrier,
     .doc = "the barrier, own or `@ cta` rank"},
    {.name = "count",
     .types = kTakesInt,
     .keyword = true,
     .optional = true,
     .doc = "arrivals of each thread; 1"}};
constexpr OperandSpec kBytesOperands[] = {
    {.name = "bar",
     .types = kTakesBarrier,
     .doc = "the barrier, own or `@ cta` rank"},
    {.name = "bytes",
     .types = kTakesInt,
     .doc = "transaction bytes, of each thread"}};
constexpr OperandSpec kWaitOperands[] = {
    {.name = "bar", .types = kTakesBarrier, .doc = "the barrier, of this CTA"},
    {.name = "parity",
     .types = kTakesInt,
     .keyword = true,
     .doc = "parity of the phase to see complete"}};
constexpr OperandSpec kTestOperands[] = {
    {.name = "dst",
     .types = kTakesVar,
     .doc = "1 if that phase is complete, else 0"},
    {.name = "bar", .types = kTakesBarrier, .doc = "the barrier, of this CTA"},
    {.name = "parity",
     .types = kTakesInt,
     .keyword = true,
     .doc = "parity of the phase to see complete"}};

}  // namespace

constexpr OpInfo MbarrierInit::kInfo = Row<MbarrierInit>(
    {.mnemonic = "mbarrier.init",
     .operands = kInitOperands,
     .doc = "starts a barrier: phase 0, `count` arrivals pending, no bytes. "
            "Initialising a live barrier is undefined; publish with "
            "fence.mbarrier_init and a barrier before others use it.",
     .source = kPtx});
void MbarrierInit::Effects(const ConcreteOp& op, EffectSink& out) {
  out.Value(EffectKind::kInit, kBar, op.number(kCount));
}

constexpr OpInfo MbarrierInval::kInfo = Row<MbarrierInval>(
    {.mnemonic = "mbarrier.inval",
     .operands = kBarOnly,
     .doc = "ends a barrier's life; required before its memory is used for "
            "anything else, or initialised again.",
     .source = kPtx});
void MbarrierInval::Effects(const ConcreteOp&, EffectSink& out) {
  out.Add(EffectKind::kInval, kBar);
}

constexpr OpInfo MbarrierArrive::kInfo = Row<MbarrierArrive>(
    {.mnemonic = "mbarrier.arrive",
     .operands = kArriveOperands,
     .doc =
         "one arrival (or `count`) for each thread that executes it: reached "
         "by 128 threads it is 128 arrivals. On a peer's barrier it hands over "
         "what came before it only as .release.cluster.",
     .source = kPtx});
void MbarrierArrive::Effects(const ConcreteOp& op, EffectSink& out) {
  Effect& e = out.Value(EffectKind::kArrive, kBar, op.number_or(kCount, 1));
  SetOrder<MbarrierArrive, ArriveSem>(op, e);
}

constexpr OpInfo MbarrierArriveDrop::kInfo = Row<MbarrierArriveDrop>(
    {.mnemonic = "mbarrier.arrive_drop",
     .operands = kArriveOperands,
     .doc = "arrives, and lowers the arrivals expected in every later phase.",
     .source = kPtx});
void MbarrierArriveDrop::Effects(const ConcreteOp& op, EffectSink& out) {
  Effect& e = out.Value(EffectKind::kArriveDrop, kBar, op.number_or(kCount, 1));
  SetOrder<MbarrierArriveDrop, ArriveSem>(op, e);
}

constexpr OpInfo MbarrierArriveExpectTx::kInfo = Row<MbarrierArriveExpectTx>(
    {.mnemonic = "mbarrier.arrive.expect_tx",
     .operands = kBytesOperands,
     .doc = "expects `bytes` more in the current phase, then arrives once; a "
            "phase needs both its arrivals and its bytes.",
     .source = kPtx});
void MbarrierArriveExpectTx::Effects(const ConcreteOp& op, EffectSink& out) {
  out.Value(EffectKind::kExpectTx, kBar, op.number(kBytes)).sem = Sem::kRelaxed;
  SetOrder<MbarrierArriveExpectTx, ArriveSem>(
      op, out.Value(EffectKind::kArrive, kBar, 1));
}

constexpr OpInfo MbarrierExpectTx::kInfo = Row<MbarrierExpectTx>(
    {.mnemonic = "mbarrier.expect_tx",
     .operands = kBytesOperands,
     .doc = "expects `bytes` more in the current phase, without arriving.",
     .source = kPtx});
void MbarrierExpectTx::Effects(const ConcreteOp& op, EffectSink& out) {
  out.Value(EffectKind::kExpectTx, kBar, op.number(kBytes)).sem = Sem::kRelaxed;
}

constexpr OpInfo MbarrierCompleteTx::kInfo = Row<MbarrierCompleteTx>(
    {.mnemonic = "mbarrier.complete_tx",
     .operands = kBytesOperands,
     .doc = "counts `bytes` as arrived, without moving any: what a bulk copy "
            "does at its end.",
     .source = kPtx});
void MbarrierCompleteTx::Effects(const ConcreteOp& op, EffectSink& out) {
  out.Value(EffectKind::kCompleteTx, kBar, op.number(kBytes)).sem =
      Sem::kRelaxed;
}

constexpr OpInfo MbarrierWait::kInfo = Row<MbarrierWait>(
    {.mnemonic = "mbarrier.wait",
     .operands = kWaitOperands,
     .doc = "loops on try_wait.parity until the phase of that parity, current "
            "or just before, is complete. Parity 1 passes at once on a fresh "
            "barrier.",
     .source = kPtx});
void MbarrierWait::Effects(const ConcreteOp& op, EffectSink& out) {
  Effect& e = out.Value(EffectKind::kWait, kBar, op.number(kParity) & 1);
  SetOrder<MbarrierWait, WaitSem>(op, e);
}

constexpr OpInfo MbarrierTestWait::kInfo = Row<MbarrierTestWait>(
    {.mnemonic = "mbarrier.test_wait",
     .operands = kTestOperands,
     .doc = "asks once, without blocking, whether that phase is complete.",
     .source = kPtx});
void MbarrierTestWait::Effects(const ConcreteOp& op, EffectSink& out) {
  Effect& e = out.Value(EffectKind::kTest, kBar, op.number(kParity) & 1);
  SetOrder<MbarrierTestWait, WaitSem>(op, e);
}

}  // namespace tilesim::ir::ops
