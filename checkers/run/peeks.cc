#include "checkers/run/peeks.h"

#include <algorithm>
#include <set>
#include <utility>
#include <vector>

#include "sim/machine/guide.h"

namespace tilesim::checkers::run {
using machine::Code;
using machine::CompiledExpr;
using machine::CompiledOp;
using machine::ExprInstr;
using machine::Instr;

namespace {

using ir::EffectKind;

// `value` of a use by an op that asks, which has no other.
constexpr int64_t kPeek = 1;

bool Has(const CompiledOp& op, EffectKind kind) {
  ir::EffectSink sink;
  ir::EffectsOf(op.fixed, sink);
  return std::any_of(sink.effects().begin(), sink.effects().end(),
                     [=](const ir::Effect& e) { return e.kind == kind; });
}

// The scalars of an expression.
void AddScalars(const Code& code, const CompiledExpr& e,
                std::set<int32_t>& out) {
  if (e.constant) return;
  for (int32_t pc = e.begin; pc < e.end; ++pc) {
    const ExprInstr& i = code.expr_code[pc];
    if (i.kind == ExprInstr::Kind::kSlot) out.insert(i.index);
  }
}

// The scalar that a condition says is 0, and nothing else; -1: it does not.
int32_t ToldToBe0(const Code& code, const CompiledExpr& e) {
  if (e.constant || e.end - e.begin != 2) return -1;
  const ExprInstr &scalar = code.expr_code[e.begin],
                  &test = code.expr_code[e.begin + 1];
  bool negated =
      test.kind == ExprInstr::Kind::kUnary && test.op == ir::ExprOp::kNot;
  bool compared = test.kind == ExprInstr::Kind::kBinaryWith &&
                  test.op == ir::ExprOp::kEq && test.value == 0;
  bool is = scalar.kind == ExprInstr::Kind::kSlot && (negated || compared);
  return is ? scalar.index : -1;
}

class Search {
 public:
  explicit Search(const Code& code) : code_(code) {}

  Peeks Find() {
    for (size_t i = 0; i < code_.ops.size(); ++i) LookAtOp(i);
    if (out_.asks.empty()) return {};
    for (size_t pc = 0; pc < code_.instrs.size(); ++pc) LookAt(pc);
    for (const machine::CompiledScope& s : code_.scopes) {
      AddScalars(code_, s.low, used_);
      AddScalars(code_, s.high, used_);
    }
    auto used = [&](const auto& item) { return used_.count(item.second) != 0; };
    std::erase_if(out_.asks, used);
    std::erase_if(out_.waits, used);
    return std::move(out_);
  }

 private:
  void LookAtOp(size_t op) {
    const CompiledOp& c = code_.ops[op];
    bool asks = Has(c, EffectKind::kTest);
    for (size_t i = 0; i < c.operands.size(); ++i) {
      const machine::CompiledOperand& o = c.operands[i];
      bool sets = o.fixed.slot >= 0 &&
                  (c.op->info->operands[i].types & ir::kTakesVar) != 0;
      if (sets && asks) {
        out_.asks[static_cast<int32_t>(op)] = o.fixed.slot;
      } else if (sets) {
        used_.insert(o.fixed.slot);
      } else {
        AddScalars(code_, o.expr, used_);
      }
      for (const CompiledExpr& e : o.index) AddScalars(code_, e, used_);
      for (const auto& start : o.starts) AddScalars(code_, start.expr, used_);
      if (o.cta) AddScalars(code_, *o.cta, used_);
    }
  }

  void LookAt(size_t pc) {
    const Instr& i = code_.instrs[pc];
    using Kind = Instr::Kind;
    bool cleared = i.kind == Kind::kSet && i.expr.constant && i.expr.value == 0;
    bool sets = i.kind == Kind::kSet || i.kind == Kind::kForNext ||
                i.kind == Kind::kForTest;
    if (sets && !cleared) used_.insert(i.a);
    int32_t scalar = i.kind == Kind::kBranch ? WaitPassedOver(pc) : -1;
    if (scalar >= 0) {
      out_.waits[code_.instrs[pc + 1].a] = scalar;
    } else if (i.kind != Kind::kOp) {
      AddScalars(code_, i.expr, used_);
    }
  }

  // By the scalar of a branch around one wait.
  int32_t WaitPassedOver(size_t pc) const {
    const Instr& branch = code_.instrs[pc];
    bool one = branch.b == static_cast<int32_t>(pc) + 2 &&
               code_.instrs[pc + 1].kind == Instr::Kind::kOp &&
               Has(code_.ops[code_.instrs[pc + 1].a], EffectKind::kWait);
    return one ? ToldToBe0(code_, branch.expr) : -1;
  }

  const Code& code_;
  std::set<int32_t> used_;  // scalars that decide, or hold, something else
  Peeks out_;
};

}  // namespace

Peeks PeeksOf(const Code& code) {
  if (const auto* passed = code.guide ? code.guide->WaitsPassedOver() : nullptr)
    return {passed->tests, passed->waits};
  return Search(code).Find();
}

void TakeAsNo(const Code& code, const Peeks& peeks, int32_t strand,
              machine::State& state, Event& event) {
  auto peek = peeks.asks.find(event.op);
  if (peek == peeks.asks.end()) return;
  machine::Strand& s = state.strands[strand];
  const bool yes = code.guide && code.guide->WaitsPassedOver() != nullptr
                       ? code.guide->TakeAsNo(s, event.op)
                       : std::exchange(s.slots[peek->second], 0) != 0;
  for (const ir::Effect& e : event.effects()) {
    if (e.kind != EffectKind::kTest) continue;
    int32_t index = event.concrete().barrier(e.operand).index;
    const machine::Mbarrier& b = state.ctas[event.cta].mbarriers[index];
    machine::BarrierUse use;
    use.barrier = {event.cta, index, b.life};
    use.kind = e.kind;
    use.sem = e.sem;
    use.scope = e.scope;
    use.scope_written = e.scope_written;
    use.phase = int64_t{b.phase} - yes;
    use.value = kPeek;
    event.uses = {use};
  }
}

bool IsPeek(const machine::BarrierUse& use) {
  return use.kind == EffectKind::kTest && use.value == kPeek;
}

}  // namespace tilesim::checkers::run
