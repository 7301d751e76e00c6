// What is known of a kernel's scalars before it runs: which are compile-time
// constants, which need 64 bits, what divides them.
#ifndef TILESIM_HWTESTS_EMIT_FACTS_H_
#define TILESIM_HWTESTS_EMIT_FACTS_H_

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include "hwtests/emit/ranges.h"
#include "hwtests/emit/signs.h"
#include "ir/bind.h"
#include "ir/program.h"

namespace tilesim::hwtests {

class Facts {
 public:
  Facts(const ir::BoundKernel& bound, const std::set<std::string>& written);

  // The value if it follows from constants alone.
  std::optional<int64_t> Constant(const ir::Expr& expr) const;
  std::optional<double> ConstantReal(const ir::Expr& expr) const;
  // The value with the parameters as bound.
  std::optional<int64_t> Bound(const ir::Expr& expr) const;

  // Which branch of an `if` constants choose; the other is not lowered.
  std::optional<bool> Taken(const ir::Stmt& stmt) const;

  // Known from constants alone: a constexpr of the lowered code.
  bool IsConstant(const ir::Expr& expr) const;
  bool IsConstantSlot(int32_t slot) const { return constant_[slot]; }
  bool IsWide(int32_t slot) const { return wide_.contains(slot); }
  // Has 64 bits where it is printed, as it is or by its operands.
  bool IsWide(const ir::Expr& expr) const { return WideExpr(expr); }
  // Its value may need more than 32 bits: it is worked out in 64.
  bool LeavesInt(const ir::Expr& expr) const { return ranges_.LeavesInt(expr); }
  // A shift that 32 bits are too few for, whatever its result is.
  bool ShiftsFar(const ir::Expr& expr) const;
  // Between which numbers it lies; nullopt: not known.
  std::optional<Range> RangeOf(const ir::Expr& expr) const {
    return ranges_.Of(expr);
  }
  bool IsVar(int32_t slot) const { return vars_.contains(slot); }
  int Uses(int32_t slot) const { return uses_[slot]; }

  // A number that divides every value of it, from parameter steps, constants
  // and the definitions of lets; 0 divides only 0, 1 is always right.
  int64_t Divisor(const ir::Expr& expr) const;
  bool NonNegative(const ir::Expr& expr) const;
  // Likewise, with more effort (signs.h).
  bool NeverNegative(const ir::Expr& expr) const {
    return signs_.NeverNegative(expr);
  }

  // What a `let` stands for, where that is the same wherever it is used.
  const ir::Expr& Meant(const ir::Expr& expr) const {
    return signs_.Meant(expr);
  }
  // Below what a counter that counts up stays, if it is one.
  const ir::Expr* EndOfCounter(int32_t slot) const;

  // The kernel-level definition of a let, or nullptr.
  const ir::Constant* Definition(int32_t slot) const;
  const ir::Param* ParamOf(int32_t slot) const;
  // Loop counters that `expr` depends on, lets of the body followed.
  void LoopsOf(const ir::Expr& expr, std::set<int32_t>* out, bool* other) const;

  const ir::BoundKernel& bound() const { return bound_; }

 private:
  void CountUses(const ir::Expr& expr);
  void CountOp(const ir::Op& op);
  void Visit(const ir::Block& block);
  bool StepsPast(const ir::Stmt& loop) const;
  void FindWide(const ir::Block& block, bool* changed);
  bool WideExpr(const ir::Expr& expr) const;
  int64_t DivisorOfName(const ir::Expr& expr) const;
  std::optional<ir::Value> Evaluate(
      const ir::Expr& expr,
      const std::vector<std::optional<ir::Value>>& slots) const;

  const ir::BoundKernel& bound_;
  Ranges ranges_;
  Signs signs_;
  std::vector<std::optional<ir::Value>> constants_;  // slots, without params
  std::vector<bool> constant_;
  std::vector<int> uses_;
  std::vector<const ir::Expr*> lets_;  // definitions of lets, body's too
  std::set<int32_t> exact_;            // exact_uses.h
  std::set<int32_t> wide_;
  std::set<int32_t> vars_;
  std::map<int32_t, const ir::Stmt*> loops_;
  std::set<int32_t> counting_;  // loop counters from a number >= 0 up
};

}  // namespace tilesim::hwtests

#endif  // TILESIM_HWTESTS_EMIT_FACTS_H_
