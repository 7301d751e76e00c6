// Which scalars of lowered code are `int`, and which have 64 bits.
#include <string>
#include <string_view>

#include "gtest/gtest.h"
#include "ir/cat.h"
#include "tests/hw/testing.h"

namespace tilesim::hwtests {
namespace {

using ir::Cat;

// The lowered code of one thread's text.
std::string Lowered(std::string_view body) {
  LowerOutcome outcome = LowerText(
      "k.tile", Cat("kernel k target sm_90a {\n  param N : 1..65536 = 4096\n"
                    "  global F : u32[64]\n  global L : u32[64] in 0..9\n"
                    "  global S : s32[64]\n  global D : u32[1048576]\n"
                    "  grid (N)\n  block 32\n  thread 0 {\n",
                    body, "\n  }\n}\n"));
  EXPECT_TRUE(outcome.lowered) << body << outcome.diagnostics;
  return outcome.lowered ? outcome.lowered->cuda : "";
}

bool Has(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

TEST(Widths, AVariableThatALoopBounds) {
  std::string text = Lowered(
      "var t = cta.x\nwhile t < 1000 {\n st D[t], 1\n t = t + grid.x\n}");
  EXPECT_TRUE(Has(text, "int t =")) << text;
  text = Lowered(
      "var t = cta.x\nwhile t < 65536 {\n st D[t * 65536 / 65536], 1\n"
      " t = t + grid.x\n}");
  EXPECT_TRUE(Has(text, "int64_t(t) * 65536")) << text;
}

TEST(Widths, AVariableThatCountsIterations) {
  constexpr std::string_view kLoops =
      "var n = 0\nfor i in 0..1000 {\n for j in 0..N {\n  n = n + STEP\n }\n}\n"
      "st D[n % 64], 1";
  auto with = [&](std::string_view step) {
    std::string body(kLoops);
    return Lowered(body.replace(body.find("STEP"), 4, step));
  };
  EXPECT_TRUE(Has(with("1"), "int n = 0"));       // 65,536,000
  EXPECT_TRUE(Has(with("64"), "int64_t n = 0"));  // 2^32 and more
  EXPECT_TRUE(Has(with("-64"), "int64_t n = 0"));
}

TEST(Widths, CountersThatStartAgainOrTurn) {
  std::string text = Lowered(
      "var s = 0\nvar p = 0\nvar q = 1\nfor i in 0..N {\n"
      " s = s + 1 == 4 ? 0 : s + 1\n p = p ^ (s == 0)\n q = 1 - q\n}\n"
      "st D[s + p + q], 1");
  EXPECT_TRUE(Has(text, "int s = 0")) << text;
  EXPECT_TRUE(Has(text, "int p = 0")) << text;
  EXPECT_TRUE(Has(text, "int q = 1")) << text;
}

// Nothing says when it ends.
TEST(Widths, CountersOfLoopsWithoutAnEnd) {
  std::string text = Lowered(
      "var more = 1\nvar n = 0\nvar t = 0\nwhile more {\n"
      " ld more, S[0]\n n = n + 1\n t = t + 1000\n}\nst D[n % 64 + t % 64], 1");
  EXPECT_TRUE(Has(text, "int n = 0")) << text;  // kSmallStep
  EXPECT_TRUE(Has(text, "int64_t t = 0")) << text;
}

TEST(Widths, WhatMemoryHolds) {
  std::string text = Lowered(
      "var f = 0\nvar l = 0\nvar s = 0\nvar u = 0\n"
      "while f == 0 { ld.acquire.gpu f, F[0] }\n"
      "ld l, L[0]\nld s, S[0]\nld u, F[1]\n"
      "if u < 7 { st D[l], s }");
  EXPECT_TRUE(Has(text, "int f = 0")) << text;      // compared with 0 alone
  EXPECT_TRUE(Has(text, "int l = 0")) << text;      // a domain
  EXPECT_TRUE(Has(text, "int s = 0")) << text;      // s32
  EXPECT_TRUE(Has(text, "int64_t u = 0")) << text;  // up to 2^32 - 1
}

TEST(Widths, ShiftsAndBits) {
  EXPECT_TRUE(Has(Lowered("st D[0], N >> 32"), "int64_t(N) >> 32"));
  EXPECT_TRUE(Has(Lowered("st D[0], N >> 3"), "N >> 3"));
  EXPECT_TRUE(Has(Lowered("let m = 1 << (cta.x & 63)\nst D[m % 64], 1"),
                  "int64_t m = int64_t(1) << "));
  EXPECT_TRUE(Has(Lowered("let m = (cta.x ^ 1) * 65536\nst D[m % 64], 1"),
                  "int64_t m = int64_t("));
  EXPECT_TRUE(
      Has(Lowered("let m = (cta.x | 1) * 2\nst D[m % 64], 1"), "int m ="));
}

// A number has the type of the elements it is combined with.
TEST(Widths, NumbersBesideRegisters) {
  LowerOutcome outcome = LowerText(
      "k.tile",
      "kernel k target sm_90a {\n  grid (1)\n  block 32\n"
      "  reg u : u32[32, 4] fragment row\n  reg i : s32[32, 4] fragment row\n"
      "  reg f : f32[32, 4] fragment row\n  mov u, 7\n  mov f, 2.75\n"
      "  max u, u, 3000000000\n  min u, u, 0 - 5\n  neg u, u\n"
      "  cvt.rz i, f\n  max i, i, 5\n}\n");
  ASSERT_TRUE(outcome.lowered) << outcome.diagnostics;
  const std::string& text = outcome.lowered->cuda;
  for (std::string_view part : {"uint32_t(3000000000", "uint32_t(0 - 5)",
                                "-(u[i2])", "__float2int_rz(", "max(i[i2], 5)"})
    EXPECT_TRUE(Has(text, part)) << part << "\n" << text;
}

// C works the bound out in every iteration, the language once.
TEST(Widths, ABoundThatTheBodySets) {
  std::string text =
      Lowered("var n = 4\nfor i in 0..n {\n n = 1\n st D[i], 1\n}");
  EXPECT_TRUE(Has(text, "const int end = n;")) << text;
  EXPECT_TRUE(Has(text, "i < end;")) << text;
  text = Lowered("var n = 4\nfor i in 0..n {\n ld n, L[0]\n st D[i], 1\n}");
  EXPECT_TRUE(Has(text, "i < end;")) << text;
  text = Lowered("var n = 4\nfor i in 0..n {\n st D[i], 1\n}\nn = 2");
  EXPECT_TRUE(Has(text, "i < n;")) << text;
}

// Two minus signs side by side are C's decrement.
TEST(Widths, ASignOfASign) {
  std::string text =
      Lowered("var v = 7\nst D[0], -(-v)\nst D[1], 10 - -v\nst D[2], v");
  EXPECT_TRUE(Has(text, "-(-v)")) << text;
  EXPECT_FALSE(Has(text, "--v")) << text;
}

}  // namespace
}  // namespace tilesim::hwtests
