// A launch for a family of sizes, before any thread runs: sizes, constants, and
// the kernel's lets of those.
#ifndef TILESIM_CHECKERS_SIZES_STATE_LAUNCH_H_
#define TILESIM_CHECKERS_SIZES_STATE_LAUNCH_H_

#include "checkers/sizes/state/symbolic_state.h"

namespace tilesim::checkers::sizes::state {

class Launch {
 public:
  Launch(const machine::Code& code, Family family);

  algebra::Symbolic Evaluate(const machine::CompiledExpr& expr) {
    return symbolic_.Evaluate(expr, 0, nobody_);
  }
  algebra::Symbolic Evaluate(const ir::Expr& text);
  TensorShape ShapeOf(const ir::Decl& tensor);

 private:
  algebra::Symbolic Selected(const ir::Expr& text);
  algebra::Symbolic Called(const ir::Expr& text);
  algebra::Symbolic Named(const ir::Expr& text);

  const machine::Code& code_;
  SymbolicState symbolic_;
  machine::Cta nowhere_;
  machine::Who nobody_{code_.bound, nowhere_, 0};
};

}  // namespace tilesim::checkers::sizes::state

#endif  // TILESIM_CHECKERS_SIZES_STATE_LAUNCH_H_
