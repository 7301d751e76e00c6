// What a CTA must not leave behind.
#include "ir/cat.h"
#include "sim/machine/effect_runner.h"
#include "sim/machine/guide.h"

namespace tilesim::machine {
namespace {

// The op that allocates the columns of a declaration.
const CompiledOp* AllocationOf(const Code& code, size_t decl) {
  for (const CompiledOp& op : code.ops) {
    ir::EffectSink sink;
    ir::EffectsOf(FixedOperands(op), sink);
    for (const ir::Effect& e : sink.effects()) {
      if (e.kind != ir::EffectKind::kTmemAlloc) continue;
      const auto number = static_cast<int32_t>(decl);
      if (code.guide != nullptr
              ? code.guide->MayName(op, e.operand, number)
              : op.operands[e.operand].fixed.tile.decl == number)
        return &op;
    }
  }
  return nullptr;
}

}  // namespace

void EffectRunner::CheckCtaExit(Machine& machine, State& state, int32_t slot) {
  const Cta& cta = state.ctas[slot];
  const ir::BoundKernel& b = machine.code_of(cta).bound;
  for (size_t i = 0; i < cta.tmem.size(); ++i) {
    if (cta.tmem[i] != TmemStatus::kAllocated) continue;
    machine.Report(state, slot, AllocationOf(machine.code_of(cta), i),
                   "tmem/leak",
                   ir::Cat("`", b.kernel->decls[i].name,
                           "` is still allocated when the CTA ends"),
                   "tcgen05.dealloc it after every reader is done");
  }
  for (int32_t index : cta.inflight) {
    const InFlight& f = state.inflight[index];
    const CompiledOp& op = machine.op_of(state, f);
    bool stores = op.op->info->async == ir::AsyncUnit::kStAsync;
    bool loads = op.moves_data == ir::Milestone::kDone || stores;
    if (f.is_track || (f.read && !loads)) continue;
    // What it stores to a peer, registers of this CTA no longer matter to.
    int8_t to = stores ? machine.Restored(state, f).tile(0).cta : ir::kOwnCta;
    if (to != ir::kOwnCta && to != cta.rank) continue;
    // What it brings to a peer is the peer's to wait for
    // (checkers/order/exits).
    if (f.destination >= 0 && f.destination != cta.rank) continue;
    machine.Report(
        state, slot, &op, "exit/in-flight",
        ir::Cat(op.op->info->mnemonic, " is still in flight when its CTA ends"),
        "wait for it before the kernel's end");
  }
}

}  // namespace tilesim::machine
