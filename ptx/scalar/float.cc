// Arithmetic on floats.
#include <bit>
#include <cmath>

#include "ptx/scalar/form.h"
#include "ptx/scalar/real.h"

namespace tilesim::ptx::scalar {
namespace {

double In(const ScalarOp& op, uint64_t bits) { return Load(op, op.type, bits); }
Words Out(const ScalarOp& op, double value) {
  return {Store(op, op.type, value)};
}

// -0 is less than +0.
bool Less(double x, double y) {
  if (x == 0 && y == 0) return std::signbit(x) && !std::signbit(y);
  return x < y;
}

// The least, or the greatest. A NaN counts only if all are, or .NaN says so.
double Extreme(const ScalarOp& op, double x, double y, bool greatest) {
  if (std::isnan(x) || std::isnan(y)) {
    if (op.nan || (std::isnan(x) && std::isnan(y))) return std::nan("");
    return std::isnan(x) ? y : x;
  }
  return Less(x, y) != greatest ? x : y;
}

Words ExtremeOfAll(const ScalarOp& op, const Words& in, bool greatest) {
  double result = 0;
  bool sign = false;
  for (int i = 0; i < op.inputs; ++i) {
    double x = In(op, in[i]);
    sign ^= SignOf(op.type, in[i]);  // of a NaN, too
    if (op.absolute) x = std::fabs(x);
    result = i == 0 ? x : Extreme(op, result, x, greatest);
  }
  if (op.xorsign && !std::isnan(result))
    result = std::copysign(result, sign ? -1.0 : 1.0);
  return Out(op, result);
}

}  // namespace

Words AddFloat(const ScalarOp& op, const Words& in) {
  return Out(op, Sum(op, In(op, in[0]), In(op, in[1])));
}

Words SubFloat(const ScalarOp& op, const Words& in) {
  return Out(op, Sum(op, In(op, in[0]), -In(op, in[1])));
}

Words MulFloat(const ScalarOp& op, const Words& in) {
  return Out(op, Product(op, In(op, in[0]), In(op, in[1])));
}

Words FmaFloat(const ScalarOp& op, const Words& in) {
  return Out(op, MultiplyAdd(op, In(op, in[0]), In(op, in[1]), In(op, in[2])));
}

Words DivFloat(const ScalarOp& op, const Words& in) {
  return Out(op, Quotient(op, In(op, in[0]), In(op, in[1])));
}

Words Reciprocal(const ScalarOp& op, const Words& in) {
  return Out(op, Quotient(op, 1.0, In(op, in[0])));
}

Words SquareRoot(const ScalarOp& op, const Words& in) {
  return Out(op, Root(op, In(op, in[0])));
}

Words NegFloat(const ScalarOp& op, const Words& in) {
  return Out(op, -In(op, in[0]));
}

Words AbsFloat(const ScalarOp& op, const Words& in) {
  return Out(op, std::fabs(In(op, in[0])));
}

Words MinFloat(const ScalarOp& op, const Words& in) {
  return ExtremeOfAll(op, in, false);
}

Words MaxFloat(const ScalarOp& op, const Words& in) {
  return ExtremeOfAll(op, in, true);
}

// The sign of a, the rest of b.
Words CopySign(const ScalarOp& op, const Words& in) {
  const uint64_t sign = uint64_t{1} << (BitsOf(op.type) - 1);
  return {(in[0] & sign) | (in[1] & ~sign)};
}

}  // namespace tilesim::ptx::scalar
