// Persistent kernels: which GPUs a verdict is about, and what is said of all
// sizes on one against what is said of single ones on others.
#include <cstdint>
#include <set>
#include <string>

#include "fmt/format.h"
#include "gtest/gtest.h"
#include "tests/agree/check_text.h"

namespace tilesim::checkers {
namespace {

using Sms = std::set<int64_t>;

// A ring of one slot, handed over once a tile.
std::string Persistent(const std::string& parity,
                       const std::string& grid = "min(sm.count, T)",
                       const std::string& target = "sm_90a") {
  return fmt::format(R"(kernel persistent target {} {{
  param T : 1.. = 1024
  grid ({})
  block 64
  mbarrier full, empty
  thread 0 {{
    mbarrier.init full, 1
    mbarrier.init empty, 1
    fence.mbarrier_init
  }}
  bar.sync 0
  role producer = warp 0, elect {{
    var n = 0
    for t in cta.x..T step grid.x {{
      mbarrier.wait empty, parity = {} & 1 ^ 1
      mbarrier.arrive full
      n = n + 1
    }}
  }}
  role consumer = warp 1, elect {{
    var n = 0
    for t in cta.x..T step grid.x {{
      mbarrier.wait full, parity = {} & 1
      mbarrier.arrive empty
      n = n + 1
    }}
  }}
}}
)",
                     target, grid, parity, parity);
}

CheckReport On(const std::string& text, int64_t sms, int64_t tiles = 0) {
  CheckOptions options;
  options.sm_count = sms;
  if (tiles > 0) options.defines["T"] = tiles;
  return CheckText(text, options);
}

TEST(Gpus, AreThoseThatTheTargetIsFor) {
  for (const auto& [target, sms] :
       {std::pair("sm_90a", 132), std::pair("sm_100a", 148)}) {
    CheckReport r = CheckText(Persistent("n", "min(sm.count, T)", target), {});
    EXPECT_EQ(r.verdict, Verdict::kClean) << target;
    EXPECT_EQ(r.scope.sms, Sms{sms}) << target;
  }
  CheckReport r = On(Persistent("n"), 5);
  EXPECT_EQ(r.verdict, Verdict::kClean);
  EXPECT_EQ(r.scope.sms, Sms{5});
  // A kernel that does not ask runs alike on all.
  EXPECT_EQ(CheckText(Persistent("n", "min(9, T)"), {}).scope.sms, Sms{});
}

TEST(Gpus, WhatIsCleanIsSoOnOthers) {
  for (const char* grid : {"min(sm.count, T)", "sm.count", "2 * sm.count"}) {
    std::string text = Persistent("n", grid);
    SCOPED_TRACE(text);
    EXPECT_EQ(CheckText(text, {}).verdict, Verdict::kClean);
    for (int64_t sms : {1, 2, 3, 8, 20}) {
      for (int64_t tiles : {1, 2, 7, 50})
        EXPECT_EQ(On(text, sms, tiles).verdict, Verdict::kClean)
            << sms << " SMs, " << tiles << " tiles";
    }
  }
}

// One SM has all tiles, and their numbers are how many it has had.
TEST(Gpus, WhatIsRightOnOneSmOnlyIsFound) {
  std::string text = Persistent("t");
  EXPECT_EQ(On(text, 1).verdict, Verdict::kClean);
  EXPECT_EQ(On(text, 2, 4).verdict, Verdict::kFindings);
  EXPECT_EQ(CheckText(text, {}).verdict, Verdict::kFindings);
}

// Each CTA stores its tiles to so many places, in turn, and waits for none.
std::string StoresTo(int places) {
  return fmt::format(R"(kernel stores target sm_90a {{
  param T : 1.. = 1024
  const PLACES = {}
  global O : f16[sm.count, PLACES, 64, 64]
  grid (sm.count)
  block 128
  shared d : f16[64, 64] swizzle 128B
  reg v : f16[64, 64] fragment wgmma
  mov v, 0.0
  st.shared d, v
  fence.proxy.async.shared::cta
  bar.sync 0
  warp 0, elect {{
    var n = 0
    for t in cta.x..T step grid.x {{
      tma.store O[cta.x :+ 1, n % PLACES :+ 1, :, :], d
      bulk.commit_group
      n = n + 1
    }}
    bulk.wait_group 0
  }}
}}
)",
                     places);
}

// In turns of each CTA, of which 8 take 8 tiles on every SM.
TEST(Gpus, GlobalMemoryIsTriedFarOut) {
  for (int places = 1; places <= 9; ++places) {
    CheckReport r = CheckText(StoresTo(places), {});
    EXPECT_EQ(r.verdict, Verdict::kFindings) << places;
  }
}

TEST(Gpus, WhatIsWrongEverywhereIsFoundInSmallSizes) {
  CheckReport r = CheckText(Persistent("(n + t / 2)"), {});
  ASSERT_EQ(r.verdict, Verdict::kFindings);
  EXPECT_EQ(r.findings[0].seen.sm_count, 1);
  EXPECT_LE(r.findings[0].seen.sizes.at("T"), 10);
}

}  // namespace
}  // namespace tilesim::checkers
