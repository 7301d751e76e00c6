#include "checkers/sizes/symbolic_state.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "ir/eval.h"

namespace tilesim::checkers::sizes {
namespace {

using ir::ExprOp;
using machine::ExprInstr;
using machine::Instr;

// The same number, with what is known of it.
Polynomial Rewritten(Polynomial number, const std::vector<Rewrite>& rewrites) {
  for (const Rewrite& r : rewrites) {
    const auto& [factor, unit] = *r.of.terms().begin();
    Polynomial::Terms terms = number.terms();
    for (const auto& [monomial, c] : terms) {
      bool has = std::includes(monomial.begin(), monomial.end(), factor.begin(),
                               factor.end());
      if (!has || c % unit != 0) continue;
      Polynomial::Monomial rest;
      std::set_difference(monomial.begin(), monomial.end(), factor.begin(),
                          factor.end(), std::back_inserter(rest));
      Polynomial times(c / unit);
      for (Symbol s : rest) times = times * Polynomial::Of(s);
      number += times * (r.by - r.of);
    }
  }
  return number;
}

}  // namespace

SymbolicState::SymbolicState(const machine::Code& code, Family family)
    : code_(code), family_(std::move(family)) {}

// Scalars other than parameters are unknown until they are set.
SymbolicState::Slots& SymbolicState::Of(int32_t strand) {
  if (strands_.size() <= static_cast<size_t>(strand))
    strands_.resize(strand + 1);
  Slots& slots = strands_[strand];
  if (!slots.empty() || code_.initial_slots.empty()) return slots;
  slots.assign(code_.initial_slots.size(), Symbolic::Unknown());
  for (const ir::Param& p : code_.kernel().params) {
    auto given = family_.params.find(p.slot);
    slots[p.slot] = given == family_.params.end()
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
  compared_.reset();
  at_ = instr.span;
  using Kind = Instr::Kind;
  auto is = [&](const machine::CompiledExpr& e) {
    return machine::Evaluate(code_, e, state.strands[strand].slots.data(), who);
  };
  switch (instr.kind) {
    case Kind::kSet: {
      Symbolic value = Evaluate(instr.expr, strand, who);
      Of(strand)[instr.a] = std::move(value);
      return;
    }
    case Kind::kForNext: {
      Symbolic step = Evaluate(instr.expr, strand, who);
      Symbolic& slot = Of(strand)[instr.a];
      slot = Apply(ExprOp::kAdd, slot, step);
      return;
    }
    case Kind::kForTest: {
      Symbolic high = Evaluate(instr.expr, strand, who);
      std::optional<int64_t> end = is(instr.expr);
      if (end) end = state.strands[strand].slots[instr.a] < *end;
      return Test(strand, state, instr,
                  Compute(ExprOp::kLt, Of(strand)[instr.a], high), end,
                  StepOf(strand, instr, who));
    }
    case Kind::kBranch: {
      std::optional<int64_t> holds = is(instr.expr);
      if (holds) holds = *holds != 0;
      return Test(strand, state, instr,
                  Truth(Evaluate(instr.expr, strand, who)), holds);
    }
    case Kind::kNarrow:
      for (int k = 0; k < instr.count; ++k) {
        const machine::CompiledScope& scope = code_.scopes[instr.a + k];
        for (const auto* e : {&scope.low, &scope.high})
          Test(strand, state, instr, Evaluate(*e, strand, who), is(*e));
      }
      return;
    default:
      return;
  }
}

// By what the loop goes on that a test may leave; 1 if it may be anything.
int64_t SymbolicState::StepOf(int32_t strand, const Instr& test,
                              const machine::Who& who) {
  const Instr& next = code_.instrs[test.b - 1];
  return Evaluate(next.expr, strand, who).known().value_or(1);
}

void SymbolicState::Test(int32_t strand, const machine::State& state,
                         const Instr& instr, const Symbolic& value,
                         std::optional<int64_t> is, int64_t step) {
  const machine::Strand& s = state.strands[strand];
  Guard guard{s.cta, s.threads.first_warp, s.pc, instr.span, compared_, {}, 1,
              step};
  if (value.unknown()) {
    guard.because = value.of;
    guard.by = value.by;
  }
  if (on_guard_) on_guard_(guard);
  Test(std::move(guard), value, is);
}

void SymbolicState::Test(Guard guard, const Symbolic& value,
                         std::optional<int64_t> is) {
  mistaken_ |= value.known() && is && *value.known() != *is;
  if (!value.known() && !undecided_) undecided_ = std::move(guard);
}

// A remainder is below what it is divided by.
Symbolic SymbolicState::Below(const Symbolic& index, const Symbolic& extent) {
  using Kind = Symbolic::Kind;
  if (std::optional<int64_t> known = index.known())
    return Compute(ExprOp::kLt, Symbolic::Number(*known), extent);
  if (index.kind != Kind::kRemainder && index.kind != Kind::kParity)
    return Compute(ExprOp::kLt, index, extent);
  int64_t most = index.kind == Kind::kParity ? 2 : index.by;
  auto numbers = NumberOf(extent);
  bool below = numbers && AtLeast0(*numbers - Polynomial(most)).value_or(false);
  return below ? Symbolic::Number(1) : Symbolic::Unknown(index.of, index.by);
}

Symbolic SymbolicState::Natural(const Symbolic& index) {
  using Kind = Symbolic::Kind;
  bool divided = index.kind == Kind::kRemainder ||
                 index.kind == Kind::kQuotient || index.kind == Kind::kParity;
  return divided ? Symbolic::Number(1)
                 : Compute(ExprOp::kGe, index, Symbolic::Number(0));
}

void SymbolicState::Inside(const machine::State& state, int32_t strand,
                           ir::Span span, const Symbolic& index,
                           const Symbolic& extent, bool is) {
  at_ = span;
  const machine::Strand& s = state.strands[strand];
  auto test = [&](const Symbolic& value) {
    Guard guard{s.cta, s.threads.first_warp, s.pc, span, compared_};
    guard.loop = false;
    if (value.unknown()) {
      guard.because = value.of;
      guard.by = value.by;
    }
    // Of two tests one may fail in this run.
    Test(std::move(guard), value,
         is ? std::optional<int64_t>(1) : std::nullopt);
  };
  compared_.reset();
  test(Natural(index));
  compared_.reset();
  test(Below(index, extent));
}

bool SymbolicState::NeverZero(const Polynomial& p) const {
  auto positive = [&](const auto& term) {
    return std::all_of(term.first.begin(), term.first.end(), [&](Symbol s) {
      return family_.positive.count(s) != 0;
    });
  };
  bool grows =
      p.Grows() && std::any_of(p.terms().begin(), p.terms().end(), positive);
  return grows || family_.facts.IsZero(p) == false;
}

// By 0 in some sizes: these are not like the others.
void SymbolicState::DividesBy(const Symbolic& b) {
  bool varies = b.kind == Symbolic::Kind::kNumber && !b.of.bad() &&
                !b.of.constant() && !NeverZero(b.of);
  if (!varies) return;
  compared_ = b.of;
  Undecided(b.of, 1);
}

// Whether what is executed or not from there on divides by what may be 0.
bool SymbolicState::Divides(int32_t begin, int32_t end) const {
  for (int32_t pc = begin; pc < end; ++pc) {
    const ExprInstr& i = code_.expr_code[pc];
    bool divides = i.kind == ExprInstr::Kind::kBinary &&
                   (i.op == ExprOp::kDiv || i.op == ExprOp::kRem);
    bool rounds_up = i.kind == ExprInstr::Kind::kCall &&
                     ir::Functions()[i.index].name == "cdiv";
    if (divides || rounds_up) return true;
  }
  return false;
}

// What an expression says is no number in some sizes.
void SymbolicState::Undecided(const Polynomial& because, int64_t by) {
  if (undecided_) return;
  Guard guard;
  guard.span = at_;
  guard.number = compared_;
  guard.because = because;
  guard.by = by;
  guard.loop = false;
  undecided_ = std::move(guard);
}

// Of a number that only facts say is never negative, and that varies by
// multiples of the divisor.
std::optional<Symbolic> SymbolicState::Divided(ExprOp op, const Symbolic& a,
                                               const Symbolic& b) const {
  std::optional<int64_t> by = b.known();
  bool divides = op == ExprOp::kDiv || op == ExprOp::kRem;
  if (!divides || !by || *by <= 0 || a.kind != Symbolic::Kind::kNumber ||
      a.of.bad() || a.of.Grows() || !a.of.VariesByMultiplesOf(*by) ||
      !AtLeast0(a.of).value_or(false))
    return std::nullopt;
  int64_t rest = (a.of.base() % *by + *by) % *by;
  if (op == ExprOp::kRem) return Symbolic::Number(rest);
  auto quotient = (a.of - Polynomial(rest)).DividedBy(*by);
  return quotient ? std::optional(Symbolic::Number(*quotient)) : std::nullopt;
}

Symbolic SymbolicState::Compute(ExprOp op, const Symbolic& a,
                                const Symbolic& b) {
  if (op == ExprOp::kDiv || op == ExprOp::kRem) DividesBy(b);
  if (auto divided = Divided(op, a, b)) return *divided;
  std::optional<Polynomial> compared;
  Symbolic out = Apply(op, a, b, &compared);
  if (!compared) {
    bool unsaid = out.unknown() && unsaid_;
    return unsaid ? unsaid_(op, -1, a, b) : out;
  }
  compared_ = Rewritten(*compared, family_.known);
  if (!out.unknown()) return out;
  bool equality = op == ExprOp::kEq || op == ExprOp::kNe;
  std::optional<bool> truth =
      equality ? family_.facts.IsZero(Rewritten(*compared_, rewrites_))
               : AtLeast0(*compared_);
  if (!truth) return Symbolic::Unknown(*compared_);
  return Symbolic::Number(op == ExprOp::kNe ? !*truth : *truth);
}

// Whether it is not 0, as 1 or 0.
Symbolic SymbolicState::Truth(const Symbolic& condition) {
  if (condition.kind == Symbolic::Kind::kAtLeast0) {
    compared_ = Rewritten(condition.of, family_.known);
    std::optional<bool> truth = AtLeast0(*compared_);
    return truth ? Symbolic::Number(*truth) : Symbolic::Unknown(*compared_);
  }
  if (std::optional<int64_t> known = condition.known())
    return Symbolic::Number(*known != 0);
  return Compute(ExprOp::kNe, condition, Symbolic::Number(0));
}

std::optional<bool> SymbolicState::AtLeast0(const Polynomial& number) const {
  std::optional<bool> truth =
      family_.facts.AtLeast0(Rewritten(number, rewrites_));
  if (truth || rewrites_.empty()) return truth;
  // Facts are about numbers as they are without that.
  Facts facts = family_.facts;
  for (const Rewrite& r : rewrites_) facts.Add(r.of - r.by);
  return facts.AtLeast0(number);
}

Symbolic SymbolicState::Unary(ExprOp op, const Symbolic& a) {
  if (op == ExprOp::kBitNot) return Symbolic::Unknown();
  const Symbolic zero = Symbolic::Number(0);
  return op == ExprOp::kNot ? Compute(ExprOp::kEq, a, zero)
                            : Compute(ExprOp::kSub, zero, a);
}

Symbolic SymbolicState::Evaluate(const machine::CompiledExpr& expr,
                                 int32_t strand, const machine::Who& who) {
  if (expr.constant) return Symbolic::Number(expr.value);
  using Kind = ExprInstr::Kind;
  absl::InlinedVector<Symbolic, 4> stack;
  auto pop = [&] {
    Symbolic top = std::move(stack.back());
    stack.pop_back();
    return top;
  };
  for (int32_t pc = expr.begin; pc < expr.end; ++pc) {
    const ExprInstr& i = code_.expr_code[pc];
    switch (i.kind) {
      case Kind::kPush:
        stack.push_back(Symbolic::Number(i.value));
        break;
      case Kind::kSlot:
        stack.push_back(Of(strand)[i.index]);
        break;
      case Kind::kBuiltin:
        stack.push_back(Builtin(i.index, who));
        break;
      case Kind::kBool:
        stack.push_back(Truth(pop()));
        break;
      case Kind::kJump:
        pc += i.index - 1;
        break;
      case Kind::kJumpIfZero: {
        Symbolic condition = Truth(pop());
        if (condition.unknown()) {
          if (Divides(pc, expr.end)) Undecided(condition.of, condition.by);
          return condition;
        }
        if (*condition.known() == 0) pc += i.index - 1;
        break;
      }
      case Kind::kUnary:
        stack.push_back(Unary(i.op, pop()));
        break;
      case Kind::kBinary: {
        Symbolic b = pop(), a = pop();
        stack.push_back(Compute(i.op, a, b));
        break;
      }
      case Kind::kBinaryWith:
        stack.push_back(Compute(i.op, pop(), Symbolic::Number(i.value)));
        break;
      case Kind::kCall: {
        Symbolic b = pop(), a = pop();
        stack.push_back(Call(i.index, a, b));
        break;
      }
    }
  }
  return stack.back();
}

// min, max, cdiv.
Symbolic SymbolicState::Call(int32_t function, const Symbolic& a,
                             const Symbolic& b) {
  const ir::Function& f = ir::Functions()[function];
  if (f.name == "cdiv") DividesBy(b);
  std::optional<int64_t> x = a.known(), y = b.known();
  if (x && y) {
    std::optional<int64_t> v = f.apply(*x, *y);
    return v ? Symbolic::Number(*v) : Symbolic::Unknown();
  }
  if (f.name == "cdiv" && y && *y > 0) {
    Symbolic up = Compute(ExprOp::kAdd, a, Symbolic::Number(*y - 1));
    return Compute(ExprOp::kDiv, up, b);
  }
  auto unsaid = [&](const Symbolic& unknown) {
    return unsaid_ ? unsaid_(ExprOp::kNone, function, a, b) : unknown;
  };
  if (f.name != "min" && f.name != "max") return unsaid(Symbolic::Unknown());
  Symbolic compared = Compute(ExprOp::kLe, a, b);
  std::optional<int64_t> less = compared.known();
  if (!less) return unsaid(compared);
  return (*less != 0) == (f.name == "min") ? a : b;
}

Symbolic SymbolicState::Builtin(int32_t which, const machine::Who& who) const {
  Polynomial value(who[static_cast<ir::Builtin>(which)]);
  auto in = [&](ir::Builtin first, int count) {
    int d = which - static_cast<int>(first);
    return d >= 0 && d < count ? d : -1;
  };
  if (int d = in(ir::Builtin::kGridX, 3); d >= 0) return family_.grid[d];
  if (int d = in(ir::Builtin::kCtaX, 3); d >= 0)
    return Symbolic::Number(value + family_.cta[d]);
  if (int d = in(ir::Builtin::kClusterIdX, 2); d >= 0) {
    auto more = family_.cta[d].DividedBy(code_.bound.cluster[d]);
    return more ? Symbolic::Number(value + *more) : Symbolic::Unknown();
  }
  return Symbolic::Number(value);
}

void SymbolicState::SetLets() {
  machine::Cta nowhere;
  machine::Who nobody(code_.bound, nowhere, 0);
  machine::State none;
  for (const Instr& i : code_.instrs) {
    if (i.kind != Instr::Kind::kSet) break;
    Control(none, 0, i, nobody);
  }
}

Symbolic SymbolicState::Evaluate(const ir::Expr& text) {
  auto arg = [&](size_t i) { return Evaluate(text.args[i]); };
  switch (text.kind) {
    case ir::ExprKind::kInt:
      return Symbolic::Number(text.value);
    case ir::ExprKind::kName:
      if (text.name_kind == ir::NameKind::kConst)
        return Symbolic::Number(code_.bound.slots[text.slot]->number);
      return text.name_kind == ir::NameKind::kParam ||
                     text.name_kind == ir::NameKind::kLet
                 ? Of(0)[text.slot]
                 : Symbolic::Unknown();
    case ir::ExprKind::kBinary:
      return Compute(text.op, arg(0), arg(1));
    default:
      return Symbolic::Unknown();
  }
}

std::array<Symbolic, 3> GridOf(const machine::Code& code, Family family) {
  std::vector<Rewrite> known = family.known;
  family.grid.fill(Symbolic::Unknown());
  SymbolicState shadow(code, std::move(family));
  shadow.SetLets();
  machine::Cta nowhere;
  machine::Who nobody(code.bound, nowhere, 0);
  std::array<Symbolic, 3> out;
  for (int d = 0; d < 3; ++d) {
    out[d] = shadow.Evaluate(code.grid[d], 0, nobody);
    if (out[d].kind == Symbolic::Kind::kNumber)
      out[d].of = Rewritten(std::move(out[d].of), known);
  }
  return out;
}

std::map<int32_t, std::vector<Symbolic>> ShapesOf(const machine::Code& code,
                                                  Family family) {
  SymbolicState shadow(code, std::move(family));
  shadow.SetLets();
  std::map<int32_t, std::vector<Symbolic>> out;
  for (const machine::CompiledOp& op : code.ops) {
    for (size_t i = 0; i < op.operands.size(); ++i) {
      if (!NamesElement(code, op, i)) continue;
      int32_t decl = op.operands[i].fixed.tile.decl;
      auto [shape, fresh] = out.try_emplace(decl);
      if (!fresh) continue;
      for (const ir::Expr& extent : code.kernel().decls[decl].shape)
        shape->second.push_back(shadow.Evaluate(extent));
    }
  }
  return out;
}

bool NamesElement(const machine::Code& code, const machine::CompiledOp& op,
                  size_t operand) {
  const machine::CompiledOperand& c = op.operands[operand];
  return op.op->info->operands[operand].element &&
         c.kind == ir::OperandValue::Kind::kTile &&
         code.bound.decls[c.fixed.tile.decl].space == ir::Space::kGlobal;
}

}  // namespace tilesim::checkers::sizes
