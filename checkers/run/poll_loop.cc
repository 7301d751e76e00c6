#include "checkers/run/poll_loop.h"

#include <algorithm>

#include "checkers/run/words_used.h"

namespace tilesim::checkers::run {
namespace {

using machine::Instr;

bool Reads(const machine::Code& code, const machine::CompiledExpr& expr,
           int32_t slot) {
  if (expr.constant) return false;
  return std::any_of(
      code.expr_code.begin() + expr.begin, code.expr_code.begin() + expr.end,
      [=](const machine::ExprInstr& e) {
        return e.kind == machine::ExprInstr::Kind::kSlot && e.index == slot;
      });
}

// Whether it asks for one word as long as it sets nothing but the scalar.
bool AsksForOne(const machine::Code& code, const machine::CompiledOp& op,
                int32_t slot) {
  return std::none_of(
      op.operands.begin(), op.operands.end(), [&](const auto& o) {
        return std::any_of(
            o.starts.begin(), o.starts.end(),
            [&](const auto& s) { return Reads(code, s.expr, slot); });
      });
}

}  // namespace

std::optional<PollLoop> PollLoopOf(const machine::Code& code, int32_t op) {
  const int32_t slot = ScalarSetBy(code.ops[op]);
  const std::vector<Instr>& all = code.instrs;
  for (size_t pc = 1; slot >= 0 && pc + 1 < all.size(); ++pc) {
    if (all[pc].kind != Instr::Kind::kOp || all[pc].a != op) continue;
    const Instr &test = all[pc - 1], &back = all[pc + 1];
    auto at = static_cast<int32_t>(pc);
    const bool alone = test.kind == Instr::Kind::kBranch && test.b == at + 2 &&
                       back.kind == Instr::Kind::kJump && back.b == at - 1;
    if (alone && AsksForOne(code, code.ops[op], slot))
      return PollLoop{slot, &test.expr};
    return std::nullopt;
  }
  return std::nullopt;
}

}  // namespace tilesim::checkers::run
