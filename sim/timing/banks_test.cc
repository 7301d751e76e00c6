#include "sim/timing/banks.h"

#include "gtest/gtest.h"
#include "ir/banks.h"

namespace tilesim::timing {
namespace {

ir::TileValue Box(ir::Space space, int16_t decl, ir::DType dtype, int rows,
                  int cols) {
  ir::TileValue box;
  box.space = space;
  box.decl = decl;
  box.dtype = dtype;
  box.rank = 2;
  box.extent = {rows, cols};
  return box;
}

// A tile of registers to the left part of shared rows, `pitch` elements apart.
BankCycles BothOf(ir::DType dtype, ir::Fragment fragment, int rows, int cols,
                  int pitch, ir::Swizzle swizzle, bool matrices = false,
                  int vector = 1) {
  ir::BoundKernel bound;
  bound.decls.resize(2);
  ir::BoundDecl& shared = bound.decls[0];
  shared.rank = 2;
  shared.shape = {rows, pitch};
  shared.layout = {rows, pitch, static_cast<int>(values::BitsOf(dtype)),
                   swizzle};
  ir::FragmentLayout& f = bound.decls[1].fragment;
  f.fragment = fragment;
  f.rows = rows;
  f.cols = cols;
  f.vector = vector;
  f.threads = fragment == ir::Fragment::kMma ? 32 : 128;
  return Banks().Wavefronts(
      bound, Box(ir::Space::kShared, 0, dtype, rows, cols),
      Box(ir::Space::kReg, 1, dtype, rows, cols), 128, matrices);
}

double Of(ir::DType dtype, ir::Fragment fragment, int rows, int cols, int pitch,
          ir::Swizzle swizzle, bool matrices = false, int vector = 1) {
  return BothOf(dtype, fragment, rows, cols, pitch, swizzle, matrices, vector)
      .taken;
}

constexpr auto kPlain = ir::Swizzle::kNone;
constexpr auto kF32 = ir::DType::kF32;
constexpr auto kF16 = ir::DType::kF16;

// What was measured, cycles of a turn (shared.turn of calibration.json): one
// warp or warpgroup of each.
TEST(Banks, FragmentsAtPitches) {
  EXPECT_EQ(Of(kF32, ir::Fragment::kWgmma, 64, 32, 32, kPlain), 256);
  EXPECT_EQ(Of(kF32, ir::Fragment::kWgmma, 64, 32, 36, kPlain), 128);
  EXPECT_EQ(Of(kF32, ir::Fragment::kWgmma, 64, 32, 40, kPlain), 64);
  EXPECT_EQ(Of(kF16, ir::Fragment::kWgmma, 64, 64, 64, kPlain), 512);
  EXPECT_EQ(Of(kF16, ir::Fragment::kWgmma, 64, 64, 72, kPlain), 64);
  EXPECT_EQ(Of(kF32, ir::Fragment::kRow, 128, 32, 32, kPlain), 1024);
  EXPECT_EQ(Of(kF32, ir::Fragment::kRow, 128, 32, 36, kPlain), 128);
  EXPECT_EQ(Of(kF16, ir::Fragment::kRow, 128, 32, 32, kPlain), 256);
  EXPECT_EQ(Of(kF32, ir::Fragment::kMma, 16, 32, 32, kPlain), 64);
  EXPECT_EQ(Of(kF32, ir::Fragment::kBlocked, 32, 32, 32, kPlain, false, 4), 32);
}

TEST(Banks, WithoutConflicts) {
  EXPECT_EQ(BothOf(kF32, ir::Fragment::kWgmma, 64, 32, 32, kPlain).least, 64);
  EXPECT_EQ(BothOf(kF32, ir::Fragment::kWgmma, 64, 32, 40, kPlain).least, 64);
  // A column: as many accesses as it takes, each of a few words.
  EXPECT_EQ(BothOf(kF32, ir::Fragment::kMma, 16, 1, 1, kPlain).least,
            BothOf(kF32, ir::Fragment::kMma, 16, 1, 1, kPlain).taken);
}

TEST(Banks, SwizzledTiles) {
  constexpr auto kFull = ir::Swizzle::k128B;
  EXPECT_EQ(Of(kF32, ir::Fragment::kWgmma, 64, 32, 32, kFull), 128);
  EXPECT_EQ(Of(kF16, ir::Fragment::kWgmma, 64, 64, 64, kFull), 64);
  EXPECT_EQ(Of(kF32, ir::Fragment::kRow, 128, 32, 32, kFull), 128);
}

// Of those that go together: eight rows of a fragment; lanes that fill a line.
TEST(Banks, Lines) {
  EXPECT_EQ(BothOf(kF32, ir::Fragment::kWgmma, 64, 64, 64, kPlain).lines,
            64 * 8);
  EXPECT_EQ(
      BothOf(kF16, ir::Fragment::kWgmma, 64, 64, 64, ir::Swizzle::k128B).lines,
      64 * 8);
  EXPECT_EQ(BothOf(kF32, ir::Fragment::kRow, 128, 32, 32, kPlain).lines,
            32 * 32);
  EXPECT_EQ(
      BothOf(kF32, ir::Fragment::kBlocked, 64, 64, 64, kPlain, false, 4).lines,
      128);
}

TEST(Banks, MatricesOfEightRows) {
  EXPECT_EQ(Of(kF16, ir::Fragment::kWgmma, 64, 64, 64, kPlain, true), 512);
  EXPECT_EQ(Of(kF16, ir::Fragment::kWgmma, 64, 64, 72, kPlain, true), 64);
  EXPECT_EQ(
      Of(kF16, ir::Fragment::kWgmma, 64, 64, 64, ir::Swizzle::k128B, true), 64);
}

// Lanes that ask for one word are one.
TEST(Banks, WordsThatLanesShare) {
  EXPECT_EQ(ir::WavefrontsOf({{0, 2}, {2, 4}, {0, 4}}), 1);
  EXPECT_EQ(ir::WavefrontsOf({{0, 4}, {128, 132}, {256, 260}}), 3);
  EXPECT_EQ(ir::WavefrontsOf({{0, 4}, {4, 8}, {124, 128}}), 1);
  EXPECT_EQ(ir::WavefrontsOf({}), 0);
}

}  // namespace
}  // namespace tilesim::timing
