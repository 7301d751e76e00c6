#include "ir/values/seeded.h"

#include <cmath>
#include <vector>

#include "gtest/gtest.h"
#include "ir/values/convert.h"

namespace tilesim::values {
namespace {

std::vector<uint8_t> Fill(DType type, const SeedSpec& spec, uint64_t first,
                          size_t count) {
  std::vector<uint8_t> data(BytesOf(type, count));
  FillSeeded(type, spec, first, count, data.data());
  return data;
}

const Distribution kAll[] = {Distribution::kNormal, Distribution::kFiniteBits,
                             Distribution::kUniform};

TEST(SeededTest, FillingInPiecesGivesTheSameElements) {
  for (const DTypeInfo& info : kDTypes) {
    for (const Distribution d : kAll) {
      const SeedSpec spec{7, TensorId("A"), d};
      const std::vector<uint8_t> whole = Fill(info.type, spec, 0, 2000);
      std::vector<uint8_t> pieces = Fill(info.type, spec, 0, 600);
      const std::vector<uint8_t> rest = Fill(info.type, spec, 600, 1400);
      pieces.insert(pieces.end(), rest.begin(), rest.end());
      ASSERT_EQ(pieces, whole) << info.name;
      for (int64_t i = 0; i < 2000; i += 37) {
        ASSERT_EQ(LoadCode(info.type, whole.data(), i),
                  SeededCode(info.type, spec, i))
            << info.name;
      }
    }
  }
}

// From an implementation in Python of what the header says.
TEST(SeededTest, TheGeneratorDoesNotChange) {
  EXPECT_EQ(TensorId("A"), 0xaf63fc4c860222ecu);
  EXPECT_EQ(SeededWord(0, 0, 0), 0x568a9b0b1a2c05ecu);
  EXPECT_EQ(SeededWord(1, TensorId("A"), 2), 0xd55ea22197383536u);
  EXPECT_EQ(SeededNormal(1, TensorId("A"), 0), 84687);
  EXPECT_EQ(SeededNormal(1, TensorId("A"), 12345), 76948);
}

TEST(SeededTest, NormalHasItsMoments) {
  double sum = 0, squares = 0, fourths = 0;
  constexpr int kCount = 200000;
  for (int i = 0; i < kCount; ++i) {
    const double x = SeededNormal(3, 5, i) / 65536.0;
    sum += x;
    squares += x * x;
    fourths += x * x * x * x;
  }
  EXPECT_NEAR(sum / kCount, 0, 0.01);
  EXPECT_NEAR(squares / kCount, 1, 0.01);
  EXPECT_NEAR(fourths / kCount, 2.9, 0.1);  // 3 - 12 / 120
}

TEST(SeededTest, SeedsAndTensorsDiffer) {
  const auto base = Fill(DType::kF16, {1, 1}, 0, 1000);
  EXPECT_NE(base, Fill(DType::kF16, {2, 1}, 0, 1000));
  EXPECT_NE(base, Fill(DType::kF16, {1, 2}, 0, 1000));
  EXPECT_EQ(base, Fill(DType::kF16, {1, 1}, 0, 1000));
}

TEST(SeededTest, FiniteBitsAreFiniteAndReachTheEnds) {
  for (const DTypeInfo& info : kDTypes) {
    if (!info.is_float()) continue;
    const SeedSpec spec{1, 2, Distribution::kFiniteBits};
    double low = 0, high = 0;
    for (int i = 0; i < 20000; ++i) {
      const double x = Decode(info.type, SeededCode(info.type, spec, i));
      ASSERT_TRUE(std::isfinite(x)) << info.name;
      low = std::fmin(low, x);
      high = std::fmax(high, x);
    }
    EXPECT_GE(high, MaxFinite(info.type) / 4) << info.name;
    EXPECT_EQ(low < 0, info.is_signed()) << info.name;
  }
}

TEST(SeededTest, UniformKeepsItsRange) {
  SeedSpec spec{1, 2, Distribution::kUniform, IntegerRange{-3, 2}};
  std::vector<int> seen(6);
  for (int i = 0; i < 1000; ++i) {
    const double x = Decode(DType::kBF16, SeededCode(DType::kBF16, spec, i));
    ASSERT_TRUE(x >= -3 && x <= 2 && x == std::floor(x));
    ++seen[static_cast<int>(x) + 3];
  }
  for (const int count : seen) EXPECT_GT(count, 100);
}

// Narrow formats are filled from a table of codes.
TEST(SeededTest, TheTableOfANarrowFormatHasTheCodeOfEachElement) {
  for (const DTypeInfo& info : kDTypes) {
    if (!info.is_float() || info.bits > 8) continue;
    const SeedSpec spec{9, 9};
    constexpr int64_t kCount = 100000;
    const auto filled = Fill(info.type, spec, 0, kCount);
    for (int64_t i = 0; i < kCount; ++i) {
      ASSERT_EQ(LoadCode(info.type, filled.data(), i),
                SeededCode(info.type, spec, i))
          << info.name << " " << i;
    }
  }
}

}  // namespace
}  // namespace tilesim::values
