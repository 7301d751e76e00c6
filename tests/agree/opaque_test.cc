// Scalars that no polynomial says, and flags in grids of all sizes: what is
// said of them against what they are, and what `check` says of all sizes
// against what it says of single ones.
#include "checkers/sizes/partition/opaque.h"

#include <algorithm>
#include <array>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "checkers/run/grid_scalars.h"
#include "checkers/sizes/state/symbols.h"
#include "fmt/format.h"
#include "gtest/gtest.h"
#include "sim/machine/state.h"
#include "tests/agree/check_text.h"

namespace tilesim::checkers {
using run::GridScalars;
using sizes::algebra::Polynomial;
using sizes::partition::Abstracted;
using sizes::partition::WithoutOpaque;
using sizes::state::kSteps;

namespace {

std::string WithLets(const std::string& lets, const std::string& grid) {
  return fmt::format(R"(kernel lets target sm_90a {{
  param M : 3.. step 3 = 6
  param N : 1..40 = 5
{0}
  grid ({1})
  block 32
}}
)",
                     lets, grid);
}

// The values that each scalar has in one CTA; empty: some has none.
std::vector<int64_t> SlotsOf(const machine::Code& code,
                             std::array<int32_t, 3> id) {
  machine::Cta cta;
  cta.id = id;
  machine::Who who(code.bound, cta, 0);
  std::vector<int64_t> slots = code.initial_slots;
  GridScalars scalars(code);
  for (const machine::Instr* set : scalars.sets()) {
    auto value = machine::Evaluate(code, set->expr, slots.data(), who);
    if (!value) return {};
    slots[set->a] = *value;
  }
  return slots;
}

int64_t ValueOf(const Polynomial& p, const ir::Kernel& kernel,
                const std::vector<int64_t>& slots) {
  int64_t out = p.base();
  for (const auto& [monomial, c] : p.terms()) {
    const ir::Param& param = kernel.params[monomial.front() - kSteps];
    EXPECT_EQ(monomial.size(), 1u);
    out += c * ((slots[param.slot] - param.low) / param.step);
  }
  return out;
}

// How often it was looked at what is said of one, in all CTAs of some sizes.
int64_t LookAt(const std::string& text) {
  CompiledKernel kernel = Compiled(text);
  ir::Diagnostics d;
  auto kept = machine::Compile(kernel.code->bound, d, machine::Params::kKept);
  Abstracted a = WithoutOpaque(*kept, {});
  int64_t looked = 0;
  for (int64_t m : {3, 6, 9, 15, 30}) {
    for (int64_t n = 1; n <= 40; n += n < 8 ? 1 : 7) {
      auto bound = ir::Bind(kept->kernel(), {{"M", m}, {"N", n}}, 1, d);
      if (!bound) continue;
      auto code = machine::Compile(*bound, d, machine::Params::kKept);
      for (int32_t x = 0; x < bound->grid[0]; ++x) {
        for (int32_t y = 0; y < bound->grid[1]; ++y) {
          std::vector<int64_t> slots = SlotsOf(*code, {x, y, 0});
          if (slots.empty()) continue;
          for (size_t i = kept->kernel().params.size();
               i < a.kernel.params.size(); ++i)
            EXPECT_GE(slots[a.kernel.params[i].slot], a.kernel.params[i].low)
                << text << a.kernel.params[i].name;
          for (const Polynomial& fact : a.known)
            EXPECT_GE(ValueOf(fact, a.kernel, slots), 0) << text << m << n << x;
          looked += static_cast<int64_t>(a.opaque.size() + a.known.size());
        }
      }
    }
  }
  return looked;
}

TEST(Opaque, WhatIsKnownOfThemIsTrue) {
  // Known to be at least 1 only when the grid is known.
  EXPECT_GT(LookAt(WithLets(R"(
  let most = max(M - min(cta.x, cta.y), cta.y + cta.y)
)",
                            "min(5, N), 2")),
            10);
  EXPECT_GT(LookAt(WithLets(R"(
  let PIECES = min(7, N)
  let first = cta.x * M * N / PIECES
  let end = (cta.x + 1) * M * N / PIECES
  let head = min(end - first, (N - first % N) % N)
  let whole = (end - first - head) / N
  let tail = (end - first - head) % N
)",
                            "PIECES")),
            1'000);
}

TEST(Opaque, OnlyWhatCannotBeSaidIsOne) {
  CompiledKernel kernel = Compiled(WithLets(R"(
  let TILES = M / 3
  let next = cta.x + TILES
  let part = M % N
  let more = part + 2
  let less = part - 5
  let down = less / 2
)",
                                            "N, 2"));
  ir::Diagnostics d;
  auto kept = machine::Compile(kernel.code->bound, d, machine::Params::kKept);
  Abstracted a = WithoutOpaque(*kept, {});
  EXPECT_EQ(a.opaque, std::vector<std::string>{"part"});
  // Of given sizes everything can be said.
  EXPECT_TRUE(WithoutOpaque(*kept, {{"M", 6}, {"N", 5}}).opaque.empty());
}

// An expression over sizes, the place in the grid, and lets before it.
std::string RandomNumber(std::mt19937_64& random, int lets, int depth) {
  auto any = [&](int n) { return static_cast<int>(random() % n); };
  if (depth == 0 || any(4) == 0) {
    int leaf = any(6 + lets);
    if (leaf >= 6) return fmt::format("v{}", leaf - 6);
    const char* leaves[] = {"M", "N", "cta.x", "grid.x", "3", "cta.y"};
    return leaves[leaf];
  }
  std::string a = RandomNumber(random, lets, depth - 1);
  std::string b = RandomNumber(random, lets, depth - 1);
  const char* forms[] = {"({} + {})",       "({} - {})",
                         "({} * {})",       "({} / ({}))",
                         "({} % ({}))",     "min({}, {})",
                         "max({}, {})",     "cdiv({}, max(1, {}))",
                         "({} / (1 + {}))", "({} % (1 + {}))"};
  return fmt::format(fmt::runtime(forms[any(10)]), a, b);
}

TEST(Opaque, WhatIsKnownOfRandomOnesIsTrue) {
  std::mt19937_64 random(11);
  int64_t looked = 0;
  for (int n = 0; n < 1'000; ++n) {
    std::string lets;
    for (int v = 0; v < 5; ++v)
      lets += fmt::format("  let v{} = {}\n", v, RandomNumber(random, v, 3));
    looked += LookAt(WithLets(lets, "min(5, N), 2"));
  }
  EXPECT_GT(looked, 100'000);
}

// --- all sizes against single ones
// --------------------------------------------

struct Sizes {
  int64_t m, n;
};

CheckReport At(const std::string& text, const Sizes& s) {
  CheckOptions o;
  o.defines = {{"M", s.m}, {"N", s.n}};
  return CheckText(text, o);
}

// Whether some single size has an error.
bool SomeIsWrong(const std::string& text) {
  for (int64_t m = 1; m <= 9; ++m) {
    for (int64_t n = 1; n <= 9; ++n) {
      if (At(text, {m, n}).verdict == Verdict::kFindings) return true;
    }
  }
  return false;
}

// A ring that one fills in two parts, `head` and `rest`, and another empties,
// both as they think it is.
std::string TwoParts(const std::string& consumed,
                     const std::string& arrives = "1") {
  return fmt::format(R"(kernel parts target sm_90a {{
  param M : 1.. = 4
  param N : 1.. = 5
  const S = 2
  let head = M % N
  let rest = (M + 3) / N
  let both = head + rest
  grid (3)
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
  warp 0, elect {{
    var i = 0
    for part in 0..2 {{
      var turns = head
      if part == 1 {{ turns = rest }}
      for n in 0..turns {{
        mbarrier.wait empty[i % S], parity = (i / S + 1) & 1
        mbarrier.arrive full[i % S]
        i = i + 1
      }}
    }}
  }}
  warp 1, elect {{
    for i in 0..{} {{
      mbarrier.wait full[i % S], parity = (i / S) & 1
      if {} {{ mbarrier.arrive empty[i % S] }}
    }}
  }}
}}
)",
                     consumed, arrives);
}

TEST(Opaque, ARingInTwoPartsIsRightInAllSizes) {
  CheckReport r = CheckText(TwoParts("both"), {});
  EXPECT_EQ(r.verdict, Verdict::kClean);
  EXPECT_TRUE(r.scope.all_sizes);
  EXPECT_EQ(r.scope.all_of, (std::set<std::string>{"M", "N"}));
}

TEST(Opaque, AMistakeOfSomeSizesIsNeverClean) {
  int found = 0;
  for (const std::string& text :
       {TwoParts("head + (M + 4) / N"), TwoParts("M"), TwoParts("rest"),
        TwoParts("both", "i != 3"), TwoParts("both", "head != 2"),
        TwoParts("both", "head + 1 != rest || i > 0"),
        TwoParts("both", "rest < 4"), TwoParts("min(both, 5)")}) {
    SCOPED_TRACE(text);
    Verdict verdict = CheckText(text, {}).verdict;
    EXPECT_NE(verdict, Verdict::kClean);
    found += verdict == Verdict::kFindings;
    EXPECT_TRUE(SomeIsWrong(text));
  }
  EXPECT_GE(found, 6);  // in sizes that there are
}

// Each was clean once.
TEST(Opaque, WhatBreaksFarOutIsNeverClean) {
  // What was known of a scalar before the grid was, was taken for more.
  EXPECT_NE(
      CheckFile("tests/agree/programs/a_greatest_that_the_grid_decides.tile",
                {})
          .verdict,
      Verdict::kClean);
  // A place that is met again only where a loop turns more often than another
  // parameter by itself lets it.
  EXPECT_NE(
      CheckFile("tests/agree/programs/a_word_met_again_in_long_loops.tile", {})
          .verdict,
      Verdict::kClean);
}

// Of many scalars not all pairs are compared.
TEST(Opaque, ManyAreALimitAndNoWait) {
  std::string lets;
  for (int i = 0; i < 30; ++i)
    lets += fmt::format("  let q{0} = (M + {0}) / N\n", i);
  CompiledKernel kernel = Compiled(WithLets(lets, "2"));
  ir::Diagnostics d;
  auto kept = machine::Compile(kernel.code->bound, d, machine::Params::kKept);
  EXPECT_TRUE(WithoutOpaque(*kept, {}).opaque.empty());
}

// A CTA that sets a flag and waits for flags of others.
std::string Flagged(const std::string& set, const std::string& wait,
                    const std::string& grid = "N", const char* rest = "") {
  return fmt::format(R"(kernel flagged target sm_90a {{
  param M : 1.. = 4
  param N : 1.. = 5
  global Ready : u32[N + 1] zero
  global Other : u32[N + 1] zero
  {3}
  grid ({2})
  block 64
  warp 0, elect {{
    {0}
  }}
  warp 1, elect {{
    {1}
  }}
}}
)",
                     set, wait, grid, rest);
}

std::string WaitFor(const std::string& word) {
  return fmt::format(
      "var seen = 0; while seen == 0 {{ ld.acquire.gpu seen, {} }}", word);
}

const char kSet[] = "st.release.gpu Ready[cta.x], 1";

TEST(GridFlags, OneWayIsRightInAllSizes) {
  for (const std::string& text :
       {Flagged(kSet, "if cta.x > 0 { " + WaitFor("Ready[cta.x - 1]") + " }"),
        Flagged(kSet,
                "if cta.x + 1 < N { " + WaitFor("Ready[cta.x + 1]") + " }"),
        // Only after it has waited itself.
        Flagged(
            "if cta.x > 0 { " + WaitFor("Ready[cta.x - 1]") + " }\n    " + kSet,
            ""),
        Flagged(kSet,
                "for p in cta.x + 1 .. N { " + WaitFor("Ready[p]") + " }"),
        Flagged(kSet, "for p in 0 .. cta.x { " + WaitFor("Ready[p]") + " }"),
        Flagged(kSet,
                "for p in cta.x + 1 .. min(N, cta.x + some) { " +
                    WaitFor("Ready[p]") + " }",
                "N", "let some = M % 3 + M / N"),
        Flagged(std::string(kSet) + "; st.release.gpu Other[cta.x], 1",
                "if cta.x > 0 { " + WaitFor("Ready[cta.x - 1]") +
                    "; seen = 0; while seen == 0 { ld.acquire.gpu seen, "
                    "Other[cta.x - 1] } }")}) {
    SCOPED_TRACE(text);
    CheckReport r = CheckText(text, {});
    EXPECT_EQ(r.verdict, Verdict::kClean)
        << (r.open.empty() ? "" : r.open.front());
    EXPECT_TRUE(r.scope.all_sizes);
    EXPECT_FALSE(SomeIsWrong(text));
  }
}

TEST(GridFlags, WhatDoesNotComeInSomeSizeIsNeverClean) {
  for (const std::string& text :
       {// Nobody is there, in the last CTA.
        Flagged(kSet, WaitFor("Ready[cta.x + 1]")),
        // All around.
        Flagged("if cta.x > 0 { " + WaitFor("Ready[cta.x - 1]") + " } else { " +
                    WaitFor("Ready[N - 1]") + " }\n    " + kSet,
                ""),
        // Both ways, each before it sets its own.
        Flagged("if cta.x == 2 { " + WaitFor("Ready[1]") +
                    " }\n    if cta.x == "
                    "1 && N > 5 { " +
                    WaitFor("Ready[2]") + " }\n    " + kSet,
                ""),
        // Some do not set theirs.
        Flagged("if cta.x != 6 { " + std::string(kSet) + " }",
                "if cta.x > 0 { " + WaitFor("Ready[cta.x - 1]") + " }"),
        Flagged("if part != 3 { " + std::string(kSet) + " }",
                "if cta.x > 0 { " + WaitFor("Ready[cta.x - 1]") + " }", "N",
                "let part = M % N"),
        // Another word.
        Flagged(
            "st.release.gpu Other[cta.x], 1; st.release.gpu Ready[cta.x], 1",
            "if cta.x > 4 { " + WaitFor("Other[cta.x + 1]") + " }"),
        // Words cross.
        Flagged("if cta.x > 0 { " + WaitFor("Other[cta.x - 1]") +
                    " }\n    st.release.gpu Ready[cta.x], 1",
                "if cta.x + 1 < N { " + WaitFor("Ready[cta.x + 1]") +
                    " }\n    st.release.gpu Other[cta.x], 1")}) {
    SCOPED_TRACE(text);
    EXPECT_NE(CheckText(text, {}).verdict, Verdict::kClean);
    EXPECT_TRUE(SomeIsWrong(text));
  }
}

// There are fewer words than CTAs.
TEST(GridFlags, BeyondTheirArrayAreNotThere) {
  std::string text =
      Flagged("st.release.gpu Few[cta.x], 1",
              "if cta.x + 1 < N { " + WaitFor("Few[cta.x + 1]") + " }", "N",
              "global Few : u32[6] zero");
  CheckReport report = CheckText(text, {});
  ASSERT_EQ(report.verdict, Verdict::kFindings);
  EXPECT_EQ(report.findings[0].diagnostic.code, ir::Code("bounds/global"));
  text.replace(text.find("u32[6]"), 6, "u32[N]");
  EXPECT_EQ(CheckText(text, {}).verdict, Verdict::kClean);
}

// Set twice in larger sizes: what is handed over then is not looked at.
TEST(GridFlags, SetInALoopIsNotCleanInAllSizes) {
  EXPECT_EQ(
      CheckText(Flagged("for i in 0..M { " + std::string(kSet) + " }",
                        "if cta.x > 0 { " + WaitFor("Ready[cta.x - 1]") + " }"),
                {})
          .verdict,
      Verdict::kIncomplete);
}

}  // namespace
}  // namespace tilesim::checkers
