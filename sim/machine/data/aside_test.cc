#include "sim/machine/data/aside.h"

#include <sys/resource.h>

#include <atomic>
#include <chrono>
#include <new>
#include <thread>
#include <vector>

#include "gtest/gtest.h"
#include "sim/machine/data/bits.h"

namespace tilesim::machine {
namespace {

TEST(AsideTest, AllIsDoneInOrder) {
  constexpr int kMany = 10'000;  // more than it remembers
  std::vector<int> done;
  Aside aside;
  for (int i = 0; i < kMany; ++i) aside.Give([&done, i] { done.push_back(i); });
  aside.Finish();
  ASSERT_EQ(done.size(), static_cast<size_t>(kMany));
  for (int i = 0; i < kMany; ++i) ASSERT_EQ(done[i], i);
}

TEST(AsideTest, FinishWaitsForTheOneThatIsBeingDone) {
  Aside aside;
  for (int round = 0; round < 20; ++round) {
    std::atomic<bool> done = false;
    aside.Give([&done] {
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
      done = true;
    });
    aside.Finish();
    EXPECT_TRUE(done);
  }
  aside.Finish();  // of nothing
}

TEST(AsideTest, FinishThrowsWhatWasThrownOnceAndNothingIsDoneAfterIt) {
  Aside aside;
  int done = 0;
  aside.Give([&done] { ++done; });
  aside.Give([] { throw std::bad_alloc(); });
  aside.Give([&done] { ++done; });
  EXPECT_THROW(aside.Finish(), std::bad_alloc);
  EXPECT_EQ(done, 1);
  aside.Give([&done] { ++done; });
  aside.Finish();
  EXPECT_EQ(done, 2);
}

TEST(AsideTest, WhatWasGivenIsDoneAtItsEnd) {
  int done = 0;
  {
    Aside aside;
    for (int i = 0; i < 100; ++i) aside.Give([&done] { ++done; });
  }
  EXPECT_EQ(done, 100);
}

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
