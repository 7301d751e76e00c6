#include "hwtests/emit/descriptor.h"

#include "gtest/gtest.h"

namespace tilesim::hwtests {
namespace {

using ir::DType;
using ir::Swizzle;

// hardware.md E.2: "address 0x2000, 128B K-major". Its words leave LBO at 1
// (16 bytes), which a swizzled K-major layout does not use.
TEST(Descriptor, CheckedWordsOfE2) {
  constexpr MatrixLayout k{Swizzle::k128B, 16, 1024};
  EXPECT_EQ(WgmmaDescriptor(0x2000, k), 0x4000004000010200u);
  EXPECT_EQ(Tcgen05Descriptor(0x2000, k), 0x4000404000010200u);
}

TEST(Descriptor, SwizzleModesOfE1AndE2) {
  struct Row {
    Swizzle swizzle;
    uint64_t wgmma, tcgen05;
  };
  for (const Row& row : {Row{Swizzle::kNone, 0, 0}, Row{Swizzle::k128B, 1, 2},
                         Row{Swizzle::k64B, 2, 4}, Row{Swizzle::k32B, 3, 6}}) {
    MatrixLayout layout{row.swizzle, 16, 256};
    EXPECT_EQ(WgmmaDescriptor(0, layout) >> 62, row.wgmma);
    EXPECT_EQ(Tcgen05Descriptor(0, layout) >> 61, row.tcgen05);
  }
}

TEST(Descriptor, OffsetsAreInTheirFields) {
  MatrixLayout mn{Swizzle::k128B, 8192, 1024};
  uint64_t d = WgmmaDescriptor(0x3fff0, mn);
  EXPECT_EQ(d & 0x3fff, 0x3fffu);
  EXPECT_EQ(d >> 16 & 0x3fff, 8192u / 16);
  EXPECT_EQ(d >> 32 & 0x3fff, 1024u / 16);
}

// hardware.md E.3, "checked words".
TEST(InstructionDescriptor, CheckedWordsOfE3) {
  InstructionShape f16;
  EXPECT_EQ(InstructionDescriptor(f16), 0x08200010u);
  InstructionShape bf16{Tcgen05Kind::kF16,
                        DType::kBF16,
                        DType::kBF16,
                        DType::kF32,
                        256,
                        256,
                        false,
                        true};
  EXPECT_EQ(InstructionDescriptor(bf16), 0x10410490u);
  InstructionShape fp8{Tcgen05Kind::kF8f6f4, DType::kE4M3, DType::kE5M2,
                       DType::kF32,          64,           96};
  EXPECT_EQ(InstructionDescriptor(fp8), 0x04180410u);
}

}  // namespace
}  // namespace tilesim::hwtests
