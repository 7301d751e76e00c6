#include "ir/ops/grid.h"

namespace tilesim::ir::ops {
namespace {

constexpr std::string_view kClc = "PTX 9.7.13.17-18; hardware.md A.9";
constexpr std::string_view kPdl = "PTX 9.7.13.13; hardware.md A.9";
constexpr int64_t kResponseBytes = 16;

constexpr OperandSpec kTryOperands[] = {
    {"response", kTakesShared, false, false, "16 bytes, 16-byte aligned", false,
     StartRule::kRaw},
    {"bar", kTakesBarrier, false, false, "gets complete_tx of 16 bytes"}};
constexpr OperandSpec kQueryOperands[] = {
    {"canceled", kTakesVar, false, false, "1 if a cluster was taken over"},
    {"x", kTakesVar, false, false, "x of its first CTA, if it was"},
    {"y", kTakesVar, false, false, "y of its first CTA, if it was"},
    {"response", kTakesShared, false, false, "what try_cancel wrote", false,
     StartRule::kRaw}};
constexpr std::string_view kMulticastChoices[] = {"", "multicast"};
constexpr ModSpec kTryMods[] = {
    {"multicast", kMulticastChoices, "to every CTA of the cluster"}};

}  // namespace

constexpr OpInfo ClcTryCancel::kInfo = {
    .kind = OpKind::kClcTryCancel,
    .mnemonic = "clc.try_cancel",
    .mods = kTryMods,
    .operands = kTryOperands,
    .targets = kOnSm100a,
    .async = AsyncUnit::kClc,
    .arithmetic = Arithmetic::kExact,
    .doc =
        "asks for a cluster of the grid that has not been launched, to do "
        "its work here; the answer arrives through the async proxy.",
    .source = kClc};
void ClcTryCancel::Effects(const ConcreteOp& op, EffectSink& out) {
  uint32_t ranks = op.mod(0) == 1 ? 0xffffu : 0;
  // Once for all that hear of it: what is in flight is the answer.
  out.Add(EffectKind::kClcCancel, kResponse);
  out.Write(kResponse, Proxy::kAsync, Milestone::kDone).ranks = ranks;
  Effect& tx = out.Value(EffectKind::kCompleteTx, kBar, kResponseBytes,
                         Milestone::kDone);
  tx.ranks = ranks;
  tx.sem = Sem::kRelease;
  tx.scope = MemScope::kCluster;
}

constexpr OpInfo ClcQueryCancel::kInfo = {
    .kind = OpKind::kClcQueryCancel,
    .mnemonic = "clc.query_cancel",
    .mods = {},
    .operands = kQueryOperands,
    .targets = kOnSm100a,
    .arithmetic = Arithmetic::kExact,
    .doc = "decodes an answer (is_canceled, get_first_ctaid).",
    .source = kClc};
void ClcQueryCancel::Effects(const ConcreteOp&, EffectSink& out) {
  out.Read(kResponse);
  out.Add(EffectKind::kClcQuery, kResponse).value = kCanceled;
}

constexpr OpInfo GriddepcontrolLaunchDependents::kInfo = {
    .kind = OpKind::kGriddepcontrolLaunchDependents,
    .mnemonic = "griddepcontrol.launch_dependents",
    .mods = {},
    .operands = {},
    .doc =
        "the next kernel may be launched once every CTA has said so or "
        "ended.",
    .source = kPdl};
void GriddepcontrolLaunchDependents::Effects(const ConcreteOp&,
                                             EffectSink& out) {
  out.Add(EffectKind::kGridTrigger);
}

constexpr OpInfo GriddepcontrolWait::kInfo = {
    .kind = OpKind::kGriddepcontrolWait,
    .mnemonic = "griddepcontrol.wait",
    .mods = {},
    .operands = {},
    .doc =
        "waits until the kernel before has ended and its writes are "
        "visible.",
    .source = kPdl};
void GriddepcontrolWait::Effects(const ConcreteOp&, EffectSink& out) {
  out.Add(EffectKind::kGridWait);
}

}  // namespace tilesim::ir::ops
