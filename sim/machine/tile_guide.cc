#include "sim/machine/tile_guide.h"

#include <algorithm>
#include <optional>
#include <string>

#include "ir/cat.h"
#include "sim/machine/idle_loop.h"
#include "sim/machine/machine.h"
#include "sim/machine/no_value.h"

namespace tilesim::machine {
namespace {

// Control instructions executed between two ops before a strand is not followed
// any further, and before it is asked whether it goes round for ever.
constexpr int kControlLimit = 1 << 25, kLookFrom = 1 << 12;

void Widen(Strand& s) {
  s.threads.lanes = s.frames.back().lanes;
  s.threads.electors = s.frames.back().electors;
  s.role = s.frames.back().role;
  s.frames.pop_back();
  ++s.pc;
}

// Whether it may have warps of the strand, as far as constants tell.
bool MayHave(const CompiledScope& scope, const Strand& s) {
  if (!scope.low.constant || !scope.high.constant) return true;
  const int64_t low = scope.low.value;
  const int first = s.threads.first_warp;
  return (WarpsOf(scope.kind, low, EndOf(scope, low, scope.high.value)) &
          WarpsOf(ir::Scope::Kind::kWarps, first, first + s.threads.warps)) !=
         0;
}

// Whether a strand may enter a scope.
bool MayEnter(const Code& code, const Strand& s, const Instr& narrow) {
  for (int k = 0; k < narrow.count;) {
    bool any = false;
    do {
      any |= MayHave(code.scopes[narrow.a + k], s);
    } while (++k < narrow.count && code.scopes[narrow.a + k].also);
    if (!any) return false;
  }
  return true;
}

// Which way a strand takes at a branch, if who it is decides that.
std::optional<bool> WayOf(const Code& code, const Who& who,
                          const Instr& branch) {
  const CompiledExpr& e = branch.expr;
  if (e.constant) return e.value != 0;
  bool by_scalars = std::any_of(
      code.expr_code.begin() + e.begin, code.expr_code.begin() + e.end,
      [](const ExprInstr& i) { return i.kind == ExprInstr::Kind::kSlot; });
  if (by_scalars) return std::nullopt;
  std::optional<int64_t> value = Evaluate(code, e, nullptr, who);
  if (!value) return std::nullopt;
  return *value != 0;
}

}  // namespace

// Of the innermost loop around an instruction.
ir::Span TileGuide::SpanOfLoop(int32_t pc) const {
  for (auto at = static_cast<size_t>(pc); at < code_.instrs.size(); ++at) {
    const Instr& i = code_.instrs[at];
    bool jumps =
        i.kind == Instr::Kind::kJump || i.kind == Instr::Kind::kForNext;
    if (jumps && i.b <= pc) return i.span;
  }
  return {};
}

bool TileGuide::Advance(Machine& machine, State& state, int32_t strand,
                        StepResult& result) const {
  ScalarObserver* observer = machine.observer();
  Who who = machine.WhoIs(state, state.strands[strand]);
  std::optional<IdleLoop> idle;
  for (; result.control < kControlLimit; ++result.control) {
    const Instr& i = code_.instrs[state.strands[strand].pc];
    if (i.kind == Instr::Kind::kOp) return true;
    if (result.control >= kLookFrom) {
      if (!idle) idle.emplace(code_);
      if (idle->Repeats(state.strands[strand])) {
        machine.ReportLoop(state, strand, SpanOfLoop(state.strands[strand].pc),
                           result);
        return false;
      }
    }
    if (i.expr.varies != Varies::kUniform) {
      machine.SplitForVaries(state, strand, i.expr.varies, result);
      who = machine.WhoIs(state, state.strands[strand]);
    }
    if (observer != nullptr) observer->Control(state, strand, i, who);
    result.tests += i.tests;
    result.divisions += i.expr.divisions;
    switch (i.kind) {
      case Instr::Kind::kExit:
        machine.Exit(state, strand, result);
        return false;
      case Instr::Kind::kNarrow:
        Narrow(machine, state, strand, i, result);
        who = machine.WhoIs(state, state.strands[strand]);
        break;
      case Instr::Kind::kWiden:
        Widen(state.strands[strand]);
        break;
      default:
        if (!RunScalar(i, who, state.strands[strand])) {
          ReportNoNumber(machine, state, strand, i);
          result.kind = StepResult::Kind::kFault;
          return false;
        }
    }
  }
  machine.AddNotFollowed(
      ir::Cat("line ", SpanOfLoop(state.strands[strand].pc).text_line(),
              ": a loop goes on for more than ", kControlLimit,
              " steps without an op: choose sizes at which it goes around "
              "less often (-D), or write what it leaves without a loop"));
  result.kind = StepResult::Kind::kFault;
  return false;
}

void TileGuide::ReportNoNumber(Machine& machine, const State& state,
                               int32_t strand, const Instr& i) const {
  const Strand& s = state.strands[strand];
  if (ReadsNoValue(code_, i.expr, s.slots.data())) {
    return machine.Report(
        state, s.cta, nullptr, "clc/refused",
        ir::Cat("what is decided on line ", i.span.text_line(),
                " is the place in an answer that refuses"),
        std::string(kRefusedHelp));
  }
  const auto step =
      i.kind == Instr::Kind::kForNext
          ? ValueOf(code_, i.expr, s.slots.data(), machine.WhoIs(state, s))
          : std::nullopt;
  if (step && *step <= 0) {
    return machine.ReportAt(state, s.cta, i.span, "type/step",
                            ir::Cat("a step of ", *step,
                                    " never reaches the end of the loop on "
                                    "line ",
                                    i.span.text_line()),
                            "");
  }
  machine.ReportAt(state, s.cta, i.span, "type/overflow",
                   ir::Cat("an expression on line ", i.span.text_line(),
                           " divides by zero or does not fit in 64 bits"),
                   "");
}

// Assignments, loops and branches. False: the expression has no value.
bool TileGuide::RunScalar(const Instr& i, const Who& who, Strand& s) const {
  if (i.kind == Instr::Kind::kJump) {
    s.pc = i.b;
    return true;
  }
  std::optional<int64_t> value = ValueOf(code_, i.expr, s.slots.data(), who);
  bool copies = !value && i.kind == Instr::Kind::kSet &&
                ReadsNoValue(code_, i.expr, s.slots.data());
  if (copies) value = Strand::kNoValue;
  if (!value) return false;
  switch (i.kind) {
    case Instr::Kind::kSet:
      s.slots[i.a] = *value;
      ++s.pc;
      break;
    case Instr::Kind::kForTest:
      s.pc = s.slots[i.a] < *value ? s.pc + 1 : i.b;
      break;
    case Instr::Kind::kForNext:
      if (*value <= 0 ||
          __builtin_add_overflow(s.slots[i.a], *value, &s.slots[i.a]))
        return false;
      s.pc = i.b;
      break;
    default:  // kBranch
      s.pc = *value != 0 ? s.pc + 1 : i.b;
  }
  return true;
}

void TileGuide::Returned(Strand& strand, const ir::ConcreteOp& concrete,
                         int operand, int64_t value) const {
  strand.slots[concrete.operands[operand].slot] = value;
}

void TileGuide::AppendLive(const Strand& strand, int /*warp*/,
                           std::vector<int64_t>& out) const {
  for (int16_t slot : code_.live[strand.pc]) out.push_back(strand.slots[slot]);
}

bool TileGuide::MayJoin(const Strand& a, const Strand& b) const {
  return std::all_of(
      code_.live[a.pc].begin(), code_.live[a.pc].end(),
      [&](int16_t slot) { return a.slots[slot] == b.slots[slot]; });
}

// Where they are forced to, the scalars of one alone are kept.
void TileGuide::Join(Machine& machine, const State& /*state*/, Strand& strand,
                     const Strand& other, bool forced) const {
  if (!forced) return;
  const Instr& op = code_.instrs[strand.pc];
  for (int16_t slot : code_.live[strand.pc]) {
    if (strand.slots[slot] == other.slots[slot]) continue;
    const auto& names = code_.kernel().slot_names;
    bool named = static_cast<size_t>(slot) < names.size();
    machine.AddLimit(ir::Cat("on line ", op.span.text_line(),
                             " the warps of a warpgroup have different ",
                             "values of ",
                             named ? names[slot] : "a bound of a loop",
                             ", of which only one is followed"));
  }
}

void TileGuide::WaysOn(const Machine& machine, const State& state,
                       const Strand& s, int32_t pc,
                       std::vector<int32_t>& out) const {
  using Kind = Instr::Kind;
  const Instr& i = code_.instrs[pc];
  bool jumps = i.kind == Kind::kJump || i.kind == Kind::kForNext;
  bool forks = i.kind == Kind::kForTest || i.kind == Kind::kBranch ||
               i.kind == Kind::kNarrow;
  std::optional<bool> way;
  if (i.kind == Kind::kBranch) way = WayOf(code_, machine.WhoIs(state, s), i);
  if (jumps || (forks && way != true)) out.push_back(i.b);
  bool enters = i.kind == Kind::kNarrow ? MayEnter(code_, s, i) : way != false;
  if (!jumps && i.kind != Kind::kExit && enters) out.push_back(pc + 1);
}

bool TileGuide::MayName(const CompiledOp& op, int operand, int32_t decl) const {
  const CompiledOperand& o = op.operands[operand];
  return o.kind == ir::OperandValue::Kind::kBarrier &&
         o.fixed.barrier.decl == decl;
}

}  // namespace tilesim::machine
