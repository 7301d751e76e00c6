// Instructions on bits.
#include <algorithm>
#include <bit>

#include "ptx/scalar/form.h"

namespace tilesim::ptx::scalar {
namespace {

constexpr uint64_t kNotFound = 0xffffffff;

// A count of positions: beyond 32 (wrapped: of a 32-bit register) at most 32.
int Count(const ScalarOp& op, uint64_t word) {
  return static_cast<int>(op.clamp ? std::min<uint64_t>(word, 32) : word & 31);
}

// A position or a length in a register: its low byte, as the manual says; but
// where the register has 64 bits, an H200 takes the whole word.
int Place(const ScalarOp& op, uint64_t word) {
  const uint64_t bits = static_cast<uint64_t>(BitsOf(op.type));
  return static_cast<int>(bits == 64 ? std::min(word, bits) : word & 0xff);
}

uint64_t Lop3Of(uint64_t a, uint64_t b, uint64_t c, uint64_t table) {
  uint64_t out = 0;
  for (int i = 0; i < 8; ++i) {
    if (((table >> i) & 1) == 0) continue;
    out |= (i & 4 ? a : ~a) & (i & 2 ? b : ~b) & (i & 1 ? c : ~c);
  }
  return out;
}

// The bytes that prmt's modes choose, by the low two bits of the selector.
// Lowest nibble first, as the general form's selector.
constexpr uint16_t kPermutations[6][4] = {
    {0x3210, 0x4321, 0x5432, 0x6543},  // f4e
    {0x5670, 0x6701, 0x7012, 0x0123},  // b4e
    {0x0000, 0x1111, 0x2222, 0x3333},  // rc8
    {0x3210, 0x3211, 0x3222, 0x3333},  // ecl
    {0x0000, 0x1110, 0x2210, 0x3210},  // ecr
    {0x1010, 0x3232, 0x1010, 0x3232},  // rc16
};

}  // namespace

Words And(const ScalarOp&, const Words& in) { return {in[0] & in[1]}; }
Words Or(const ScalarOp&, const Words& in) { return {in[0] | in[1]}; }
Words Xor(const ScalarOp&, const Words& in) { return {in[0] ^ in[1]}; }
Words Not(const ScalarOp&, const Words& in) { return {~in[0]}; }
Words LogicalNot(const ScalarOp&, const Words& in) { return {in[0] == 0}; }

Words Lop3(const ScalarOp& op, const Words& in) {
  const uint64_t result = ZeroExtend(Lop3Of(in[0], in[1], in[2], in[3]), 32);
  const bool some = result != 0;
  const bool other = in[4] != 0;
  const bool p =
      op.combination == Combination::kOr ? some || other : some && other;
  return {result, p};
}

Words ShiftLeft(const ScalarOp& op, const Words& in) {
  const auto bits = static_cast<uint64_t>(BitsOf(op.type));
  return {in[1] >= bits ? 0 : in[0] << in[1]};
}

// Inputs are extended by their sign, if they have one, to 64 bits.
Words ShiftRight(const ScalarOp& op, const Words& in) {
  const auto bits = static_cast<uint64_t>(BitsOf(op.type));
  if (IsSigned(op.type)) {
    const auto value = static_cast<int64_t>(in[0]);
    return {static_cast<uint64_t>(value >> std::min(in[1], bits - 1))};
  }
  return {in[1] >= bits ? 0 : in[0] >> in[1]};
}

Words FunnelLeft(const ScalarOp& op, const Words& in) {
  const uint64_t both = in[1] << 32 | in[0];
  return {(both << Count(op, in[2])) >> 32};
}

Words FunnelRight(const ScalarOp& op, const Words& in) {
  const uint64_t both = in[1] << 32 | in[0];
  return {both >> Count(op, in[2])};
}

// Beyond the top, bits are those of the sign.
Words ExtractField(const ScalarOp& op, const Words& in) {
  const int bits = BitsOf(op.type);
  const int position = Place(op, in[1]), length = Place(op, in[2]);
  if (length == 0) return {0};
  const uint64_t value = ZeroExtend(in[0], bits);
  const uint64_t field =
      position >= bits ? 0 : ZeroExtend(value >> position, length);
  if (!IsSigned(op.type)) return {field};
  const int top = std::min(position + length - 1, bits - 1);
  const int kept = std::clamp(bits - position, 0, length);
  if (((value >> top) & 1) == 0) return {field};
  return {field | (kept >= 64 ? 0 : ~uint64_t{0} << kept)};
}

Words InsertField(const ScalarOp& op, const Words& in) {
  const int bits = BitsOf(op.type);
  const int position = Place(op, in[2]), length = Place(op, in[3]);
  if (position >= bits) return {in[1]};
  const uint64_t mask = MaskOf(length) << position;
  return {(in[1] & ~mask) | ((in[0] << position) & mask)};
}

// The highest bit that is unlike the sign.
Words FindBit(const ScalarOp& op, const Words& in) {
  const int bits = BitsOf(op.type);
  const bool negative = IsSigned(op.type) && static_cast<int64_t>(in[0]) < 0;
  const uint64_t value = ZeroExtend(negative ? ~in[0] : in[0], bits);
  if (value == 0) return {kNotFound};
  const int position = 63 - std::countl_zero(value);
  return {
      static_cast<uint64_t>(op.shift_amount ? bits - 1 - position : position)};
}

Words Reverse(const ScalarOp& op, const Words& in) {
  uint64_t out = 0;
  for (int i = 0, bits = BitsOf(op.type); i < bits; ++i)
    out |= ((in[0] >> i) & 1) << (bits - 1 - i);
  return {out};
}

Words CountOnes(const ScalarOp&, const Words& in) {
  return {static_cast<uint64_t>(std::popcount(in[0]))};
}

Words CountLeadingZeros(const ScalarOp& op, const Words& in) {
  const int above = 64 - BitsOf(op.type);
  return {static_cast<uint64_t>(std::countl_zero(in[0]) - above)};
}

// Ones from a position on, as many as b says.
Words BitMask(const ScalarOp& op, const Words& in) {
  const auto position =
      static_cast<int>(op.clamp ? std::min<uint64_t>(in[0], 32) : in[0] & 31);
  const auto width =
      static_cast<int>(op.clamp ? std::min<uint64_t>(in[1], 32) : in[1] & 31);
  return {ZeroExtend(MaskOf(width) << position, 32)};
}

// szext: the low bits of a, as many as b says, extended.
Words ExtendFrom(const ScalarOp& op, const Words& in) {
  const int width = Count(op, in[1]);
  if (width == 0) return {0};
  return {IsSigned(op.type) ? static_cast<uint64_t>(SignExtend(in[0], width))
                            : ZeroExtend(in[0], width)};
}

Words Permute(const ScalarOp& op, const Words& in) {
  const uint64_t bytes = in[1] << 32 | in[0];
  const uint64_t selector =
      op.mode == 0 ? in[2] : kPermutations[op.mode - 1][in[2] & 3];
  uint64_t out = 0;
  for (int i = 0; i < 4; ++i) {
    const uint64_t nibble = selector >> (4 * i);
    uint64_t byte = (bytes >> (8 * (nibble & 7))) & 0xff;
    if ((nibble & 8) != 0) byte = byte & 0x80 ? 0xff : 0;  // its sign
    out |= byte << (8 * i);
  }
  return {out};
}

}  // namespace tilesim::ptx::scalar
