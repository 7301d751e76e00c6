// Scalars of a kernel as index arithmetic: parameters, constants, the place of
// a CTA in the grid, and what is known of each `var` at a point of the text.
#ifndef TILESIM_CHECKERS_GRID_SCALARS_H_
#define TILESIM_CHECKERS_GRID_SCALARS_H_

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "checkers/grid/terms.h"
#include "ir/bind.h"
#include "ir/expr.h"
#include "ir/program.h"
#include "sim/machine/code.h"

namespace tilesim::checkers::grid {

struct Accesses;

class Scalars {
 public:
  using Values = std::map<int32_t, Linear>;  // by slot

  // Fills in what `launch` says of the launch: parameters, grid, CTA.
  Scalars(Accesses& launch, const machine::Code& code,
          const ir::Overrides& fixed);

  Linear Value(const ir::Expr& e);
  Formula Condition(const ir::Expr& e);  // e != 0
  // Of threads that a scope lets pass: their warp.
  Formula Executes(const ir::Scope& scope);

  bool Has(int32_t slot) const { return values_.count(slot) != 0; }
  Linear Of(int32_t slot);  // anything, if nothing is known
  void Set(int32_t slot, Linear value) { values_[slot] = std::move(value); }
  void Forget(int32_t slot) { values_.erase(slot); }
  // Some number from `low` to `high`.
  void SetAny(int32_t slot, std::optional<int64_t> low,
              std::optional<int64_t> high);
  // Lets it be known of `a`, if it can be shown.
  void ShowAtLeast(const Linear& a, int64_t low);
  // False: of no CTA of any launch.
  bool MayHold(const Formula& f);
  // What it is in `then` where the condition holds, and as now elsewhere.
  void Join(int32_t slot, const Formula& condition, const Values& then);
  Values& values() { return values_; }

 private:
  void SetPlace();
  void SetParams(const ir::Overrides& fixed);
  void SetGrid();
  void SetLetsOfGrid();
  void SetLets();

  Linear Unknown();
  bool IsAtLeast(const Linear& a, int64_t low) const;
  Linear Divided(const Linear& a, const Linear& b, bool quotient);
  Linear Binary(const ir::Expr& e);
  Linear Bits(ir::ExprOp op, const Linear& a, const Linear& b);
  Linear BitByBit(ir::ExprOp op, const Linear& a, const Linear& b);
  Linear BothBits(const Linear& x, const Linear& y);
  Linear PowerOf2(int64_t first, const Linear& by);
  Linear Halved(const Linear& a, const Linear& by);
  Linear Called(const ir::Expr& e);
  Linear RoundedUp(const Linear& a, const Linear& b);

  Accesses& launch_;
  Terms& terms_;
  const machine::Code& code_;
  const ir::Kernel& kernel_;
  Values values_;
  std::map<ir::Builtin, Linear> builtins_;
};

}  // namespace tilesim::checkers::grid

#endif  // TILESIM_CHECKERS_GRID_SCALARS_H_
