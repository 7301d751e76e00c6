#include <bit>
#include <cmath>
#include <limits>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "ir/cat.h"
#include "ir/layout.h"
#include "ir/values/convert.h"
#include "sim/machine/data/runner_test.h"
#include "sim/machine/data/threads.h"
#include "sim/machine/data/tile_math.h"

namespace tilesim::machine {
namespace {

using ir::Cat;
using ir::DType;
using testing::Contains;
using testing::IsEmpty;

// X, Y [64, 16] and a column V [64, 1] in registers; `body` computes z; Z = z.
std::string Kernel(const char* type, const char* fragment, const char* body) {
  return Cat(R"(kernel k target sm_90a {
  global X : )",
             type, "[64, 16]\n  global Y : ", type, "[64, 16]\n",
             "  global V : ", type, "[64, 1]\n  global Z : ", type,
             "[64, 16]\n  grid (1)\n  block 128\n  reg x : ", type,
             "[64, 16] fragment ", fragment, "\n  reg y : ", type,
             "[64, 16] fragment ", fragment, "\n  reg z : ", type,
             "[64, 16] fragment ", fragment, "\n  reg v : ", type,
             "[64, 1] fragment ", fragment, R"(
  ld.global x, X[:, :]
  ld.global y, Y[:, :]
  ld.global v, V[:, :]
)",
             body, "\n  st.global Z[:, :], z\n}");
}

Inputs Xyv(DType type) {
  return {{"X", Normal(type, {64, 16})},
          {"Y", Normal(type, {64, 16}, 2)},
          {"V", Normal(type, {64, 1}, 3)}};
}

float F(double v) { return static_cast<float>(v); }

void ExpectF32(const char* op, float (*want)(float x, float y, float v)) {
  TileRun run(Kernel("f32", "wgmma", op), Xyv(DType::kF32));
  SCOPED_TRACE(op);
  EXPECT_THAT(run.findings(), IsEmpty());
  std::vector<double> x = run.Numbers("X"), y = run.Numbers("Y"),
                      v = run.Numbers("V"), z = run.Numbers("Z");
  for (size_t i = 0; i < z.size(); ++i)
    ASSERT_EQ(F(z[i]), want(F(x[i]), F(y[i]), F(v[i / 16])));
}

// As PTX max.u32 and min.u32 take it: as one of the elements.
TEST(TileTest, ANumberHasTheTypeOfTheElements) {
  auto first = [](const char* type, const char* body) {
    return TileRun(Kernel(type, "wgmma", body)).Numbers("Z")[0];
  };
  EXPECT_EQ(first("u32", "mov z, 7\n  max z, z, 0 - 5"), 4294967291.0);
  EXPECT_EQ(first("u32", "mov z, 7\n  min z, z, 0 - 5"), 7);
  EXPECT_EQ(first("u32", "mov z, 7\n  max z, z, 4294967296"), 7);
  EXPECT_EQ(first("s32", "mov z, 7\n  max z, z, 0 - 5"), 7);
  EXPECT_EQ(first("s32", "mov z, 7\n  min z, z, 4294967295"), -1);
}

TEST(TileTest, ArithmeticOnF32) {
  using T = float;
  ExpectF32("add z, x, y", [](T x, T y, T) { return x + y; });
  ExpectF32("sub z, x, v", [](T x, T, T v) { return x - v; });
  ExpectF32("mul z, 0.1, y", [](T, T y, T) { return 0.1f * y; });
  ExpectF32("fma z, x, y, v", [](T x, T y, T v) { return std::fma(x, y, v); });
  ExpectF32("max z, x, v", [](T x, T, T v) { return std::max(x, v); });
  ExpectF32("min z, x, 0.5", [](T x, T, T) { return std::min(x, 0.5f); });
  ExpectF32("neg z, x", [](T x, T, T) { return -x; });
  ExpectF32("rcp z, x", [](T x, T, T) { return 1 / x; });
  ExpectF32("mov z, 2.5", [](T, T, T) { return 2.5f; });
  ExpectF32("ex2 z, x",
            [](T x, T, T) { return F(std::exp2(static_cast<double>(x))); });
}

TEST(TileTest, SixteenBitTypesRoundOnce) {
  for (auto [name, type] :
       {std::pair("f16", DType::kF16), std::pair("bf16", DType::kBF16)}) {
    TileRun run(Kernel(name, "wgmma", "fma z, x, y, 0.5"), Xyv(type));
    std::vector<double> x = run.Numbers("X"), y = run.Numbers("Y");
    std::vector<uint64_t> z = run.Codes("Z");
    for (size_t i = 0; i < z.size(); ++i)
      ASSERT_EQ(z[i], values::Encode(type, x[i] * y[i] + 0.5));
  }
}

TEST(TileTest, IntegersWrap) {
  TileRun run(Kernel("u32", "blocked(1)", "mul z, x, 2147483649\nsub z, z, y"),
              {{"X", Small(DType::kU32, {64, 16})},
               {"Y", Small(DType::kU32, {64, 16}, 2)}});
  std::vector<double> x = run.Numbers("X"), y = run.Numbers("Y");
  std::vector<uint64_t> z = run.Codes("Z");
  for (size_t i = 0; i < z.size(); ++i) {
    auto a = static_cast<uint32_t>(x[i]), b = static_cast<uint32_t>(y[i]);
    ASSERT_EQ(z[i], static_cast<uint32_t>(a * 2147483649u - b));
  }
}

TEST(TileTest, SpecialValues) {
  float nan = std::numeric_limits<float>::quiet_NaN();
  float inf = std::numeric_limits<float>::infinity();
  EXPECT_EQ(MaxOp()(nan, 1.0f, 0.0f), 1.0f);
  EXPECT_FALSE(std::signbit(MaxOp()(-0.0f, 0.0f, 0.0f)));
  EXPECT_TRUE(std::signbit(MinOp()(0.0f, -0.0f, 0.0f)));
  EXPECT_EQ(Ex2Op()(-inf, 0.0f, 0.0f), 0.0f);
  EXPECT_EQ(Ex2Op()(-140.0f, 0.0f, 0.0f), 0.0f);  // flushed
  EXPECT_EQ(Lg2Op()(1e-40f, 0.0f, 0.0f), -inf);   // likewise
}

// a + b where double alone would round twice: the sum lies just above a tie.
TEST(TileTest, FmaRoundsToOdd) {
  double tie = 1 + 0x1p-11;  // between two f16
  EXPECT_EQ(values::Encode(DType::kF16, FmaToOdd(0x1p-30, 0x1p-30, tie)),
            values::Encode(DType::kF16, 1 + 0x1p-10));
  EXPECT_EQ(values::Encode(DType::kF16, FmaToOdd(-0x1p-30, 0x1p-30, tie)),
            values::Encode(DType::kF16, 1.0));
}

// The order that lowered code has: own columns ascending, then the neighbour,
// then the other pair.
float QuadSum(const double* row) {
  float part[4];
  for (int q = 0; q < 4; ++q) {
    part[q] = F(row[2 * q]) + F(row[2 * q + 1]);
    part[q] += F(row[8 + 2 * q]);
    part[q] += F(row[8 + 2 * q + 1]);
  }
  return (part[0] + part[1]) + (part[2] + part[3]);
}

TEST(RowTest, SumsInTheOrderOfTheLanes) {
  TileRun run(Kernel("f32", "wgmma", "row.sum v, x\nmov z, 0.0\nadd z, z, v"),
              Xyv(DType::kF32));
  std::vector<double> x = run.Numbers("X"), z = run.Numbers("Z");
  for (int r = 0; r < 64; ++r)
    ASSERT_EQ(F(z[r * 16 + 5]), QuadSum(&x[r * 16])) << r;
}

TEST(RowTest, MaximaAndRowsOfOneThread) {
  TileRun run(R"(kernel k target sm_90a {
  global X : f32[128, 16]
  global Y : f32[128, 2] zero
  grid (1)
  block 128
  reg x : f32[128, 16] fragment row
  reg m : f32[128, 1] fragment row
  ld.global x, X[:, :]
  row.max m, x
  st.global Y[:, 0 :+ 1], m
  row.sum m, x
  st.global Y[:, 1 :+ 1], m
})",
              {{"X", Normal(DType::kF32, {128, 16})}});
  EXPECT_THAT(run.findings(), IsEmpty());
  std::vector<double> x = run.Numbers("X"), y = run.Numbers("Y");
  for (int r = 0; r < 128; ++r) {
    float sum = F(x[r * 16]), most = sum;
    for (int c = 1; c < 16; ++c) {
      sum += F(x[r * 16 + c]);
      most = std::max(most, F(x[r * 16 + c]));
    }
    ASSERT_EQ(F(y[r * 2]), most);
    ASSERT_EQ(F(y[r * 2 + 1]), sum);
  }
}

TEST(CausalTest, MasksPastTheDiagonal) {
  TileRun run(Kernel("f32", "wgmma", "mov z, x\nmask.causal z, 4, 10"),
              Xyv(DType::kF32));
  std::vector<double> x = run.Numbers("X"), z = run.Numbers("Z");
  for (int i = 0; i < 1024; ++i) {
    if (i % 16 + 10 > i / 16 + 4) {
      ASSERT_EQ(z[i], -std::numeric_limits<double>::infinity());
    } else {
      ASSERT_EQ(z[i], x[i]);
    }
  }
}

TEST(CvtTest, RoundsAsSaid) {
  TileRun run(R"(kernel k target sm_90a {
  global X : f32[64, 16]
  global A : f16[64, 16]
  global B : f16[64, 16]
  global C : e4m3[64, 16]
  global E : f16[64, 16]
  grid (1)
  block 128
  reg x : f32[64, 16] fragment wgmma
  reg h : f16[64, 16] fragment wgmma
  reg q : e4m3[64, 16] fragment wgmma
  ld.global x, X[:, :]
  cvt h, x
  st.global A[:, :], h
  cvt.rz h, x
  st.global B[:, :], h
  cvt q, x
  st.global C[:, :], q
  mul x, x, 1e6
  cvt.satfinite h, x
  st.global E[:, :], h
})",
              {{"X", Normal(DType::kF32, {64, 16})}});
  EXPECT_THAT(run.findings(), IsEmpty());
  std::vector<double> x = run.Numbers("X");
  std::vector<uint64_t> a = run.Codes("A"), b = run.Codes("B"),
                        c = run.Codes("C"), e = run.Codes("E");
  for (size_t i = 0; i < x.size(); ++i) {
    ASSERT_EQ(a[i], values::Encode(DType::kF16, x[i]));
    ASSERT_EQ(b[i], values::Encode(DType::kF16, x[i],
                                   {.rounding = values::Rounding::kRz}));
    ASSERT_EQ(c[i], values::Encode(DType::kE4M3, x[i]));
    if (std::abs(x[i]) > 0.1) {
      ASSERT_EQ(e[i] & 0x7fff, 0x7bffu);
    }
  }
}

// Of a tile that a warpgroup holds, each warp touches what it owns.
TEST(ThreadsTest, APartOfTheOwnersTouchesItsElements) {
  TileRun run(Kernel("f32", "wgmma", R"(
  let w = warp
  mov z, w + 0
  mov v, w * w
  add z, z, v
)"),
              Xyv(DType::kF32));
  EXPECT_THAT(run.findings(), IsEmpty());
  std::vector<double> z = run.Numbers("Z");
  for (int i = 0; i < 1024; ++i) {
    int warp = i / 16 / 16;
    ASSERT_EQ(z[i], warp + warp * warp) << i;
  }
}

TEST(ThreadsTest, AnyLaneOfARowHoldsItsColumn) {
  ir::FragmentLayout tile{ir::Fragment::kWgmma, 64, 16, 128, 1};
  ir::FragmentLayout column{ir::Fragment::kWgmma, 64, 1, 128, 1};
  ir::ThreadSet lane_two{4, 4, 4};  // of warps 4 to 7: the second warpgroup
  Units units = UnitsOf(tile, CompiledOp(), lane_two);
  ASSERT_EQ(units.size(), 1u);
  EXPECT_EQ(units[0].first, 128);
  EXPECT_FALSE(units[0].all);
  for (int row = 0; row < 64; ++row) {
    bool mine = row % 8 == 0;  // lanes 0 to 3 hold rows 0 and 8 of a warp's 16
    EXPECT_EQ(Holds(column, units[0], lane_two, row, 0), mine);
    for (int col = 0; col < 16; ++col)
      EXPECT_EQ(Holds(tile, units[0], lane_two, row, col),
                mine && col % 8 / 2 == 2);
  }
}

TEST(ThreadsTest, ScopesNarrowedToLanesShareAmongThem) {
  CompiledOp op;
  op.first_thread = 32;
  op.group_threads = 64;
  Unit unit = ScopeUnit(op, {1, 2, 0x11});
  EXPECT_TRUE(unit.all);
  EXPECT_EQ(unit.threads, 4);
  EXPECT_EQ(unit.Thread(0), 32);
  EXPECT_EQ(unit.Thread(1), 36);
  EXPECT_EQ(unit.Thread(3), 68);
  EXPECT_FALSE(ScopeUnit(op, {1, 1, 0xffffffff}).all);
}

TEST(ThreadsTest, BlockedTilesBelongToTheScope) {
  TileRun run(R"(kernel k target sm_90a {
  global X : f32[8, 32]
  global Y : f32[2, 8, 32] zero
  grid (1)
  block 128
  warps 1..3 {
    reg x : f32[8, 32] fragment blocked(2)
    ld.global x, X[:, :]
    st.global Y[warp - 1, :, :], x
  }
})",
              {{"X", Normal(DType::kF32, {8, 32})}});
  std::vector<double> x = run.Numbers("X"), y = run.Numbers("Y");
  for (int i = 0; i < 256; ++i) {
    int thread = i / 2 % 64;  // of the two warps
    ASSERT_EQ(y[i], thread < 32 ? x[i] : 0) << i;
    ASSERT_EQ(y[256 + i], thread < 32 ? 0 : x[i]) << i;
  }
}

TEST(CpAsyncTest, ThreadsThatAreNotThereCopyNothing) {
  TileRun run(R"(kernel k target sm_90a {
  global X : f32[16, 32]
  global Y : f32[16, 32] zero
  grid (1)
  block 128
  shared s : f32[16, 32] swizzle 128B
  reg y : f32[16, 32] fragment blocked(4)
  if warp == 2 { cp.async s, X[:, :] }
  cp.async.commit_group
  cp.async.wait_group 0
  bar.sync 0
  ld.shared y, s
  st.global Y[:, :], y
})",
              {{"X", Normal(DType::kF32, {16, 32})}});
  EXPECT_THAT(run.findings(), Contains(ir::Code("uninit/shared")));
  std::vector<double> x = run.Numbers("X"), y = run.Numbers("Y");
  for (int i = 0; i < 512; ++i) {
    if (i / 4 / 32 == 2) {
      ASSERT_EQ(y[i], x[i]);
    }
  }
}

}  // namespace
}  // namespace tilesim::machine
