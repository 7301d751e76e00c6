// Approximations: the exact result, rounded once. How far the hardware may be
// from that is in forms.def.
#include <cmath>

#include "ptx/scalar/form.h"
#include "ptx/scalar/real.h"

namespace tilesim::ptx::scalar {
namespace {

template <typename Function>
Words OfOne(const ScalarOp& op, const Words& in, Function function) {
  return {Store(op, op.type, function(Load(op, op.type, in[0])))};
}

}  // namespace

Words ReciprocalRoot(const ScalarOp& op, const Words& in) {
  return OfOne(op, in, [](double x) { return 1 / std::sqrt(x); });
}

Words Exp2(const ScalarOp& op, const Words& in) {
  return OfOne(op, in, [](double x) { return std::exp2(x); });
}

Words Log2(const ScalarOp& op, const Words& in) {
  return OfOne(op, in, [](double x) { return std::log2(x); });
}

Words Sine(const ScalarOp& op, const Words& in) {
  return OfOne(op, in, [](double x) { return std::sin(x); });
}

Words Cosine(const ScalarOp& op, const Words& in) {
  return OfOne(op, in, [](double x) { return std::cos(x); });
}

Words Tanh(const ScalarOp& op, const Words& in) {
  return OfOne(op, in, [](double x) { return std::tanh(x); });
}

// a times the reciprocal of b, which is 0 beyond 2^126.
Words DivApprox(const ScalarOp& op, const Words& in) {
  const double a = Load(op, op.type, in[0]), b = Load(op, op.type, in[1]);
  if (std::fabs(b) > 0x1p126 && std::isfinite(b))
    return {Store(op, op.type, a * std::copysign(0.0, b))};
  return {Store(op, op.type, Quotient(op, a, b))};
}

}  // namespace tilesim::ptx::scalar
