// One operator on integers, as expressions have it everywhere. In a header
// because the machine works out several operands an op.
#ifndef TILESIM_IR_APPLY_H_
#define TILESIM_IR_APPLY_H_

#include <cstdint>
#include <limits>
#include <optional>

#include "ir/expr.h"

namespace tilesim::ir {
namespace apply_internal {

inline constexpr int64_t kMin = std::numeric_limits<int64_t>::min();

inline std::optional<int64_t> Div(int64_t a, int64_t b) {
  if (b == 0 || (a == kMin && b == -1)) return std::nullopt;
  return a / b;
}

inline std::optional<int64_t> Rem(int64_t a, int64_t b) {
  if (b == 0 || (a == kMin && b == -1)) return std::nullopt;
  return a % b;
}

inline std::optional<int64_t> Shift(int64_t a, int64_t b, bool left) {
  if (b < 0 || b > 62) return std::nullopt;
  if (!left) return a >> b;
  int64_t result;
  if (__builtin_mul_overflow(a, int64_t{1} << b, &result)) return std::nullopt;
  return result;
}

}  // namespace apply_internal

// nullopt on overflow or a zero divisor.
inline std::optional<int64_t> Apply(ExprOp op, int64_t a, int64_t b) {
  int64_t exact;
  switch (op) {
    case ExprOp::kMul:
      if (__builtin_mul_overflow(a, b, &exact)) break;
      return exact;
    case ExprOp::kAdd:
      if (__builtin_add_overflow(a, b, &exact)) break;
      return exact;
    case ExprOp::kSub:
      if (__builtin_sub_overflow(a, b, &exact)) break;
      return exact;
    case ExprOp::kDiv:
      return apply_internal::Div(a, b);
    case ExprOp::kRem:
      return apply_internal::Rem(a, b);
    case ExprOp::kShl:
      return apply_internal::Shift(a, b, true);
    case ExprOp::kShr:
      return apply_internal::Shift(a, b, false);
    case ExprOp::kLt:
      return a < b;
    case ExprOp::kLe:
      return a <= b;
    case ExprOp::kGt:
      return a > b;
    case ExprOp::kGe:
      return a >= b;
    case ExprOp::kEq:
      return a == b;
    case ExprOp::kNe:
      return a != b;
    case ExprOp::kBitAnd:
      return a & b;
    case ExprOp::kBitXor:
      return a ^ b;
    case ExprOp::kBitOr:
      return a | b;
    case ExprOp::kAnd:
      return a != 0 && b != 0;
    case ExprOp::kOr:
      return a != 0 || b != 0;
    case ExprOp::kNone:
    case ExprOp::kNeg:
    case ExprOp::kNot:
    case ExprOp::kBitNot:
      break;
  }
  return std::nullopt;
}

}  // namespace tilesim::ir

#endif  // TILESIM_IR_APPLY_H_
