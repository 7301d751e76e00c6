#include "sim/machine/data/bits.h"

#include <sys/resource.h>

#include "gtest/gtest.h"

namespace tilesim::machine {
namespace {

TEST(BitsTest, BeginAsZerosWhateverWasThere) {
  Bits bits;
  bits.Resize(1000);
  bits.Set(10, 200);
  EXPECT_EQ(bits.Count(), 200);
  Bits copy = bits;
  bits.Resize(1000);
  EXPECT_EQ(bits.Count(), 0);
  EXPECT_EQ(bits.Next(0, true), 1000);
  EXPECT_EQ(copy.Next(0, true), 10);
  copy.Add(bits);
  EXPECT_EQ(copy.Count(), 200);
  bits = copy;
  EXPECT_TRUE(bits.All(10, 200));
  bits.Resize(0);
  EXPECT_EQ(bits.Count(), 0);
}

int64_t ResidentMegabytes() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return usage.ru_maxrss / 1024;
}

// Two gigabytes of bits, of which one is written.
TEST(BitsTest, OnlyWhatIsWrittenTakesMemory) {
  constexpr int64_t kMiddle = int64_t{1} << 33;
  const int64_t before = ResidentMegabytes();
  Bits bits;
  bits.Resize(2 * kMiddle);
  bits.Set(kMiddle + 5, 1);
  EXPECT_TRUE(bits.Get(kMiddle + 5));
  EXPECT_FALSE(bits.Get(kMiddle + 6));
  EXPECT_LT(ResidentMegabytes() - before, 512);
}

}  // namespace
}  // namespace tilesim::machine
