#include "checkers/sizes/induction/ring_operands.h"

#include <algorithm>

#include "checkers/proof/condition.h"
#include "checkers/sizes/state/rings.h"
#include "sim/machine/targets.h"

namespace tilesim::checkers::sizes::induction {
using algebra::Symbolic;
using run::Event;
using state::DeclOf;
using state::RingOf;
using state::SlotOf;
using state::SlotsOf;

namespace {

using ir::EffectKind;
using OperandKind = ir::OperandValue::Kind;

int32_t DeclOf(const machine::CompiledOperand& c) {
  bool barrier = c.kind == OperandKind::kBarrier;
  return barrier ? c.fixed.barrier.decl : c.fixed.tile.decl;
}

}  // namespace

// docs/all_sizes.md 3.1: what names a ring turns with it.
bool RingOperands::Follow() {
  if (!proof::IsJudged(proof::Condition::kRingOperands)) return true;
  for (int i = 0; i < op_.operands(); ++i) {
    if (!Follows(i)) return false;
  }
  return true;
}

bool RingOperands::Follows(int operand) {
  const machine::CompiledOperand& c = op_.operand(operand);
  if (c.cta && !Known(*c.cta)) return false;
  if (c.kind == OperandKind::kBarrier || c.kind == OperandKind::kTile)
    return NameFollows(operand);
  if (op_.op.op->info->operands[operand].name == "parity" && barrier_ >= 0)
    return ParityFollows(operand);
  bool number =
      op_.event.concrete().operands[operand].kind == OperandKind::kInt;
  if (!number || op_.Sets(operand) || Known(c.expr) ||
      DecidesOnlyData(operand) || accumulators_.Written(op_, operand))
    return true;
  unfit_ =
      Unfit{symbolic_.Evaluate(c.expr, op_.strand, op_.who).of.Varying(), 0};
  return false;
}

bool RingOperands::NameFollows(int operand) {
  const machine::CompiledOperand& c = op_.operand(operand);
  std::optional<Symbolic> index = IndexOf(c);
  if (!index) return false;
  for (int32_t ring : RingsMeant(operand)) {
    if (!Holds(RingAt(ring).FollowedBy(*index))) return false;
  }
  bool global = code_.bound.decls[DeclOf(c)].space == ir::Space::kGlobal;
  for (const auto& start : c.starts) {
    bool known = Known(start.expr);
    if (!global && !known) return false;
  }
  slot_ = *index;
  barrier_ = c.kind == OperandKind::kBarrier ? operand : -1;
  return true;
}

bool RingOperands::ParityFollows(int operand) {
  Symbolic parity =
      symbolic_.Evaluate(op_.operand(operand).expr, op_.strand, op_.who);
  int32_t barrier = op_.event.concrete().barrier(barrier_).index;
  int64_t slot = SlotOf(code_, barrier).slot;
  for (int32_t ring : RingsMeant(barrier_)) {
    if (!Holds(RingAt(ring).FollowedByParity(slot_, slot, parity)))
      return false;
  }
  return true;
}

// Memory accesses only, and the number does not say which (as `accumulate`
// does): no state that control or order depends on has it.
bool RingOperands::DecidesOnlyData(int operand) const {
  const Event& e = op_.event;
  bool moves =
      std::all_of(e.effects().begin(), e.effects().end(),
                  [](const ir::Effect& f) { return f.Is(ir::kAccesses); });
  auto effects_with = [&](int64_t number) {
    ir::ConcreteOp op = e.concrete();
    op.operands[operand].number = number;
    ir::EffectSink effects;
    ir::EffectsOf(op, effects);
    return effects.effects().size();
  };
  return moves && effects_with(0) == effects_with(1);
}

bool RingOperands::Known(const machine::CompiledExpr& e) {
  return e.constant ||
         symbolic_.Evaluate(e, op_.strand, op_.who).known().has_value();
}

// Which object of an array of objects the operand is.
std::optional<Symbolic> RingOperands::IndexOf(
    const machine::CompiledOperand& c) {
  if (c.index.empty()) return Symbolic::Number(0);
  std::optional<Symbolic> out =
      symbolic_.Evaluate(c.index[0], op_.strand, op_.who);
  for (size_t d = 1; d < c.index.size() && out; ++d) {
    auto next = symbolic_.Evaluate(c.index[d], op_.strand, op_.who).known();
    if (!next) return std::nullopt;
    out = Flattened(*out, code_.bound.decls[DeclOf(c)].array[d], *next);
  }
  return out;
}

// A multicast means those of several CTAs, which turn on their own.
absl::InlinedVector<int32_t, 2> RingOperands::RingsMeant(int operand) const {
  const ir::OperandValue& value = op_.event.concrete().operands[operand];
  if (value.kind == OperandKind::kTile)
    return {RingOf(code_, value.tile.decl, 0)};
  auto ctas = static_cast<int32_t>(code_.bound.cluster_size());
  absl::InlinedVector<int32_t, 2> out;
  for (const ir::Effect& e : op_.event.effects()) {
    if (e.operand != operand) continue;
    for (int rank : machine::RanksMeant(e, op_.event.concrete(), ctas))
      out.push_back(RingOf(code_, value.barrier.decl, rank));
  }
  return out;
}

TurnedRing RingOperands::RingAt(int32_t ring) const {
  return {turned_[ring], SlotsOf(code_, DeclOf(code_, ring))};
}

bool RingOperands::Holds(const Following& following) {
  if (following.unfit) unfit_ = following.unfit;
  return following.holds;
}

}  // namespace tilesim::checkers::sizes::induction
