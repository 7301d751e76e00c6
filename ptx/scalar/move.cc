// Moves and selections.
#include <bit>

#include "ptx/scalar/form.h"

namespace tilesim::ptx::scalar {

Words Move(const ScalarOp&, const Words& in) { return in; }

// The first part is the lowest.
Words Pack(const ScalarOp& op, const Words& in) {
  const int bits = BitsOf(op.input_types[0]);
  if (bits >= 64) return in;  // b128 of two words
  uint64_t whole = 0;
  for (int i = 0; i < op.inputs; ++i) whole |= in[i] << (i * bits);
  return {whole};
}

Words Unpack(const ScalarOp& op, const Words& in) {
  const int bits = BitsOf(op.output_types[0]);
  if (BitsOf(op.type) <= 64) {
    Words parts{};
    for (int i = 0; i < op.outputs; ++i) parts[i] = in[0] >> (i * bits);
    return parts;
  }
  if (bits == 64) return in;
  return {in[0], in[0] >> 32, in[1], in[1] >> 32};
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
