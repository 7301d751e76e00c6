#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "ir/cat.h"
#include "ir/tmem.h"
#include "ir/values/convert.h"
#include "sim/machine/data/runner_test.h"

namespace tilesim::machine {
namespace {

using ir::Cat;
using ir::DType;
using testing::ElementsAre;
using testing::IsEmpty;

TEST(TmemLayoutTest, DataPaths) {
  EXPECT_EQ(ir::DataPathOf(128, false), ir::DataPath::kD);
  EXPECT_EQ(ir::DataPathOf(64, false), ir::DataPath::kF);
  EXPECT_EQ(ir::DataPathOf(256, true), ir::DataPath::kA);
  EXPECT_EQ(ir::DataPathOf(128, true), ir::DataPath::kB);
  EXPECT_EQ(ir::DataPathOf(64, true), std::nullopt);
  EXPECT_EQ(ir::LaneOf(ir::DataPath::kF, 17, 0, 8), 33);
  EXPECT_EQ(ir::LaneOf(ir::DataPath::kB, 5, 4, 8), 69);
  EXPECT_EQ(ir::ScaleAt(33, 5, 128).lane, 1);
  EXPECT_EQ(ir::ScaleAt(33, 5, 128).byte, (4 + 1) * 4 + 1);
}

// Loads all of A and B into `a` and `b`, runs `middle` on one thread and
// `last` on warpgroup 0, with a pool of 256 columns.
std::string Kernel(const char* decls, const char* middle, const char* last) {
  return Cat(R"(kernel k target sm_100a {
  block 160
  mbarrier full, done
  shared address : u32[1]
  tmem pool : columns 256 slot address
)",
             decls, R"(
  role setup = warp 4 {
    elect {
      mbarrier.init full, 1
      mbarrier.init done, 1
      fence.mbarrier_init
    }
    tcgen05.alloc pool
    tcgen05.fence::before_thread_sync
  }
  bar.sync 0
  tcgen05.fence::after_thread_sync
  role issue = warp 4, elect {
)",
             middle, R"(
    tcgen05.commit done
  }
  role last = warpgroup 0 {
    mbarrier.wait done, parity = 0
    tcgen05.fence::after_thread_sync
)",
             last, R"(
    tcgen05.fence::before_thread_sync
  }
  bar.sync 0
  warp 4 {
    tcgen05.fence::after_thread_sync
    tcgen05.dealloc pool
  }
})");
}

std::string Plain(const char* type, int m, const char* extra,
                  const char* middle) {
  const char* swizzle = std::string(type) == "e4m3" ? "64B" : "128B";
  std::string decls =
      Cat(R"(
  grid (1)
  global A : )",
          type, "[", m, ", 64]\n  global B : ", type, R"([32, 64]
  global D : f32[128, 32]
  shared a : )",
          type, "[", m, ", 64] swizzle ", swizzle, "\n  shared b : ", type,
          "[32, 64] swizzle ", swizzle, R"(
  tmem acc : f32[)",
          m, R"(, 32] at pool
  tmem whole : f32[128, 32] at pool
)",
          extra);
  std::string load = Cat(R"(
    mbarrier.arrive.expect_tx full, bytes(a) + bytes(b)
    tma.load a, A[:, :], full
    tma.load b, B[:, :], full
    mbarrier.wait full, parity = 0
)",
                         middle);
  return Kernel(decls.c_str(), load.c_str(), R"(
    reg v : f32[128, 32] fragment row
    tcgen05.ld v, whole
    tcgen05.wait::ld
    st.global D[:, :], v
)");
}

constexpr char kMma[] = "    tcgen05.mma acc, a, b, accumulate = 0\n";

TEST(Tcgen05MmaTest, EveryTypeInLayoutD) {
  for (auto [name, type] :
       {std::pair("f16", DType::kF16), std::pair("bf16", DType::kBF16),
        std::pair("e4m3", DType::kE4M3)}) {
    TileRun run(Plain(name, 128, "", kMma), {{"A", Small(type, {128, 64})},
                                             {"B", Small(type, {32, 64}, 2)}});
    SCOPED_TRACE(name);
    EXPECT_THAT(run.findings(), IsEmpty());
    EXPECT_EQ(run.Numbers("D"),
              Product(run.Numbers("A"), run.Numbers("B"), 128, 32, 64));
  }
}

// hardware.md A.8: f16 results stand in the low halves of 32-bit columns;
// tcgen05.ld packs two of them in a register.
TEST(Tcgen05MmaTest, HalfAccumulatorsHaveAColumnEach) {
  TileRun run(Kernel(R"(
  grid (1)
  global A : f16[128, 64]
  global B : f16[32, 64]
  global D : f16[128, 32]
  global Right : f16[128, 16]
  global Columns : bf16[128, 64]  // as bits
  shared a : f16[128, 64] swizzle 128B
  shared b : f16[32, 64] swizzle 128B
  tmem acc : f16[128, 32] at pool
  tmem halves : bf16[128, 64] at pool
)",
                     R"(
    mbarrier.arrive.expect_tx full, bytes(a) + bytes(b)
    tma.load a, A[:, :], full
    tma.load b, B[:, :], full
    mbarrier.wait full, parity = 0
    tcgen05.mma acc, a, b, accumulate = 0
)",
                     R"(
    reg d : f16[128, 32] fragment row
    reg right : f16[128, 16] fragment row
    reg columns : bf16[128, 64] fragment row
    tcgen05.ld d, acc
    tcgen05.ld right, acc[:, 16 :+ 16]
    tcgen05.ld columns, halves
    tcgen05.wait::ld
    st.global D[:, :], d
    st.global Right[:, :], right
    st.global Columns[:, :], columns
)"),
              {{"A", Small(DType::kF16, {128, 64})},
               {"B", Small(DType::kF16, {32, 64}, 2)}});
  EXPECT_THAT(run.findings(), IsEmpty());
  EXPECT_EQ(run.Numbers("D"),
            Product(run.Numbers("A"), run.Numbers("B"), 128, 32, 64));
  std::vector<uint64_t> d = run.Codes("D"), right = run.Codes("Right"),
                        columns = run.Codes("Columns");
  for (size_t i = 0; i < d.size(); ++i) ASSERT_EQ(columns[2 * i], d[i]);
  for (size_t i = 0; i < right.size(); ++i)
    ASSERT_EQ(right[i], d[i / 16 * 32 + 16 + i % 16]);
}

TEST(Tcgen05MmaTest, LayoutFLeavesHalfOfTheLanes) {
  TileRun run(Plain("f16", 64, "", kMma),
              {{"A", Small(DType::kF16, {64, 64})},
               {"B", Small(DType::kF16, {32, 64})}});
  EXPECT_THAT(run.findings(),
              ElementsAre(ir::Code("uninit/tmem")));  // the other half
  std::vector<double> d = run.Numbers("D");
  std::vector<double> want =
      Product(run.Numbers("A"), run.Numbers("B"), 64, 32, 64);
  for (int m = 0; m < 64; ++m) {
    for (int n = 0; n < 32; ++n)
      ASSERT_EQ(d[(m / 16 * 32 + m % 16) * 32 + n], want[m * 32 + n]);
  }
}

TEST(Tcgen05MmaTest, AFromTensorMemory) {
  TileRun run(Plain("f16", 128, "  tmem ta : f16[128, 64] at pool + 64\n", R"(
    tcgen05.cp ta, a
    tcgen05.mma acc, ta, b, accumulate = 0
)"),
              {{"A", Small(DType::kF16, {128, 64})},
               {"B", Small(DType::kF16, {32, 64}, 2)}});
  EXPECT_THAT(run.findings(), IsEmpty());
  EXPECT_EQ(run.Numbers("D"),
            Product(run.Numbers("A"), run.Numbers("B"), 128, 32, 64));
}

TEST(Tcgen05ShiftTest, RowsMoveDown) {
  TileRun run(Plain("f16", 128, "", R"(
    tcgen05.mma acc, a, b, accumulate = 0
    tcgen05.shift acc
)"),
              {{"A", Small(DType::kF16, {128, 64})},
               {"B", Small(DType::kF16, {32, 64}, 2)}});
  std::vector<double> d = run.Numbers("D");
  std::vector<double> want =
      Product(run.Numbers("A"), run.Numbers("B"), 128, 32, 64);
  for (int m = 1; m < 128; ++m) ASSERT_EQ(d[m * 32], want[(m - 1) * 32]);
  EXPECT_EQ(d[0], want[0]);
}

// Each CTA of a pair holds half of A's and half of B's rows; ROWS of A each.
constexpr char kPairHead[] = R"(
  grid (2)
  cluster (2)
  block 160
  global A : f16[2 * ROWS, 64]
  global B : f16[32, 64]
  global D : f32[2, 128, 32] zero
  mbarrier full, done, ready
  shared a : f16[ROWS, 64] swizzle 128B
  shared b : f16[16, 64] swizzle 128B
  shared address : u32[1]
  tmem pool : columns 64 slot address
  tmem acc : f32[ROWS, 32] at pool
  tmem half : f32[128, 16] at pool
  role setup = warp 4 {
    elect {
      mbarrier.init full, 1
      mbarrier.init ready, 2
      mbarrier.init done, 1
      fence.mbarrier_init
    }
    tcgen05.alloc.cta_group::2 pool
    tcgen05.fence::before_thread_sync
  }
  barrier.cluster.arrive
  barrier.cluster.wait
  tcgen05.fence::after_thread_sync
  role issue = warp 4, elect {
    mbarrier.arrive.expect_tx full, bytes(a) + bytes(b)
    tma.load a, A[cta.x * ROWS :+ ROWS, :], full
    tma.load b, B[cta.x * 16 :+ 16, :], full
    mbarrier.wait full, parity = 0
    mbarrier.arrive.release.cluster ready @ cta 0
    if cluster.rank == 0 {
      mbarrier.wait.acquire.cluster ready, parity = 0
      tcgen05.mma.cta_group::2 acc, a, b, accumulate = 0
      tcgen05.commit.cta_group::2 done, multicast = 0b11
    }
  }
  role last = warpgroup 0 {
    mbarrier.wait done, parity = 0
    tcgen05.fence::after_thread_sync
)";
constexpr char kPairTail[] = R"(
    tcgen05.fence::before_thread_sync
  }
  barrier.cluster.arrive
  barrier.cluster.wait
  warp 4 {
    tcgen05.fence::after_thread_sync
    tcgen05.dealloc.cta_group::2 pool
  }
})";

std::string Pair(int rows, const char* store) {
  return Cat("kernel k target sm_100a {\n  const ROWS = ", rows, kPairHead,
             store, kPairTail);
}

TEST(Tcgen05PairTest, LayoutA) {
  TileRun run(Pair(128, R"(
    reg v : f32[128, 32] fragment row
    tcgen05.ld v, acc
    tcgen05.wait::ld
    st.global D[cta.x, :, :], v
)"),
              {{"A", Small(DType::kF16, {256, 64})},
               {"B", Small(DType::kF16, {32, 64}, 2)}});
  EXPECT_THAT(run.findings(), IsEmpty());
  EXPECT_EQ(run.Numbers("D"),
            Product(run.Numbers("A"), run.Numbers("B"), 256, 32, 64));
}

TEST(Tcgen05PairTest, LayoutB) {
  TileRun run(Pair(64, R"(
    reg v : f32[128, 16] fragment row
    tcgen05.ld v, half
    tcgen05.wait::ld
    st.global D[cta.x, :, 0 :+ 16], v
)"),
              {{"A", Small(DType::kF16, {128, 64})},
               {"B", Small(DType::kF16, {32, 64}, 2)}});
  EXPECT_THAT(run.findings(), IsEmpty());
  std::vector<double> d = run.Numbers("D");
  std::vector<double> want =
      Product(run.Numbers("A"), run.Numbers("B"), 128, 32, 64);
  for (int m = 0; m < 128; ++m) {
    for (int n = 0; n < 32; ++n) {
      int lane = m % 64 + 64 * (n / 16);
      ASSERT_EQ(d[m / 64 * 4096 + lane * 32 + n % 16], want[m * 32 + n]);
    }
  }
}

struct Scaled {
  const char *type, *scale;
  DType dtype, scale_dtype;
  int k, block;
};

std::string BlockScaled(const Scaled& s) {
  int factors = s.k / s.block, chunks = factors / 4;
  std::string decls = Cat(
      "  grid (1)\n  global A : ", s.type, "[128, ", s.k,
      "]\n  global B : ", s.type, "[128, ", s.k, "]\n  global SFA : ", s.scale,
      "[", chunks, ", 32, 4, 4]\n  global SFB : ", s.scale, "[", chunks,
      R"(, 32, 4, 4]
  global D : f32[128, 128]
  shared a : )",
      s.type, "[128, ", s.k, "] swizzle 128B\n  shared b : ", s.type, "[128, ",
      s.k, "] swizzle 128B\n  shared sfa : ", s.scale, "[", chunks,
      ", 32, 4, 4]\n  shared sfb : ", s.scale, "[", chunks, R"(, 32, 4, 4]
  tmem acc : f32[128, 128] at pool
  tmem ta : )",
      s.scale, "[128, ", factors, "] at pool + 128\n  tmem tb : ", s.scale,
      "[128, ", factors, "] at pool + 160\n");
  return Kernel(decls.c_str(), R"(
    let scales = bytes(sfa) + bytes(sfb)
    mbarrier.arrive.expect_tx full, bytes(a) + bytes(b) + scales
    tma.load a, A[:, :], full
    tma.load b, B[:, :], full
    bulk.load sfa, SFA[:, :, :, :], full
    bulk.load sfb, SFB[:, :, :, :], full
    mbarrier.wait full, parity = 0
    tcgen05.cp ta, sfa
    tcgen05.cp tb, sfb
    tcgen05.mma.block_scale acc, a, b, ta, tb, accumulate = 0
)",
                R"(
    reg v : f32[128, 128] fragment row
    tcgen05.ld v, acc
    tcgen05.wait::ld
    st.global D[:, :], v
)");
}

// Rows times factors, as the chunks hold them.
void Apply(std::vector<double>& x, const std::vector<double>& chunks, int k,
           int block) {
  for (int i = 0; i < 128 * k; ++i) {
    int row = i / k, j = i % k / block;
    x[i] *= chunks[j / 4 * 512 + row % 32 * 16 + row / 32 * 4 + j % 4];
  }
}

TEST(Tcgen05BlockScaleTest, FactorsGoWithTheirRows) {
  for (const Scaled& s :
       {Scaled{"e4m3", "ue8m0", DType::kE4M3, DType::kUE8M0, 128, 32},
        Scaled{"e2m1", "ue4m3", DType::kE2M1, DType::kUE4M3, 256, 16},
        Scaled{"e2m1", "ue8m0", DType::kE2M1, DType::kUE8M0, 256, 32}}) {
    int chunks = s.k / s.block / 4;
    TileRun run(BlockScaled(s),
                {{"A", Small(s.dtype, {128, s.k})},
                 {"B", Small(s.dtype, {128, s.k}, 2)},
                 {"SFA", Small(s.scale_dtype, {chunks, 32, 4, 4}, 3)},
                 {"SFB", Small(s.scale_dtype, {chunks, 32, 4, 4}, 4)}});
    SCOPED_TRACE(Cat(s.type, " ", s.scale));
    EXPECT_THAT(run.findings(), IsEmpty());
    std::vector<double> a = run.Numbers("A"), b = run.Numbers("B");
    Apply(a, run.Numbers("SFA"), s.k, s.block);
    Apply(b, run.Numbers("SFB"), s.k, s.block);
    EXPECT_EQ(run.Numbers("D"), Product(a, b, 128, 128, s.k));
    EXPECT_EQ(run.memory().mma_tally().equal, 1);
  }
}

TEST(Tcgen05LdTest, SixteenBitTilesArePackedAndWarpsHaveTheirQuarter) {
  std::string decls = R"(
  grid (1)
  global X : f16[128, 32]
  global Y : f16[128, 32]
  global Z : u32[128, 16]
  tmem packed : f16[128, 32] at pool
  tmem words : u32[128, 16] at pool
)";
  TileRun run(Kernel(decls.c_str(), "", R"(
    reg x : f16[128, 32] fragment row
    reg y : f16[32, 32] fragment row
    reg z : u32[128, 16] fragment row
    ld.global x, X[:, :]
    tcgen05.st packed, x
    tcgen05.wait::st
    tcgen05.ld y, packed[32 * warp :+ 32, :]
    tcgen05.ld z, words
    tcgen05.wait::ld
    st.global Y[32 * warp :+ 32, :], y
    st.global Z[:, :], z
)"),
              {{"X", Normal(DType::kF16, {128, 32})}});
  EXPECT_THAT(run.findings(), IsEmpty());
  EXPECT_EQ(run.Codes("Y"), run.Codes("X"));
  std::vector<uint64_t> x = run.Codes("X"), z = run.Codes("Z");
  for (size_t i = 0; i < z.size(); ++i)
    ASSERT_EQ(z[i], x[2 * i] | x[2 * i + 1] << 16);
}

TEST(Tcgen05AllocTest, StoresTheAddress) {
  TileRun run(R"(kernel k target sm_100a {
  global Y : u32[2] zero
  grid (1)
  block 32
  shared one : u32[1]
  shared two : u32[1]
  tmem p : columns 64 slot one
  tmem q : columns 32 slot two
  var a = 7
  var b = 7
  tcgen05.alloc p
  tcgen05.alloc q
  ld a, one[0]
  ld b, two[0]
  elect { st Y[0], a ; st Y[1], b }
  tcgen05.dealloc q
  tcgen05.dealloc p
})");
  EXPECT_EQ(run.Numbers("Y"), (std::vector<double>{0, 64}));
}

}  // namespace
}  // namespace tilesim::machine
