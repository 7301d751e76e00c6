#include "checkers/sizes/state/symbolic_state.h"

#include "checkers/sizes/state/idle_loop.h"
#include "ir/eval.h"

namespace tilesim::checkers::sizes::state {
using algebra::Apply;
using algebra::Polynomial;
using algebra::Symbol;
using algebra::Symbolic;
using ir::ExprOp;
using machine::ExprInstr;
using machine::Instr;

namespace {

// What a truth value depends on that is not the same for all.
Symbolic Undecided(const Symbolic& value) {
  std::optional<algebra::Residue> r = algebra::ResidueOf(value);
  return r ? Symbolic::Unknown(value.of, r->period) : value;
}

void Blame(Guard& guard, const Symbolic& value) {
  if (value.known()) return;
  Symbolic undecided = Undecided(value);
  guard.because = undecided.of;
  guard.by = undecided.by;
}

}  // namespace

// Scalars other than parameters are unknown until they are set.
SymbolicState::Slots& SymbolicState::Of(int32_t strand) {
  if (strands_.size() <= static_cast<size_t>(strand))
    strands_.resize(strand + 1);
  Slots& slots = strands_[strand];
  if (!slots.empty() || code_.initial_slots.empty()) return slots;
  slots.assign(code_.initial_slots.size(), Symbolic::Unknown());
  for (const ir::Param& p : code_.kernel().params) {
    auto given = family().params.find(p.slot);
    slots[p.slot] = given == family().params.end()
                        ? Symbolic::Number(code_.initial_slots[p.slot])
                        : Symbolic::Number(given->second);
  }
  return slots;
}

void SymbolicState::Divided(int32_t strand, int32_t other) {
  Slots copy = Of(strand);
  Of(other) = std::move(copy);
}

// They have the same scalars; whether in every size, is not known.
void SymbolicState::Absorbed(int32_t strand, int32_t other) {
  Slots gone = std::exchange(Of(other), {});
  Slots& slots = Of(strand);
  for (size_t i = 0; i < slots.size(); ++i) {
    if (!(slots[i] == gone[i])) slots[i] = Symbolic::Unknown();
  }
}

void SymbolicState::Replace(Symbol symbol, const Polynomial& value) {
  for (Slots& slots : strands_) {
    for (Symbolic& s : slots) {
      if (s.of.Has(symbol)) s.of = s.of.Replace(symbol, value);
    }
  }
}

void SymbolicState::Control(const machine::State& state, int32_t strand,
                            const Instr& instr, const machine::Who& who) {
  arithmetic_.ForgetCompared();
  using Kind = Instr::Kind;
  switch (instr.kind) {
    case Kind::kSet:
      return SetSlot(strand, instr.a, Evaluate(instr.expr, strand, who));
    case Kind::kForNext: {
      Symbolic step = Evaluate(instr.expr, strand, who);
      Symbolic& slot = Of(strand)[instr.a];
      slot = Apply(ExprOp::kAdd, slot, step);
      return;
    }
    case Kind::kForTest:
      return ForTest(state, strand, instr, who);
    case Kind::kBranch: {
      std::optional<int64_t> holds = machine::Evaluate(
          code_, instr.expr, state.strands[strand].slots.data(), who);
      if (holds) holds = *holds != 0;
      Symbolic condition = Evaluate(instr.expr, strand, who);
      return Test(strand, state, instr, arithmetic_.Truth(condition), holds);
    }
    case Kind::kNarrow:
      return Narrow(state, strand, instr, who);
    default:
      return;
  }
}

void SymbolicState::ForTest(const machine::State& state, int32_t strand,
                            const Instr& instr, const machine::Who& who) {
  const int64_t* slots = state.strands[strand].slots.data();
  Symbolic high = Evaluate(instr.expr, strand, who);
  std::optional<int64_t> end = machine::Evaluate(code_, instr.expr, slots, who);
  if (end) end = slots[instr.a] < *end;
  const Polynomial step = StepOf(strand, instr, who);
  Symbolic less = arithmetic_.Compute(ExprOp::kLt, Of(strand)[instr.a], high);
  if (!less.known() && end && *end == 0) {
    const auto compared = arithmetic_.compared();
    const machine::Strand& s = state.strands[strand];
    if (PassOver(code_, *this, strand, s.threads, s.pc, who))
      less = Symbolic::Number(0);
    arithmetic_.Compared(compared);
  }
  Test(strand, state, instr, less, end, step);
}

// Which threads go on is decided by both ends of a scope.
void SymbolicState::Narrow(const machine::State& state, int32_t strand,
                           const Instr& instr, const machine::Who& who) {
  const int64_t* slots = state.strands[strand].slots.data();
  for (int k = 0; k < instr.count; ++k) {
    const machine::CompiledScope& scope = code_.scopes[instr.a + k];
    for (const auto* e : {&scope.low, &scope.high})
      Test(strand, state, instr, Evaluate(*e, strand, who),
           machine::Evaluate(code_, *e, slots, who));
  }
}

// By what the loop goes on that a test may leave; 1 if it may be anything.
Polynomial SymbolicState::StepOf(int32_t strand, const Instr& test,
                                 const machine::Who& who) {
  const Instr& next = code_.instrs[test.b - 1];
  return algebra::NumberOf(Evaluate(next.expr, strand, who))
      .value_or(Polynomial(1));
}

void SymbolicState::Test(int32_t strand, const machine::State& state,
                         const Instr& instr, const Symbolic& value,
                         std::optional<int64_t> is, const Polynomial& step) {
  const machine::Strand& s = state.strands[strand];
  Guard guard{s.cta,
              s.threads.first_warp,
              s.pc,
              instr.span,
              arithmetic_.compared(),
              {},
              1,
              step,
              true};
  Blame(guard, value);
  if (on_guard_) on_guard_(guard);
  Test(std::move(guard), value, is);
}

void SymbolicState::Test(Guard guard, const Symbolic& value,
                         std::optional<int64_t> is) {
  mistaken_ |= value.known() && is && *value.known() != *is;
  if (!value.known()) arithmetic_.Undecided(std::move(guard));
}

void SymbolicState::TestName(const machine::State& state, int32_t strand,
                             ir::Span span, const Symbolic& value,
                             std::optional<int64_t> is) {
  const machine::Strand& s = state.strands[strand];
  Guard guard{s.cta, s.threads.first_warp,   s.pc,
              span,  arithmetic_.compared(), {},
              1,     Polynomial(1),          false};
  Blame(guard, value);
  Test(std::move(guard), value, is);
}

void SymbolicState::Natural(const machine::State& state, int32_t strand,
                            ir::Span span, const Symbolic& index, bool is) {
  arithmetic_.ForgetCompared();
  // Of two tests one may fail in this run.
  TestName(state, strand, span, arithmetic_.Natural(index),
           is ? std::optional<int64_t>(1) : std::nullopt);
}

void SymbolicState::Inside(const machine::State& state, int32_t strand,
                           ir::Span span, const Symbolic& index,
                           const Symbolic& extent, bool is) {
  Natural(state, strand, span, index, is);
  arithmetic_.ForgetCompared();
  TestName(state, strand, span, arithmetic_.Below(index, extent),
           is ? std::optional<int64_t>(1) : std::nullopt);
}

void SymbolicState::SameRemainder(const machine::State& state, int32_t strand,
                                  ir::Span span, const Symbolic& start,
                                  int64_t by) {
  std::optional<Polynomial> number = algebra::NumberOf(start);
  bool same = start.known() ||
              (number && !number->bad() && number->VariesByMultiplesOf(by));
  if (same) return;
  arithmetic_.ForgetCompared();
  TestName(state, strand, span, Symbolic::Unknown(start.of, by), std::nullopt);
}

void SymbolicState::Stored(const machine::State& state, int32_t strand,
                           ir::Span span, const Symbolic& value) {
  if (!value.of.constant() && arithmetic_.compared())
    TestName(state, strand, span, value, std::nullopt);
}

Symbolic SymbolicState::Evaluate(const machine::CompiledExpr& expr,
                                 int32_t strand, const machine::Who& who) {
  if (expr.constant) return Symbolic::Number(expr.value);
  return Evaluate(expr.begin, expr.end, strand, who);
}

// c ? x : y of a truth value that is not the same for all, where that makes no
// difference, or has both values and that is one, too. `jump`: over x and the
// jump behind it, which is over y.
std::optional<Symbolic> SymbolicState::Either(int32_t jump, const Symbolic& bit,
                                              int32_t strand,
                                              const machine::Who& who) {
  if (bit.known()) return std::nullopt;
  const auto compared = arithmetic_.compared();
  int32_t end = jump + code_.expr_code[jump].index;
  Symbolic x = Evaluate(jump + 1, end - 1, strand, who);
  Symbolic y =
      Evaluate(end, end - 1 + code_.expr_code[end - 1].index, strand, who);
  arithmetic_.Compared(compared);
  if (x == y && !x.unknown()) return x;
  if (!algebra::IsOpenBit(bit)) return std::nullopt;
  if (x.known() == 1 && y.known() == 0) return bit;
  if (x.known() == 0 && y.known() == 1) return algebra::Flipped(bit);
  return std::nullopt;
}

// Whether the lowest bit of what the instruction makes is all that is taken.
static bool OnlyLowBit(const std::vector<ExprInstr>& code, int32_t end,
                       int32_t pc) {
  if (pc + 1 >= end) return false;
  const ExprInstr& next = code[pc + 1];
  return next.kind == ExprInstr::Kind::kBinaryWith &&
         next.op == ExprOp::kBitAnd && next.value == 1;
}

// docs/all_sizes.md 3.7: (x ^ y) & 1 is (x & 1) ^ (y & 1); so these two are one
// step. By itself x ^ y is no number that is followed.
static Symbolic LowBitOfXor(FamilyArithmetic& arithmetic, const Symbolic& x,
                            const Symbolic& y) {
  const Symbolic one = Symbolic::Number(1);
  return arithmetic.Compute(ExprOp::kBitXor,
                            arithmetic.Compute(ExprOp::kBitAnd, x, one),
                            arithmetic.Compute(ExprOp::kBitAnd, y, one));
}

// An operator on one value. ~x & 1 is (x ^ 1) & 1.
static Symbolic Unary(FamilyArithmetic& arithmetic, const Symbolic& of,
                      const std::vector<ExprInstr>& code, int32_t end,
                      int32_t& pc) {
  if (code[pc].op != ExprOp::kBitNot || !OnlyLowBit(code, end, pc))
    return arithmetic.Unary(code[pc].op, of);
  ++pc;
  return LowBitOfXor(arithmetic, of, Symbolic::Number(1));
}

// An operator on two.
static Symbolic Binary(FamilyArithmetic& arithmetic, const Symbolic& a,
                       const Symbolic& b, const std::vector<ExprInstr>& code,
                       int32_t end, int32_t& pc) {
  if (code[pc].op != ExprOp::kBitXor || !OnlyLowBit(code, end, pc))
    return arithmetic.Compute(code[pc].op, a, b);
  ++pc;
  return LowBitOfXor(arithmetic, a, b);
}

Symbolic SymbolicState::Evaluate(int32_t begin, int32_t end, int32_t strand,
                                 const machine::Who& who) {
  using Kind = ExprInstr::Kind;
  absl::InlinedVector<Symbolic, 4> stack;
  auto push = [&](Symbolic v) { stack.push_back(std::move(v)); };
  auto pop = [&] {
    Symbolic top = std::move(stack.back());
    stack.pop_back();
    return top;
  };
  for (int32_t pc = begin; pc < end; ++pc) {
    const ExprInstr& i = code_.expr_code[pc];
    switch (i.kind) {
      case Kind::kPush:
        push(Symbolic::Number(i.value));
        break;
      case Kind::kSlot:
        push(Of(strand)[i.index]);
        break;
      case Kind::kBuiltin:
        push(Builtin(i.index, who));
        break;
      case Kind::kBool:
        push(arithmetic_.Truth(pop()));
        break;
      case Kind::kJump:
        pc += i.index - 1;
        break;
      case Kind::kJumpIfZero: {
        Symbolic condition = arithmetic_.Truth(pop());
        if (auto either = Either(pc, condition, strand, who)) {
          push(*std::move(either));
          pc += i.index - 1;
          pc += code_.expr_code[pc].index - 1;
          break;
        }
        if (!condition.known()) return Undecided(condition);
        if (*condition.known() == 0) pc += i.index - 1;
        break;
      }
      case Kind::kUnary:
        push(Unary(arithmetic_, pop(), code_.expr_code, end, pc));
        break;
      case Kind::kBinaryWith:
        push(Binary(arithmetic_, pop(), Symbolic::Number(i.value),
                    code_.expr_code, end, pc));
        break;
      case Kind::kBinary:
      case Kind::kCall: {
        Symbolic b = pop(), a = pop();
        push(i.kind == Kind::kCall
                 ? arithmetic_.Call(i.index, a, b)
                 : Binary(arithmetic_, a, b, code_.expr_code, end, pc));
        break;
      }
    }
  }
  return stack.back();
}

Symbolic SymbolicState::Builtin(int32_t which, const machine::Who& who) const {
  Polynomial value(who[static_cast<ir::Builtin>(which)]);
  auto in = [&](ir::Builtin first, int count) {
    int d = which - static_cast<int>(first);
    return d >= 0 && d < count ? d : -1;
  };
  if (int d = in(ir::Builtin::kGridX, 3); d >= 0) return family().grid[d];
  if (int d = in(ir::Builtin::kCtaX, 3); d >= 0)
    return Symbolic::Number(value + family().cta[d]);
  if (int d = in(ir::Builtin::kClusterIdX, 2); d >= 0) {
    auto more = family().cta[d].DividedBy(code_.bound.cluster[d]);
    return more ? Symbolic::Number(value + *more) : Symbolic::Unknown();
  }
  return Symbolic::Number(value);
}

}  // namespace tilesim::checkers::sizes::state
