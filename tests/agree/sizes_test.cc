// What `check` says of all sizes against what it says of single ones.
#include <algorithm>
#include <fstream>
#include <sstream>
#include <string>

#include "fmt/format.h"
#include "gtest/gtest.h"
#include "tests/agree/check_text.h"

namespace tilesim::checkers {
namespace {

// A ring of slots. The consumer releases one `when` that holds, with `count`
// arrivals.
std::string Ring(const std::string& when, const std::string& count = "1") {
  return fmt::format(R"(kernel ring target sm_90a {{
  param N : 1.. = 8
  const S = 3
  grid (1)
  block 64
  mbarrier full[S], empty[S]
  warp 0, elect {{
    for s in 0..S {{
      mbarrier.init full[s], 1
      mbarrier.init empty[s], 1
    }}
    fence.mbarrier_init
  }}
  bar.sync 0
  role producer = warp 0, elect {{
    for k in 0..N {{
      mbarrier.wait empty[k % S], parity = (k / S + 1) & 1
      mbarrier.arrive full[k % S]
    }}
  }}
  role consumer = warp 1, elect {{
    for k in 0..N {{
      mbarrier.wait full[k % S], parity = (k / S) & 1
      if {} {{
        var c = {}
        mbarrier.arrive empty[k % S], count = c
      }}
    }}
  }}
}}
)",
                     when, count);
}

TEST(AllSizes, ARingIsRightInAllOfThem) {
  CheckReport r = CheckText(Ring("1"), {});
  EXPECT_EQ(r.verdict, Verdict::kClean);
  EXPECT_TRUE(r.scope.all_sizes);
  EXPECT_EQ(r.scope.all_of.count("N"), 1u);
}

// Two parameters that decide by their product where the grid is large enough,
// and a CTA by its place in it.
TEST(AllSizes, ACtaOfAProduct) {
  EXPECT_EQ(
      CheckFile("tests/agree/programs/a_cta_of_a_product.tile", {}).verdict,
      Verdict::kFindings);
}

// Two that are cells of their own write the same word.
TEST(AllSizes, CtasOfDifferentCells) {
  EXPECT_EQ(
      CheckFile("tests/agree/programs/ctas_of_two_cells.tile", {}).verdict,
      Verdict::kFindings);
}

// The mistake shows only in sizes that are larger than most.
TEST(AllSizes, AMistakeFarOutIsFoundOrOpen) {
  for (int far : {0, 1, 2, 7, 20, 41, 55}) {
    CheckReport r = CheckText(Ring(fmt::format("k != {}", far)), {});
    EXPECT_EQ(r.verdict, Verdict::kFindings) << far;
  }
  for (int far : {100, 1000, 1'000'000}) {
    CheckReport r = CheckText(Ring(fmt::format("k != {}", far)), {});
    EXPECT_EQ(r.verdict, Verdict::kIncomplete) << far;
    EXPECT_FALSE(r.scope.all_sizes);
    EXPECT_FALSE(r.open.empty());
  }
}

// Right up to some size only, by arithmetic that is no affine function.
TEST(AllSizes, WhatCannotBeFollowedIsNeverClean) {
  for (const char* when : {"k * k < 5000", "k % 50 != 49", "(k ^ 64) != 0",
                           "k / 60 * 60 <= 60", "N - k != 90"}) {
    CheckReport r = CheckText(Ring(when), {});
    EXPECT_NE(r.verdict, Verdict::kClean) << when;
  }
  for (const char* count :
       {"1 + k / 200", "k < 300 ? 1 : 2", "N - k < 90 ? 1 : 0"}) {
    CheckReport r = CheckText(Ring("1", count), {});
    EXPECT_NE(r.verdict, Verdict::kClean) << count;
  }
}

// A remainder is 0 in every seventh size, and one more than it never; a product
// leaves 64 bits at the default alone.
TEST(AllSizes, AScalarFailsInSomeOfThem) {
  auto verdict = [](const char* value, int64_t n = 1) {
    return CheckText(fmt::format("kernel k target sm_90a {{\n"
                                 "  param N : 1.. = {}\n  grid (1)\n"
                                 "  block 64\n  let x = {}\n  bar.sync 0\n}}",
                                 n, value),
                     {})
        .verdict;
  };
  EXPECT_EQ(verdict("64 / (N % 7)"), Verdict::kFindings);
  EXPECT_EQ(verdict("64 / (N % 7 + 1)"), Verdict::kClean);
  EXPECT_EQ(verdict("N * N", 4000000000), Verdict::kFindings);
}

// The loop turns a ring of which it writes one half of each slot. The other
// half was written before, of slot 0 or of both; the end reads a whole slot.
std::string HalfWritten(const std::string& before) {
  return fmt::format(R"(kernel half target sm_90a {{
  param N : 1.. = 4
  grid (1)
  block 32
  shared s[2] : f32[32, 32]
  reg v : f32[32, 32] fragment blocked(1)
  reg h : f32[16, 32] fragment blocked(1)
  mov v, 0.0
  mov h, 0.0
  {}
  for i in 0..N {{
    st.shared s[i % 2][0 :+ 16, :], h
  }}
  if N >= 10 {{
    ld.shared v, s[N % 2]
  }}
}}
)",
                     before);
}

TEST(AllSizes, WhatWasNeverWrittenDependsOnTheSlot) {
  CheckReport r = CheckText(HalfWritten("st.shared s[0], v"), {});
  EXPECT_EQ(r.verdict, Verdict::kFindings);
  r = CheckText(HalfWritten("st.shared s[0], v\n st.shared s[1], v"), {});
  EXPECT_EQ(r.verdict, Verdict::kClean);
  EXPECT_TRUE(r.scope.all_sizes);
}

// A ring whose slot and parity are variables; the consumer's parity flips as
// the slot wraps, where `flips` holds.
std::string Wrapping(int stages, const std::string& flips) {
  return fmt::format(R"(kernel wrapping target sm_90a {{
  param N : 1.. = 8
  const S = {}
  grid (1)
  block 64
  mbarrier full[S], empty[S]
  warp 0, elect {{
    for s in 0..S {{
      mbarrier.init full[s], 1
      mbarrier.init empty[s], 1
    }}
    fence.mbarrier_init
  }}
  bar.sync 0
  role producer = warp 0, elect {{
    var s = 0
    var p = 1
    for k in 0..N {{
      mbarrier.wait empty[s], parity = p
      mbarrier.arrive full[s]
      s = s + 1
      if s == S {{
        s = 0
        p = p ^ 1
      }}
    }}
  }}
  role consumer = warp 1, elect {{
    var s = 0
    var p = 0
    for k in 0..N {{
      mbarrier.wait full[s], parity = p
      mbarrier.arrive empty[s]
      s = s + 1
      if s == S {{
        s = 0
        if {} {{
          p = p ^ 1
        }}
      }}
    }}
  }}
}}
)",
                     stages, flips);
}

TEST(AllSizes, SlotAndParityMayBeVariables) {
  for (int stages : {1, 2, 3, 5}) {
    CheckReport r = CheckText(Wrapping(stages, "1"), {});
    EXPECT_EQ(r.verdict, Verdict::kClean) << stages;
    EXPECT_TRUE(r.scope.all_sizes) << stages;
    for (const char* flips : {"k < 20", "k < 90", "k < 400", "k / 100 == 0",
                              "N < 100", "N - k > 70"}) {
      EXPECT_NE(CheckText(Wrapping(stages, flips), {}).verdict, Verdict::kClean)
          << stages << " " << flips;
    }
  }
}

// The producer takes all steps in one loop, the consumer tile by tile, the last
// step of each apart.
std::string Tiled(const std::string& steps, const std::string& of_tile) {
  return fmt::format(R"(kernel tiled target sm_90a {{
  param STEPS : 2.. = 3
  param TILES : 1.. = 2
  grid (1)
  block 64
  mbarrier full, empty
  warp 0, elect {{
    mbarrier.init full, 1
    mbarrier.init empty, 1
    fence.mbarrier_init
  }}
  bar.sync 0
  role producer = warp 0, elect {{
    for k in 0..{} {{
      mbarrier.wait empty, parity = (k + 1) & 1
      mbarrier.arrive full
    }}
  }}
  role consumer = warp 1, elect {{
    var p = 0
    for t in 0..TILES {{
      for i in 0..{} - 1 {{
        mbarrier.wait full, parity = p
        p = p ^ 1
        mbarrier.arrive empty
      }}
      mbarrier.wait full, parity = p
      p = p ^ 1
      mbarrier.arrive empty
    }}
  }}
}}
)",
                     steps, of_tile);
}

TEST(AllSizes, StepsOfAllTilesMayBeOneLoop) {
  CheckReport r = CheckText(Tiled("STEPS * TILES", "STEPS"), {});
  EXPECT_EQ(r.verdict, Verdict::kClean);
  EXPECT_TRUE(r.scope.all_sizes);
  for (const char* steps : {"STEPS * TILES - 1", "STEPS * TILES - TILES / 70",
                            "STEPS * TILES - (STEPS > 90 ? 1 : 0)"}) {
    EXPECT_NE(CheckText(Tiled(steps, "STEPS"), {}).verdict, Verdict::kClean)
        << steps;
  }
  for (const char* of_tile : {"STEPS + 1", "STEPS + t / 80"}) {
    EXPECT_NE(CheckText(Tiled("STEPS * TILES", of_tile), {}).verdict,
              Verdict::kClean)
        << of_tile;
  }
}

// A ring that each CTA of a grid goes around as often as it says. The consumer
// releases slot `n` when that holds.
struct Dealt {
  std::string grid;
  std::string loop;  // N: a size
  std::string also;  // another parameter
};

std::string RingOf(const Dealt& d, const std::string& when) {
  return fmt::format(R"(kernel ring target sm_90a {{
  param N : 1.. = 8
  {}
  const S = 3
  grid ({})
  block 64
  mbarrier full[S], empty[S]
  warp 0, elect {{
    for s in 0..S {{
      mbarrier.init full[s], 1
      mbarrier.init empty[s], 1
    }}
    fence.mbarrier_init
  }}
  bar.sync 0
  role producer = warp 0, elect {{
    var n = 0
    for k in {} {{
      mbarrier.wait empty[n % S], parity = (n / S + 1) & 1
      mbarrier.arrive full[n % S]
      n = n + 1
    }}
  }}
  role consumer = warp 1, elect {{
    var n = 0
    for k in {} {{
      mbarrier.wait full[n % S], parity = (n / S) & 1
      if {} {{
        mbarrier.arrive empty[n % S]
      }}
      n = n + 1
    }}
  }}
}}
)",
                     d.also, d.grid, d.loop, d.loop, when);
}

// How often depends on which CTA it is.
const Dealt kDealt[] = {
    {"N", "0..cta.x + 1", ""},
    {"N", "0..grid.x - cta.x", ""},
    {"N", "0..2 * (grid.x - 1 - cta.x) + 2", ""},
    {"N", "0..N - cta.x", ""},
    {"2 * N", "0..grid.x - cta.x", ""},
    {"2, N", "0..cta.y + 1", ""},
    {"N, 2", "0..cta.x + cta.y", ""},
    {"N", "0..min(cta.x, 10) + 1", ""},
    {"N", "0..max(grid.x - cta.x, 3)", ""},
    {"N", "0..cta.x / 2 + 1", ""},
    {"N", "0..(cta.x * 64 + 63) / 32 + 1", ""},
    {"N", "0..M + cta.x", "param M : 1.. = 3"},
    {"N", "0..M * (cta.x + 1)", "param M : 1.. = 3"},
    {"N", "0..cta.x + 1 + (grid.x - cta.x)", ""},
    {"M, N", "0..M + N - cta.x - cta.y", "param M : 1.. = 2"},
    {"M * N", "0..M * N - cta.x", "param M : 1.. = 2"},
    {"2 * N)\n  cluster (2", "0..grid.x - cta.x", ""},
    {"2", "cta.x..N step grid.x", ""},
    {"132", "cta.x..N step grid.x", ""},
    {"min(132, N)", "cta.x..N step grid.x", ""},
    {"min(5, cdiv(N, 3))", "cta.x..N step grid.x", ""},
    {"min(3, cdiv(N, 4))", "cta.x * 4..N step grid.x * 4", ""},
};

TEST(AllSizes, TripsMayDependOnTheCta) {
  for (const Dealt& d : kDealt) {
    CheckReport r = CheckText(RingOf(d, "1"), {});
    EXPECT_EQ(r.verdict, Verdict::kClean) << d.grid << ": " << d.loop;
    EXPECT_TRUE(r.scope.all_sizes);
  }
}

// One by one, with every cluster of the grid.
bool CleanUpTo(const std::string& text, int64_t largest) {
  for (int64_t n = 1; n <= largest; ++n) {
    CheckOptions options;
    options.defines["N"] = n;
    if (CheckText(text, options).verdict != Verdict::kClean) return false;
  }
  return true;
}

TEST(AllSizes, AMistakeOfSomeCtasIsNeverClean) {
  int wrong = 0;
  for (const Dealt& d : kDealt) {
    for (const char* when :
         {"n != 3", "cta.x != 1", "cta.x < 5 || n != 1", "n != 4 || cta.x != 3",
          "grid.x - cta.x != 6 || n != 4", "grid.x != 7 || n != 2", "N != 9",
          "N - cta.x != 6 || n != 1"}) {
      std::string text = RingOf(d, when);
      CheckReport r = CheckText(text, {});
      EXPECT_TRUE(r.verdict != Verdict::kClean || CleanUpTo(text, 11)) << text;
      wrong += r.verdict == Verdict::kFindings;
    }
    // Too far out to be met; of 11 trips it is no mistake.
    bool few = d.loop.find("min(cta.x") != std::string::npos;
    Verdict far = CheckText(RingOf(d, "n < 500"), {}).verdict;
    EXPECT_TRUE(few || far != Verdict::kClean) << d.loop;
  }
  EXPECT_GT(wrong, 100);
}

// What only some CTAs do, and not the first.
TEST(AllSizes, EveryClusterOfTheGridIsMeant) {
  auto text = [](const char* grid, const char* body) {
    return fmt::format(R"(kernel some target sm_90a {{
  param N : 1.. = 8
  param K : 1.. = 8
  grid ({})
  block 32
  mbarrier m
  thread 0 {{
    if {}
  }}
}}
)",
                       grid, body);
  };
  const char* waits =
      "cta.x > 0 {\n mbarrier.init m, 1\n mbarrier.wait m, parity = 0\n }";
  EXPECT_EQ(CheckText(text("N", waits), {}).verdict, Verdict::kFindings);
  const char* late =
      "cta.y == 1 {\n mbarrier.init m, 1\n fence.mbarrier_init\n"
      " for k in 0..K {\n mbarrier.arrive m\n"
      " mbarrier.wait m, parity = k > 300 ? 1 : k & 1\n }\n }";
  EXPECT_NE(CheckText(text("N, 2", late), {}).verdict, Verdict::kClean);
}

// Barriers of one CTA go through phases that those of its peer do not.
std::string Pair(const std::string& parity, const std::string& last) {
  return fmt::format(R"(kernel pair target sm_90a {{
  param N : 1.. = 8
  grid (2)
  cluster (2)
  block 32
  mbarrier go, done
  thread 0 {{
    mbarrier.init go, 1
    mbarrier.init done, 1
    fence.mbarrier_init
  }}
  barrier.cluster.arrive
  barrier.cluster.wait
  thread 0 {{
    if cluster.rank == 0 {{
      for k in 0..N {{
        mbarrier.wait.acquire.cluster go, parity = {}
        mbarrier.arrive.release.cluster done @ cta 1
      }}
    }} else {{
      for k in 0..N {{
        mbarrier.arrive.release.cluster go @ cta 0
        mbarrier.wait.acquire.cluster done, parity = k & 1
      }}
    }}
    mbarrier.wait {}
  }}
  barrier.cluster.arrive
  barrier.cluster.wait
}}
)",
                     parity, last);
}

TEST(AllSizes, BarriersOfEachCtaHaveTheirOwnPhases) {
  // What its peer never used is as it was, however often the loop turned.
  const char* never = "done, parity = cluster.rank == 0 ? 1 : (N - 1) & 1";
  CheckReport r = CheckText(Pair("k & 1", never), {});
  EXPECT_EQ(r.verdict, Verdict::kClean);
  EXPECT_TRUE(r.scope.all_sizes);
  for (const char* parity : {"(k + 1) & 1", "k < 40 ? k & 1 : 0"}) {
    EXPECT_NE(CheckText(Pair(parity, never), {}).verdict, Verdict::kClean)
        << parity;
  }
  for (const char* last : {"done, parity = (N - 1) & 1",
                           "done, parity = cluster.rank == 0 ? 1 : N & 1"}) {
    EXPECT_EQ(CheckText(Pair("k & 1", last), {}).verdict, Verdict::kFindings)
        << last;
  }
}

TEST(AllSizes, WithTripsTheVerdictIsAboutThose) {
  CheckOptions options;
  options.trips = 5;
  CheckReport r = CheckText(Ring("k != 1000"), options);
  EXPECT_EQ(r.verdict, Verdict::kClean);
  EXPECT_FALSE(r.scope.all_sizes);
  EXPECT_GE(r.scope.trips, 5);
}

TEST(AllSizes, TripsThatWereNotReachedAreNotClean) {
  CheckOptions options;
  options.trips = 1'000'000;
  CheckReport r = CheckText(Ring("1"), options);
  EXPECT_EQ(r.verdict, Verdict::kIncomplete);
  EXPECT_FALSE(r.open.empty());
}

// A store for every turn of a loop, to places that come again after `places` of
// them; all may still be writing.
std::string StoresTo(int places) {
  return fmt::format(R"(kernel stores target sm_90a {{
  param N : 1.. = 4
  global O : f16[2048, 64]
  grid (1)
  block 128
  shared d : f16[128, 64] swizzle 128B
  reg v : f16[128, 64] fragment row
  for i in 0..N {{
    warp 0, elect {{
      bulk.wait_group.read 0
    }}
    bar.sync 1, 128
    st.shared d, v
    fence.proxy.async.shared::cta
    bar.sync 1, 128
    warp 0, elect {{
      tma.store O[128 * (i % {}) :+ 128, :], d
      bulk.commit_group
    }}
  }}
  warp 0, elect {{
    bulk.wait_group 0
  }}
}}
)",
                     places);
}

TEST(AllSizes, GlobalMemoryIsTriedFarOut) {
  for (int places = 1; places <= 9; ++places) {
    CheckReport r = CheckText(StoresTo(places), {});
    EXPECT_EQ(r.verdict, Verdict::kFindings) << places;
  }
}

// What one warp writes in every turn, another has read long before.
TEST(AllSizes, WhatIsReleaseAcquireInGlobalMemoryIsNotFollowed) {
  EXPECT_NE(
      CheckFile("tests/agree/programs/rows_stored_forty_iterations_later.tile",
                {})
          .verdict,
      Verdict::kClean);
}

// Sizes that were not run are as those that were.
TEST(AllSizes, LargerOnesAreRightToo) {
  struct Larger {
    const char* file;
    ir::Overrides sizes;
  };
  const Larger all[] = {
      {"examples/hopper/hgemm_v05.tile", {{"K", 64 * 41}}},
      {"examples/hopper/hgemm_v08.tile",
       {{"K", 64 * 19}, {"M", 128 * 5}, {"N", 128 * 5}}},
      {"examples/hopper/hgemm_v10.tile",
       {{"K", 64 * 13}, {"M", 256 * 3}, {"N", 256 * 5}}},
      {"examples/tirx/hgemm_v07.tile",
       {{"K", 64 * 17}, {"M", 128 * 4}, {"N", 128 * 3}}},
      {"examples/tirx/hgemm_v06.tile",
       {{"K", 64 * 23}, {"M", 128 * 3}, {"N", 128 * 3}}},
      {"examples/tirx/hgemm_v09.tile",
       {{"K", 64 * 29}, {"M", 256 * 5}, {"N", 256}}},
      {"examples/mlir/matmul_multistage.tile", {{"K", 64 * 50}}},
      {"examples/attention/fmha_sm90.tile",
       {{"BH", 2}, {"CAUSAL", 1}, {"S", 128 * 13}}},
      {"examples/attention/fmha_sm100.tile",
       {{"BH", 1}, {"CAUSAL", 1}, {"S", 256 * 8}}},
      {"examples/memory/softmax.tile", {{"CTAS", 3}, {"ROWS", 16 * 395}}},
  };
  for (const Larger& l : all) {
    std::ifstream in(l.file);
    std::stringstream text;
    text << in.rdbuf();
    EXPECT_TRUE(CheckText(text.str(), {}, l.file).scope.all_sizes) << l.file;
    CheckOptions options;
    options.defines = l.sizes;
    EXPECT_EQ(CheckText(text.str(), options, l.file).verdict, Verdict::kClean)
        << l.file;
  }
}

}  // namespace
}  // namespace tilesim::checkers
