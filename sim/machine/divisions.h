// Divisions that the compiled kernel makes: by numbers that are known only when
// it is launched. By a constant it multiplies and shifts.
#ifndef TILESIM_SIM_MACHINE_DIVISIONS_H_
#define TILESIM_SIM_MACHINE_DIVISIONS_H_

#include <functional>
#include <set>
#include <string>

#include "ir/program.h"

namespace tilesim::machine {

class Divisions {
 public:
  // Whether the text alone says what an expression is.
  using IsConstant = std::function<bool(const ir::Expr&)>;
  explicit Divisions(IsConstant is_constant)
      : is_constant_(std::move(is_constant)) {}

  // Those of an expression that the code has not made on its way to it. A
  // quotient and its remainder are one.
  int Of(const ir::Expr& e);

  // What was divided is known from here on no longer.
  void Forget() { made_.clear(); }

 private:
  IsConstant is_constant_;
  std::set<std::string> made_;
};

}  // namespace tilesim::machine

#endif  // TILESIM_SIM_MACHINE_DIVISIONS_H_
