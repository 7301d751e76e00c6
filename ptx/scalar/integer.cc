// Arithmetic on integers. Inputs are extended to 64 bits as their types say, so
// sums and low products need no cases.
#include <algorithm>

#include "ptx/scalar/form.h"

namespace tilesim::ptx::scalar {
namespace {

using Wide = __int128;
using UnsignedWide = unsigned __int128;

int64_t Signed(uint64_t word) { return static_cast<int64_t>(word); }
uint64_t Bits(int64_t value) { return static_cast<uint64_t>(value); }

// The value of a word of op.type.
Wide Value(const ScalarOp& op, uint64_t word) {
  return IsSigned(op.type) ? Wide{Signed(word)} : static_cast<Wide>(word);
}

int64_t Greatest(Type type) {
  return Signed(MaskOf(BitsOf(type) - (IsSigned(type) ? 1 : 0)));
}
int64_t Least(Type type) { return IsSigned(type) ? -Greatest(type) - 1 : 0; }

// Of types below 64 bits.
uint64_t Saturate(int64_t value, Type type) {
  return Bits(std::clamp(value, Least(type), Greatest(type)));
}

uint64_t HighProduct(const ScalarOp& op, uint64_t a, uint64_t b) {
  const int bits = BitsOf(op.type);
  if (bits < 64) return Bits(Signed(a * b) >> bits);
  if (IsSigned(op.type))
    return static_cast<uint64_t>((Wide{Signed(a)} * Signed(b)) >> 64);
  return static_cast<uint64_t>((UnsignedWide{a} * b) >> 64);
}

// Bits 16 to 47 of the product of 24-bit integers are mul24.hi.
uint64_t Product24(const ScalarOp& op, uint64_t a, uint64_t b) {
  auto low24 = [&](uint64_t word) {
    return IsSigned(op.type) ? Bits(SignExtend(word, 24))
                             : ZeroExtend(word, 24);
  };
  return low24(a) * low24(b);
}

// a + b + carry of the type's width, and the carry out.
Words SumWithCarry(const ScalarOp& op, uint64_t a, uint64_t b, uint64_t carry) {
  const int bits = BitsOf(op.type);
  const UnsignedWide sum =
      UnsignedWide{ZeroExtend(a, bits)} + ZeroExtend(b, bits) + carry;
  return {static_cast<uint64_t>(sum), static_cast<uint64_t>(sum >> bits) & 1};
}

// Each of four bytes, or two halves, of a 32-bit word.
uint64_t Part(uint64_t word, int index, int bits, Type sign) {
  const uint64_t part = word >> (index * bits);
  return IsSigned(sign) ? Bits(SignExtend(part, bits)) : ZeroExtend(part, bits);
}

}  // namespace

Words Add(const ScalarOp&, const Words& in) { return {in[0] + in[1]}; }

Words AddSaturated(const ScalarOp& op, const Words& in) {
  return {Saturate(Signed(in[0] + in[1]), op.type)};
}

Words AddCarry(const ScalarOp& op, const Words& in) {
  return SumWithCarry(op, in[0], in[1], op.inputs == 3 ? in[2] : 0);
}

Words Sub(const ScalarOp&, const Words& in) { return {in[0] - in[1]}; }

Words SubSaturated(const ScalarOp& op, const Words& in) {
  return {Saturate(Signed(in[0] - in[1]), op.type)};
}

// The flag is a borrow: a - b - borrow.
Words SubBorrow(const ScalarOp& op, const Words& in) {
  const uint64_t borrow = op.inputs == 3 ? in[2] : 0;
  Words out = SumWithCarry(op, in[0], ~in[1], 1 - borrow);
  out[1] ^= 1;
  return out;
}

Words Mul(const ScalarOp&, const Words& in) { return {in[0] * in[1]}; }
Words MulWide(const ScalarOp&, const Words& in) { return {in[0] * in[1]}; }

Words MulHigh(const ScalarOp& op, const Words& in) {
  return {HighProduct(op, in[0], in[1])};
}

Words Mul24(const ScalarOp& op, const Words& in) {
  return {Product24(op, in[0], in[1])};
}

Words Mul24High(const ScalarOp& op, const Words& in) {
  return {Product24(op, in[0], in[1]) >> 16};
}

Words Mad(const ScalarOp&, const Words& in) { return {in[0] * in[1] + in[2]}; }
Words MadWide(const ScalarOp&, const Words& in) {
  return {in[0] * in[1] + in[2]};
}

Words MadHigh(const ScalarOp& op, const Words& in) {
  return {HighProduct(op, in[0], in[1]) + in[2]};
}

Words MadHighSaturated(const ScalarOp& op, const Words& in) {
  const int64_t high = SignExtend(HighProduct(op, in[0], in[1]), 32);
  return {Saturate(high + Signed(in[2]), op.type)};
}

Words MadCarry(const ScalarOp& op, const Words& in) {
  return SumWithCarry(op, in[0] * in[1], in[2], op.inputs == 4 ? in[3] : 0);
}

Words MadHighCarry(const ScalarOp& op, const Words& in) {
  return SumWithCarry(op, HighProduct(op, in[0], in[1]), in[2],
                      op.inputs == 4 ? in[3] : 0);
}

Words Mad24(const ScalarOp& op, const Words& in) {
  return {Product24(op, in[0], in[1]) + in[2]};
}

Words Mad24High(const ScalarOp& op, const Words& in) {
  return {(Product24(op, in[0], in[1]) >> 16) + in[2]};
}

// sad: c + |a - b|.
Words AddDifference(const ScalarOp& op, const Words& in) {
  const bool less = Value(op, in[0]) < Value(op, in[1]);
  return {in[2] + (less ? in[1] - in[0] : in[0] - in[1])};
}

// By zero, quotient and rest have all bits set.
Words Div(const ScalarOp& op, const Words& in) {
  if (in[1] == 0) return {~uint64_t{0}};
  return {static_cast<uint64_t>(Value(op, in[0]) / Value(op, in[1]))};
}

Words Rem(const ScalarOp& op, const Words& in) {
  if (in[1] == 0) return {~uint64_t{0}};
  return {static_cast<uint64_t>(Value(op, in[0]) % Value(op, in[1]))};
}

Words Abs(const ScalarOp&, const Words& in) {
  return {Signed(in[0]) < 0 ? 0 - in[0] : in[0]};
}

Words Neg(const ScalarOp&, const Words& in) { return {0 - in[0]}; }

Words Min(const ScalarOp& op, const Words& in) {
  const bool first = Value(op, in[0]) < Value(op, in[1]);
  const uint64_t least = first ? in[0] : in[1];
  return {op.relu && Signed(least) < 0 ? 0 : least};
}

Words Max(const ScalarOp& op, const Words& in) {
  const bool first = Value(op, in[0]) > Value(op, in[1]);
  const uint64_t greatest = first ? in[0] : in[1];
  return {op.relu && Signed(greatest) < 0 ? 0 : greatest};
}

Words DotOfBytes(const ScalarOp& op, const Words& in) {
  uint64_t sum = in[2];
  for (int i = 0; i < 4; ++i)
    sum += Part(in[0], i, 8, op.type) * Part(in[1], i, 8, op.source);
  return {sum};
}

// The two halves of a by two bytes of b: the low or the high ones.
Words DotOfHalves(const ScalarOp& op, const Words& in) {
  uint64_t sum = in[2];
  for (int i = 0; i < 2; ++i) {
    const int byte = i + (op.high ? 2 : 0);
    sum += Part(in[0], i, 16, op.type) * Part(in[1], byte, 8, op.source);
  }
  return {sum};
}

}  // namespace tilesim::ptx::scalar
