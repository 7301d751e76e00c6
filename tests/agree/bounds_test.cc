// Elements and boxes that are there in some sizes and not in others: what
// `check` says of all sizes against what it says of single ones.
#include <cstdint>
#include <iterator>
#include <random>
#include <string>
#include <vector>

#include "absl/strings/str_replace.h"
#include "fmt/format.h"
#include "frontend/check.h"
#include "gtest/gtest.h"
#include "tests/agree/check_text.h"

namespace tilesim::checkers {
namespace {

// A thread of each CTA does something to elements of an array.
std::string Names(const std::string& extents, const std::string& grid,
                  const std::string& body) {
  return fmt::format(R"(kernel names target sm_90a {{
  param M : 1.. = 2
  param N : 1.. = 3
  global F : u32[{}]
  grid ({})
  block 32
  thread 0 {{
    {}
  }}
}}
)",
                     extents, grid, body);
}

std::string Add(const std::string& index) {
  return "red.add F[" + index + "], 1";
}

CheckReport At(const std::string& text, int64_t m, int64_t n) {
  CheckOptions options;
  options.defines = {{"M", m}, {"N", n}};
  return CheckText(text, options);
}

void ExpectClean(const std::string& text) {
  SCOPED_TRACE(text);
  CheckReport report = CheckText(text, {});
  EXPECT_EQ(report.verdict, Verdict::kClean);
  EXPECT_TRUE(report.scope.all_sizes);
}

void ExpectFinding(const std::string& text, ir::Code code) {
  SCOPED_TRACE(text);
  CheckReport report = CheckText(text, {});
  ASSERT_EQ(report.verdict, Verdict::kFindings);
  EXPECT_EQ(report.findings[0].diagnostic.code, code);
}

TEST(Bounds, ElementsThatAreThereInAllSizes) {
  ExpectClean(Names("N", "N", Add("cta.x")));
  ExpectClean(Names("N", "N", "if cta.x > 0 { " + Add("cta.x - 1") + " }"));
  ExpectClean(Names("8", "N", Add("cta.x % 8")));
  ExpectClean(Names("N / 4 + 1", "N", Add("cta.x / 4")));
  ExpectClean(Names("2", "N", Add("cta.x / 4 & 1")));
  ExpectClean(Names("N, M", "N, M", Add("cta.x, cta.y")));
  ExpectClean(Names("N * M", "N, M", Add("cta.x + N * cta.y")));
  ExpectClean(Names("N", "1", "for i in 0..N { " + Add("i") + " }"));
  ExpectClean(Names("N", "1", "for i in 0..N { " + Add("N - 1 - i") + " }"));
  ExpectClean(
      Names("M * N", "1",
            "for i in 0..M { for j in 0..N { " + Add("i * N + j") + " } }"));
  ExpectClean(
      Names("N", "min(N, 8)", "for i in cta.x..N step 8 { " + Add("i") + " }"));
}

TEST(Bounds, ElementsThatAreMissingInSomeSizes) {
  const ir::Code kGlobal = "bounds/global";
  // Far out, and for one CTA only.
  ExpectFinding(Names("32", "N", Add("cta.x")), kGlobal);
  ExpectFinding(Names("1000", "N", Add("cta.x")), kGlobal);
  ExpectFinding(Names("32", "N, M", Add("cta.y")), kGlobal);
  ExpectFinding(Names("N + 5", "N", "if cta.x == 40 { " + Add("N + 5") + " }"),
                kGlobal);
  ExpectFinding(Names("8", "N", Add("cta.x % 9")), kGlobal);
  ExpectFinding(Names("N", "N", Add("cta.x + 1")), kGlobal);
  ExpectFinding(Names("N", "N", Add("cta.x - 1")), kGlobal);
  ExpectFinding(Names("N, M", "N, M", Add("cta.y, cta.x")), kGlobal);
  ExpectFinding(Names("N * M", "N, M", Add("cta.x + M * cta.y")), kGlobal);
  ExpectFinding(Names("N", "1", "for i in 0..N + 1 { " + Add("i") + " }"),
                kGlobal);
  ExpectFinding(Names("N", "1", "for i in 0..N { " + Add("N - i") + " }"),
                kGlobal);
}

TEST(Bounds, ATileIsAsLargeAsItIs) {
  auto program = [](const std::string& tile, const std::string& body) {
    return fmt::format(R"(kernel tile target sm_90a {{
  param N : 0..4 = 2
  {}
  reg v : f32[32, 4] fragment row
  grid (1)
  block 32
  warp 0 {{
    {}
  }}
}}
)",
                       tile, body);
  };
  const std::string zero = "mov v, 0.0\n    ";
  const std::string shared =
      zero + "for i in 0..N { st.shared a[i * 32 :+ 32, :], v }";
  ExpectFinding(program("shared a : f32[96, 4]", shared), "bounds/shared");
  ExpectClean(program("shared a : f32[128, 4]", shared));
  const std::string reg =
      "mov w, 0.0\n    for i in 0..N { mov v, w[:, i * 4 :+ 4] }";
  ExpectFinding(program("reg w : f32[32, 12] fragment row", reg),
                "bounds/register");
  ExpectClean(program("reg w : f32[32, 16] fragment row", reg));
}

TEST(Bounds, RegistersThatNoTurnHasWritten) {
  auto program = [](const std::string& low) {
    return fmt::format(R"(kernel sum target sm_90a {{
  param N : {}.. = 2
  global D : f32[32, 4]
  reg v : f32[32, 4] fragment row
  grid (1)
  block 32
  warp 0 {{
    for i in 0..N {{
      mov v, 1.0
    }}
    st.global D, v
  }}
}}
)",
                       low);
  };
  ExpectFinding(program("0"), "uninit/register");
  ExpectClean(program("1"));
}

TEST(Bounds, ADivisorThatIsZeroInOneSize) {
  ExpectFinding(
      Names("N, M", "N, M",
            "let x = 8 / (N - 40); red.add F[cta.x, cta.y], 1 + x - x"),
      "type/overflow");
  ExpectClean(
      Names("N, M", "N, M",
            "let x = 8 / (N + 40); red.add F[cta.x, cta.y], 1 + x - x"));
}

// Each was clean once.
TEST(Bounds, ADivisorThatIsZeroWhereverItStandsIsNeverClean) {
  const char* kCells[] = {"for i in 0..N { st F[0, 0], cdiv(100, 200 - i) }",
                          "st F[0, 0], cdiv(100, cta.x - 150)",
                          "st F[0, 0], cdiv(N, N + M - 90)",
                          "for i in 0..N { st F[0, 0], i == 71 ? 1 : "
                          "100 / (70 - i) }",
                          "st F[0, 0], cta.x == 5 || 100 / (70 - cta.x) > 3"};
  for (const char* body : kCells) {
    std::string text = Names("N, M", "N, M", body);
    SCOPED_TRACE(text);
    EXPECT_NE(CheckText(text, {}).verdict, Verdict::kClean);
  }
  EXPECT_EQ(
      CheckFile("tests/agree/programs/a_box_that_starts_after_a_division.tile",
                {})
          .verdict,
      Verdict::kFindings);
}

// A tensor map for a tensor B.
std::string Pitched(const std::string& head) {
  return "kernel pitch target sm_90a {\n" + head + R"(
  grid (1)
  block 32
  mbarrier full
  shared b : f16[64, 8]
  thread 0 {
    mbarrier.init full, 1
    fence.mbarrier_init
    mbarrier.arrive.expect_tx full, bytes(b)
    tma.load b, B[:, 0 :+ 8], full
    mbarrier.wait full, parity = 0
  }
}
)";
}

std::vector<report::Finding> IllegalIn(const std::string& head) {
  CheckOptions options;
  options.legality = frontend::CheckBound;
  return CheckText(Pitched(head), options).findings;
}

TEST(Bounds, LegalityOfSizesThatAreNotAlone) {
  EXPECT_TRUE(IllegalIn("  param A : 8.. = 8\n  param C : 8.. = 8\n"
                        "  requires A % 8 == 0 && C > 0\n"
                        "  global B : f16[64, A]")
                  .empty());
  EXPECT_FALSE(IllegalIn("  param A : 8.. = 8\n  param C : 8.. = 8\n"
                         "  requires (A + C) % 8 == 0\n"
                         "  global B : f16[64, A]")
                   .empty());
  EXPECT_FALSE(IllegalIn("  param N : 256.. step 128 = 256\n"
                         "  global B : f16[64, N / 128 * 4]")
                   .empty());
}

// Rows of 16 bytes in the sizes that stand for all, of 8 between them.
TEST(Bounds, LegalityOfAllRemainders) {
  const std::string head =
      "  param N : 8.. step 4 = 64\n  global B : f16[64, N]";
  EXPECT_EQ(CheckText(Pitched(head), {}).verdict,
            Verdict::kClean);  // was not asked
  std::vector<report::Finding> found = IllegalIn(head);
  ASSERT_FALSE(found.empty());
  EXPECT_EQ(found[0].diagnostic.code, ir::Code("layout/stride"));
  EXPECT_EQ(found[0].seen.sizes.at("N"), 12);
}

// Whatever is clean in all sizes is so in single ones.
TEST(Bounds, RandomElements) {
  constexpr int kPrograms = 120;
  const char* kExtents[] = {"M", "N", "M * N", "M + N", "8", "40", "N / 2 + 1"};
  const char* kGrids[] = {"1", "M", "N", "M, N", "min(N, 4)", "M * N"};
  const char* kLoops[] = {"for i in 0..M { # }",
                          "for i in 0..N { # }",
                          "for i in cta.x..N step 4 { # }",
                          "let i = cta.x; #",
                          "let i = M - 1; #",
                          "let i = cta.y; #",
                          "for j in 0..M { for i in j..N { # } }"};
  const char* kIndices[] = {
      "i",     "cta.x",         "i + 1",     "i * 2", "i - 1",
      "i % 8", "i / 2",         "N - 1 - i", "i % N", "cta.x + i",
      "i % 9", "i * N + cta.x", "min(i, 7)", "M + i", "i / 3 & 1"};
  const char* kGuards[] = {"#", "if i > 0 { # }", "if i < N { # }",
                           "if cta.x != 6 { # }", "if M < 9 { # }"};
  std::mt19937 random(7);
  auto any = [&](auto& of) { return of[random() % std::size(of)]; };
  int clean = 0, found = 0;
  for (int p = 0; p < kPrograms; ++p) {
    std::string op =
        absl::StrReplaceAll(any(kGuards), {{"#", Add(any(kIndices))}});
    std::string text = Names(any(kExtents), any(kGrids),
                             absl::StrReplaceAll(any(kLoops), {{"#", op}}));
    SCOPED_TRACE(text);
    CheckReport all = CheckText(text, {});
    clean += all.verdict == Verdict::kClean;
    found += all.verdict == Verdict::kFindings;
    if (all.verdict != Verdict::kClean) continue;
    for (int i = 0; i < 20; ++i) {
      int64_t m = 1 + random() % 12, n = 1 + random() % 50;
      EXPECT_EQ(At(text, m, n).verdict, Verdict::kClean) << m << ", " << n;
    }
  }
  EXPECT_GE(clean, kPrograms / 20);
  EXPECT_GE(found, kPrograms / 4);
}

}  // namespace
}  // namespace tilesim::checkers
