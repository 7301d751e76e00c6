#include "checkers/run/places.h"

#include <algorithm>

#include "checkers/proof/condition.h"
#include "ir/effect.h"
#include "sim/machine/control.h"

namespace tilesim::checkers::run {
using ir::Effect;
using ir::EffectKind;
using machine::CompiledExpr;
using machine::CompiledOp;
using machine::CompiledOperand;
using machine::ExprInstr;
using machine::Instr;
using machine::TakesVar;

namespace {

bool IsTile(const CompiledOperand& c) {
  return c.kind == ir::OperandValue::Kind::kTile;
}

// A slice forwards from the elements, through scalars.
class Slice {
 public:
  // An element of shared memory that is none of `low`..`high` is not followed.
  Slice(const machine::Code& code, int32_t decl, int64_t low, int64_t high)
      : code_(code),
        decl_(decl),
        low_(low),
        high_(high),
        slots_(code.initial_slots.size()),
        loaded_(code.initial_slots.size(), true) {}

  std::optional<Places> Run() {
    while (grown_) {
      grown_ = false;
      for (const CompiledOp& op : code_.ops) FromRead(op);
      for (const Instr& i : code_.instrs) Through(i);
    }
    for (const CompiledOp& op : code_.ops) FromOther(op);
    FromOthers();
    for (const Instr& i : code_.instrs) ToInstr(i);
    for (const machine::CompiledScope& s : code_.scopes)
      decides_ |= IsOf(s.low) || IsOf(s.high);
    for (size_t i = 0; i < code_.ops.size(); ++i) ToOp(i);
    if (decides_) return std::nullopt;
    return std::move(places_);
  }

 private:
  bool IsOf(const CompiledExpr& e) const {
    if (e.constant) return false;
    return std::any_of(
        code_.expr_code.begin() + e.begin, code_.expr_code.begin() + e.end,
        [&](const ExprInstr& i) {
          return i.kind == ExprInstr::Kind::kSlot && slots_[i.index];
        });
  }

  // Sums and products alone: a quotient or a shift may be none.
  bool HasAlwaysAValue(const CompiledExpr& e) const {
    using ir::ExprOp;
    return std::all_of(
        code_.expr_code.begin() + e.begin, code_.expr_code.begin() + e.end,
        [](const ExprInstr& i) {
          const bool binary = i.kind == ExprInstr::Kind::kBinary ||
                              i.kind == ExprInstr::Kind::kBinaryWith;
          const bool other = i.kind == ExprInstr::Kind::kCall ||
                             i.kind == ExprInstr::Kind::kUnary;
          return !other && (!binary || i.op == ExprOp::kAdd ||
                            i.op == ExprOp::kSub || i.op == ExprOp::kMul);
        });
  }

  void Decides(const CompiledExpr& e) { decides_ |= IsOf(e); }

  void Taint(int32_t slot) {
    if (slot < 0 || slots_[slot]) return;
    slots_[slot] = grown_ = true;
  }

  void FromRead(const CompiledOp& op) {
    sink_.Clear();
    ir::EffectsOf(machine::FixedOperands(op), sink_);
    const auto& effects = sink_.effects();
    const bool reads =
        std::any_of(effects.begin(), effects.end(), [&](const Effect& e) {
          return e.kind == EffectKind::kRead && e.operand >= 0 &&
                 IsTile(op.operands[e.operand]) &&
                 op.operands[e.operand].fixed.tile.decl == decl_;
        });
    if (!reads || !op.control) return;
    // Into scalars, by a weak load: nothing is copied that decides, and nobody
    // is waited for.
    const bool load =
        std::all_of(effects.begin(), effects.end(), [](const Effect& e) {
          return e.kind == EffectKind::kRead && e.sem == ir::Sem::kWeak;
        });
    decides_ |= !load;
    for (size_t i = 0; i < op.operands.size(); ++i) {
      if (TakesVar(op, i)) Taint(op.operands[i].fixed.slot);
    }
  }

  // A scalar that an op sets to something else.
  void FromOther(const CompiledOp& op) {
    const bool loads = std::any_of(
        op.operands.begin(), op.operands.end(), [&](const CompiledOperand& c) {
          return IsTile(c) && c.fixed.tile.decl == decl_;
        });
    for (size_t i = 0; i < op.operands.size() && !loads; ++i) {
      if (TakesVar(op, i) && op.operands[i].fixed.slot >= 0)
        loaded_[op.operands[i].fixed.slot] = false;
    }
  }

  // Or an assignment: to what is neither an element nor between the two.
  void FromOthers() {
    for (bool less = true; less;) {
      less = false;
      for (const Instr& i : code_.instrs) {
        if (i.kind == Instr::Kind::kForTest || i.kind == Instr::Kind::kForNext)
          loaded_[i.a] = false;
        const bool other = i.kind == Instr::Kind::kSet && loaded_[i.a] &&
                           !IsBetween(i.expr) && !IsLoaded(i.expr);
        if (!other) continue;
        loaded_[i.a] = false;
        less = true;
      }
    }
  }

  // The one that the expression is.
  int32_t ScalarIn(const CompiledExpr& e) const {
    if (e.constant) return -1;
    const ExprInstr& i = code_.expr_code[e.begin];
    const bool alone =
        e.end == e.begin + 1 || !proof::IsJudged(proof::Condition::kAsLoaded);
    return alone && i.kind == ExprInstr::Kind::kSlot ? i.index : -1;
  }
  bool IsBetween(const CompiledExpr& e) const {
    return e.constant && e.value >= low_ && e.value <= high_;
  }
  bool IsLoaded(const CompiledExpr& e) const {
    const int32_t slot = ScalarIn(e);
    return slot >= 0 && slots_[slot] && loaded_[slot];
  }

  // One element of a tile of this CTA that decides nothing, by an op that hands
  // nothing over.
  bool IsSharedPlace(const CompiledOp& op, size_t operand,
                     const CompiledOperand::Start& start) {
    const CompiledOperand& c = op.operands[operand];
    if (!IsTile(c) || c.fixed.tile.space != ir::Space::kShared || c.cta ||
        !op.op->info->operands[operand].element || !IsLoaded(start.expr) ||
        code_.control_decl[c.fixed.tile.decl])
      return false;
    sink_.Clear();
    ir::EffectsOf(machine::FixedOperands(op), sink_);
    return std::all_of(
        sink_.effects().begin(), sink_.effects().end(), [](const Effect& e) {
          return e.Is(ir::kAccesses) &&
                 (e.sem == ir::Sem::kWeak || e.sem == ir::Sem::kRelaxed);
        });
  }

  // Its numbers go to memory that decides nothing.
  bool IsPayload(const CompiledOp& op) {
    sink_.Clear();
    ir::EffectsOf(machine::FixedOperands(op), sink_);
    return !op.control && machine::OnlyMovesData(op, sink_.effects());
  }

  void Through(const Instr& i) {
    if (i.kind == Instr::Kind::kSet && IsOf(i.expr)) Taint(i.a);
  }

  void ToInstr(const Instr& i) {
    using Kind = Instr::Kind;
    const bool counts = i.kind == Kind::kForTest || i.kind == Kind::kForNext;
    if (counts) decides_ |= slots_[i.a];
    if (counts || i.kind == Kind::kBranch) Decides(i.expr);
    if (i.kind == Kind::kSet && IsOf(i.expr))
      decides_ |= !HasAlwaysAValue(i.expr);
  }

  void ToOp(size_t index) {
    const CompiledOp& op = code_.ops[index];
    for (size_t i = 0; i < op.operands.size(); ++i) {
      const CompiledOperand& c = op.operands[i];
      for (const CompiledExpr& e : c.index) Decides(e);
      if (c.cta) Decides(*c.cta);
      if (!TakesVar(op, i) && !IsPayload(op)) Decides(c.expr);
      for (const CompiledOperand::Start& s : c.starts) {
        if (!IsOf(s.expr)) continue;
        const GlobalPlace place{static_cast<int32_t>(index),
                                static_cast<int32_t>(i), s.dim};
        if (IsSharedPlace(op, i, s)) {
          places_.shared.push_back(place);
          continue;
        }
        const bool global =
            IsTile(c) && c.fixed.tile.space == ir::Space::kGlobal;
        decides_ |= !global || !HasAlwaysAValue(s.expr);
        places_.global.push_back(place);
      }
    }
  }

  const machine::Code& code_;
  const int32_t decl_;
  const int64_t low_, high_;
  ir::EffectSink sink_;
  std::vector<bool> slots_;   // that hold what elements say
  std::vector<bool> loaded_;  // that hold nothing but elements, or between
  bool grown_ = true, decides_ = false;
  Places places_;
};

}  // namespace

std::optional<std::vector<GlobalPlace>> PlacesOf(const machine::Code& code,
                                                 int32_t decl) {
  // No number is between these.
  auto places = PlacesOf(code, decl, 1, 0);
  if (!places || !places->shared.empty()) return std::nullopt;
  return std::move(places->global);
}

std::optional<Places> PlacesOf(const machine::Code& code, int32_t decl,
                               int64_t low, int64_t high) {
  if (code.guide != nullptr) return std::nullopt;
  return Slice(code, decl, low, high).Run();
}

bool IsAnyOf(const ir::ConcreteOp& op, int operand) {
  return op.info().operands[operand].element && op.is_tile(operand) &&
         op.tile(operand).elements() > 1;
}

}  // namespace tilesim::checkers::run
