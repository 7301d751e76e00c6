#include "checkers/sizes/induction/op_transfer.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>

#include "checkers/proof/condition.h"
#include "checkers/run/grid_barrier.h"
#include "checkers/run/peeks.h"
#include "checkers/sizes/induction/slot_symmetry.h"
#include "checkers/sizes/protocol/tickets.h"
#include "checkers/sizes/state/launch_shape.h"
#include "checkers/sizes/state/text_multiple.h"
#include "ir/operand_rules.h"
#include "ir/placement.h"

namespace tilesim::checkers::sizes::induction {
using algebra::Polynomial;
using algebra::Symbolic;
using protocol::GridFlags;
using run::Flags;
using state::Family;
using state::MustBeThere;
using state::SharedWords;
using state::SymbolicState;
using state::TensorShape;

namespace {

using ir::EffectKind;

// Where a box starts; the indices of an element of a global tensor.
std::vector<Symbolic> StartOf(const ExecutedOp& op, int operand,
                              SymbolicState& symbolic) {
  const machine::CompiledOperand& c = op.operand(operand);
  std::vector<Symbolic> out;
  for (int d = 0; d < c.fixed.tile.rank; ++d)
    out.push_back(Symbolic::Number(c.fixed.tile.start[d]));
  for (const auto& start : c.starts)
    out[start.dim] = symbolic.Evaluate(start.expr, op.strand, op.who);
  return out;
}

GridFlags::Place PlaceOf(const machine::Who& who,
                         const SymbolicState& symbolic) {
  const Family& family = symbolic.family();
  GridFlags::Place place;
  place.grid = family.grid;
  place.at_least_0 = [s = &symbolic](const Polynomial& p) {
    return s->AtLeast0(p);
  };
  for (int d = 0; d < GridFlags::kDims; ++d) {
    auto at = static_cast<int>(ir::Builtin::kCtaX) + d;
    place.at[d] = Polynomial(who[static_cast<ir::Builtin>(at)]) + family.cta[d];
  }
  return place;
}

}  // namespace

void OpTransfer::Execute(const ExecutedOp& op, SymbolicState& symbolic,
                         bool again) {
  StoreWords(op, symbolic);
  GuardThere(op, symbolic);
  GuardStarts(op, symbolic);
  GuardNumbers(op, symbolic);
  GuardPutBack(op, symbolic);
  SignalFlags(op, symbolic, again);
  SetScalars(op, symbolic);
  answers_.Executed(code_, op.event);
  QueryAnswers(op, symbolic);
}

// A word holds no negative number as it is, nor one that is too large; and of
// memory that other declarations share, no store says what is there next.
void OpTransfer::StoreWords(const ExecutedOp& op, SymbolicState& symbolic) {
  words_.Executed(op.event, [&](int operand) -> SharedWords::Word {
    symbolic.arithmetic().ForgetCompared();
    Symbolic value =
        symbolic.Evaluate(op.operand(operand).expr, op.strand, op.who);
    // `st last[0], n == COUNT - 1`: of a number that was drawn it is told on as
    // a truth value, so it is asked here, as if it decided what is done.
    if (symbolic.family().ticket && value.unknown())
      symbolic.Stored(op.state, op.strand, op.op.op->span, value);
    Fits fits = Fits::kNot;
    if (value.kind == Symbolic::Kind::kAtLeast0) fits = Fits::kAlways;
    if (value.kind == Symbolic::Kind::kNumber &&
        symbolic.AtLeast0(value.of).value_or(false))
      fits = FitsWord(value.of, symbolic);
    if (fits == Fits::kNot || !TouchesOwnMemory(code_, op.event)) return {};
    return {std::move(value), fits == Fits::kIfSmall};
  });
}

// It is below 2^31, or no more than a size or an extent of the grid, which are
// (docs/all_sizes.md 7).
OpTransfer::Fits OpTransfer::FitsWord(const Polynomial& number,
                                      SymbolicState& symbolic) {
  auto at_most = [&](const Polynomial& most) {
    return symbolic.AtLeast0(most - number).value_or(false);
  };
  if (at_most(Polynomial(std::numeric_limits<int32_t>::max())))
    return Fits::kAlways;
  const state::Family& family = symbolic.family();
  // What was drawn is counted in a word, and a launch has no larger grid.
  if (family.ticket && at_most(family.number)) return Fits::kAlways;
  for (const Symbolic& extent : family.grid) {
    auto most = algebra::NumberOf(extent);
    if (most && at_most(*most)) return Fits::kAlways;
  }
  for (const auto& [slot, size] : family.params) {
    if (at_most(size)) return Fits::kIfSmall;
  }
  return Fits::kNot;
}

// Where an element is there in some sizes and not in others, they are not
// alike: naming one is a guard. Of a box its ends are.
void OpTransfer::GuardThere(const ExecutedOp& op,
                            SymbolicState& symbolic) const {
  for (int i = 0; i < op.operands(); ++i) {
    ir::There there = MustBeThere(code_, op.op, i);
    if (there == ir::There::kNothing) continue;
    const ir::TileValue& is = op.event.concrete().tile(i);
    const TensorShape& shape = symbolic.family().shapes.at(is.decl);
    std::vector<Symbolic> start = StartOf(op, i, symbolic);
    for (size_t d = 0; d < start.size(); ++d) {
      state::BoxSide side{op.event.op, i, static_cast<int32_t>(d)};
      if (symbolic.family().inside.count(side) != 0) continue;
      ir::Span span = op.op.op->span;
      int64_t end = is.start[d] + is.extent[d];
      bool begins = is.start[d] >= 0;
      bool ends = end <= code_.bound.decls[is.decl].shape[d];
      if (there == ir::There::kStart || is.extent[d] > 1)
        symbolic.Natural(op.state, op.strand, span, start[d], begins);
      if (there == ir::There::kStart) continue;
      Symbolic last = is.extent[d] == 1
                          ? start[d]
                          : symbolic.arithmetic().Compute(
                                ir::ExprOp::kAdd, start[d],
                                Symbolic::Number(is.extent[d] - 1));
      symbolic.Inside(op.state, op.strand, span, last, shape.extents[d],
                      begins && ends);
    }
  }
}

// Whether a box starts where the op can must not depend on the size either.
void OpTransfer::GuardStarts(const ExecutedOp& op,
                             SymbolicState& symbolic) const {
  for (int i = 0; i < op.operands(); ++i) {
    const machine::CompiledOperand& c = op.operand(i);
    bool ruled =
        op.op.op->info->operands[i].start != ir::StartRule::kAnywhere &&
        !c.starts.empty();
    if (!ruled) continue;
    if (op.op.op->info->operands[i].start == ir::StartRule::kCoordinates) {
      GuardCoordinate(op, i, symbolic);
      continue;
    }
    bool global = c.fixed.tile.space == ir::Space::kGlobal;
    global ? GuardAddress(op, i, symbolic) : GuardPlace(op, i, symbolic);
  }
}

// Nor whether a number is one that the op takes.
void OpTransfer::GuardNumbers(const ExecutedOp& op,
                              SymbolicState& symbolic) const {
  for (int i = 0; i < op.operands(); ++i) {
    const machine::CompiledOperand& c = op.operand(i);
    auto range = ir::RangeOf(code_.bound, *op.op.op->info, i);
    if (!range || c.kind != ir::OperandValue::Kind::kInt || c.expr.constant)
      continue;
    Symbolic above = symbolic.Evaluate(c.expr, op.strand, op.who);
    if (range->low != 0)
      above = symbolic.arithmetic().Compute(ir::ExprOp::kSub, above,
                                            Symbolic::Number(range->low));
    symbolic.Inside(op.state, op.strand, op.op.op->span, above,
                    Symbolic::Number(range->high - range->low + 1), true);
  }
}

// Each dimension's share, unless that is a multiple wherever it starts, or
// where the text says that it does.
void OpTransfer::GuardAddress(const ExecutedOp& op, int operand,
                              SymbolicState& symbolic) const {
  const ir::ConcreteOp& is = op.event.concrete();
  int64_t by = std::max<int64_t>(1, ir::VectorOf(is, operand) * 8 /
                                        values::BitsOf(is.tile(operand).dtype));
  const TensorShape& shape = symbolic.family().shapes.at(is.tile(operand).decl);
  std::vector<Symbolic> start = StartOf(op, operand, symbolic);
  for (size_t d = 0; d < start.size(); ++d) {
    const Symbolic& stride = shape.strides[d];
    std::optional<Polynomial> step = algebra::NumberOf(stride);
    bool multiple = step && !step->bad() && step->base() % by == 0 &&
                    step->VariesByMultiplesOf(by);
    if (multiple) continue;
    const ir::Expr* text =
        state::StartOf(op.op.op->operands[operand].ref, static_cast<int>(d));
    if (text != nullptr && multiples_->IsMultiple(*text, by)) continue;
    symbolic.SameRemainder(
        op.state, op.strand, op.op.op->span,
        symbolic.arithmetic().Compute(ir::ExprOp::kMul, start[d], stride), by);
  }
}

// The innermost one: strides of a tensor map are multiples anyway, and rows are
// contiguous.
void OpTransfer::GuardCoordinate(const ExecutedOp& op, int operand,
                                 SymbolicState& symbolic) const {
  const int64_t bits = values::BitsOf(op.event.concrete().tile(operand).dtype);
  const int64_t by =
      std::max<int64_t>(1, int64_t{8} * ir::kRawAlignment / bits);
  const std::vector<Symbolic> start = StartOf(op, operand, symbolic);
  const ir::Expr* text = state::StartOf(op.op.op->operands[operand].ref,
                                        static_cast<int>(start.size()) - 1);
  if (text != nullptr && multiples_->IsMultiple(*text, by)) return;
  symbolic.SameRemainder(op.state, op.strand, op.op.op->span, start.back(), by);
}

// In shared and tensor memory a multiple of this is one of all that rules ask
// for: bytes, columns of a panel, rows of a pattern.
void OpTransfer::GuardPlace(const ExecutedOp& op, int operand,
                            SymbolicState& symbolic) const {
  constexpr int64_t kAnyRule = 1024;
  for (const Symbolic& start : StartOf(op, operand, symbolic))
    symbolic.SameRemainder(op.state, op.strand, op.op.op->span, start,
                           kAnyRule);
}

// docs/all_sizes.md 3.14: only who has drawn the last number puts it back.
void OpTransfer::GuardPutBack(const ExecutedOp& op,
                              SymbolicState& symbolic) const {
  const Family& family = symbolic.family();
  if (!family.ticket || !family.ticket->put_back.contains(op.event.op) ||
      !proof::IsJudged(proof::Condition::kPutBackLast))
    return;
  Symbolic above = Symbolic::Unknown();
  if (family.count)
    above = Symbolic::Number(family.number + Polynomial(1) - *family.count);
  symbolic.Natural(op.state, op.strand, op.op.op->span, above,
                   family.ticket->last);
}

// That a flag which is waited for comes is shown of all CTAs together, after
// the run (grid_flags.h).
void OpTransfer::SignalFlags(const ExecutedOp& op, SymbolicState& symbolic,
                             bool again) {
  const Family& family = symbolic.family();
  last_ = op.who;
  for (const Flags& f : family.flags) {
    bool sets = f.sets.count(op.event.op) != 0;
    if (!sets && f.waits.count(op.event.op) == 0) continue;
    int operand = op.event.effects()[0].operand;
    GridFlags::Word word{f.decl, StartOf(op, operand, symbolic),
                         family.shapes.at(f.decl).extents};
    GridFlags::Place place = PlaceOf(op.who, symbolic);
    auto count =
        f.by_all ? run::AwaitedCount(code_, op.event.op) : std::nullopt;
    if (sets)
      flags_.Set(word, place, again);
    else if (count)
      flags_.WaitForCount(
          word, symbolic.Evaluate(*count, op.strand, op.who), place,
          f.of_some ? AddersOf(op, operand, symbolic) : std::nullopt);
    else
      flags_.Wait(word, place);
  }
}

// Where the CTA is in its grid is asked once, of all that its run has shown.
protocol::GridFlags OpTransfer::FlagsAfter(const SymbolicState& run) const {
  GridFlags out = flags_;
  if (last_) out.Here(PlaceOf(*last_, run));
  return out;
}

// Of the word of a barrier of some CTAs.
std::optional<Polynomial> OpTransfer::AddersOf(
    const ExecutedOp& op, int operand, const SymbolicState& symbolic) const {
  return protocol::CountOf(code_, op.operand(operand), symbolic.family());
}

// What an op finds in memory. A poll that is over has found the flag set.
Symbolic OpTransfer::Found(const ExecutedOp& op,
                           const SymbolicState& symbolic) {
  const Family& family = symbolic.family();
  if (family.ticket && op.event.op == family.ticket->op)
    return Symbolic::Number(family.number);
  for (const Flags& f : family.flags) {
    if (f.waits.count(op.event.op) == 0) continue;
    if (!f.by_all) return Symbolic::Number(f.value);
    auto all = f.of_some ? AddersOf(op, op.event.effects()[0].operand, symbolic)
                         : PlaceOf(op.who, symbolic).Ctas();
    return all ? Symbolic::Number(*all) : Symbolic::Unknown();
  }
  bool peeks =
      std::any_of(op.event.uses.begin(), op.event.uses.end(), run::IsPeek);
  if (peeks) return Symbolic::Number(0);
  SharedWords::Word word = words_.LoadedBy(op.event);
  small_sizes_ |= word.if_small && op.op.control;
  return std::move(word.value);
}

void OpTransfer::SetScalars(const ExecutedOp& op, SymbolicState& symbolic) {
  for (int i = 0; i < op.operands(); ++i) {
    int32_t slot = op.operand(i).fixed.slot;
    if (!op.Sets(i) || slot < 0) continue;
    symbolic.SetSlot(op.strand, slot, Found(op, symbolic));
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
