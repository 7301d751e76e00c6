#include "traces/micros.h"

#include <cstdlib>

#include "gtest/gtest.h"

namespace tilesim::traces {
namespace {

constexpr int64_t kMhz1980 = 1'980'000;

std::string Micros(int64_t ns) {
  std::string text;
  AppendMicros(&text, ns);
  return text;
}

TEST(MicrosTest, NanosecondsAtH200Clock) {
  EXPECT_EQ(Nanoseconds(0, kMhz1980), 0);
  EXPECT_EQ(Nanoseconds(1, kMhz1980), 1);  // 0.505
  EXPECT_EQ(Nanoseconds(2, kMhz1980), 1);  // 1.010
  EXPECT_EQ(Nanoseconds(3, kMhz1980), 2);  // 1.515
  EXPECT_EQ(Nanoseconds(99, kMhz1980), 50);
  EXPECT_EQ(Nanoseconds(198, kMhz1980), 100);
  EXPECT_EQ(Nanoseconds(1'980'000'000, kMhz1980), 1'000'000'000);
}

TEST(MicrosTest, HalvesRoundUp) {
  EXPECT_EQ(Nanoseconds(1, 2'000'000), 1);  // 0.5
  EXPECT_EQ(Nanoseconds(3, 2'000'000), 2);  // 1.5
}

TEST(MicrosTest, AnHourAndMoreDoesNotOverflow) {
  constexpr int64_t kDay = 86'400 * kMhz1980 * 1000;  // cycles
  EXPECT_EQ(Nanoseconds(kDay, kMhz1980), 86'400'000'000'000);
  EXPECT_EQ(Nanoseconds(kDay + 198, kMhz1980), 86'400'000'000'100);
}

TEST(MicrosTest, NeverRunsBackwards) {
  for (int64_t khz : {999'999, 1'080'000, 1'755'000, 1'980'000, 2'100'001}) {
    for (Cycle cycle = 0; cycle < 20'000; ++cycle) {
      ASSERT_LE(Nanoseconds(cycle, khz), Nanoseconds(cycle + 1, khz))
          << cycle << " at " << khz;
    }
  }
}

TEST(MicrosTest, ThreeDigits) {
  EXPECT_EQ(Micros(0), "0.000");
  EXPECT_EQ(Micros(7), "0.007");
  EXPECT_EQ(Micros(100), "0.100");
  EXPECT_EQ(Micros(100'000), "100.000");
  EXPECT_EQ(Micros(123'456'789'012), "123456789.012");
}

TEST(MicrosTest, AFourthDigitWhereTruncationWouldLoseANanosecond) {
  EXPECT_EQ(Micros(1001), "1.0011");
}

// Perfetto reads microseconds as a double, multiplies and cuts.
TEST(MicrosTest, EveryNanosecondSurvivesAReaderThatTruncates) {
  const auto read_back = [](int64_t ns) {
    const double us = std::strtod(Micros(ns).c_str(), nullptr);
    return static_cast<int64_t>(us * 1000.0);
  };
  for (int64_t ns = 0; ns < 100'000; ++ns) ASSERT_EQ(read_back(ns), ns);
  constexpr int64_t kSecond = 1'000'000'000;
  for (int64_t ns = kSecond; ns < kSecond + 100'000; ++ns) {
    ASSERT_EQ(read_back(ns), ns);
  }
}

}  // namespace
}  // namespace tilesim::traces
