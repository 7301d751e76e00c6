#include "ir/values/dtype.h"

#include "gtest/gtest.h"

namespace tilesim::values {
namespace {

TEST(DTypeTest, EveryNameFindsItsRow) {
  for (const DTypeInfo& info : kDTypes) {
    EXPECT_EQ(FindDType(info.name), info.type) << info.name;
    EXPECT_FALSE(info.description.empty());
    EXPECT_FALSE(info.source.empty());
  }
}

TEST(DTypeTest, UnknownWordsFindNothing) {
  EXPECT_EQ(FindDType("f64"), std::nullopt);
  EXPECT_EQ(FindDType(""), std::nullopt);
  EXPECT_EQ(FindDType("F16"), std::nullopt);
}

TEST(DTypeTest, CodesFitTheirMemory) {
  for (const DTypeInfo& info : kDTypes) {
    EXPECT_LE(info.code_bits(), info.bits) << info.name;
  }
  EXPECT_EQ(Info(DType::kTF32).code_bits(), 32);
  EXPECT_EQ(Info(DType::kE2M3).code_bits(), 6);
  EXPECT_EQ(Info(DType::kUE4M3).code_bits(), 7);
}

TEST(DTypeTest, BytesCountPackedHalves) {
  EXPECT_EQ(BytesOf(DType::kE2M1, 5), 3);
  EXPECT_EQ(BytesOf(DType::kE3M2, 5), 5);
  EXPECT_EQ(BytesOf(DType::kBF16, 5), 10);
  EXPECT_EQ(WordBytes(DType::kE2M1), 1);
}

}  // namespace
}  // namespace tilesim::values
