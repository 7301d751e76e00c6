#include "ir/values/convert.h"

#include <bit>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "gtest/gtest.h"

namespace tilesim::values {
namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr EncodeOptions kRz{Rounding::kRz};
constexpr EncodeOptions kRp{Rounding::kRp};
constexpr EncodeOptions kRna{Rounding::kRna};
constexpr EncodeOptions kIeee{Rounding::kRne, Overflow::kIeee};

std::vector<DType> SmallFloats() {
  std::vector<DType> types;
  for (const DTypeInfo& info : kDTypes) {
    if (info.is_float() && info.bits <= 16) types.push_back(info.type);
  }
  return types;
}

uint64_t Codes(DType type) { return uint64_t{1} << Info(type).code_bits(); }

// Every code of at most 16 bits survives decode and encode, in any rounding.
TEST(ConvertTest, EveryCodeRoundTrips) {
  for (const DType type : SmallFloats()) {
    for (uint64_t code = 0; code < Codes(type); ++code) {
      const double value = Decode(type, code);
      if (IsNan(type, code)) {
        EXPECT_TRUE(std::isnan(value));
        EXPECT_TRUE(IsNan(type, Encode(type, value)));
        continue;
      }
      for (const Rounding r : {Rounding::kRne, Rounding::kRz, Rounding::kRp}) {
        ASSERT_EQ(Encode(type, value, {r, Overflow::kIeee}), code)
            << NameOf(type) << " " << code;
      }
    }
  }
}

// Between neighbours: a quarter up rounds down, three quarters up, the middle
// to the even code; kRz and kRp bracket.
TEST(ConvertTest, EveryGapRounds) {
  for (const DType type : SmallFloats()) {
    for (uint64_t code = 0; code < MaxFiniteCode(type); ++code) {
      const double low = Decode(type, code);
      const double gap = Decode(type, code + 1) - low;
      const uint64_t even = code % 2 == 0 ? code : code + 1;
      const std::string where =
          std::string(NameOf(type)) + " " + std::to_string(code);
      ASSERT_EQ(Encode(type, low + gap / 4), code) << where;
      ASSERT_EQ(Encode(type, low + gap / 2), even) << where;
      ASSERT_EQ(Encode(type, low + gap * 3 / 4), code + 1) << where;
      ASSERT_EQ(Encode(type, low + gap * 3 / 4, kRz), code) << where;
      ASSERT_EQ(Encode(type, low + gap / 4, kRp), code + 1) << where;
      ASSERT_EQ(Encode(type, low + gap / 2, kRna), code + 1) << where;
    }
  }
}

TEST(ConvertTest, KnownValues) {
  EXPECT_EQ(Decode(DType::kE4M3, 0x7e), 448);
  EXPECT_EQ(Decode(DType::kE4M3, 0x01), 0x1p-9);
  EXPECT_EQ(Decode(DType::kE5M2, 0x7b), 57344);
  EXPECT_EQ(Decode(DType::kE5M2, 0xfc), -kInf);
  EXPECT_EQ(Decode(DType::kE2M3, 0x1f), 7.5);
  EXPECT_EQ(Decode(DType::kE2M3, 0xc1), 0.125);  // junk in the top bits
  EXPECT_EQ(Decode(DType::kE3M2, 0x3f), -28);
  EXPECT_EQ(Decode(DType::kE3M2, 0x01), 0.0625);
  EXPECT_EQ(Decode(DType::kUE8M0, 0), 0x1p-127);
  EXPECT_EQ(Decode(DType::kUE8M0, 0xfe), 0x1p127);
  EXPECT_TRUE(IsNan(DType::kUE8M0, 0xff));
  EXPECT_EQ(Decode(DType::kUE4M3, 0xfe), 448);
  EXPECT_TRUE(IsNan(DType::kUE4M3, 0x7f));
  EXPECT_EQ(Decode(DType::kF16, 0x0001), 0x1p-24);
  EXPECT_EQ(Decode(DType::kBF16, 0x0001), 0x1p-133);
  EXPECT_EQ(Decode(DType::kF32, 0x00000001), 0x1p-149);
  const double e2m1[] = {0, .5, 1, 1.5, 2, 3, 4, 6};
  for (int i = 0; i < 8; ++i) {
    EXPECT_EQ(Decode(DType::kE2M1, i), e2m1[i]);
    EXPECT_EQ(Decode(DType::kE2M1, i + 8), -e2m1[i]);
  }
}

TEST(ConvertTest, TF32DropsThirteenBits) {
  EXPECT_EQ(Decode(DType::kTF32, 0x3f801fff), 1);
  EXPECT_TRUE(IsInf(DType::kTF32, 0x7f801fff));
  EXPECT_TRUE(IsNan(DType::kTF32, 0x7f802000));
  EXPECT_EQ(Encode(DType::kTF32, 1 + 0x1p-11), 0x3f800000u);
  EXPECT_EQ(Encode(DType::kTF32, 1 + 0x1p-11, kRna), 0x3f802000u);
  EXPECT_EQ(Encode(DType::kTF32, 1.999999, kRz), 0x3fffe000u);
}

TEST(ConvertTest, NanIsCanonical) {
  for (const double nan : {kNan, -kNan}) {
    EXPECT_EQ(Encode(DType::kF32, nan), 0x7fffffffu);
    EXPECT_EQ(Encode(DType::kTF32, nan), 0x7fffffffu);
    EXPECT_EQ(Encode(DType::kF16, nan), 0x7fffu);
    EXPECT_EQ(Encode(DType::kBF16, nan), 0x7fffu);
    EXPECT_EQ(Encode(DType::kE4M3, nan), 0x7fu);
    EXPECT_EQ(Encode(DType::kE5M2, nan), 0x7fu);
    EXPECT_EQ(Encode(DType::kUE8M0, nan), 0xffu);
    EXPECT_EQ(Encode(DType::kE2M1, nan), 0x7u);
    EXPECT_EQ(Encode(DType::kE2M3, nan), 0x1fu);
    EXPECT_EQ(Encode(DType::kS32, nan), 0u);
    EXPECT_EQ(Encode(DType::kS64, nan), uint64_t{1} << 63);
  }
}

TEST(ConvertTest, Overflow) {
  EXPECT_EQ(Encode(DType::kF16, 65519.99), 0x7bffu);
  EXPECT_EQ(Encode(DType::kF16, 65520), 0x7c00u);
  EXPECT_EQ(Encode(DType::kF16, 1e30, kRz), 0x7bffu);
  EXPECT_EQ(Encode(DType::kF16, kInf, kRz), 0x7c00u);
  EXPECT_EQ(Encode(DType::kF16, -1e9, {Rounding::kRne, Overflow::kSatfinite}),
            0xfbffu);
  EXPECT_EQ(Encode(DType::kE4M3, kInf), 0x7eu);
  EXPECT_EQ(Encode(DType::kE4M3, -464.1), 0xfeu);
  EXPECT_EQ(Encode(DType::kE4M3, 465, kIeee), 0x7fu);
  EXPECT_EQ(Encode(DType::kE5M2, 1e9), 0x7bu);
  EXPECT_EQ(Encode(DType::kE5M2, 1e9, kIeee), 0x7cu);
  EXPECT_EQ(Encode(DType::kE2M1, -1e9), 0xfu);
  EXPECT_EQ(Encode(DType::kE3M2, kInf, kIeee), 0x1fu);
  EXPECT_EQ(Encode(DType::kF32, 0x1.ffffffp127), 0x7f800000u);
  EXPECT_EQ(Encode(DType::kF32, -1e300), 0xff800000u);
}

TEST(ConvertTest, BlockScales) {
  EXPECT_EQ(Encode(DType::kUE8M0, 0, kRz), 0u);
  EXPECT_EQ(Encode(DType::kUE8M0, 0, kRp), 0u);
  EXPECT_EQ(Encode(DType::kUE8M0, -3, kRz), 128u);
  EXPECT_EQ(Encode(DType::kUE8M0, -3, kRp), 129u);
  EXPECT_EQ(Encode(DType::kUE8M0, 0x1p-127, kRp), 0u);
  EXPECT_EQ(Encode(DType::kUE8M0, 0x1.8p-127, kRp), 1u);
  EXPECT_EQ(Encode(DType::kUE8M0, 0x1.8p127, kRp), 0xfeu);
  EXPECT_EQ(Encode(DType::kUE8M0, 0x1.8p127, {Rounding::kRp, Overflow::kIeee}),
            0xffu);
  EXPECT_EQ(Encode(DType::kUE8M0, kInf, kRz), 0xfeu);
  EXPECT_EQ(Encode(DType::kUE4M3, -1), 0u);
  EXPECT_EQ(Encode(DType::kUE4M3, 1e9), 0x7eu);
}

TEST(ConvertTest, IntegersClampAndRound) {
  EXPECT_EQ(Encode(DType::kS8, -2.5), 0xfeu);
  EXPECT_EQ(Encode(DType::kS8, 300), 0x7fu);
  EXPECT_EQ(Encode(DType::kS8, -300), 0x80u);
  EXPECT_EQ(Encode(DType::kU8, -1), 0u);
  EXPECT_EQ(Encode(DType::kU8, 255.5), 0xffu);
  EXPECT_EQ(Encode(DType::kU32, 4294967295.0), 0xffffffffu);
  EXPECT_EQ(Encode(DType::kS64, 1e30), ~uint64_t{0} >> 1);
  EXPECT_EQ(Encode(DType::kU64, 1e30), ~uint64_t{0});
  EXPECT_EQ(Decode(DType::kS32, 0xffffffff), -1);
  EXPECT_EQ(Decode(DType::kU32, 0xffffffff), 4294967295.0);
  for (int i = -128; i < 128; ++i) {
    EXPECT_EQ(Decode(DType::kS8, Encode(DType::kS8, i)), i);
  }
}

// All f32 whose low 16 bits are special, in all binades: midpoints of f16 and
// bf16 and their neighbours are among them.
std::vector<float> InterestingFloats() {
  std::vector<float> values;
  for (uint32_t high = 0; high < 0x10000; ++high) {
    for (const uint32_t low : {0u, 1u, 0xfffu, 0x1000u, 0x1001u, 0x2fffu,
                               0x3000u, 0x7fffu, 0x8000u, 0x8001u, 0xffffu}) {
      values.push_back(std::bit_cast<float>((high << 16) | low));
    }
  }
  return values;
}

TEST(ConvertTest, ArraysAgreeWithEncode) {
  const std::vector<float> in = InterestingFloats();
  std::vector<uint16_t> halves(in.size()), brains(in.size());
  F32ToF16(in.data(), halves.data(), in.size());
  F32ToBF16(in.data(), brains.data(), in.size());
  for (size_t i = 0; i < in.size(); ++i) {
    ASSERT_EQ(halves[i], Encode(DType::kF16, in[i])) << in[i];
    ASSERT_EQ(brains[i], Encode(DType::kBF16, in[i])) << in[i];
  }
}

#if !defined(__clang__)  // clang 14 has no _Float16 here
// The compiler's own half, which knows nothing of our code.
TEST(ConvertTest, F16AgreesWithTheCompiler) {
  for (const float value : InterestingFloats()) {
    if (std::isnan(value)) continue;
    const auto half = static_cast<_Float16>(value);
    ASSERT_EQ(Encode(DType::kF16, value), std::bit_cast<uint16_t>(half));
  }
}
#endif

TEST(ConvertTest, ArraysDecodeEveryCode) {
  std::vector<uint16_t> codes(0x10000);
  for (size_t i = 0; i < codes.size(); ++i) codes[i] = i;
  for (const DType type : {DType::kF16, DType::kBF16}) {
    std::vector<float> out(codes.size());
    DecodeArray(type, codes.data(), codes.size(), out.data());
    for (size_t i = 0; i < codes.size(); ++i) {
      const auto want = static_cast<float>(Decode(type, i));
      if (std::isnan(want)) {
        ASSERT_TRUE(std::isnan(out[i]));
      } else {
        ASSERT_EQ(std::bit_cast<uint32_t>(out[i]),
                  std::bit_cast<uint32_t>(want));
      }
    }
  }
}

// Numbers between the f32 too: their midpoints, and what is next to those. The
// FPU rounds them without our code.
TEST(ConvertTest, F32AgreesWithTheFpu) {
  std::vector<double> in = {0x1p-1074, -0x1p-1074, 0x1p-1022, 1e300, -kInf};
  for (const float value : InterestingFloats()) {
    const double middle =
        (static_cast<double>(value) + std::nextafter(value, INFINITY)) / 2;
    for (const double near :
         {double{value}, middle, std::nextafter(middle, kInf),
          std::nextafter(middle, -kInf)})
      in.push_back(near);
  }
  std::vector<uint32_t> array(in.size());
  EncodeArray(DType::kF32, in.data(), in.size(), array.data());
  for (size_t i = 0; i < in.size(); ++i) {
    const auto want = std::isnan(in[i])
                          ? 0x7fffffffu
                          : std::bit_cast<uint32_t>(static_cast<float>(in[i]));
    ASSERT_EQ(Encode(DType::kF32, in[i]), want) << in[i];
    ASSERT_EQ(array[i], want) << in[i];
  }
}

TEST(ConvertTest, SubnormalDoublesRound) {
  for (const DType type : {DType::kF32, DType::kF16, DType::kE4M3}) {
    EXPECT_EQ(Encode(type, 0x1p-1074), 0u);
    EXPECT_EQ(Encode(type, 0x1.8p-1073, kRz), 0u);
    EXPECT_EQ(Encode(type, 0x1p-1074, kRp), 1u);
  }
}

TEST(ConvertTest, ArraysOfDoublesDecodeAsCodesDo) {
  const std::vector<float> in = InterestingFloats();
  for (const DType type :
       {DType::kF32, DType::kTF32, DType::kF16, DType::kBF16, DType::kE5M2}) {
    const size_t count = in.size() * 32 / BitsOf(type);
    std::vector<double> out(count);
    DecodeArray(type, in.data(), count, out.data());
    for (size_t i = 0; i < count; ++i) {
      const double want = Decode(type, LoadCode(type, in.data(), i));
      ASSERT_EQ(std::bit_cast<uint64_t>(out[i]), std::bit_cast<uint64_t>(want))
          << NameOf(type) << " " << i;
    }
  }
}

TEST(ConvertTest, PackedArrays) {
  const std::vector<float> in = {1, -6, 0.5f};
  std::vector<uint8_t> packed(2, 0);
  EncodeArray(DType::kE2M1, in.data(), in.size(), packed.data());
  EXPECT_EQ(packed[0], 0xf2);
  EXPECT_EQ(packed[1], 0x01);
  std::vector<float> out(3);
  DecodeArray(DType::kE2M1, packed.data(), 3, out.data());
  EXPECT_EQ(out, in);
}

}  // namespace
}  // namespace tilesim::values
