#include "checkers/sizes/induction/op_transfer.h"

#include <optional>

#include "checkers/sizes/induction/slot_symmetry.h"
#include "checkers/sizes/state/launch_shape.h"

namespace tilesim::checkers::sizes::induction {
using algebra::Polynomial;
using algebra::Symbolic;
using protocol::GridFlags;
using run::Flags;
using state::Family;
using state::NamesElement;
using state::SymbolicState;

namespace {

using ir::EffectKind;

// The indices of an element of a global tensor.
std::vector<Symbolic> ElementOf(const ExecutedOp& op, int operand,
                                SymbolicState& symbolic) {
  const machine::CompiledOperand& c = op.operand(operand);
  std::vector<Symbolic> out;
  for (int d = 0; d < c.fixed.tile.rank; ++d)
    out.push_back(Symbolic::Number(c.fixed.tile.start[d]));
  for (const auto& start : c.starts)
    out[start.dim] = symbolic.Evaluate(start.expr, op.strand, op.who);
  return out;
}

GridFlags::Place PlaceOf(const ExecutedOp& op, const SymbolicState& symbolic) {
  const Family& family = symbolic.family();
  GridFlags::Place place;
  place.grid = family.grid;
  place.at_least_0 = [s = &symbolic](const Polynomial& p) {
    return s->AtLeast0(p);
  };
  for (int d = 0; d < GridFlags::kDims; ++d) {
    auto at = static_cast<int>(ir::Builtin::kCtaX) + d;
    place.at[d] =
        Polynomial(op.who[static_cast<ir::Builtin>(at)]) + family.cta[d];
  }
  return place;
}

}  // namespace

void OpTransfer::Execute(const ExecutedOp& op, SymbolicState& symbolic,
                         bool again) {
  StoreWords(op, symbolic);
  GuardElements(op, symbolic);
  SignalFlags(op, symbolic, again);
  SetScalars(op, symbolic);
  answers_.Executed(code_, op.event);
  QueryAnswers(op, symbolic);
}

// A word holds no negative number as it is; and of memory that other
// declarations share, no store says what is there next.
void OpTransfer::StoreWords(const ExecutedOp& op, SymbolicState& symbolic) {
  words_.Executed(op.event, [&](int operand) {
    Symbolic value =
        symbolic.Evaluate(op.operand(operand).expr, op.strand, op.who);
    bool natural = value.kind == Symbolic::Kind::kNumber &&
                   symbolic.AtLeast0(value.of).value_or(false);
    bool followed = natural && TouchesOwnMemory(code_, op.event);
    return followed ? value : Symbolic::Unknown();
  });
}

// Where an element is there in some sizes and not in others, they are not
// alike: naming one is a guard.
void OpTransfer::GuardElements(const ExecutedOp& op,
                               SymbolicState& symbolic) const {
  for (int i = 0; i < op.operands(); ++i) {
    if (!NamesElement(code_, op.op, i)) continue;
    const ir::TileValue& is = op.event.concrete().tile(i);
    const std::vector<Symbolic>& shape = symbolic.family().shapes.at(is.decl);
    std::vector<Symbolic> element = ElementOf(op, i, symbolic);
    for (size_t d = 0; d < element.size(); ++d)
      symbolic.Inside(op.state, op.strand, op.op.op->span, element[d], shape[d],
                      is.start[d] >= 0 &&
                          is.start[d] < code_.bound.decls[is.decl].shape[d]);
  }
}

// That a flag which is waited for comes is shown of all CTAs together, after
// the run (grid_flags.h).
void OpTransfer::SignalFlags(const ExecutedOp& op, SymbolicState& symbolic,
                             bool again) {
  const Family& family = symbolic.family();
  for (const Flags& f : family.flags) {
    bool sets = f.sets.count(op.event.op) != 0;
    if (!sets && f.waits.count(op.event.op) == 0) continue;
    int operand = op.event.effects()[0].operand;
    GridFlags::Word word{f.decl, ElementOf(op, operand, symbolic),
                         family.shapes.at(f.decl)};
    GridFlags::Place place = PlaceOf(op, symbolic);
    sets ? flags_.Set(word, place, again) : flags_.Wait(word, place);
  }
}

// What an op finds in memory. A poll that is over has found the flag set.
Symbolic OpTransfer::Found(const ExecutedOp& op, const Family& family) const {
  if (family.ticket && op.event.op == family.ticket->op)
    return Symbolic::Number(family.number);
  for (const Flags& f : family.flags) {
    if (f.waits.count(op.event.op) != 0) return Symbolic::Number(f.value);
  }
  return words_.LoadedBy(op.event);
}

void OpTransfer::SetScalars(const ExecutedOp& op,
                            SymbolicState& symbolic) const {
  for (int i = 0; i < op.operands(); ++i) {
    int32_t slot = op.operand(i).fixed.slot;
    if (!op.Sets(i) || slot < 0) continue;
    symbolic.SetSlot(op.strand, slot, Found(op, symbolic.family()));
  }
}

// Requests are answered in turn: number t gets a cluster if there are more than
// t.
void OpTransfer::QueryAnswers(const ExecutedOp& op,
                              SymbolicState& symbolic) const {
  const auto& handed_out = symbolic.family().handed_out;
  for (const ir::Effect& e : op.event.effects()) {
    bool answers =
        e.kind == EffectKind::kClcQuery && handed_out &&
        HasOwnMemory(code_.bound, op.event.concrete().tile(e.operand).decl);
    if (!answers) continue;
    std::optional<Polynomial> request = answers_.NumberOf(op.event, e.operand);
    int32_t slot = op.operand(e.value).fixed.slot;
    if (request && slot >= 0)
      symbolic.SetSlot(
          op.strand, slot,
          Symbolic::AtLeast0(*handed_out - Polynomial(1) - *request));
  }
}

}  // namespace tilesim::checkers::sizes::induction
