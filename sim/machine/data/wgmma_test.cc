#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "ir/cat.h"
#include "sim/machine/data/runner_test.h"

namespace tilesim::machine {
namespace {

using ir::Cat;
using ir::DType;
using testing::IsEmpty;

// One 64 x 32 x (2 * 32) product, tiles by plain loads: `middle` is what
// warpgroup 0 does between loading `a` [64, 32] and `b`, and storing `acc`.
std::string Kernel(const char* type, const char* out, const char* b_decl,
                   const char* b_box, const char* middle) {
  return Cat(R"(kernel k target sm_90a {
  global A : )",
             type, R"([64, 64]
  global B : )",
             type, "[64, 64]\n  global D : ", out, R"([64, 32]
  grid (1)
  block 128
  shared a : )",
             type, "[64, 64] swizzle 64B\n  shared ", b_decl, R"(
  reg acc : )",
             out, "[64, 32] fragment wgmma\n  reg ra : ", type,
             R"([64, 64] fragment blocked(4)
  ld.global ra, A[:, :]
  st.shared a, ra
  cp.async b, B)",
             b_box, R"(
  cp.async.commit_group
  cp.async.wait_group 0
  fence.proxy.async
  bar.sync 0
)",
             middle, R"(
  wgmma.commit_group
  wgmma.wait_group 0
  st.global D[:, :], acc
})");
}

constexpr char kOne[] = R"(
  wgmma.fence
  wgmma.mma_async acc, a, b, accumulate = 0
)";

std::string KMajor(const char* type, const char* out,
                   const char* middle = kOne) {
  std::string b = Cat("b : ", type, "[32, 64] swizzle 64B");
  return Kernel(type, out, b.c_str(), "[0 :+ 32, :]", middle);
}

void ExpectProduct(TileRun& run, int times = 1) {
  EXPECT_THAT(run.findings(), IsEmpty());
  std::vector<double> b = run.Numbers("B");
  std::vector<double> want = Product(run.Numbers("A"), b, 64, 32, 64);
  for (double& v : want) v *= times;
  EXPECT_EQ(run.Numbers("D"), want);
  EXPECT_GT(run.memory().mma_tally().checked, 0);
  EXPECT_EQ(run.memory().mma_tally().checked, run.memory().mma_tally().equal);
}

Inputs Operands(DType type) {
  return {{"A", Small(type, {64, 64})}, {"B", Small(type, {64, 64}, 2)}};
}

TEST(WgmmaTest, EveryType) {
  struct Types {
    const char *in, *out;
    DType type;
  };
  for (Types t :
       {Types{"f16", "f32", DType::kF16}, Types{"bf16", "f32", DType::kBF16},
        Types{"tf32", "f32", DType::kTF32}, Types{"e4m3", "f32", DType::kE4M3},
        Types{"e5m2", "f32", DType::kE5M2}, Types{"s8", "s32", DType::kS8},
        Types{"f16", "f16", DType::kF16}}) {
    TileRun run(KMajor(t.in, t.out), Operands(t.type));
    SCOPED_TRACE(t.in);
    ExpectProduct(run);
  }
}

TEST(WgmmaTest, AccumulatesOnTheFirstInstructionOnly) {
  TileRun run(KMajor("f16", "f32", R"(
  wgmma.fence
  wgmma.mma_async acc, a, b, accumulate = 0
  wgmma.mma_async acc, a, b, accumulate = 1
)"),
              Operands(DType::kF16));
  ExpectProduct(run, 2);
}

TEST(WgmmaTest, TransposedB) {
  TileRun run(
      Kernel("f16", "f32", "b : f16[64, 32] swizzle 64B", "[:, 0 :+ 32]", R"(
  wgmma.fence
  wgmma.mma_async acc, a, transpose(b), accumulate = 0
)"),
      Operands(DType::kF16));
  std::vector<double> b = run.Numbers("B"), turned;
  for (int n = 0; n < 32; ++n) {
    for (int k = 0; k < 64; ++k) turned.push_back(b[k * 64 + n]);
  }
  EXPECT_EQ(run.Numbers("D"), Product(run.Numbers("A"), turned, 64, 32, 64));
}

TEST(WgmmaTest, AFromRegisters) {
  TileRun run(KMajor("f16", "f32", R"(
  reg fa : f16[64, 64] fragment wgmma
  ld.shared fa, a
  wgmma.fence
  wgmma.mma_async acc, fa, b, accumulate = 0
)"),
              Operands(DType::kF16));
  ExpectProduct(run);
}

TEST(WgmmaTest, SlicesOfTiles) {
  TileRun run(KMajor("bf16", "f32", R"(
  wgmma.fence
  for i in 0..2 {
    wgmma.mma_async acc, a[:, 32 * i :+ 32], b[:, 32 * i :+ 32], accumulate = i
  }
)"),
              Operands(DType::kBF16));
  ExpectProduct(run);
}

TEST(WgmmaTest, ReadingAnUnwrittenAccumulatorIsAFinding) {
  TileRun run(KMajor("f16", "f32", R"(
  wgmma.fence
  wgmma.mma_async acc, a, b, accumulate = 1
)"),
              Operands(DType::kF16));
  EXPECT_THAT(run.findings(), testing::Contains(ir::Code("uninit/register")));
}

// Two warpgroups that execute as one strand each have registers of their own.
TEST(WgmmaTest, TwoWarpgroupsAtOnce) {
  TileRun run(R"(kernel k target sm_90a {
  global A : f16[128, 64]
  global B : f16[32, 64]
  global D : f32[128, 32]
  grid (1)
  block 256
  shared a : f16[128, 64] swizzle 128B
  shared b : f16[32, 64] swizzle 128B
  reg acc : f32[64, 32] fragment wgmma
  cp.async a, A[:, :]
  cp.async b, B[:, :]
  cp.async.commit_group
  cp.async.wait_group 0
  fence.proxy.async
  bar.sync 0
  wgmma.fence
  wgmma.mma_async acc, a[64 * warpgroup :+ 64, :], b, accumulate = 0
  wgmma.commit_group
  wgmma.wait_group 0
  st.global D[64 * warpgroup :+ 64, :], acc
})",
              {{"A", Small(DType::kF16, {128, 64})},
               {"B", Small(DType::kF16, {32, 64}, 2)}});
  EXPECT_THAT(run.findings(), IsEmpty());
  EXPECT_EQ(run.Numbers("D"),
            Product(run.Numbers("A"), run.Numbers("B"), 128, 32, 64));
}

std::string MmaSync(const char* in, const char* out) {
  return Cat(R"(kernel k target sm_90a {
  global A : )",
             in, "[64, 64]\n  global B : ", in, R"([16, 64]
  global D : )",
             out, R"([64, 16]
  grid (1)
  block 64
  reg a : )",
             in, "[32, 64] fragment mma_a\n  reg b : ", in,
             R"([16, 64] fragment mma_b
  reg acc : )",
             out, R"([32, 16] fragment mma
  ld.global a, A[32 * warp :+ 32, :]
  ld.global b, B[:, :]
  mma.sync acc, a, b, accumulate = 0
  mma.sync acc, a, b, accumulate = 1
  st.global D[32 * warp :+ 32, :], acc
})");
}

TEST(MmaSyncTest, EveryType) {
  for (auto [in, out, type] : {std::tuple("f16", "f32", DType::kF16),
                               std::tuple("bf16", "f32", DType::kBF16),
                               std::tuple("f16", "f16", DType::kF16)}) {
    TileRun run(MmaSync(in, out), {{"A", Small(type, {64, 64})},
                                   {"B", Small(type, {16, 64}, 2)}});
    SCOPED_TRACE(in);
    EXPECT_THAT(run.findings(), IsEmpty());
    std::vector<double> want =
        Product(run.Numbers("A"), run.Numbers("B"), 64, 16, 64);
    for (double& v : want) v *= 2;
    EXPECT_EQ(run.Numbers("D"), want);
    EXPECT_EQ(run.memory().mma_tally().equal, 4);
  }
}

TEST(MatrixMoveTest, LdmatrixTransposesAndStmatrixStores) {
  TileRun run(R"(kernel k target sm_90a {
  global X : f16[16, 32]
  global Y : f16[32, 16] zero
  grid (1)
  block 32
  shared s : f16[16, 32]
  reg x : f16[16, 32] fragment mma
  reg b : f16[32, 16] fragment mma_b
  ld.global x, X[:, :]
  stmatrix s, x
  bar.warp.sync
  ldmatrix b, transpose(s)
  st.global Y[:, :], b
})",
              {{"X", Normal(DType::kF16, {16, 32})}});
  EXPECT_THAT(run.findings(), IsEmpty());
  std::vector<double> x = run.Numbers("X"), y = run.Numbers("Y");
  for (int i = 0; i < 512; ++i) ASSERT_EQ(y[i], x[i % 16 * 32 + i / 16]);
}

}  // namespace
}  // namespace tilesim::machine
