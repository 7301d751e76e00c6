// Between which numbers a kernel's scalars lie, as far as that follows from the
// text: where a parameter has no highest value, up to the one it is bound to.
#ifndef TILESIM_HWTESTS_EMIT_RANGES_H_
#define TILESIM_HWTESTS_EMIT_RANGES_H_

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "hwtests/emit/counted.h"
#include "ir/bind.h"
#include "ir/program.h"

namespace tilesim::hwtests {

// Its result is 0 or 1, whatever it is of.
bool IsTruth(ir::ExprOp op);

class Ranges {
 public:
  // `written`: the global tensors that some kernel writes.
  Ranges(const ir::BoundKernel& bound, const std::set<std::string>& written);

  // nullopt: not known.
  std::optional<Range> Of(const ir::Expr& expr) const;
  // An integer that need not lie in 32 bits.
  bool LeavesInt(const ir::Expr& expr) const;
  // The same of a variable that an op sets.
  bool LeavesInt(int32_t slot) const;

  // By slot, what a scalar is set to: of a loop counter, its first and its last
  // value.
  using Values = std::map<int32_t, std::vector<const ir::Expr*>>;
  const Values& values() const { return values_; }
  bool IsCounter(int32_t slot) const { return counters_.count(slot) != 0; }
  // Of a counter; nullptr: 1.
  const ir::Expr* StepOf(int32_t slot) const { return counters_.at(slot); }
  bool IsSetByOp(int32_t slot) const { return of_ops_.count(slot) != 0; }

 private:
  void Visit(const ir::Block& block, bool sometimes);
  void VisitOp(const ir::Op& op);
  std::optional<Range> RangeOfOp(const ir::Op& op);
  void MarkFloats(const ir::Op& op);
  void FindFloats();
  bool IsFloat(const ir::Expr& expr) const;
  std::optional<Range> OfName(const ir::Expr& expr) const;
  std::optional<Range> OfSlot(int32_t slot) const;
  std::optional<Range> OfScalar(int32_t slot) const;
  std::optional<Range> BytesOf(std::string_view name) const;
  std::optional<Range> OfBuiltin(ir::Builtin builtin) const;
  std::optional<Range> OfBinary(const ir::Expr& expr) const;
  std::optional<Range> OfCall(const ir::Expr& expr) const;

  const ir::BoundKernel& bound_;
  const std::set<std::string>& written_;
  Values values_;
  Settings settings_;
  std::vector<const ir::Stmt*> loops_;           // around what is visited
  std::map<int32_t, const ir::Expr*> counters_;  // their steps
  // Set by an op; to what, where that is known of all that set it.
  std::map<int32_t, std::optional<Range>> of_ops_;
  std::set<int32_t> floats_;  // slots
  mutable std::map<int32_t, std::optional<Range>> known_;
  // Being worked out, and what was not known because of that.
  mutable std::set<int32_t> active_, unknown_;
};

}  // namespace tilesim::hwtests

#endif  // TILESIM_HWTESTS_EMIT_RANGES_H_
