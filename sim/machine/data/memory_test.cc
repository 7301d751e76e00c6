#include "sim/machine/data/memory.h"

#include <cmath>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "ir/values/seeded.h"
#include "sim/machine/data/runner_test.h"

namespace tilesim::machine {
namespace {

using ir::DType;
using testing::Contains;
using testing::Each;
using testing::ElementsAre;
using testing::IsEmpty;

// Every CTA copies its row; Z stays unwritten.
constexpr char kCopy[] = R"(kernel k target sm_90a {
  global X : f32[8, 64]
  global L : s32[64] in 3..5
  global Y : f32[8, 64]
  global Z : f32[8, 64] zero
  computes Y = X
  grid (8)
  block 32
  reg x : f32[1, 64] fragment blocked(2)
  ld.global x, X[cta.x :+ 1, :]
  st.global Y[cta.x :+ 1, :], x
  if cta.x == 99 { st.global Z[cta.x :+ 1, :], x }
})";

TEST(MemoryTest, InputsAreSeededAndOutputsPoisoned) {
  MemoryOptions options;
  options.seed = 42;
  TileRun run(kCopy, {}, options);
  values::SeedSpec spec{42, values::TensorId("X")};
  std::vector<uint64_t> x = run.Codes("X");
  for (size_t i = 0; i < x.size(); ++i)
    ASSERT_EQ(x[i], values::SeededCode(DType::kF32, spec, i));
  EXPECT_EQ(run.Codes("Y"), x);
  EXPECT_THAT(run.Numbers("Z"), Each(0.0));
  for (double v : run.Numbers("L")) EXPECT_TRUE(v >= 3 && v <= 5);
  EXPECT_TRUE(run.memory().Check()[0].pass());
}

TEST(MemoryTest, SamplesComputeTheirOwnElements) {
  MemoryOptions options;
  options.values = MemoryOptions::Values::kSample;
  options.sample = {{1, 6}};
  TileRun run(kCopy, {}, options);
  std::vector<double> x = run.Numbers("X"), y = run.Numbers("Y");
  for (int i = 0; i < 512; ++i) {
    bool sampled = i / 64 == 1 || i / 64 == 6;
    EXPECT_TRUE(sampled ? y[i] == x[i] : std::isnan(y[i])) << i;
  }
  ComputesResult r = run.memory().Check()[0];
  EXPECT_TRUE(r.pass());
  EXPECT_EQ(r.checked, 128);
  EXPECT_EQ(r.elements, 512);
  EXPECT_EQ(run.memory().materialised_ctas(), 2);
}

TEST(MemoryTest, TimingOnlyTakesNoMemory) {
  MemoryOptions options;
  options.values = MemoryOptions::Values::kNone;
  TileRun run(kCopy, {}, options);
  EXPECT_EQ(run.memory().bytes_used(), 0);
  EXPECT_FALSE(run.memory().Check()[0].skipped.empty());
}

TEST(MemoryTest, SaysHowMuchIsTooMuch) {
  TileRun run(kCopy);
  MemoryOptions options;
  options.limit_bytes = 4096;
  auto memory = Memory::Create({&run.code()}, options);
  EXPECT_EQ(memory.status().code(), absl::StatusCode::kResourceExhausted);
}

TEST(MemoryTest, RefusesInputsThatDoNotFit) {
  TileRun run(kCopy);
  MemoryOptions options;
  options.inputs["X"] = Small(DType::kF32, {4, 4});
  EXPECT_FALSE(Memory::Create({&run.code()}, options).ok());
  options.inputs.clear();
  options.inputs["W"] = Small(DType::kF32, {4, 4});
  EXPECT_FALSE(Memory::Create({&run.code()}, options).ok());
}

// Rows that all lie at one place.
constexpr char kOneRow[] = R"(kernel k target sm_90a {
  global X : f32[2, 32] stride (0, 1)
  global Y : f32[2, 32] stride (STRIDE, 1)
  grid (2)
  block 32
  reg x : f32[1, 32] fragment blocked(1)
  ld.global x, X[cta.x :+ 1, :]
  st.global Y[cta.x :+ 1, :], x
})";

std::string OneRow(const std::string& stride) {
  std::string text = kOneRow;
  return text.replace(text.find("STRIDE"), 6, stride);
}

TEST(MemoryTest, ElementsOfOnePlaceHaveOneValue) {
  TileRun run(OneRow("32"));
  std::vector<double> y = run.Numbers("Y");
  for (size_t i = 0; i < 32; ++i) EXPECT_EQ(y[i], y[32 + i]);
  MemoryOptions options;
  options.inputs["X"] = Normal(DType::kF32, {2, 32});
  EXPECT_FALSE(Memory::Create({&run.code()}, options).ok());
}

TEST(MemoryTest, RefusesToWriteSeveralElementsOfOnePlace) {
  MemoryOptions options;
  options.values = MemoryOptions::Values::kNone;
  TileRun run(OneRow("0"), {}, options);
  EXPECT_FALSE(Memory::Create({&run.code()}, {}).ok());
}

constexpr char kControl[] = R"(kernel k target sm_90a {
  global Len : s32[8] in 1..9
  global X : f32[64]
  global Y : s32[8] zero
  grid (8)
  block 32
  shared word : u32[1]
  var n = 0
  var old = 0
  elect {
    ld n, Len[cta.x]
    st word[0], n
    ld old, word[0]
    for i in 0..old { red.add Y[cta.x], 1 }
    atom.add old, Y[cta.x], 0
    if old != n { st Y[cta.x], 99 }
  }
})";

TEST(ControlTest, MemoryOfControlIsAlwaysThere) {
  MemoryOptions options;
  options.values = MemoryOptions::Values::kNone;
  TileRun run(kControl, {}, options);
  EXPECT_THAT(run.findings(), IsEmpty());
  EXPECT_EQ(run.Numbers("Y"), run.Numbers("Len"));
}

// Payload and what decides, in turns: each is seen by the other.
TEST(BesideTest, ThreadsThatComputeDoNotChangeTheBytes) {
  constexpr char kTurns[] = R"(kernel k target sm_90a {
  global X : f32[16, 64]
  global Y : f32[16, 64]
  global Count : s32[1] zero
  grid (16)
  block 32
  shared s : f32[1, 64]
  reg x : f32[1, 64] fragment blocked(2)
  var order = 0
  for i in 0..20 {
    ld.global x, X[cta.x :+ 1, :]
    st.shared s[:, :], x
    bar.sync 0
    elect { atom.add order, Count[0], 1 }
    bar.sync 0
    ld.shared x, s[:, :]
    add x, x, x
    st.global Y[cta.x :+ 1, :], x
    bar.sync 0
  }
})";
  TileRun one(kTurns), two(kTurns, {}, {}, true);
  EXPECT_THAT(two.findings(), IsEmpty());
  EXPECT_FALSE(two.memory().gave_up());
  EXPECT_EQ(two.Codes("Y"), one.Codes("Y"));
  EXPECT_EQ(two.Numbers("Count"), one.Numbers("Count"));
  TileRun control(kControl, {}, {}, true);
  EXPECT_EQ(control.Numbers("Y"), control.Numbers("Len"));
}

// The last four rows that it stores are no rows of `s`.
std::string Outside(const std::string& then) {
  return R"(kernel k target sm_90a {
  param N : 0..64 = 12
  global Y : f32[16, 16] zero
  global Words : u32[4] zero
  grid (1)
  block 32
  shared s : f32[16, 16]
  reg x : f32[8, 16] fragment blocked(4)
  var i = 0
  i = N
  mov x, 1.0
  st.shared s[i :+ 8, :], x
  )" + then +
         "\n}";
}

TEST(BesideTest, AFindingIsLeftToARunWithout) {
  const std::string text = R"(kernel k target sm_90a {
  global Y : f32[8, 16] zero
  grid (1)
  block 32
  shared s : f32[8, 16]
  reg x : f32[8, 16] fragment blocked(4)
  ld.shared x, s
  st.global Y, x
})";
  TileRun one(text), two(text, {}, {}, true);
  EXPECT_THAT(one.findings(), ElementsAre(ir::Code("uninit/shared")));
  EXPECT_FALSE(one.memory().gave_up());
  EXPECT_THAT(two.findings(), IsEmpty());
  EXPECT_TRUE(two.memory().gave_up());
}

TEST(AtomicTest, EveryThreadDoesItsOwn) {
  TileRun run(R"(kernel k target sm_90a {
  global Y : u32[4] zero
  grid (1)
  block 64
  var a = 0
  var b = 0
  red.add Y[0], 2
  bar.sync 0
  thread 0 {
    atom.exch a, Y[1], 5
    atom.cas b, Y[1], 5, 6
    st Y[2], a
    st Y[3], b
    atom.cas b, Y[1], 5, 7
  }
})");
  EXPECT_EQ(run.Numbers("Y"), (std::vector<double>{128, 6, 0, 5}));
}

TEST(BoundsTest, BoxesOutsideTheirTileAreFindings) {
  TileRun run(Outside("elect { st Words[i], 1 }"));
  EXPECT_THAT(run.findings(), ElementsAre(ir::Code("bounds/shared"),
                                          ir::Code("bounds/global")));
}

TEST(FlowTest, ValuesThatCtasExchangeCannotBeSampled) {
  constexpr char kTwo[] = R"(kernel a target sm_90a {
  global X : f32[64]
  global W : f32[64]
  grid (1)
  block 32
  reg x : f32[64] fragment blocked(2)
  ld.global x, X[:]
  st.global W[:], x
}
kernel b target sm_90a {
  global Y : f32[64]
  computes Y = W
  grid (1)
  block 32
  reg x : f32[64] fragment blocked(2)
  ld.global x, W[:]
  st.global Y[:], x
})";
  TileRun run(kTwo);
  EXPECT_TRUE(run.memory().Check()[0].pass());
  EXPECT_EQ(run.Numbers("Y"), run.Numbers("X"));
  EXPECT_TRUE(ValuesFlowBetweenCtas({&run.code(0), &run.code(1)}));
  EXPECT_FALSE(ValuesFlowBetweenCtas({&run.code(0)}));
}

// CTAs that run take the work of those that do not fit.
TEST(ClcTest, AnswersNameTheClustersTaken) {
  TileRun run(R"(kernel k target sm_100a {
  global Y : u32[6, 2] zero
  grid (6, 2)
  block 32
  mbarrier got
  shared answer : u32[4]
  elect { mbarrier.init got, 1 ; fence.mbarrier_init }
  bar.warp.sync
  var x = cta.x
  var y = cta.y
  var more = 1
  var parity = 0
  elect {
    while more {
      red.add Y[x, y], 1
      mbarrier.arrive.expect_tx got, 16
      clc.try_cancel answer, got
      mbarrier.wait got, parity = parity
      clc.query_cancel more, x, y, answer
      parity = 1 - parity
    }
  }
})");
  EXPECT_THAT(run.findings(), IsEmpty());
  EXPECT_THAT(run.Numbers("Y"), Each(1.0));
}

TEST(SampleTest, FirstLastAndEdges) {
  ir::BoundKernel bound;
  bound.grid = {4, 8, 1};
  bound.sm_count = 10;
  absl::flat_hash_set<int64_t> sample = SampleCtas(bound, 4);
  EXPECT_EQ(sample.size(), 4u);
  EXPECT_TRUE(sample.contains(0));
  EXPECT_TRUE(sample.contains(31));
  EXPECT_TRUE(sample.contains(30));  // the tail wave
}

}  // namespace
}  // namespace tilesim::machine
