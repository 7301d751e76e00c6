// Lowered code computes what the model does, where C would compute something
// else: numbers that are rounded, signs, and lanes that are apart.
#include <string>
#include <string_view>

#include "gtest/gtest.h"
#include "ir/cat.h"
#include "tests/hw/testing.h"

namespace tilesim::hwtests {
namespace {

using ir::Cat;

std::string Lowered(std::string_view kernel) {
  LowerOutcome outcome = LowerText("k.tile", std::string(kernel));
  EXPECT_TRUE(outcome.lowered) << kernel << outcome.diagnostics;
  return outcome.lowered ? outcome.lowered->cuda : "";
}

// One thread's text.
std::string Thread(std::string_view body) {
  return Lowered(
      Cat("kernel k target sm_90a {\n  const E = -2\n  param M : -4..10 = -3\n"
          "  param N : 1..65536 = 4096\n  requires M != 0\n"
          "  global A : s32[4] in 0..63\n  global B : s32[4] in 0..63\n"
          "  global F : u32[1] zero\n  global G : s32[1] zero\n"
          "  global O : s64[8]\n  grid (1)\n  block 32\n  thread 0 {\n"
          "    var v = 0\n    ld v, A[0]\n",
          body, "\n    st O[7], M + N\n  }\n}\n"));
}

bool Has(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

// The kernel alone, without the functions that it calls.
std::string BodyOf(const std::string& text) {
  return text.substr(text.find("__global__"));
}

// Arithmetic on tiles of a narrow type, with `number`.
std::string Scaled(std::string_view type, std::string_view number) {
  return Lowered(
      Cat("kernel k target sm_90a {\n  const S = 0.3, H = 0.5\n"
          "  param N : 1..65536 = 4096\n  global A : ",
          type, "[64]\n  global O : ", type,
          "[64]\n  grid (1)\n  block 32\n  reg r : ", type,
          "[64] fragment blocked(2)\n  ld.global r, A\n  mul r, r, ", number,
          "\n  st.global O, r\n}\n"));
}

// An operand of mul.f16 is an f16.
TEST(Exact, NumbersAreRoundedToTheTypeOfTheTile) {
  EXPECT_TRUE(Has(Scaled("f16", "0.3"), ", 0.30004883f)"));
  EXPECT_TRUE(Has(Scaled("bf16", "0.3"), ", 0.30078125f)"));
  EXPECT_TRUE(Has(Scaled("f32", "0.3"), ", 0.3f)"));
  // By name only where that is the number.
  EXPECT_TRUE(Has(Scaled("f16", "S"), ", 0.30004883f)"));
  EXPECT_TRUE(Has(Scaled("f32", "S"), ", S)"));
  EXPECT_TRUE(Has(Scaled("bf16", "H"), ", H)"));
  EXPECT_TRUE(Has(Scaled("f16", "N"), "tile::as_f16(N)"));
  EXPECT_TRUE(Has(Scaled("bf16", "N"), "tile::as_bf16(N)"));
  EXPECT_TRUE(Has(Scaled("f32", "N"), "static_cast<float>(N)"));
  // Beyond the type's largest number.
  EXPECT_TRUE(Has(Scaled("f16", "100000.0"), "__uint_as_float(0x7f800000u)"));
}

TEST(Exact, OneWrapperForEachTypeOfMemory) {
  const std::string text = Thread(
      "atom.exch v, G[0], 1\nst O[0], v\natom.exch v, F[0], 1\nst O[1], v\n"
      "atom.cas v, F[0], 1, 2\nst O[2], v\natom.cas v, G[0], 1, 2\n"
      "st O[3], v");
  for (std::string_view part :
       {"int32_t atom_relaxed_gpu_global_exch_b32_s32(",
        "uint32_t atom_relaxed_gpu_global_exch_b32_u32(",
        "int32_t atom_relaxed_gpu_global_cas_b32_s32(",
        "uint32_t atom_relaxed_gpu_global_cas_b32_u32("})
    EXPECT_TRUE(Has(text, part)) << part << text;
}

TEST(Exact, QuotientsOfWhatMayBeNegative) {
  for (std::string_view quotient :
       {"cdiv(v ^ M, 3)", "cdiv(v | M, 3)", "cdiv(v, E)", "cdiv(v, M)",
        "cdiv(5, M)", "cdiv(M, 3)", "cdiv(v & M - 1, E)"}) {
    const std::string text = BodyOf(Thread(Cat("st O[0], ", quotient)));
    EXPECT_TRUE(Has(text, "tile::cdiv_signed(")) << quotient << text;
  }
  for (std::string_view quotient :
       {"cdiv(N, 3)", "cdiv(v, N)", "cdiv(N / 2, 4)"}) {
    const std::string text = BodyOf(Thread(Cat("st O[0], ", quotient)));
    EXPECT_TRUE(Has(text, "tile::cdiv(")) << quotient << text;
  }
}

// A domain is of what an input has at the beginning.
TEST(Exact, DomainsOfWhatAKernelStoresTo) {
  constexpr std::string_view kSquare =
      "ld v, A[1]\nlet w = v * v\nst O[0], w\n";
  EXPECT_TRUE(Has(Thread(kSquare), "const int w"));
  for (std::string_view write :
       {"st A[1], 1000000\n", "red.add A[1], 1000000\n"})
    EXPECT_TRUE(Has(Thread(Cat(write, kSquare)), "const int64_t w")) << write;
  EXPECT_TRUE(Has(Thread(Cat("st B[1], 1000000\n", kSquare)), "const int w"));
}

std::string Scoped(std::string_view body) {
  return Lowered(
      Cat("kernel k target sm_90a {\n  param N : 0..63 = 40\n"
          "  param W : 32..128 step 32 = 64\n  global O : s32[4]\n  grid (1)\n"
          "  block 128\n  ",
          body, "\n  bar.sync 0\n  thread 0 { st O[2], N + W }\n}\n"));
}

// Of lanes that are apart none is waited for.
TEST(Exact, ThreadsThatNoConstantNamesAreNoWholeWarps) {
  std::string text = BodyOf(Scoped("thread N { elect { st O[0], 5 } }"));
  EXPECT_FALSE(Has(text, "elect_one")) << text;
  EXPECT_TRUE(Has(text, "if (true)")) << text;
  // What comes after it has whole warps again; what is in it has not.
  text = BodyOf(
      Scoped("threads 32..N {\n lane 0 { st O[0], 5 }\n st O[1], 6\n }"));
  EXPECT_TRUE(Has(text, "threadIdx.x) >= 32")) << text;
  EXPECT_FALSE(
      Has(text.substr(text.find("lane_index() == 0"),
                      text.find("O + 1") - text.find("lane_index() == 0")),
          "__syncwarp"))
      << text;
  text = BodyOf(Scoped("threads 0..W { elect { st O[0], 5 } }"));
  EXPECT_TRUE(Has(text, "elect_one")) << text;
  LowerOutcome outcome =
      LowerText("k.tile",
                "kernel k target sm_90a {\n  param N : 33..63 = 40\n"
                "  global O : s32[4]\n  grid (1)\n  block 64\n"
                "  threads 32..N { elect { st O[0], 5 } }\n}\n");
  EXPECT_FALSE(outcome.lowered);
  EXPECT_TRUE(Has(outcome.diagnostics, "do not follow from constants"))
      << outcome.diagnostics;
}

// With a step below 0 a counter comes below its first number.
TEST(Exact, CountersThatCountDown) {
  auto loop = [](std::string_view low, std::string_view step) {
    return Lowered(
        Cat("kernel k target sm_90a {\n  param N : ", low,
            "..4 = 1\n  requires N != 0\n  global O : f32[256]\n  grid (1)\n"
            "  block 64\n  reg r : f32[64] fragment blocked(1)\n  mov r, 1.0\n"
            "  for i in 0..8 step ",
            step,
            " {\n    st.global O[i * 64 :+ 64], r\n    if i < -1 { break }\n"
            "  }\n}\n"));
  };
  EXPECT_TRUE(Has(BodyOf(loop("-3", "N")), ">= 0 &&"));
  EXPECT_FALSE(Has(BodyOf(loop("1", "N")), ">= 0 &&"));
}

}  // namespace
}  // namespace tilesim::hwtests
