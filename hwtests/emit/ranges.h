// Between which numbers a kernel's scalars lie, as far as that follows from the
// text: where a parameter has no highest value, up to the one it is bound to.
#ifndef TILESIM_HWTESTS_EMIT_RANGES_H_
#define TILESIM_HWTESTS_EMIT_RANGES_H_

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include "ir/bind.h"
#include "ir/program.h"

namespace tilesim::hwtests {

// Both inclusive; what lies further out is cut off at 2 ^ 62.
struct Range {
  int64_t low = 0;
  int64_t high = 0;
};

class Ranges {
 public:
  explicit Ranges(const ir::BoundKernel& bound);

  // nullopt: not known, as of a variable that counts or comes from memory.
  std::optional<Range> Of(const ir::Expr& expr) const;
  // Known, and not in 32 bits.
  bool LeavesInt(const ir::Expr& expr) const;

  // By slot, what a scalar is set to: of a loop counter, its first and its last
  // value.
  using Values = std::map<int32_t, std::vector<const ir::Expr*>>;
  const Values& values() const { return values_; }
  bool IsCounter(int32_t slot) const { return counters_.count(slot) != 0; }
  bool IsSetByOp(int32_t slot) const { return of_ops_.count(slot) != 0; }

 private:
  void Visit(const ir::Block& block);
  void VisitOp(const ir::Op& op);
  std::optional<Range> OfName(const ir::Expr& expr) const;
  std::optional<Range> OfSlot(int32_t slot) const;
  std::optional<Range> OfBuiltin(ir::Builtin builtin) const;
  std::optional<Range> OfBinary(const ir::Expr& expr) const;
  std::optional<Range> OfCall(const ir::Expr& expr) const;

  const ir::BoundKernel& bound_;
  Values values_;
  std::set<int32_t> counters_;
  std::set<int32_t> of_ops_;  // set by an op
  // Worked out, or being worked out: then it depends on itself.
  mutable std::map<int32_t, std::optional<Range>> known_;
};

}  // namespace tilesim::hwtests

#endif  // TILESIM_HWTESTS_EMIT_RANGES_H_
