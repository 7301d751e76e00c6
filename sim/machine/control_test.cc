// Counters, barriers, groups, pools: a row a rule of hardware.md A.1 to A.9. It
// runs without payload; operations in flight move when a test says so.
#include "sim/machine/control_test.h"

#include <algorithm>
#include <string>

#include "gtest/gtest.h"
#include "ir/cat.h"

namespace tilesim::machine {
namespace {

using ir::Cat;
using ir::Milestone;

// --- mbarrier (hardware.md A.1) ----------------------------------------------

struct MbarrierCase {
  std::string_view name;
  int count;              // of init
  std::string_view body;  // of one thread, after init
  uint32_t phase;
  int32_t pending, expected;
  int64_t tx;
  ir::Code finding;
};

constexpr MbarrierCase kMbarrierCases[] = {
    {"init", 2, "", 0, 2, 2, 0},
    {"arrive", 2, "mbarrier.arrive b", 0, 1, 2, 0},
    {"the last arrival ends the phase", 2,
     "mbarrier.arrive b\n mbarrier.arrive b", 1, 2, 2, 0},
    {"arrive with a count", 3, "mbarrier.arrive b, count = 2", 0, 1, 3, 0},
    {"more than is pending", 2, "mbarrier.arrive b, count = 3", 0, 2, 2, 0,
     "arrival-count/over"},
    {"three phases", 1,
     "mbarrier.arrive b\n mbarrier.arrive b\n mbarrier.arrive b", 3, 1, 1, 0},
    {"expect_tx arrives nowhere", 1, "mbarrier.expect_tx b, 64", 0, 1, 1, 64},
    {"bytes hold a phase open", 1, "mbarrier.arrive.expect_tx b, 64", 0, 0, 1,
     64},
    {"and end it", 1,
     "mbarrier.arrive.expect_tx b, 64\n mbarrier.complete_tx b, 64", 1, 1, 1,
     0},
    {"bytes in two parts", 1,
     "mbarrier.arrive.expect_tx b, 64\n mbarrier.complete_tx b, 48", 0, 0, 1,
     16},
    {"below zero before they are expected", 1, "mbarrier.complete_tx b, 64", 0,
     1, 1, -64},
    {"and then expected", 1,
     "mbarrier.complete_tx b, 64\n mbarrier.arrive.expect_tx b, 64", 1, 1, 1,
     0},
    {"zero bytes and no arrival", 1,
     "mbarrier.expect_tx b, 64\n mbarrier.complete_tx b, 64", 0, 1, 1, 0},
    {"an expectation after the end is the next phase's", 1,
     "mbarrier.arrive b\n mbarrier.expect_tx b, 64", 1, 1, 1, 64},
    {"more bytes than expected", 1,
     "mbarrier.arrive.expect_tx b, 64\n mbarrier.complete_tx b, 80", 0, 0, 1,
     -16, "tx-count/over"},
    {"tx-count beyond its range", 1,
     "mbarrier.expect_tx b, 1048575\n mbarrier.expect_tx b, 1", 0, 1, 1,
     1048576, "tx-count/range"},
    {"arrive_drop arrives too", 2, "mbarrier.arrive_drop b", 0, 1, 1, 0},
    {"later phases count fewer", 2,
     "mbarrier.arrive_drop b\n mbarrier.arrive b\n mbarrier.arrive b", 2, 1, 1,
     0},
    {"noinc counts on init", 1, "cp.async.mbarrier.arrive.noinc b", 0, 1, 1, 0},
    {"the plain form counts itself", 1, "cp.async.mbarrier.arrive b", 0, 2, 1,
     0},
};

TEST(Mbarrier, Transitions) {
  for (const MbarrierCase& c : kMbarrierCases) {
    SCOPED_TRACE(c.name);
    ControlRun run(OneThread(c.count, c.body));
    EXPECT_EQ(run.first_finding(), c.finding);
    EXPECT_EQ(run.bar().phase, c.phase);
    EXPECT_EQ(run.bar().pending, c.pending);
    EXPECT_EQ(run.bar().expected, c.expected);
    EXPECT_EQ(run.bar().tx, c.tx);
  }
}

// cp.async.mbarrier.arrive arrives when the thread's copies are done.
TEST(Mbarrier, TrackedArrivals) {
  ControlRun noinc(OneThread(1, "cp.async.mbarrier.arrive.noinc b"));
  noinc.MoveOldest(Milestone::kDone);
  EXPECT_EQ(noinc.bar().phase, 1u);
  ControlRun plain(OneThread(1, "cp.async.mbarrier.arrive b"));
  plain.MoveOldest(Milestone::kDone);
  EXPECT_EQ(plain.bar().phase, 0u);
  EXPECT_EQ(plain.bar().pending, 1);  // net nothing
}

TEST(Mbarrier, EveryLaneArrivesForItself) {
  ControlRun run(R"(kernel k target sm_90a {
  grid (1)
  block 64
  mbarrier b
  thread 0 { mbarrier.init b, 65 }
  bar.sync 0
  mbarrier.arrive b
})");
  EXPECT_EQ(run.bar().pending, 1);
}

// A parity names the current phase or the one just before it.
TEST(Mbarrier, ParitiesThatPass) {
  struct Case {
    int arrivals;
    int parity;
    bool passes;
  };
  constexpr Case kCases[] = {{0, 0, false}, {0, 1, true},  {1, 0, true},
                             {1, 1, false}, {2, 0, false}, {2, 1, true}};
  for (const Case& c : kCases) {
    std::string body;
    for (int i = 0; i < c.arrivals; ++i) body += "mbarrier.arrive b\n";
    ControlRun run(
        OneThread(1, Cat(body, "mbarrier.wait b, parity = ", c.parity)));
    EXPECT_EQ(run.done(), c.passes)
        << c.arrivals << " phases over, parity " << c.parity;
  }
}

TEST(Mbarrier, LivesFromInitToInval) {
  EXPECT_EQ(ControlRun(R"(kernel k target sm_90a {
  grid (1)
  block 32
  mbarrier b
  thread 0 { mbarrier.arrive b }
})")
                .first_finding(),
            ir::Code("init/missing"));
  EXPECT_EQ(ControlRun(OneThread(1, "mbarrier.inval b\n mbarrier.arrive b"))
                .first_finding(),
            ir::Code("init/after-inval"));
  EXPECT_EQ(ControlRun(OneThread(1, "mbarrier.arrive b\n mbarrier.init b, 1"))
                .first_finding(),
            ir::Code("init/twice"));
}

// --- named and cluster barriers (A.2) ----------------------------------------

TEST(NamedBarrier, CountsWarpsByThirtyTwo) {
  ControlRun alone(TwoWarps("bar.sync 1, 64", ""));
  EXPECT_FALSE(alone.done());
  EXPECT_EQ(alone.cta().named[1].arrived, 32);
  ControlRun both(TwoWarps("bar.sync 1, 64", "bar.sync 1, 64"));
  EXPECT_TRUE(both.done());
  EXPECT_EQ(both.cta().named[1].generation, 1u);
}

TEST(NamedBarrier, ArriveAndSyncMixAndOnlySyncWaits) {
  ControlRun run(TwoWarps("bar.arrive 1, 64", ""));
  EXPECT_TRUE(run.done());
  EXPECT_TRUE(
      ControlRun(TwoWarps("bar.arrive 1, 64", "bar.sync 1, 64")).done());
}

TEST(NamedBarrier, ResetsItself) {
  ControlRun run(TwoWarps("for i in 0..3 {\n bar.sync 1, 64\n }",
                          "for i in 0..3 {\n bar.sync 1, 64\n }"));
  EXPECT_TRUE(run.done());
  EXPECT_EQ(run.cta().named[1].generation, 3u);
}

TEST(NamedBarrier, OneCountAGeneration) {
  EXPECT_EQ(
      ControlRun(TwoWarps("bar.sync 1, 64", "bar.sync 1, 32")).first_finding(),
      ir::Code("barrier/count-mismatch"));
}

// PTX exit; an H200 does so, and hangs where a count is given.
TEST(NamedBarrier, WaitsForThoseThatExitedOnlyByCount) {
  ControlRun counted(TwoWarps("bar.sync 1, 64", "bar.warp.sync"));
  EXPECT_FALSE(counted.done());
  ControlRun plain(TwoWarps("bar.sync 1\nbar.sync 1", "bar.sync 1"));
  EXPECT_TRUE(plain.done());
  EXPECT_EQ(plain.cta().named[1].generation, 2u);
}

// Threads that arrive and exit are not counted twice.
TEST(ClusterBarrier, DoesNotWaitForThoseThatExited) {
  auto text = [](std::string_view second) {
    return Cat(R"(kernel k target sm_90a {
  grid (2)
  cluster (2)
  block 64
  if cluster.rank == 1 {
)",
               second, R"(
  }
  if cluster.rank == 0 {
    warp 0 {
      for i in 0..2 {
        barrier.cluster.arrive
        barrier.cluster.wait
      }
    }
  }
}
)");
  };
  EXPECT_TRUE(ControlRun(text("bar.warp.sync")).done());
  EXPECT_TRUE(ControlRun(text("barrier.cluster.arrive")).done());
  EXPECT_FALSE(ControlRun(text("warp 0 { bar.sync 1, 64 }")).done());
}

TEST(ClusterBarrier, WaitsForEveryThreadOfEveryCta) {
  auto text = [](std::string_view second) {
    return Cat(R"(kernel k target sm_90a {
  grid (2)
  cluster (2)
  block 64
  if cluster.rank == 0 {
    barrier.cluster.arrive
  }
  if cluster.rank == 1 {
)",
               second, "\n  }\n  barrier.cluster.wait\n}\n");
  };
  EXPECT_TRUE(ControlRun(text("barrier.cluster.arrive")).done());
  ControlRun half(text("warp 0 { barrier.cluster.arrive }"));
  EXPECT_FALSE(half.done());
}

// --- groups (A.3, A.4) -------------------------------------------------------

std::string Stores(std::string_view wait) {
  return Cat(R"(kernel k target sm_90a {
  grid (1)
  block 32
  global X : u32[256]
  shared s : u32[256]
  thread 0 {
    bulk.store X[0 :+ 64], s[0 :+ 64]
    bulk.commit_group
    bulk.store X[64 :+ 64], s[64 :+ 64]
    bulk.commit_group
    )",
             wait, "\n  }\n}\n");
}

TEST(BulkGroups, LeaveAtMostTheYoungest) {
  ControlRun all(Stores("bulk.wait_group 0"));
  all.MoveOldest(Milestone::kDone);
  EXPECT_FALSE(all.done());
  all.MoveOldest(Milestone::kDone);
  EXPECT_TRUE(all.done());
  ControlRun one(Stores("bulk.wait_group 1"));
  EXPECT_FALSE(one.done());
  one.MoveOldest(Milestone::kDone);
  EXPECT_TRUE(one.done());
}

TEST(BulkGroups, ReadWaitsForSourcesOnly) {
  ControlRun read(Stores("bulk.wait_group.read 1"));
  EXPECT_FALSE(read.done());
  read.MoveOldest(Milestone::kRead);
  EXPECT_TRUE(read.done());
  ControlRun written(Stores("bulk.wait_group 1"));
  written.MoveOldest(Milestone::kRead);
  EXPECT_FALSE(written.done());
}

// The warp that stored comes first and is gathered by the others, which have
// nothing in flight.
TEST(BulkGroups, AreKeptWhenAWarpgroupGathers) {
  ControlRun run(R"(kernel k target sm_90a {
  grid (1)
  block 128
  global X : u32[256]
  shared s : u32[256]
  shared a : f16[64, 16] swizzle 32B
  mbarrier go
  reg d : f32[64, 8] fragment wgmma
  thread 0 {
    mbarrier.init go, 1
    bulk.store X[0 :+ 64], s[0 :+ 64]
    bulk.commit_group
    mbarrier.arrive go
  }
  warps 1..4 {
    mbarrier.wait go, parity = 0
  }
  wgmma.fence
  wgmma.mma_async d, a, a[0 :+ 8, :], accumulate = 0
  wgmma.commit_group
  thread 0 {
    bulk.wait_group 0
  }
})");
  EXPECT_FALSE(run.done());
  run.MoveOldest(Milestone::kDone);
  EXPECT_TRUE(run.done());
}

TEST(BulkGroups, AnOpenGroupIsNotWaitedFor) {
  EXPECT_TRUE(ControlRun(R"(kernel k target sm_90a {
  grid (1)
  block 32
  global X : u32[256]
  shared s : u32[256]
  thread 0 {
    bulk.store X[0 :+ 64], s[0 :+ 64]
    bulk.wait_group 0
  }
})")
                  .done());
}

TEST(CpAsyncGroups, EmptyOnesCount) {
  auto text = [](std::string_view wait) {
    return Cat(R"(kernel k target sm_90a {
  grid (1)
  block 32
  global X : f16[8, 32]
  shared s : f16[8, 32]
  cp.async s, X
  cp.async.commit_group
  cp.async.commit_group
  )",
               wait, "\n}\n");
  };
  // The copy's group is the second youngest.
  EXPECT_TRUE(ControlRun(text("cp.async.wait_group 2")).done());
  ControlRun waits(text("cp.async.wait_group 1"));
  EXPECT_FALSE(waits.done());
  waits.MoveOldest(Milestone::kDone);
  EXPECT_TRUE(waits.done());
}

// --- setmaxnreg (A.9) --------------------------------------------------------

std::string Pool(int regs, int dec, int inc) {
  return Cat("kernel k target sm_90a {\n  grid (1)\n  block 256 regs ", regs,
             "\n  warpgroup 1 {\n    setmaxnreg.dec ", dec,
             "\n  }\n  warpgroup 0 {\n    setmaxnreg.inc ", inc, "\n  }\n}\n");
}

TEST(RegisterPool, IncWaitsForWhatDecReturns) {
  EXPECT_TRUE(ControlRun(Pool(128, 64, 192)).done());
  EXPECT_FALSE(ControlRun(Pool(128, 64, 200)).done());
  ControlRun exact(Pool(128, 64, 192));
  EXPECT_EQ(exact.cta().registers[0], 192);
  EXPECT_EQ(exact.cta().registers[1], 64);
  EXPECT_EQ(exact.cta().free_registers, 0);
}

// Nothing is returned: `dec` to more than there is, and `inc` waits for ever.
TEST(RegisterPool, DecToMoreIsAFinding) {
  ControlRun run(Pool(128, 136, 192));
  EXPECT_FALSE(run.done());
  EXPECT_EQ(run.cta().registers[1], 128);
}

}  // namespace
}  // namespace tilesim::machine
