#include "ir/ops/grid.h"

namespace tilesim::ir::ops {
namespace {

constexpr std::string_view kClc = "PTX 9.7.13.17-18; hardware.md A.9";
constexpr std::string_view kPdl = "PTX 9.7.13.13; hardware.md A.9";
constexpr int64_t kResponseBytes = 16;

constexpr OperandSpec kTryOperands[] = {
    {.name = "response",
     .types = kTakesShared,
     .doc = "16 bytes, 16-byte aligned",
     .start = StartRule::kRaw},
    {.name = "bar",
     .types = kTakesBarrier,
     .doc = "gets complete_tx of 16 bytes"}};
constexpr OperandSpec kQueryOperands[] = {
    {.name = "canceled",
     .types = kTakesVar,
     .doc = "1 if a cluster was taken over"},
    {.name = "x", .types = kTakesVar, .doc = "x of its first CTA, if it was"},
    {.name = "y", .types = kTakesVar, .doc = "y of its first CTA, if it was"},
    {.name = "response",
     .types = kTakesShared,
     .doc = "what try_cancel wrote",
     .start = StartRule::kRaw}};

}  // namespace

constexpr OpInfo ClcTryCancel::kInfo = Row<ClcTryCancel>(
    {.mnemonic = "clc.try_cancel",
     .operands = kTryOperands,
     .targets = kOnSm100a,
     .async = AsyncUnit::kClc,
     .arithmetic = Arithmetic::kExact,
     .doc = "asks for a cluster of the grid that has not been launched, to do "
            "its work here; the answer arrives through the async proxy.",
     .source = kClc});
void ClcTryCancel::Effects(const ConcreteOp& op, EffectSink& out) {
  uint32_t ranks = op.choice<ClcTryCancel, Multicast>() ? 0xffffu : 0;
  // Once for all that hear of it: what is in flight is the answer.
  out.Add(EffectKind::kClcCancel, kResponse);
  out.Write(kResponse, Proxy::kAsync, Milestone::kDone).ranks = ranks;
  Effect& tx = out.Value(EffectKind::kCompleteTx, kBar, kResponseBytes,
                         Milestone::kDone);
  tx.ranks = ranks;
  tx.sem = Sem::kRelease;
  tx.scope = MemScope::kCluster;
}

constexpr OpInfo ClcQueryCancel::kInfo = Row<ClcQueryCancel>(
    {.mnemonic = "clc.query_cancel",
     .operands = kQueryOperands,
     .targets = kOnSm100a,
     .arithmetic = Arithmetic::kExact,
     .doc = "decodes an answer (is_canceled, get_first_ctaid).",
     .source = kClc});
void ClcQueryCancel::Effects(const ConcreteOp&, EffectSink& out) {
  out.Read(kResponse);
  out.Add(EffectKind::kClcQuery, kResponse).value = kCanceled;
}

constexpr OpInfo GriddepcontrolLaunchDependents::kInfo =
    Row<GriddepcontrolLaunchDependents>(
        {.mnemonic = "griddepcontrol.launch_dependents",
         .doc = "the next kernel may be launched once every CTA has said so or "
                "ended.",
         .source = kPdl});
void GriddepcontrolLaunchDependents::Effects(const ConcreteOp&,
                                             EffectSink& out) {
  out.Add(EffectKind::kGridTrigger);
}

constexpr OpInfo GriddepcontrolWait::kInfo = Row<GriddepcontrolWait>(
    {.mnemonic = "griddepcontrol.wait",
     .doc = "waits until the kernel before has ended and its writes are "
            "visible.",
     .source = kPdl});
void GriddepcontrolWait::Effects(const ConcreteOp&, EffectSink& out) {
  out.Add(EffectKind::kGridWait);
}

}  // namespace tilesim::ir::ops
