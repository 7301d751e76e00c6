// Cases worked out by hand, run through both the fast path and the reference.
#include <bit>
#include <cmath>
#include <cstdint>
#include <utility>
#include <vector>

#include "gtest/gtest.h"
#include "ir/values/convert.h"
#include "sim/machine/arith/mma_rule.h"
#include "sim/machine/arith/mma_test_inputs.h"
#include "sim/machine/arith/mma_test_run.h"

namespace tilesim::arith {
namespace {

using Pairs = std::vector<std::pair<double, double>>;
constexpr double kInf = INFINITY;

uint32_t Code(DType type, double value) {
  return static_cast<uint32_t>(values::Encode(
      type, value, {values::Rounding::kRne, values::Overflow::kIeee}));
}

// One instruction, one element; the products not given are +0 * +0.
Inputs OneElement(const MmaRule& rule, DType type, const Pairs& products,
                  uint32_t c) {
  Inputs in{type, type, 1, 1, rule.k, {}, {}, {}, {}, {c}};
  for (const auto& [a, b] : products) {
    in.a.push_back(Code(type, a));
    in.b.push_back(Code(type, b));
  }
  in.a.resize(rule.k);
  in.b.resize(rule.k);
  return in;
}

void ExpectBoth(const MmaRule& rule, const Inputs& in, uint32_t want) {
  EXPECT_EQ(RunReference(rule, in).at(0), want) << "reference";
  EXPECT_EQ(RunFast(rule, in).at(0), want) << "fast";
}

void Expect(const MmaRule& rule, DType type, const Pairs& products, double c,
            uint32_t want) {
  ExpectBoth(rule, OneElement(rule, type, products, Code(rule.d, c)), want);
}

const MmaRule& Wgmma(DType type, DType d = DType::kF32) {
  return *FindRule({Unit::kWgmma, type, type, d});
}

TEST(HandTest, ZeroIsAlwaysPlus) {
  const Pairs all_minus(16, {-0.0, 1.0});
  for (const DType d : {DType::kF32, DType::kF16}) {
    const MmaRule& rule = Wgmma(DType::kF16, d);
    Expect(rule, DType::kF16, all_minus, -0.0, 0);
    Expect(rule, DType::kF16, {{-0.0, 5}}, -0.0, 0);
    Expect(rule, DType::kF16, {{1, 1}, {-1, 1}}, -0.0, 0);
    Expect(rule, DType::kF16, {{1, 1}}, -1, 0);
    Expect(rule, DType::kF16, {}, -0.0, 0);
  }
}

TEST(HandTest, NegativeUnderflowIsPlusZero) {
  // -2^-150 is below the smallest f32; -2^-26 rounds to no f16.
  Expect(Wgmma(DType::kBF16), DType::kBF16, {{-0x1p-75, 0x1p-75}}, 0, 0);
  Expect(Wgmma(DType::kF16, DType::kF16), DType::kF16, {{-0x1p-13, 0x1p-13}}, 0,
         0);
  // Half of the smallest f16 is a tie, to even; a bit more is not.
  Expect(Wgmma(DType::kF16, DType::kF16), DType::kF16, {{-0x1p-13, 0x1p-12}}, 0,
         0);
  Expect(Wgmma(DType::kF16, DType::kF16), DType::kF16,
         {{-0x1p-13, 0x1p-12}, {-0x1p-24, 0x1p-24}}, 0, 0x8001);
}

TEST(HandTest, TermsAreCutTowardZero) {
  // The second product is half a unit of 2^(0-25): gone, whatever its sign.
  Expect(Wgmma(DType::kF16), DType::kF16, {{1, 1}, {0x1p-13, 0x1p-13}}, 0,
         0x3f800000);
  Expect(Wgmma(DType::kF16), DType::kF16, {{1, 1}, {-0x1p-13, 0x1p-13}}, 0,
         0x3f800000);
  // Fifteen of them would be 7.5 units.
  Pairs many(16, {0x1p-13, 0x1p-13});
  many[0] = {1, 1};
  Expect(Wgmma(DType::kF16), DType::kF16, many, 0, 0x3f800000);
}

TEST(HandTest, ResultIsCutTowardZero) {
  // 1 + 2^-24 and -(1 + 2^-24), both exact in the sum.
  Expect(Wgmma(DType::kF16), DType::kF16, {{0x1p-12, 0x1p-12}}, 1, 0x3f800000);
  Expect(Wgmma(DType::kF16), DType::kF16, {{-0x1p-12, 0x1p-12}}, -1,
         0xbf800000);
  // -1 + 2^-25: the sum is exact and below 1, so it has a bit more.
  Expect(Wgmma(DType::kF16), DType::kF16, {{0x1p-12, 0x1p-13}}, -1, 0xbf7fffff);
  // Hopper's fp8 keeps 13 fraction bits.
  Expect(Wgmma(DType::kE4M3), DType::kE4M3, {{1, 1}}, 0x1p-13, 0x3f800400);
  Expect(Wgmma(DType::kE4M3), DType::kE4M3, {{1, 1}}, -0x1p-14, 0x3f800000);
  Expect(Wgmma(DType::kE4M3), DType::kE4M3, {}, 1 + 0x1p-14, 0x3f800000);
}

TEST(HandTest, SignificandsAreNotNormalised) {
  // 1.5 * 1.5 = 2.25 has exponent 0: 2^-25 survives. 2 * 1 has exponent 1.
  Expect(Wgmma(DType::kF16), DType::kF16,
         {{1.5, 1.5}, {-1.5, 1.5}, {0x1p-12, 0x1p-13}}, 0, 0x33000000);
  Expect(Wgmma(DType::kF16), DType::kF16, {{2, 1}, {-2, 1}, {0x1p-12, 0x1p-13}},
         0, 0);
}

// Floor of E for terms far below 2^-126: the unit is 2^(-133-25) = 2^-158.
TEST(HandTest, FloorOfTheExponent) {
  for (const DType type : {DType::kBF16, DType::kTF32}) {
    const MmaRule& rule = Wgmma(type);
    const std::pair<double, double> below{73 * 0x1p-79, 7 * 0x1p-79};
    // 511 units and one unit make 512 = 2^-149. A floor of -132 loses the one.
    Expect(rule, type, {below, {0x1p-79, 0x1p-79}}, 0, 1);
    // Two halves of a unit are lost. A floor of -134 would keep them.
    Expect(rule, type, {below, {0x1p-79, 0x1p-80}, {0x1p-79, 0x1p-80}}, 0, 0);
    // Above the floor E is the terms' own: 2^-126 loses 2^-152 but no more.
    Expect(rule, type, {{0x1p-63, 0x1p-63}, {0x1p-75, 0x1p-74}}, 0, 0x00800001);
  }
}

TEST(HandTest, ZeroTermsDoNotSetTheExponent) {
  // 0 * 2^15 has exponent 1 + ... if it counted: 2^-30 would be lost.
  Expect(Wgmma(DType::kF16), DType::kF16, {{0, 32768}, {0x1p-15, 0x1p-15}}, 0,
         0x30800000);
}

TEST(HandTest, SubnormalInputsCount) {
  Expect(Wgmma(DType::kF16), DType::kF16, {{0x1p-24, 0x1p-24}}, 0, 0x27800000);
  // C alone comes back, subnormal or not.
  Expect(Wgmma(DType::kF16), DType::kF16, {}, 0x1p-149, 1);
  Expect(Wgmma(DType::kF16), DType::kF16, {}, -0x1.8p-140, 0x80000300);
  // fp8: in units of 2^-139.
  Expect(Wgmma(DType::kE5M2), DType::kE5M2, {}, 0x1.8p-138, 0x00000c00);
  Expect(Wgmma(DType::kE5M2), DType::kE5M2, {}, 0x1.fp-139, 0x00000400);
}

TEST(HandTest, OverflowIsInfinite) {
  Expect(Wgmma(DType::kBF16), DType::kBF16, {{0x1p64, 0x1p64}}, 0, 0x7f800000);
  Expect(Wgmma(DType::kBF16), DType::kBF16, {{-0x1p64, 0x1p63}},
         -0x1.fffffep127, 0xff800000);
  // Just below 2^128 is cut, not rounded up.
  Expect(Wgmma(DType::kBF16), DType::kBF16, {{0x1p103 / 0x1p40, 0x1p40}},
         0x1.fffffep127, 0x7f7fffff);
  const MmaRule& half = Wgmma(DType::kF16, DType::kF16);
  Expect(half, DType::kF16, {{65504, 1}, {15, 1}}, 0, 0x7bff);
  Expect(half, DType::kF16, {{65504, 1}, {16, 1}}, 0, 0x7c00);
  Expect(half, DType::kF16, {{-65504, 1}}, -16, 0xfc00);
}

TEST(HandTest, InfinitiesAndNan) {
  const MmaRule& rule = Wgmma(DType::kF16);
  Expect(rule, DType::kF16, {{kInf, -2}}, 1, 0xff800000);
  Expect(rule, DType::kF16, {{kInf, 0}}, 1, 0x7fffffff);
  Expect(rule, DType::kF16, {{kInf, 1}}, -kInf, 0x7fffffff);
  Expect(rule, DType::kF16, {{1, 1}}, -kInf, 0xff800000);
  Expect(rule, DType::kF16, {{1, 1}}, NAN, 0x7fffffff);
  Expect(rule, DType::kF16, {{NAN, 0}}, 0, 0x7fffffff);
  Expect(Wgmma(DType::kF16, DType::kF16), DType::kF16, {{NAN, 0}}, 0, 0x7fff);
  Expect(Wgmma(DType::kE4M3), DType::kE4M3, {{NAN, 0}}, 0, 0x7fffffff);
}

TEST(HandTest, TF32DropsLowBitsFirst) {
  const MmaRule& rule = Wgmma(DType::kTF32);
  Inputs in = OneElement(rule, DType::kTF32, {{1, 1}}, 0);
  in.a[0] |= 0x1fff;
  ExpectBoth(rule, in, 0x3f800000);
  in.a[0] = 0x7f800001;  // a NaN only in the low bits reads as Inf
  ExpectBoth(rule, in, 0x7f800000);
}

TEST(HandTest, Fp8MmaSyncAddsCToNearest) {
  const MmaRule& rule =
      *FindRule({Unit::kMmaSync, DType::kE4M3, DType::kE4M3, DType::kF32});
  // A fused sum would cut 1 + 2^-24 + 2^-40 to 1.
  Expect(rule, DType::kE4M3, {{1, 1}}, 0x1p-24 + 0x1p-40, 0x3f800001);
  // Products 0 and 4 meet in the first half, 2 is alone in the second: 2^16
  // cuts the small one's 2^-12 away only where they meet.
  Pairs same(32, {0, 0}), apart = same;
  same[0] = apart[0] = {256, 256};
  same[4] = apart[2] = {0x1p-6, 0x1p-6};
  same[8] = {-256, 256};
  apart[3] = {-256, 256};
  Expect(rule, DType::kE4M3, same, 0, 0);
  Expect(rule, DType::kE4M3, apart, 0, 0);
  same[4] = apart[2] = {0x1p-5, 0x1p-4};  // 2^-9 = 2^(16-25): kept
  Expect(rule, DType::kE4M3, same, 0, 0x3b000000);
}

TEST(HandTest, Fp4ScalesAndGroups) {
  const MmaRule& rule = *FindRule(
      {Unit::kTcgen05, DType::kE2M1, DType::kE2M1, DType::kF32, DType::kUE4M3});
  Inputs in = OneElement(rule, DType::kE2M1, Pairs(64, {6, 6}), 0);
  in.a_scales.assign(4, Code(DType::kUE4M3, 1.5));
  in.b_scales.assign(4, Code(DType::kUE4M3, 0.75));
  ExpectBoth(rule, in, Code(DType::kF32, 64 * 36 * 1.5 * 0.75));
  // A scale of zero takes its group out, and out of the maximum.
  in.a_scales = {0, 0, 0, Code(DType::kUE4M3, 0x1p-9)};
  ExpectBoth(rule, in, Code(DType::kF32, 16 * 36 * 0.75 * 0x1p-9));
  in.b_scales[0] = 0x7f;
  ExpectBoth(rule, in, 0x7fffffff);
}

TEST(HandTest, BlockScaledFp8) {
  const MmaRule& rule = *FindRule(
      {Unit::kTcgen05, DType::kE4M3, DType::kE4M3, DType::kF32, DType::kUE8M0});
  Inputs in = OneElement(rule, DType::kE4M3, {{3, 5}, {-1, 1}}, 0x3f800000);
  in.a_scales = {127 + 10};
  in.b_scales = {127 - 9};
  ExpectBoth(rule, in, Code(DType::kF32, 2 * 14 + 1));
  in.a_scales = {254};
  in.b_scales = {254};
  ExpectBoth(rule, in, 0x7f800000);
  in.a_scales = {0};
  in.b_scales = {0};
  ExpectBoth(rule, in, 0x3f800000);
}

TEST(HandTest, IntegersWrap) {
  const MmaRule& rule = Wgmma(DType::kS8, DType::kS32);
  Inputs in = OneElement(rule, DType::kS8, Pairs(32, {-128, -128}), 0x7fffffff);
  ExpectBoth(rule, in, 0x7fffffffu + 32 * 16384);
  in.b_type = DType::kU8;  // the same codes are now +128
  ExpectBoth(rule, in, 0x7fffffffu - 32 * 16384);
}

}  // namespace
}  // namespace tilesim::arith
