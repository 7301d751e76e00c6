// Scalars of a kernel that are what sizes and the CTA's position in the grid
// make them, whatever happens in a run: `let`s of those and of each other.
#ifndef TILESIM_CHECKERS_RUN_GRID_SCALARS_H_
#define TILESIM_CHECKERS_RUN_GRID_SCALARS_H_

#include <vector>

#include "sim/machine/code.h"

namespace tilesim::checkers::run {

class GridScalars {
 public:
  explicit GridScalars(const machine::Code& code);

  // What sets them, one after the other.
  const std::vector<const machine::Instr*>& sets() const { return sets_; }
  // Whether an expression reads no other scalar, and is one for all threads.
  bool Fix(const machine::CompiledExpr& expr) const;

 private:
  const machine::Code& code_;
  std::vector<bool> varying_;  // by slot
  std::vector<const machine::Instr*> sets_;
};

}  // namespace tilesim::checkers::run

#endif  // TILESIM_CHECKERS_RUN_GRID_SCALARS_H_
