#include "checkers/grid/defined.h"

#include <gtest/gtest.h>

#include <string>

#include "frontend/parse.h"
#include "ir/cat.h"

namespace tilesim::checkers::grid {
namespace {

// How many operators of a thread's text were not shown to be defined.
size_t Open(const std::string& body, const std::string& head = "") {
  const std::string text = ir::Cat(
      "kernel k target sm_90a {\n  param N : 1.. = 300\n"
      "  param M : 0.. = 7\n  global L : u32[64]\n",
      head, "\n  grid (8)\n  block 64\n  thread 0 {\n", body, "\n  }\n}\n");
  ir::Diagnostics diagnostics;
  auto program = frontend::Parse({"defined.tile", text}, diagnostics);
  EXPECT_TRUE(program) << text << diagnostics.all()[0].message;
  if (!program) return 0;
  auto bound = ir::Bind(program->kernels[0], {}, 132, diagnostics);
  auto code = machine::Compile(*bound, diagnostics, machine::Params::kKept);
  return NotShownDefined(AccessesOf(*code, {})).size();
}

TEST(Defined, Divisors) {
  EXPECT_EQ(Open("let y = M / N"), 0);
  EXPECT_EQ(Open("let y = N / M"), 1);
  EXPECT_EQ(Open("let y = N % M"), 1);
  EXPECT_EQ(Open("let y = cdiv(N, M)"), 1);
  EXPECT_EQ(Open("let y = 100 / (N - 777)"), 1);
  EXPECT_EQ(Open("let y = N / (M % 2 + 1)"), 0);
  EXPECT_EQ(Open("let y = 1 / (N / M)"), 2);
  EXPECT_EQ(Open("let y = 100 / ((N * N / 7) % 1000 - 9)"), 1);
}

TEST(Defined, Shifts) {
  EXPECT_EQ(Open("let y = 1 << (N % 31)"), 0);
  EXPECT_EQ(Open("let y = 1 << (N % 64)"), 1);
  EXPECT_EQ(Open("let y = N >> (M - 1)"), 1);
}

TEST(Defined, UnderTheirCondition) {
  EXPECT_EQ(Open("if M > 0 { let y = N / M }"), 0);
  EXPECT_EQ(Open("if M >= 0 { let y = N / M }"), 1);
  EXPECT_EQ(Open("let y = M > 0 ? N / M : 0"), 0);
  EXPECT_EQ(Open("let y = M > 0 ? 0 : N / M"), 1);
  EXPECT_EQ(Open("let y = M > 0 && N / M > 3"), 0);
  EXPECT_EQ(Open("let y = M > 0 || N / M > 3"), 1);
  EXPECT_EQ(Open("let y = N / M", "  requires M > 3"), 0);
}

TEST(Defined, InLoops) {
  EXPECT_EQ(Open("for i in 0..N { let y = 100 / (i + 1) }"), 0);
  EXPECT_EQ(Open("for i in 0..N { let y = 100 / (i - 70000) }"), 1);
  EXPECT_EQ(Open("for i in 0..N / M { st L[0], 1 }"), 1);
  EXPECT_EQ(Open("var n = N\n for i in 0..N / n { n = n - 1 }"), 1);
  EXPECT_EQ(Open("var n = N\n while 100 / n > 0 { n = n - 1 }"), 1);
  EXPECT_EQ(Open("var n = N\n while 100 / n > 0 { n = n + 1 }"), 0);
}

TEST(Defined, WhereverAnExpressionStands) {
  EXPECT_EQ(Open("st L[N % M], 1"), 1);
  EXPECT_EQ(Open("st L[0], N / M"), 1);
  EXPECT_EQ(Open("warp N / M { }"), 1);
  EXPECT_EQ(Open("", "  let q = N / M"), 1);
  EXPECT_EQ(Open("", "  let q = 1.0 / M"), 0);
  EXPECT_EQ(Open("var x = 0\n ld x, L[0]\n let y = N / x"), 1);
}

// That a quotient is there says nothing of its divisor.
TEST(Defined, AQuotientIsNoReason) {
  EXPECT_EQ(Open("if (M > 0 ? N / M : 1) > 0 { let y = N % M }"), 1);
}

}  // namespace
}  // namespace tilesim::checkers::grid
