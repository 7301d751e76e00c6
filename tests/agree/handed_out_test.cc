// All sizes of programs whose loops end when cluster launch control says so.
#include <string>

#include "absl/strings/str_replace.h"
#include "fmt/format.h"
#include "gtest/gtest.h"
#include "tests/agree/check_text.h"

namespace tilesim::checkers {
namespace {

// A scheduler asks, and a worker reads its answers from a ring of two; it
// releases each `when` that holds.
std::string Handed(const std::string& when, const std::string& grid = "N",
                   const std::string& most = "") {
  return fmt::format(R"(kernel handed target sm_100a {{
  param N : 1..{} = 4
  param M : 1.. = 2
  grid ({})
  block 64
  mbarrier answered[2], read[2]
  shared answer[2] : u32[4]
  warp 0, elect {{
    for i in 0..2 {{
      mbarrier.init answered[i], 1
      mbarrier.init read[i], 2
    }}
    fence.mbarrier_init
  }}
  bar.sync 0
  role scheduler = warp 0, elect {{
    var t = 0
    var more = 1
    var x = 0
    var y = 0
    while more {{
      mbarrier.wait read[t % 2], parity = (t / 2 + 1) & 1
      mbarrier.arrive.expect_tx answered[t % 2], 16
      clc.try_cancel answer[t % 2], answered[t % 2]
      mbarrier.wait answered[t % 2], parity = (t / 2) & 1
      clc.query_cancel more, x, y, answer[t % 2]
      fence.proxy.async.shared::cta
      mbarrier.arrive read[t % 2]
      t = t + 1
    }}
  }}
  role worker = warp 1, elect {{
    var t = 0
    var more = 1
    var x = 0
    var y = 0
    while more {{
      mbarrier.wait answered[t % 2], parity = (t / 2) & 1
      clc.query_cancel more, x, y, answer[t % 2]
      fence.proxy.async.shared::cta
      if {} {{
        mbarrier.arrive read[t % 2]
      }}
      t = t + 1
    }}
  }}
}}
)",
                     most, grid, when);
}

TEST(HandedOut, AnyNumberOfClusters) {
  for (const char* grid : {"N", "N, M", "2 * N", "M, 2 * N + 1"}) {
    for (const char* when : {"1", "more", "t >= 0"}) {
      CheckReport r = CheckText(Handed(when, grid), {});
      EXPECT_EQ(r.verdict, Verdict::kClean) << grid << ", " << when;
      EXPECT_TRUE(r.scope.all_sizes) << grid << ", " << when;
    }
  }
}

// What goes wrong only after many, or for a cluster, or in a grid that nobody
// looked at.
TEST(HandedOut, AMistakeFarOutIsFoundOrOpen) {
  for (const char* when :
       {"t != 2", "t != 900", "t % 7 != 6", "x != 900", "y == 0 || x < 50",
        "N < 300", "M < 300", "t < 5 || N != 50"}) {
    EXPECT_NE(CheckText(Handed(when, "N, M"), {}).verdict, Verdict::kClean)
        << when;
  }
}

// There are only so many clusters.
TEST(HandedOut, NoMoreThanThereAre) {
  for (const char* most : {"4", "5", "12", "40"}) {
    CheckReport r = CheckText(Handed("1", "N", most), {});
    EXPECT_EQ(r.verdict, Verdict::kClean) << most;
    EXPECT_TRUE(r.scope.all_sizes) << most;
  }
  EXPECT_EQ(CheckText(Handed("t != 1", "N", "5"), {}).verdict,
            Verdict::kFindings);
  // What only a ninth cluster would show.
  EXPECT_EQ(CheckText(Handed("t != 8", "N", "5"), {}).verdict, Verdict::kClean);
  EXPECT_NE(CheckText(Handed("t != 8", "N", "40"), {}).verdict,
            Verdict::kClean);
}

// Sizes with a larger grid are far apart.
TEST(HandedOut, OnlySomeGridsArePermitted) {
  auto sparse = [](const char* when) {
    return absl::StrReplaceAll(
        Handed(when, "N / 128"),
        {{"param N : 1.. = 4",
          "param N : 128.. = 512\n  requires N % 128 == 0"}});
  };
  EXPECT_EQ(CheckText(sparse("t != 1"), {}).verdict, Verdict::kFindings);
  EXPECT_NE(CheckText(sparse("t != 20"), {}).verdict, Verdict::kClean);
}

// A size that decides something beside the number of clusters.
TEST(HandedOut, AGridIsNoSizeOfItsOwn) {
  CheckReport r = CheckText(Handed("M > 0", "N"), {});
  EXPECT_EQ(r.verdict, Verdict::kClean);
  r = CheckText(Handed("M != 77", "N"), {});
  EXPECT_NE(r.verdict, Verdict::kClean);
  r = CheckText(Handed("N != 77", "N"), {});
  EXPECT_NE(r.verdict, Verdict::kClean);
}

}  // namespace
}  // namespace tilesim::checkers
