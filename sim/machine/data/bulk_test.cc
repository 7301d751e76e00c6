#include <algorithm>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "ir/cat.h"
#include "ir/values/convert.h"
#include "sim/machine/data/runner_test.h"

namespace tilesim::machine {
namespace {

using ir::Cat;
using ir::DType;
using testing::ElementsAre;
using testing::IsEmpty;

// Loads a box of X into shared memory, stores it to a box of Y.
std::string RoundTrip(const char* type, int cols, const char* layout,
                      const char* from, const char* to) {
  return Cat(R"(kernel k target sm_90a {
  global X : )",
             type, "[40, ", cols, R"(]
  global Y : )",
             type, "[40, ", cols, R"(] zero
  grid (1)
  block 32
  mbarrier full
  shared s : )",
             type, "[8, ", cols, "] ", layout, R"(
  elect {
    mbarrier.init full, 1
    fence.mbarrier_init
    mbarrier.arrive.expect_tx full, bytes(s)
    tma.load s, X[)",
             from, R"(], full
    mbarrier.wait full, parity = 0
    tma.store Y[)",
             to, R"(], s
    bulk.commit_group
    bulk.wait_group 0
  }
})");
}

struct Layout {
  const char* type;
  DType dtype;
  int cols;
  const char* text;

  friend void PrintTo(const Layout& l, std::ostream* out) {
    *out << l.type << " " << l.text;
  }
};

class RoundTripTest : public testing::TestWithParam<Layout> {};

TEST_P(RoundTripTest, KeepsEveryElement) {
  const Layout& l = GetParam();
  Inputs in{{"X", Normal(l.dtype, {40, l.cols})}};
  TileRun run(RoundTrip(l.type, l.cols, l.text, "8 :+ 8, :", "16 :+ 8, :"), in);
  EXPECT_THAT(run.findings(), IsEmpty());
  std::vector<uint64_t> x = run.Codes("X"), y = run.Codes("Y");
  for (size_t i = 0; i < x.size(); ++i) {
    size_t row = i / l.cols;
    EXPECT_EQ(y[i], row >= 16 && row < 24 ? x[i - 8 * l.cols] : 0) << i;
  }
}

INSTANTIATE_TEST_SUITE_P(
    Layouts, RoundTripTest,
    testing::Values(Layout{"f16", DType::kF16, 64, "swizzle 128B"},
                    Layout{"f32", DType::kF32, 16, "swizzle 64B"},
                    Layout{"e4m3", DType::kE4M3, 32, "swizzle 32B"},
                    Layout{"bf16", DType::kBF16, 48, ""},
                    Layout{"e2m1", DType::kE2M1, 256, "swizzle 128B"},
                    Layout{"u8", DType::kU8, 16, ""}),
    [](const auto& of) { return std::string(of.param.type); });

TEST(TmaTest, LoadsZeroAndDropsStoresOutside) {
  Inputs in{{"X", Small(DType::kF16, {40, 64})}};
  TileRun run(RoundTrip("f16", 64, "swizzle 128B", "36 :+ 8, 8 :+ 64",
                        "34 :+ 8, 0 :+ 64"),
              in);
  EXPECT_THAT(run.findings(), IsEmpty());
  std::vector<double> x = run.Numbers("X"), y = run.Numbers("Y");
  for (int r = 34; r < 40; ++r) {
    for (int c = 0; c < 64; ++c) {
      bool inside = r + 2 < 40 && c + 8 < 64;
      EXPECT_EQ(y[r * 64 + c], inside ? x[(r + 2) * 64 + c + 8] : 0);
    }
  }
}

TEST(TmaTest, NegativeCoordinatesReadZero) {
  Inputs in{{"X", Small(DType::kF16, {40, 64})}};
  TileRun run(RoundTrip("f16", 64, "", "0 - 3 :+ 8, 0 - 8 :+ 64", "0 :+ 8, :"),
              in);
  std::vector<double> x = run.Numbers("X"), y = run.Numbers("Y");
  EXPECT_EQ(y[2 * 64 + 40], 0);
  EXPECT_EQ(y[3 * 64 + 7], 0);
  EXPECT_EQ(y[3 * 64 + 8], x[0]);
  EXPECT_EQ(y[7 * 64 + 63], x[4 * 64 + 55]);
}

constexpr char kMulticast[] = R"(kernel k target sm_90a {
  global X : f16[2, 8, 64]
  global Y : f16[4, 8, 64] zero
  grid (4)
  cluster (2)
  block 32
  mbarrier full
  shared s : f16[8, 64] swizzle 128B
  elect {
    mbarrier.init full, 1
    fence.mbarrier_init
    mbarrier.arrive.expect_tx full, bytes(s)
  }
  barrier.cluster.arrive
  barrier.cluster.wait
  elect {
    if cluster.rank == 0 {
      tma.load s, X[cta.x / 2, :, :], full, multicast = 0b11
    }
    mbarrier.wait full, parity = 0
    tma.store Y[cta.x, :, :], s
    bulk.commit_group
    bulk.wait_group 0
  }
  barrier.cluster.arrive
  barrier.cluster.wait
})";

TEST(TmaTest, MulticastReachesEveryRank) {
  Inputs in{{"X", Normal(DType::kF16, {2, 8, 64})}};
  TileRun run(kMulticast, in);
  EXPECT_THAT(run.findings(), IsEmpty());
  std::vector<double> x = run.Numbers("X"), y = run.Numbers("Y");
  for (size_t i = 0; i < y.size(); ++i)
    ASSERT_EQ(y[i], x[i / 1024 * 512 + i % 512]) << i;
}

constexpr char kPush[] = R"(kernel k target sm_90a {
  global X : f32[2, 64]
  global Y : f32[2, 64] zero
  grid (2)
  cluster (2)
  block 32
  mbarrier full, got
  shared s : f32[64]
  shared t : f32[64]
  elect {
    mbarrier.init full, 1
    mbarrier.init got, 1
    fence.mbarrier_init
    mbarrier.arrive.expect_tx full, bytes(s)
    mbarrier.arrive.expect_tx got, bytes(t)
    bulk.load s, X[cta.x, :], full
  }
  barrier.cluster.arrive
  barrier.cluster.wait
  elect {
    mbarrier.wait full, parity = 0
    bulk.push t @ cta 1 - cluster.rank, s, got @ cta 1 - cluster.rank
    mbarrier.wait got, parity = 0
    bulk.store Y[cta.x, :], t
    bulk.commit_group
    bulk.wait_group 0
  }
  barrier.cluster.arrive
  barrier.cluster.wait
})";

TEST(BulkTest, PushGoesToThePeer) {
  Inputs in{{"X", Normal(DType::kF32, {2, 64})}};
  TileRun run(kPush, in);
  EXPECT_THAT(run.findings(), IsEmpty());
  std::vector<double> x = run.Numbers("X"), y = run.Numbers("Y");
  std::rotate(x.begin(), x.begin() + 64, x.end());
  EXPECT_EQ(x, y);
}

std::string Reduce(const char* type, const char* op) {
  return Cat(R"(kernel k target sm_90a {
  global X : )",
             type, R"([4, 16]
  global Y : )",
             type, R"([16]
  grid (4)
  block 32
  mbarrier full
  shared s : )",
             type, R"([16] align 128
  elect {
    mbarrier.init full, 1
    fence.mbarrier_init
    mbarrier.arrive.expect_tx full, bytes(s)
    tma.load s, X[cta.x, :], full
    mbarrier.wait full, parity = 0
    tma.reduce.)",
             op, R"( Y[:], s
    bulk.commit_group
    bulk.wait_group 0
  }
})");
}

TEST(TmaReduceTest, AddsMinimaAndMaxima) {
  for (auto [name, type] :
       {std::pair("f32", DType::kF32), std::pair("f16", DType::kF16),
        std::pair("bf16", DType::kBF16), std::pair("s32", DType::kS32)}) {
    Inputs in{{"X", Small(type, {4, 16})}, {"Y", Small(type, {16}, 2)}};
    std::vector<double> x = NumbersOf(in["X"]), y = NumbersOf(in["Y"]);
    std::vector<double> sum = y, least = y, most = y;
    for (int i = 0; i < 64; ++i) {
      sum[i % 16] += x[i];
      least[i % 16] = std::min(least[i % 16], x[i]);
      most[i % 16] = std::max(most[i % 16], x[i]);
    }
    EXPECT_EQ(TileRun(Reduce(name, "add"), in).Numbers("Y"), sum) << name;
    if (type == DType::kF32) continue;  // PTX has none
    EXPECT_EQ(TileRun(Reduce(name, "min"), in).Numbers("Y"), least) << name;
    EXPECT_EQ(TileRun(Reduce(name, "max"), in).Numbers("Y"), most) << name;
  }
}

TEST(TmaReduceTest, RoundsEachSumOfF16) {
  Inputs in{{"X", Normal(DType::kF16, {4, 16})},
            {"Y", Normal(DType::kF16, {16}, 2)}};
  std::vector<uint64_t> y = TileRun(Reduce("f16", "add"), in).Codes("Y");
  std::vector<double> x = NumbersOf(in["X"]), want = NumbersOf(in["Y"]);
  for (int i = 0; i < 64; ++i) {
    double& w = want[i % 16];
    w = values::Decode(DType::kF16, values::Encode(DType::kF16, w + x[i]));
  }
  for (int i = 0; i < 16; ++i)
    EXPECT_EQ(values::Decode(DType::kF16, y[i]), want[i]);
}

TEST(SharedTest, ReadingWhatNobodyWroteIsAFinding) {
  TileRun run(R"(kernel k target sm_90a {
  global Y : f32[16]
  grid (1)
  block 32
  shared s : f32[16]
  elect {
    bulk.store Y[:], s
    bulk.commit_group
    bulk.wait_group 0
  }
})");
  EXPECT_THAT(run.findings(), ElementsAre(ir::Code("uninit/shared")));
}

}  // namespace
}  // namespace tilesim::machine
