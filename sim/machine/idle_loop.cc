#include "sim/machine/idle_loop.h"

#include <algorithm>

namespace tilesim::machine {
namespace {

using Kind = Instr::Kind;

// What may have no value, so that the strand would stop there (sums and
// products only leave 64 bits, at some time).
bool MayHaveNone(const Code& code, const CompiledExpr& e) {
  return std::any_of(code.expr_code.begin() + e.begin,
                     code.expr_code.begin() + e.end, [](const ExprInstr& i) {
                       return i.op == ir::ExprOp::kDiv ||
                              i.op == ir::ExprOp::kRem ||
                              i.op == ir::ExprOp::kShl ||
                              i.op == ir::ExprOp::kShr ||
                              i.kind == ExprInstr::Kind::kCall;
                     });
}

}  // namespace

// Brent's search for a cycle: now and then a state is kept, and compared with
// those that follow, for twice as long each time. A counter that nothing in the
// cycle asks for does not end it: of the scalars only those are compared that
// decide where the instructions lead which were passed since. With these as
// they were the strand takes the same way again, after which they are again.
bool IdleLoop::Repeats(const Strand& strand) {
  if (kept_ && kept_->pc == strand.pc && SameAsKept(strand)) return true;
  if (steps_ == keep_) {
    kept_ = strand;
    passed_.assign(passed_.size(), false);
    keep_ = 2 * keep_ + 1;
  }
  if (!passed_[strand.pc]) {
    passed_[strand.pc] = true;
    found_deciding_ = false;
  }
  ++steps_;
  return false;
}

bool IdleLoop::SameAsKept(const Strand& strand) {
  if (!found_deciding_) FindDeciding();
  bool same = std::all_of(deciding_.begin(), deciding_.end(), [&](size_t s) {
    return strand.slots[s] == kept_->slots[s];
  });
  if (!same) return false;
  Strand others = strand;
  others.slots = kept_->slots;
  return others == *kept_;
}

void IdleLoop::Read(const CompiledExpr& expr, std::vector<bool>& slots) const {
  for (int32_t at = expr.begin; at < expr.end; ++at) {
    const ExprInstr& i = code_.expr_code[at];
    if (i.kind == ExprInstr::Kind::kSlot) slots[i.index] = true;
  }
}

// What branches that were passed read, and what that is made of.
void IdleLoop::FindDeciding() {
  std::vector<bool> slots(kept_->slots.size()), before;
  do {
    before = slots;
    for (size_t pc = 0; pc < passed_.size(); ++pc) {
      if (!passed_[pc]) continue;
      const Instr& i = code_.instrs[pc];
      const bool sets = i.kind == Kind::kSet || i.kind == Kind::kForNext;
      if (!sets || slots[i.a] || MayHaveNone(code_, i.expr))
        Read(i.expr, slots);
      if (i.kind == Kind::kForTest) slots[i.a] = true;
      if (i.kind != Kind::kNarrow) continue;
      for (int k = 0; k < i.count; ++k) {
        Read(code_.scopes[i.a + k].low, slots);
        Read(code_.scopes[i.a + k].high, slots);
      }
    }
  } while (before != slots);
  deciding_.clear();
  for (size_t s = 0; s < slots.size(); ++s) {
    if (slots[s]) deciding_.push_back(s);
  }
  found_deciding_ = true;
}

}  // namespace tilesim::machine
