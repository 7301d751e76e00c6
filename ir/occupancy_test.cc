#include "ir/occupancy.h"

#include "gtest/gtest.h"

namespace tilesim::ir {
namespace {

struct Case {
  int64_t threads, regs, shared_bytes, columns, ctas;
};

BoundKernel Kernel(const Case& c) {
  BoundKernel kernel;
  kernel.block = c.threads;
  kernel.regs = c.regs;
  kernel.shared_bytes = c.shared_bytes;
  kernel.tmem_columns = c.columns;
  return kernel;
}

// The answers of cudaOccMaxActiveBlocksPerMultiprocessor for 9.0.
TEST(Occupancy, CtasPerSm) {
  constexpr Case kCases[] = {
      {128, 0, 0, 0, 16},          // threads
      {32, 0, 0, 0, 32},           // CTAs
      {128, 0, 113 * 1024, 0, 2},  // shared memory, 1 KB each reserved
      {128, 0, 113 * 1024 + 1, 0, 1},
      {128, 168, 0, 0, 3},
      {128, 169, 0, 0, 2},  // units of 8 registers a thread
      {160, 168, 0, 0, 2},  // 12 warps of 5376 registers
      {160, 176, 0, 0, 1},  // 2 of 5632 in a file of 16384: 8 warps
      {160, 128, 0, 0, 3},
      {256, 136, 0, 0, 1},
      {288, 168, 0, 0, 1},
      {128, 0, 0, 256, 2},  // tensor memory
  };
  for (const Case& c : kCases) {
    EXPECT_EQ(CtasPerSm(Kernel(c)), c.ctas)
        << c.threads << " threads, " << c.regs << " registers, "
        << c.shared_bytes << " B";
  }
}

TEST(Occupancy, ALaunchAsksForWholeRoundsOfWarps) {
  EXPECT_EQ(MostRegisters(128), 255);
  EXPECT_EQ(MostRegisters(256), 255);
  EXPECT_EQ(MostRegisters(288), 168);  // as twelve warps
  EXPECT_EQ(MostRegisters(384), 168);
  EXPECT_EQ(MostRegisters(1024), 64);
}

}  // namespace
}  // namespace tilesim::ir
