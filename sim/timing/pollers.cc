#include "sim/timing/pollers.h"

#include <algorithm>
#include <string>

#include "ir/cat.h"

namespace tilesim::timing {
namespace {

using ir::EffectKind;

bool OnlyAsks(const machine::Code& code, const ir::ConcreteOp& op,
              const ir::Effect& e) {
  switch (e.kind) {
    case EffectKind::kRead:
    case EffectKind::kTest:
    case EffectKind::kFence:
    case EffectKind::kWarpSync:
    case EffectKind::kClcQuery:
      return true;
    case EffectKind::kWrite: {
      if (!op.is_tile(e.operand)) return false;
      const ir::TileValue& tile = op.tile(e.operand);
      return tile.space == ir::Space::kReg && !code.control_decl[tile.decl];
    }
    default:
      return false;
  }
}

}  // namespace

bool OnlyAsks(const machine::Code& code, const machine::CompiledOp& op) {
  if (op.op->info->async != ir::AsyncUnit::kNone) return false;
  ir::ConcreteOp fixed = machine::FixedOperands(op);
  ir::EffectSink sink;
  ir::EffectsOf(fixed, sink);
  return std::all_of(
      sink.effects().begin(), sink.effects().end(),
      [&](const ir::Effect& e) { return OnlyAsks(code, fixed, e); });
}

void Pollers::Asked(int32_t strand, const machine::Strand& at,
                    const machine::CompiledOp& op) {
  if (pollers_.size() <= static_cast<size_t>(strand))
    pollers_.resize(strand + 1);
  Poller& p = pollers_[strand];
  if (p.epoch != epoch_) {
    p = Poller();
    p.epoch = epoch_;
  }
  if (p.circles) return;
  p.op = &op;
  if (p.asked > 0 && p.pc == at.pc && p.slots == at.slots) {
    p.circles = true;
    ++circling_;
    return;
  }
  if (++p.asked < p.next_mark) return;
  p.next_mark *= 2;
  p.pc = at.pc;
  p.slots = at.slots;
}

std::vector<Pollers::Circling> Pollers::all() const {
  std::vector<Circling> out;
  for (size_t i = 0; i < pollers_.size(); ++i) {
    const Poller& p = pollers_[i];
    if (p.epoch == epoch_ && p.circles)
      out.push_back({static_cast<int32_t>(i), p.op});
  }
  return out;
}

void Pollers::Report(machine::Machine& machine,
                     const machine::State& state) const {
  const std::vector<Circling> circling = all();
  const auto name = [&](const Circling& p) {
    return machine.RoleName(state, state.strands[p.strand]);
  };
  std::string others;
  std::vector<const machine::CompiledOp*> told{circling.front().op};
  for (const Circling& p : circling) {
    if (std::find(told.begin(), told.end(), p.op) != told.end()) continue;
    told.push_back(p.op);
    ir::Append(&others, "; so does `", name(p), "` on line ",
               p.op->op->span.text_line());
    const int32_t cta = state.strands[p.strand].cta;
    if (cta != state.strands[circling.front().strand].cta)
      ir::Append(&others, " of ", machine::Machine::CtaName(state.ctas[cta]));
  }
  const std::string message = ir::Cat(
      "`", name(circling.front()),
      "` polls for ever: nothing is in flight, and nobody else goes on who "
      "could change what it polls",
      others);
  for (const Circling& p : circling) {
    if (p.op != circling.front().op) continue;
    machine.Report(
        state, state.strands[p.strand].cta, p.op, "deadlock/loop", message,
        "whoever is to change it must come to do so without waiting for those "
        "that poll, and be resident beside them");
  }
}

}  // namespace tilesim::timing
