// Evaluation of constant expressions: everything known once parameters have
// values. The machine compiles run-time expressions itself; both use
// `Apply` (ir/apply.h), so that arithmetic means one thing.
#ifndef TILESIM_IR_EVAL_H_
#define TILESIM_IR_EVAL_H_

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "ir/code.h"
#include "ir/expr.h"

namespace tilesim::ir {

// An integer, or a float constant.
struct Value {
  bool is_float = false;
  int64_t number = 0;
  double real = 0;

  static Value Int(int64_t n) { return {false, n, static_cast<double>(n)}; }
  static Value Float(double d) { return {true, 0, d}; }
};

struct EvalError {
  Code code;  // type/overflow, type/division, type/not-constant
  std::string message;
  Span span;
};

// What names mean. Unknown slots make the expression not constant.
struct EvalEnv {
  std::span<const std::optional<Value>> slots;
  std::span<const std::optional<int64_t>> builtins;  // by Builtin
  // bytes(NAME): bytes of one object of a declaration, by its name.
  std::function<std::optional<int64_t>(std::string_view)> bytes_of;
};

// The value, or nullopt with `error` filled in.
std::optional<Value> Evaluate(const Expr& expr, const EvalEnv& env,
                              EvalError* error);

// min, max, cdiv.
struct Function {
  std::string_view name;
  int arity;
  std::optional<int64_t> (*apply)(int64_t, int64_t);
  std::string_view doc;
};
std::span<const Function> Functions();

}  // namespace tilesim::ir

#endif  // TILESIM_IR_EVAL_H_
