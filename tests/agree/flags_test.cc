// CTAs that set flags and wait for others': each judged by itself, and all of
// them side by side.
#include "checkers/run/flags.h"

#include <random>
#include <string>
#include <utility>
#include <vector>

#include "fmt/format.h"
#include "gtest/gtest.h"
#include "tests/agree/check_text.h"
#include "tests/agree/side_by_side.h"

namespace tilesim::checkers {
using run::Flags;
using run::FlagsOf;

namespace {

constexpr char kBar[] = "bar.sync 0";
constexpr char kFence[] = "fence.acq_rel.gpu";

// Two warps of a CTA store; one thread sets the CTA's flag for both. Those for
// whom `waits` holds read what CTA `peer` stored, when its flag `which` is set.
struct Telling {
  std::string before = kBar, release, sets = "release", waits = "cta.x > 0",
              peer = "cta.x - 1", which = "peer", asks = "acquire", acquire,
              after = kBar, also;

  std::string Text(int ctas) const {
    return fmt::format(R"(kernel k target sm_90a {{
  const CTAS = {}
  global Part : u32[CTAS, 2]
  global Ready : u32[CTAS] zero
  grid (CTAS)
  block 64
  elect {{
    st Part[cta.x, warp], 1
  }}
  {}
  {}
  thread 0 {{
    {}
    st.{}.gpu Ready[cta.x], 1
  }}
  if {} {{
    let peer = {}
    thread 0 {{
      var ready = 0
      while ready == 0 {{
        ld.{}.gpu ready, Ready[{}]
      }}
      {}
    }}
    {}
    elect {{
      var part = 0
      ld part, Part[peer, 1 - warp]
    }}
  }}
}}
)",
                       ctas, before, also, release, sets, waits, peer, asks,
                       which, acquire, after);
  }
};

TEST(Flags, WhatIsHandedOver) {
  int wrong = 0, right = 0;
  for (const char* before : {kBar, ""}) {
    for (const char* release : {"", kFence}) {
      for (const char* sets : {"relaxed", "release"}) {
        for (const char* asks : {"relaxed", "acquire"}) {
          for (const char* acquire : {"", kFence}) {
            for (const char* after : {kBar, ""}) {
              Telling t;
              t.before = before, t.release = release, t.sets = sets;
              t.asks = asks, t.acquire = acquire, t.after = after;
              ++(WrongEitherWay(t.Text(2)) ? wrong : right);
            }
          }
        }
      }
    }
  }
  // Both barriers, and a release and an acquire by either way.
  EXPECT_EQ(right, 9);
  EXPECT_EQ(wrong, 55);
}

// A fence by all of a warp is one by the thread that sets.
TEST(Flags, AWarpsFence) {
  Telling t;
  t.sets = "relaxed", t.also = "warp 0 { fence.acq_rel.gpu }";
  EXPECT_FALSE(WrongEitherWay(t.Text(2)));
  // Who stores as a warp, and sets as one, has stored with one lane.
  Telling all;
  all.before = "";
  std::string text = all.Text(2);
  text.replace(text.find("thread 0 {"), 10, "warp 0 {");
  EXPECT_TRUE(WrongEitherWay(text));
}

TEST(Flags, WhoseIsWaitedFor) {
  Telling other;
  other.waits = "cta.x == 1", other.which = "2";
  EXPECT_TRUE(WrongEitherWay(other.Text(3)));
  Telling own;
  own.which = "cta.x";
  EXPECT_TRUE(WrongEitherWay(own.Text(2)));
  Telling both;
  both.waits = "1", both.peer = "1 - cta.x";
  EXPECT_FALSE(WrongEitherWay(both.Text(2)));
}

// A wait before the own flag is set.
std::string First(const std::string& who, const std::string& flag) {
  return fmt::format(R"(thread 0 {{
    if {} {{
      var first = 0
      while first == 0 {{
        ld.acquire.gpu first, Ready[{}]
      }}
    }}
  }}
  bar.sync 0)",
                     who, flag);
}

TEST(Flags, OneAfterTheOther) {
  Telling chain;
  chain.also = First("cta.x > 0", "cta.x - 1");
  EXPECT_FALSE(WrongEitherWay(chain.Text(2)));
  // What the first stored, the last knows from the second.
  chain.waits = "cta.x == 2", chain.peer = "0", chain.which = "1";
  EXPECT_EQ(CheckText(chain.Text(3), {}).verdict, Verdict::kClean);
  chain.also = "";
  EXPECT_EQ(CheckText(chain.Text(3), {}).verdict, Verdict::kFindings);
}

TEST(Flags, WhatNeverComes) {
  auto first_code = [](const std::string& text) {
    CheckReport r = CheckText(text, {});
    return r.findings.empty() ? ir::Code() : r.findings.front().diagnostic.code;
  };
  Telling cycle;
  cycle.also = First("1", "1 - cta.x");
  EXPECT_EQ(first_code(cycle.Text(2)), ir::Code("deadlock/cycle"));
  std::string text = Telling().Text(2);
  text.replace(text.find("Ready[cta.x], 1"), 15, "Ready[1], 1");
  EXPECT_EQ(first_code(text), ir::Code("deadlock/missing-arrival"));
}

// A CTA that waits for one flag and sets another passes on what it was told if
// it releases that: at the set, or at a fence after the wait.
std::string Relay(const std::string& before, const std::string& after,
                  const std::string& sets) {
  return fmt::format(R"(kernel k target sm_90a {{
  global Part : u32[1]
  global Ready : u32[2] zero
  grid (3)
  block 32
  thread 0 {{
    var r = 0
    if cta.x == 0 {{
      st Part[0], 1
      st.release.gpu Ready[0], 1
    }}
    if cta.x == 1 {{
      {}
      while r == 0 {{
        ld.acquire.gpu r, Ready[0]
      }}
      {}
      st.{}.gpu Ready[1], 1
    }}
    if cta.x == 2 {{
      while r == 0 {{
        ld.acquire.gpu r, Ready[1]
      }}
      var part = 0
      ld part, Part[0]
    }}
  }}
}}
)",
                     before, after, sets);
}

TEST(Flags, WhatIsPassedOn) {
  EXPECT_FALSE(WrongEitherWay(Relay("", "", "release")));
  EXPECT_FALSE(WrongEitherWay(Relay("", kFence, "relaxed")));
  EXPECT_TRUE(WrongEitherWay(Relay("", "", "relaxed")));
  EXPECT_TRUE(WrongEitherWay(Relay(kFence, "", "relaxed")));
}

// Who holds up others of its CTA while it waits: those who need its registers,
// the warps of its warpgroup.
TEST(Flags, WhoIsHeldUpByAWait) {
  constexpr const char* kPool = R"(
  block 384 regs 168
  role c = warpgroups 1..3 {
    setmaxnreg.inc 240
    thread 128 { st.release.gpu Ready[cta.x], 1 }
  }
  role p = warpgroup 0 {
    WAIT
    bar.sync 1, 128
    setmaxnreg.dec 24
  })";
  constexpr const char* kGroup = R"(
  block 128
  role p = warpgroup 0 {
    WAIT
    wgmma.fence
    wgmma.commit_group
    wgmma.wait_group 0
    thread 32 { st.release.gpu Ready[cta.x], 1 }
  })";
  constexpr char kWait[] = R"(thread 0 {
      var r = 0
      while r == 0 {
        ld.acquire.gpu r, Ready[(cta.x + 1) % CTAS]
      }
    })";
  for (int ctas : {2, 6}) {
    for (std::string body : {kPool, kGroup}) {
      body.replace(body.find("WAIT"), 4, kWait);
      std::string text = fmt::format(
          "kernel k target sm_90a {{\n  const CTAS = {}\n"
          "  global Ready : u32[CTAS] zero\n  grid (CTAS){}\n}}\n",
          ctas, body);
      EXPECT_EQ(CheckText(text, {}).verdict, Verdict::kFindings) << text;
    }
  }
}

// What a flag says that is set twice is nobody's guess.
TEST(Flags, SetTwice) {
  Telling t;
  std::string text = t.Text(5);
  text.insert(text.find("st.release.gpu Ready"),
              "st.release.gpu Ready[cta.x], 1; ");
  EXPECT_EQ(CheckText(text, {}).verdict, Verdict::kIncomplete);
}

// A scope that does not have both CTAs: neither flags nor counters, but races.
TEST(Flags, NarrowScopes) {
  Telling t;
  t.release = kFence, t.acquire = kFence, t.sets = t.asks = "relaxed";
  for (const char* scope : {".cta", ".cluster"}) {
    std::string text = t.Text(2);
    for (size_t at; (at = text.find("relaxed.gpu")) != std::string::npos;)
      text.replace(at, 11, std::string("relaxed") + scope);
    EXPECT_TRUE(FlagsOf(*Compiled(text).code).empty());
    CheckReport r = CheckText(text, {});
    ASSERT_EQ(r.verdict, Verdict::kFindings) << text;
  }
}

// More CTAs than are run side by side.
TEST(Flags, OfManyCtas) {
  Telling many;
  EXPECT_EQ(CheckText(many.Text(32), {}).verdict, Verdict::kClean);
  many.asks = "relaxed";
  EXPECT_EQ(CheckText(many.Text(32), {}).verdict, Verdict::kFindings);
  // More than of other grids; but of so many, not all are run.
  Telling too_many;
  EXPECT_EQ(CheckText(too_many.Text(33), {}).verdict, Verdict::kClean);
  EXPECT_EQ(CheckText(too_many.Text(257), {}).verdict, Verdict::kIncomplete);
}

// Threads of two or three CTAs that store, load, set flags, wait and fence.
std::string RandomTalk(std::mt19937_64& random) {
  auto any = [&](std::vector<std::string> of) {
    return of[random() % of.size()];
  };
  auto word = [&] { return std::to_string(random() % 3); };
  uint64_t ctas = 2 + random() % 2, warps = 1 + random() % 2;
  std::string body;
  for (uint64_t t = 0; t < ctas * warps; ++t) {
    body += fmt::format("  if cta.x == {} {{\n    thread {} {{\n", t % ctas,
                        32 * (t / ctas));
    for (uint64_t i = 0, ops = 1 + random() % 4; i < ops; ++i)
      body += any({"st Part[0], 1",
                   fmt::format("var p{0} = 0; ld p{0}, Part[0]", i),
                   fmt::format("st.{}.gpu Ready[{}], 1",
                               any({"release", "relaxed"}), word()),
                   fmt::format("var r{0} = 0; while r{0} == 0 {{ ld.{1}.gpu "
                               "r{0}, Ready[{2}] }}",
                               i, any({"acquire", "relaxed"}), word()),
                   kFence}) +
              "\n";
    body += "    }\n  }\n";
  }
  return fmt::format(
      "kernel k target sm_90a {{\n  global Part : u32[1]\n"
      "  global Ready : u32[3] zero\n  grid ({})\n"
      "  block {}\n{}}}\n",
      ctas, 32 * warps, body);
}

TEST(Flags, RandomTalk) {
  std::mt19937_64 random(1);
  int clean = 0, wrong = 0;
  for (int i = 0; i < 1500; ++i) {
    std::string text = RandomTalk(random);
    Verdict one_by_one = CheckText(text, {}).verdict;
    Verdict searched = SearchedSideBySide(text);
    clean += one_by_one == Verdict::kClean && searched == Verdict::kClean;
    wrong += one_by_one == Verdict::kFindings && searched == one_by_one;
    if (one_by_one == Verdict::kIncomplete || searched == Verdict::kIncomplete)
      continue;
    EXPECT_EQ(one_by_one, searched) << text;
  }
  EXPECT_GT(clean, 100);
  EXPECT_GT(wrong, 300);
}

TEST(Flags, WhatIsNone) {
  Telling t;
  EXPECT_EQ(FlagsOf(*Compiled(t.Text(2)).code).size(), 1);
  for (const char* also :
       {"st.relaxed.gpu Ready[0], 2", "red.add.relaxed.gpu Ready[0], 1",
        "st Ready[0], 1", "st.relaxed.gpu Ready[0], 0"}) {
    Telling other = t;
    other.also = also;
    EXPECT_TRUE(FlagsOf(*Compiled(other.Text(2)).code).empty()) << also;
  }
  // A loop that does something else as well, or waits for something else.
  for (auto [from, to] :
       {std::pair{"Ready[peer]\n", "Ready[peer]\n st Part[0, 0], 1\n"},
        std::pair{"ready == 0", "ready != 2"},
        std::pair{"Ready[peer]", "Ready[ready]"},
        std::pair{"ready == 0", "ready + warp == 0"}}) {
    std::string text = t.Text(2);
    text.replace(text.find(from), std::string(from).size(), to);
    EXPECT_TRUE(FlagsOf(*Compiled(text).code).empty()) << to;
  }
}

}  // namespace
}  // namespace tilesim::checkers
