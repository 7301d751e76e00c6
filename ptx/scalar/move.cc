// Moves and selections.
#include <bit>

#include "ptx/scalar/form.h"

namespace tilesim::ptx::scalar {

Words Move(const ScalarOp&, const Words& in) { return in; }

// The first part is the lowest.
Words Pack(const ScalarOp& op, const Words& in) {
  const int bits = BitsOf(op.input_types[0]);
  Words whole{};
  for (int i = 0; i < op.inputs; ++i)
    whole[i * bits / 64] |= in[i] << (i * bits % 64);
  return whole;
}

Words Unpack(const ScalarOp& op, const Words& in) {
  const int bits = BitsOf(op.output_types[0]);
  Words parts{};
  for (int i = 0; i < op.outputs; ++i)
    parts[i] = in[i * bits / 64] >> (i * bits % 64);
  return parts;
}

Words Select(const ScalarOp&, const Words& in) {
  return {in[2] != 0 ? in[0] : in[1]};
}

// a if c is not below zero; -0 is not, NaN is.
Words SelectBySign(const ScalarOp& op, const Words& in) {
  if (op.source != Type::kF32)
    return {static_cast<int64_t>(in[2]) >= 0 ? in[0] : in[1]};
  const float c = std::bit_cast<float>(static_cast<uint32_t>(in[2]));
  const bool flushed = op.ftz && (in[2] & 0x7f800000) == 0;
  return {c >= 0 || flushed ? in[0] : in[1]};
}

}  // namespace tilesim::ptx::scalar
