#include "sim/machine/control.h"

#include <algorithm>

namespace tilesim::machine {
namespace {

using ir::Effect;
using ir::EffectKind;
using OperandKind = ir::OperandValue::Kind;

// A slice backwards from what decides where threads go, whom they wait for and
// which bytes they touch, to the scalars and the memory that it comes from.
class Slice {
 public:
  explicit Slice(Code& code) : code_(code), slots_(code.initial_slots.size()) {
    for (const CompiledOp& op : code.ops) {
      ir::EffectSink sink;
      ir::EffectsOf(FixedOperands(op), sink);
      effects_.push_back(sink.effects());
    }
  }

  void Run() {
    for (const CompiledScope& s : code_.scopes) {
      Use(s.low);
      Use(s.high);
    }
    for (const Instr& i : code_.instrs) FromInstr(i);
    for (size_t i = 0; i < code_.ops.size(); ++i) FromOp(i);
    for (size_t i = 0; i < code_.ops.size(); ++i) FromAnswer(i);
    while (grown_) {
      grown_ = false;
      for (const Instr& i : code_.instrs) Through(i);
      for (size_t i = 0; i < code_.ops.size(); ++i) Through(i);
      Aliases();
    }
    Spaces();
  }

 private:
  void Use(const CompiledExpr& expr) {
    if (expr.constant) return;
    for (int32_t i = expr.begin; i < expr.end; ++i) {
      const ExprInstr& e = code_.expr_code[i];
      if (e.kind == ExprInstr::Kind::kSlot) UseSlot(e.index);
    }
  }
  void UseSlot(int32_t slot) {
    if (slots_[slot]) return;
    slots_[slot] = grown_ = true;
  }
  void UseDecl(int32_t decl) {
    if (code_.control_decl[decl]) return;
    code_.control_decl[decl] = grown_ = true;
  }

  // Whether it may have no value, which stops the thread.
  bool MayFail(const CompiledExpr& expr) const {
    if (expr.constant) return false;
    return std::any_of(
        code_.expr_code.begin() + expr.begin,
        code_.expr_code.begin() + expr.end, [](const ExprInstr& e) {
          return e.kind == ExprInstr::Kind::kCall ||
                 (e.kind == ExprInstr::Kind::kBinary &&
                  (e.op == ir::ExprOp::kDiv || e.op == ir::ExprOp::kRem));
        });
  }

  void FromInstr(const Instr& i) {
    using Kind = Instr::Kind;
    if (i.kind == Kind::kForTest) UseSlot(i.a);
    bool decides = i.kind == Kind::kForTest || i.kind == Kind::kBranch;
    if (decides || MayFail(i.expr)) Use(i.expr);
  }

  void FromOp(size_t index) {
    const CompiledOp& op = code_.ops[index];
    bool payload = OnlyMovesData(op, effects_[index]);
    for (size_t i = 0; i < op.operands.size(); ++i) {
      const CompiledOperand& c = op.operands[i];
      for (const CompiledExpr& e : c.index) Use(e);
      for (const auto& start : c.starts) Use(start.expr);
      if (c.cta) Use(*c.cta);
      if (!TakesVar(op, i) && (!payload || MayFail(c.expr))) Use(c.expr);
    }
  }

  // A refusal says what may be asked and used from then on.
  void FromAnswer(size_t index) {
    for (const Effect& e : effects_[index]) {
      if (e.kind != EffectKind::kClcQuery) continue;
      int32_t slot = code_.ops[index].operands[e.value].fixed.slot;
      if (slot >= 0) UseSlot(slot);
    }
  }

  void Through(const Instr& i) {
    using Kind = Instr::Kind;
    bool sets = i.kind == Kind::kSet || i.kind == Kind::kForNext;
    if (sets && slots_[i.a]) Use(i.expr);
  }

  void Through(size_t index) {
    CompiledOp& op = code_.ops[index];
    if (!op.control && !Decides(index)) return;
    op.control = true;
    for (size_t i = 0; i < op.operands.size(); ++i) {
      if (!TakesVar(op, i)) Use(op.operands[i].expr);
    }
    for (const Effect& e : effects_[index]) {
      if (e.kind == EffectKind::kRead && IsTile(op, e.operand))
        UseDecl(op.operands[e.operand].fixed.tile.decl);
    }
  }

  // Whether it writes a scalar or memory that decides something, or what it
  // reads decides whose earlier work its thread may rely on.
  bool Decides(size_t index) const {
    const CompiledOp& op = code_.ops[index];
    if (Synchronizes(index)) return true;
    for (size_t i = 0; i < op.operands.size(); ++i) {
      int32_t slot = op.operands[i].fixed.slot;
      if (TakesVar(op, i) && slot >= 0 && slots_[slot]) return true;
    }
    return std::any_of(
        effects_[index].begin(), effects_[index].end(), [&](const Effect& e) {
          return e.kind == EffectKind::kWrite && IsTile(op, e.operand) &&
                 code_.control_decl[op.operands[e.operand].fixed.tile.decl];
        });
  }

  bool Synchronizes(size_t index) const {
    const auto& operands = code_.ops[index].op->info->operands;
    bool returns = std::any_of(
        operands.begin(), operands.end(),
        [](const auto& o) { return (o.types & ir::kTakesVar) != 0; });
    const auto& all = effects_[index];
    return returns && std::any_of(all.begin(), all.end(), [](const Effect& e) {
             return e.kind == EffectKind::kRead && e.sem != ir::Sem::kWeak;
           });
  }

  static bool IsTile(const CompiledOp& op, int operand) {
    return operand >= 0 && op.operands[operand].kind == OperandKind::kTile;
  }

  // Other names of the same memory.
  void Aliases() {
    const auto& all = code_.bound.decls;
    for (size_t i = 0; i < all.size(); ++i) {
      if (!code_.control_decl[i]) continue;
      for (size_t k = 0; k < all.size(); ++k) {
        if (Overlap(all[i], all[k])) UseDecl(static_cast<int32_t>(k));
      }
    }
  }

  static bool Overlap(const ir::BoundDecl& a, const ir::BoundDecl& b) {
    if (a.space != b.space || a.pool != b.pool || a.is_pool || b.is_pool)
      return false;
    bool tmem = a.space == ir::Space::kTmem;
    if (!tmem && a.space != ir::Space::kShared) return false;
    auto end = [=](const ir::BoundDecl& d) {
      return d.place + d.objects * (tmem ? d.columns : d.object_bytes);
    };
    return a.place < end(b) && b.place < end(a);
  }

  void Spaces() {
    for (size_t i = 0; i < code_.control_decl.size(); ++i) {
      if (!code_.control_decl[i]) continue;
      ir::Space space = code_.bound.decls[i].space;
      code_.control_shared |= space == ir::Space::kShared;
      code_.control_tmem |= space == ir::Space::kTmem;
    }
  }

  Code& code_;
  std::vector<std::vector<Effect>> effects_;  // by op
  std::vector<bool> slots_;                   // that decide something
  bool grown_ = true;
};

}  // namespace

bool TakesVar(const CompiledOp& op, size_t operand) {
  return (op.op->info->operands[operand].types & ir::kTakesVar) != 0;
}

bool OnlyMovesData(const CompiledOp& op, std::span<const Effect> effects) {
  return op.op->info->async == ir::AsyncUnit::kNone &&
         std::all_of(effects.begin(), effects.end(),
                     [](const Effect& e) { return e.Is(ir::kAccesses); });
}

void MarkControl(Code& code) { Slice(code).Run(); }

}  // namespace tilesim::machine
