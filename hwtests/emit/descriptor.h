// Shared-memory matrix descriptors and instruction descriptors, as bits.
//
//   WgmmaDescriptor(0x2000, {Swizzle::k128B, 16, 1024}) == 0x4000004000010200
//
// Units: addresses and offsets in bytes. Sources: hardware.md E.1 (wgmma), E.2
// and E.3 (tcgen05); PTX 9.7.15.5, 9.7.16.4.
#ifndef TILESIM_HWTESTS_EMIT_DESCRIPTOR_H_
#define TILESIM_HWTESTS_EMIT_DESCRIPTOR_H_

#include <cstdint>

#include "ir/types.h"

namespace tilesim::hwtests {

// How a matrix operand lies in shared memory. K-major with a swizzle: stride
// is from 8 rows to the next 8, leading is not used. MN-major with a swizzle:
// stride is from 8 k to the next 8, leading from panel to panel along MN.
struct MatrixLayout {
  ir::Swizzle swizzle = ir::Swizzle::kNone;
  int64_t leading = 16;
  int64_t stride = 0;
};

constexpr uint64_t OffsetField(int64_t bytes, int at) {
  return (static_cast<uint64_t>(bytes & 0x3ffff) >> 4) << at;
}

constexpr uint64_t WgmmaDescriptor(uint32_t address,
                                   const MatrixLayout& layout) {
  uint64_t mode = layout.swizzle == ir::Swizzle::k128B  ? 1
                  : layout.swizzle == ir::Swizzle::k64B ? 2
                  : layout.swizzle == ir::Swizzle::k32B ? 3
                                                        : 0;
  return OffsetField(address, 0) | OffsetField(layout.leading, 16) |
         OffsetField(layout.stride, 32) | mode << 62;
}

constexpr uint64_t Tcgen05Descriptor(uint32_t address,
                                     const MatrixLayout& layout) {
  uint64_t mode = layout.swizzle == ir::Swizzle::k128B  ? 2
                  : layout.swizzle == ir::Swizzle::k64B ? 4
                  : layout.swizzle == ir::Swizzle::k32B ? 6
                                                        : 0;
  return OffsetField(address, 0) | OffsetField(layout.leading, 16) |
         OffsetField(layout.stride, 32) | uint64_t{1} << 46 | mode << 61;
}

// The kind follows from the operand types (hardware.md B.2, E.3).
enum class Tcgen05Kind : uint8_t {
  kF16,
  kTf32,
  kF8f6f4,
  kI8,
  kMxf8f6f4,
  kMxf4,
  kMxf4nvf4,
};

struct InstructionShape {
  Tcgen05Kind kind = Tcgen05Kind::kF16;
  ir::DType a = ir::DType::kF16;
  ir::DType b = ir::DType::kF16;
  ir::DType d = ir::DType::kF32;
  int64_t m = 128;
  int64_t n = 128;
  bool a_mn_major = false;
  bool b_mn_major = false;
  bool scale_ue8m0 = true;  // block-scaled kinds: else ue4m3
};

constexpr uint32_t TypeCode(const InstructionShape& s, ir::DType t) {
  using ir::DType;
  switch (s.kind) {
    case Tcgen05Kind::kF16:
      return t == DType::kBF16 ? 1 : 0;
    case Tcgen05Kind::kTf32:
      return 2;
    case Tcgen05Kind::kI8:
      return t == DType::kS8 ? 1 : 0;
    case Tcgen05Kind::kMxf4:
    case Tcgen05Kind::kMxf4nvf4:
      return 1;
    default:
      break;
  }
  return t == DType::kE4M3   ? 0
         : t == DType::kE5M2 ? 1
         : t == DType::kE2M3 ? 3
         : t == DType::kE3M2 ? 4
                             : 5;
}

constexpr bool IsBlockScaled(Tcgen05Kind kind) {
  return kind == Tcgen05Kind::kMxf8f6f4 || kind == Tcgen05Kind::kMxf4 ||
         kind == Tcgen05Kind::kMxf4nvf4;
}

// Scale factor ids are 0: which of a column's scales an instruction uses is
// added by the code that issues it.
constexpr uint32_t InstructionDescriptor(const InstructionShape& s) {
  uint32_t bits = TypeCode(s, s.a) << 7 | TypeCode(s, s.b) << 10 |
                  static_cast<uint32_t>(s.a_mn_major) << 15 |
                  static_cast<uint32_t>(s.b_mn_major) << 16 |
                  static_cast<uint32_t>(s.n >> 3) << 17;
  if (IsBlockScaled(s.kind)) {
    return bits | static_cast<uint32_t>(s.scale_ue8m0) << 23 |
           static_cast<uint32_t>(s.m >> 7) << 27;
  }
  uint32_t d = s.d == ir::DType::kF16 ? 0 : s.d == ir::DType::kF32 ? 1 : 2;
  return bits | d << 4 | static_cast<uint32_t>(s.m >> 4) << 24;
}

}  // namespace tilesim::hwtests

#endif  // TILESIM_HWTESTS_EMIT_DESCRIPTOR_H_
