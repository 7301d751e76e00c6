// setp, set, testp.
#include <bit>
#include <cmath>
#include <compare>

#include "ptx/scalar/form.h"
#include "ptx/scalar/real.h"

namespace tilesim::ptx::scalar {
namespace {

// Of two values of a type: less, equal, greater, or unordered for a NaN.
std::partial_ordering Order(const ScalarOp& op, Type type, uint64_t a,
                            uint64_t b) {
  if (IsFloat(type)) return Load(op, type, a) <=> Load(op, type, b);
  if (IsSigned(type) && !op.as_unsigned)
    return static_cast<int64_t>(a) <=> static_cast<int64_t>(b);
  return ZeroExtend(a, BitsOf(type)) <=> ZeroExtend(b, BitsOf(type));
}

bool Holds(const ScalarOp& op, std::partial_ordering order) {
  const bool nan = order == std::partial_ordering::unordered;
  switch (op.comparison) {
    case Comparison::kNum:
      return !nan;
    case Comparison::kNan:
      return nan;
    case Comparison::kEq:
      return nan ? op.unordered : order == 0;
    case Comparison::kNe:
      return nan ? op.unordered : order != 0;
    case Comparison::kLt:
      return nan ? op.unordered : order < 0;
    case Comparison::kLe:
      return nan ? op.unordered : order <= 0;
    case Comparison::kGt:
      return nan ? op.unordered : order > 0;
    case Comparison::kGe:
      return nan ? op.unordered : order >= 0;
  }
  return false;
}

bool Combined(const ScalarOp& op, bool holds, uint64_t other) {
  switch (op.combination) {
    case Combination::kAnd:
      return holds && other != 0;
    case Combination::kOr:
      return holds || other != 0;
    case Combination::kXor:
      return holds != (other != 0);
    case Combination::kNone:
      return holds;
  }
  return holds;
}

}  // namespace

// q is the comparison's opposite, combined as p is.
Words SetPredicate(const ScalarOp& op, const Words& in) {
  const bool holds = Holds(op, Order(op, op.type, in[0], in[1]));
  return {Combined(op, holds, in[2]), Combined(op, !holds, in[2])};
}

// Of packed types p is the lower lane's, q the upper lane's.
Words SetPredicates(const ScalarOp& op, const Words& in) {
  const Type element = InfoOf(op.type).element;
  const bool low =
      Holds(op, Order(op, element, in[0] & 0xffff, in[1] & 0xffff));
  const bool high = Holds(op, Order(op, element, in[0] >> 16, in[1] >> 16));
  return {Combined(op, low, in[2]), Combined(op, high, in[2])};
}

Words Set(const ScalarOp& op, const Words& in) {
  const bool holds =
      Combined(op, Holds(op, Order(op, op.source, in[0], in[1])), in[2]);
  if (op.type == Type::kF32)
    return {std::bit_cast<uint32_t>(holds ? 1.f : 0.f)};
  return {holds ? ~uint64_t{0} : 0};
}

Words TestProperty(const ScalarOp& op, const Words& in) {
  const double value = Load(op, op.type, in[0]);
  const bool subnormal = IsSubnormal(op.type, in[0]);
  const bool holds[] = {
      std::isfinite(value),
      std::isinf(value),
      !std::isnan(value),
      std::isnan(value),
      std::isfinite(value) && !subnormal,
      subnormal,
  };
  return {holds[op.mode - 1]};
}

}  // namespace tilesim::ptx::scalar
