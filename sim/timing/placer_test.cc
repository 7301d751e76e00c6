#include "sim/timing/placer.h"

#include <map>

#include "gtest/gtest.h"

namespace tilesim::timing {
namespace {

ir::BoundKernel Kernel(int64_t block, int64_t regs, int64_t shared_bytes,
                       int64_t cluster = 1) {
  ir::BoundKernel kernel;
  kernel.block = block;
  kernel.regs = regs;
  kernel.shared_bytes = shared_bytes;
  kernel.cluster = {cluster, 1, 1};
  kernel.grid = {132, 1, 1};
  return kernel;
}

// CTAs on each SM when no more fit.
std::map<int, int> Fill(Placer& placer, const ir::BoundKernel& kernel) {
  std::map<int, int> ctas;
  while (auto seats = placer.Place(kernel)) {
    for (const Seat& seat : *seats) ++ctas[seat.sm];
  }
  return ctas;
}

TEST(Placer, AnSmHoldsWhatTheOccupancyRuleSays) {
  const arch::Arch& h200 = *arch::FindArch("h200");
  for (int64_t warps : {1, 2, 3, 4, 5, 7, 9, 12, 16, 32}) {
    for (int64_t regs : {32, 64, 96, 128, 136, 168, 200, 224, 255}) {
      for (int64_t shared : {0, 40000, 115000, 232448}) {
        ir::BoundKernel kernel = Kernel(warps * 32, regs, shared);
        Placer placer(h200);
        for (const auto& [sm, ctas] : Fill(placer, kernel)) {
          ASSERT_EQ(ctas, ir::CtasPerSm(kernel))
              << warps << " warps, " << regs << " registers, " << shared
              << " B, SM " << sm;
        }
      }
    }
  }
}

TEST(Placer, EverySmHasACtaBeforeAnyHasTwo) {
  Placer placer(*arch::FindArch("h200"));
  std::map<int, int> ctas;
  for (int i = 0; i < 132; ++i)
    ++ctas[placer.Place(Kernel(128, 128, 40000))->front().sm];
  EXPECT_EQ(ctas.size(), 132u);
}

// calibration.json launch.together: CTAs that follow each other share a TPC,
// and fill a GPC; clusters go round.
TEST(Placer, NeighboursShareAGpcAndClustersDoNot) {
  Placer placer(*arch::FindArch("h200"));
  std::vector<int> sms;
  for (int i = 0; i < 132; ++i)
    sms.push_back(placer.Place(Kernel(128, 128, 40000))->front().sm);
  int same_tpc = 0, same_gpc = 0;
  for (int i = 0; i + 1 < 132; i += 2) {
    same_tpc += placer.GpcOf(sms[i]) == placer.GpcOf(sms[i + 1]) &&
                placer.TpcOf(sms[i]) == placer.TpcOf(sms[i + 1]);
  }
  for (int i = 0; i + 8 < 132; ++i)
    same_gpc += placer.GpcOf(sms[i]) == placer.GpcOf(sms[i + 8]);
  EXPECT_EQ(same_tpc, 66);
  EXPECT_GT(same_gpc, 60);
  // Of a smaller grid each GPC gets its share.
  Placer few(*arch::FindArch("h200"));
  ir::BoundKernel small = Kernel(128, 128, 40000);
  small.grid = {64, 1, 1};
  std::map<int, int> of_gpc;
  for (int i = 0; i < 64; ++i)
    ++of_gpc[few.GpcOf(few.Place(small)->front().sm)];
  EXPECT_EQ(of_gpc.size(), 8u);
  for (const auto& [gpc, ctas] : of_gpc) EXPECT_EQ(ctas, 8) << gpc;
  Placer pairs(*arch::FindArch("h200"));
  int last = -1;
  for (int i = 0; i < 60; ++i) {
    const int gpc =
        pairs.GpcOf(pairs.Place(Kernel(128, 128, 40000, 2))->front().sm);
    EXPECT_NE(gpc, last);
    last = gpc;
  }
}

TEST(Placer, WhatIsReleasedCanBeTakenAgain) {
  Placer placer(*arch::FindArch("h200"));
  ir::BoundKernel kernel = Kernel(160, 168, 98304);
  auto first = placer.Place(kernel);
  ASSERT_TRUE(first);
  size_t sms = Fill(placer, kernel).size();
  EXPECT_EQ(sms, 132u);
  EXPECT_FALSE(placer.Place(kernel));
  placer.Release(kernel, first->front());
  auto again = placer.Place(kernel);
  ASSERT_TRUE(again);
  EXPECT_EQ(again->front().sm, first->front().sm);
}

// hardware.md C.3: of 132 SMs, 120 run clusters of 8.
TEST(Placer, ClustersStayInsideAGpc) {
  Placer placer(*arch::FindArch("h200"));
  EXPECT_EQ(Fill(placer, Kernel(128, 168, 232448, 8)).size(), 120u);
}

}  // namespace
}  // namespace tilesim::timing
