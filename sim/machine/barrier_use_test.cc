// What a step or a milestone says that it did to barriers.
#include "sim/machine/barrier_use.h"

#include <string>
#include <string_view>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "ir/cat.h"
#include "sim/machine/control_test.h"

namespace tilesim::machine {
namespace {

using ir::Cat;
using ir::EffectKind;
using ir::Milestone;
using testing::ElementsAre;
using testing::IsEmpty;

std::string_view Verb(EffectKind kind) {
  switch (kind) {
    case EffectKind::kInit:
      return "init";
    case EffectKind::kInval:
      return "inval";
    case EffectKind::kArrive:
      return "arrive";
    case EffectKind::kArriveDrop:
      return "arrive_drop";
    case EffectKind::kExpectTx:
      return "expect_tx";
    case EffectKind::kCompleteTx:
      return "complete_tx";
    case EffectKind::kPendingIncrement:
      return "pending";
    case EffectKind::kWait:
      return "wait";
    case EffectKind::kTest:
      return "test";
    default:
      return "?";
  }
}

// "0.1/2 arrive 1 in 3, completes": barrier 1 of CTA 0, in its life 2.
std::string TextOf(const BarrierUse& use) {
  const BarrierLife& b = use.barrier;
  return Cat(b.cta, ".", b.index, "/", b.life, " ", Verb(use.kind), " ",
             use.value, " in ", use.phase, use.completes ? ", completes" : "");
}

template <typename Uses>
std::vector<std::string> TextsOf(const Uses& uses) {
  std::vector<std::string> out;
  for (const BarrierUse& use : uses) out.push_back(TextOf(use));
  return out;
}

// Of `b` in its first life, but for its init.
std::vector<std::string> AfterInit(const ControlRun& run) {
  std::vector<std::string> out = TextsOf(run.uses());
  EXPECT_FALSE(out.empty());
  if (!out.empty()) out.erase(out.begin());
  return out;
}

std::vector<std::string> OfBody(int count, std::string_view body) {
  return AfterInit(ControlRun(OneThread(count, body)));
}

TEST(BarrierUse, Init) {
  EXPECT_THAT(TextsOf(ControlRun(OneThread(3, "")).uses()),
              ElementsAre("0.0/0 init 3 in 0"));
}

TEST(BarrierUse, ArrivalsCountInTheOpenPhase) {
  EXPECT_THAT(
      OfBody(2,
             "mbarrier.arrive b\n mbarrier.arrive b\n"
             "mbarrier.arrive b"),
      ElementsAre("0.0/0 arrive 1 in 0", "0.0/0 arrive 1 in 0, completes",
                  "0.0/0 arrive 1 in 1"));
}

TEST(BarrierUse, ArrivalsOfAllThreadsAreOneUse) {
  ControlRun run(R"(kernel k target sm_90a {
  grid (1)
  block 64
  mbarrier b
  thread 0 { mbarrier.init b, 128 }
  bar.sync 0
  mbarrier.arrive b, count = 2
})");
  EXPECT_THAT(AfterInit(run), ElementsAre("0.0/0 arrive 128 in 0, completes"));
}

TEST(BarrierUse, ArriveDrop) {
  EXPECT_THAT(
      OfBody(2,
             "mbarrier.arrive_drop b\n mbarrier.arrive b\n"
             "mbarrier.arrive b"),
      ElementsAre("0.0/0 arrive_drop 1 in 0", "0.0/0 arrive 1 in 0, completes",
                  "0.0/0 arrive 1 in 1, completes"));
}

TEST(BarrierUse, BytesAndArrivalOfOneOp) {
  EXPECT_THAT(OfBody(1,
                     "mbarrier.arrive.expect_tx b, 64\n"
                     "mbarrier.complete_tx b, 64"),
              ElementsAre("0.0/0 expect_tx 64 in 0", "0.0/0 arrive 1 in 0",
                          "0.0/0 complete_tx 64 in 0, completes"));
}

// The bytes have come before: what completes the phase is the arrival.
TEST(BarrierUse, OnlyTheLastContributionCompletes) {
  EXPECT_THAT(
      OfBody(1,
             "mbarrier.complete_tx b, 64\n"
             "mbarrier.arrive.expect_tx b, 64"),
      ElementsAre("0.0/0 complete_tx 64 in 0", "0.0/0 expect_tx 64 in 0",
                  "0.0/0 arrive 1 in 0, completes"));
}

TEST(BarrierUse, NothingIsNoContribution) {
  EXPECT_THAT(OfBody(1, "mbarrier.expect_tx b, 0"), IsEmpty());
}

TEST(BarrierUse, WaitsSeeThePhaseThatIsOver) {
  EXPECT_THAT(
      OfBody(1,
             "mbarrier.wait b, parity = 1\n mbarrier.arrive b\n"
             "mbarrier.wait b, parity = 0\n mbarrier.arrive b\n"
             "mbarrier.wait b, parity = 1"),
      ElementsAre("0.0/0 wait 0 in -1", "0.0/0 arrive 1 in 0, completes",
                  "0.0/0 wait 0 in 0", "0.0/0 arrive 1 in 1, completes",
                  "0.0/0 wait 0 in 1"));
}

TEST(BarrierUse, ABlockedWaitHasSeenNothing) {
  ControlRun run(OneThread(1,
                           "mbarrier.arrive b\n"
                           "mbarrier.wait b, parity = 1"));
  EXPECT_FALSE(run.done());
  EXPECT_THAT(AfterInit(run), ElementsAre("0.0/0 arrive 1 in 0, completes"));
}

TEST(BarrierUse, ATestThatDoesNotPassHasSeenNothing) {
  EXPECT_THAT(
      OfBody(1,
             "var t = 0\n mbarrier.test_wait t, b, parity = 0\n"
             "mbarrier.arrive b\n"
             "mbarrier.test_wait t, b, parity = 0"),
      ElementsAre("0.0/0 arrive 1 in 0, completes", "0.0/0 test 0 in 0"));
}

TEST(BarrierUse, AwaitedIsThePhaseThatIsOpen) {
  ControlRun run(OneThread(2,
                           "mbarrier.arrive b\n mbarrier.arrive b\n"
                           "mbarrier.arrive b\n"
                           "mbarrier.wait b, parity = 1"));
  EXPECT_FALSE(run.done());
  EXPECT_THAT(TextsOf(run.Awaits(run.strand())),
              ElementsAre("0.0/0 wait 0 in 1"));
}

TEST(BarrierUse, NoMbarrierIsAwaitedInsideABarSync) {
  ControlRun run(TwoWarps("bar.sync 1, 64", ""));
  EXPECT_FALSE(run.done());
  EXPECT_THAT(run.Awaits(run.strand()), IsEmpty());
}

// --- lives -------------------------------------------------------------------

TEST(BarrierLife, TheSameInitBeforeAnyUseIsTheSameLife) {
  EXPECT_THAT(
      OfBody(1, "mbarrier.init b, 1\n mbarrier.arrive b"),
      ElementsAre("0.0/0 init 1 in 0", "0.0/0 arrive 1 in 0, completes"));
}

TEST(BarrierLife, AnotherInitIsAnotherLife) {
  ControlRun run(OneThread(1, "mbarrier.init b, 2"));
  EXPECT_EQ(run.first_finding(), ir::Code("init/twice"));
  EXPECT_THAT(AfterInit(run), ElementsAre("0.0/1 init 2 in 0"));
}

TEST(BarrierLife, InvalEndsIt) {
  ControlRun run(OneThread(1,
                           "mbarrier.arrive b\n mbarrier.inval b\n"
                           "mbarrier.init b, 1\n mbarrier.arrive b"));
  EXPECT_TRUE(run.first_finding().empty());
  EXPECT_THAT(
      AfterInit(run),
      ElementsAre("0.0/0 arrive 1 in 0, completes", "0.0/0 inval 0 in 1",
                  "0.0/1 init 1 in 0", "0.0/1 arrive 1 in 0, completes"));
}

// --- operations in flight ----------------------------------------------------

std::string Load(std::string_view into) {
  return Cat(R"(kernel k target sm_90a {
  grid (2)
  cluster (2)
  block 32
  global X : u32[64]
  shared s : u32[64]
  mbarrier b
  thread 0 { mbarrier.init b, 1 }
  barrier.cluster.arrive
  barrier.cluster.wait
  if cluster.rank == 1 {
    thread 0 { bulk.load s, X, b)",
             into, " }\n  }\n}\n");
}

TEST(BarrierUse, ACopyCompletesBytesWhenItIsDone) {
  ControlRun run(Load(""));
  run.MoveOldest(Milestone::kRead);
  EXPECT_EQ(run.uses().size(), 2u);
  run.MoveOldest(Milestone::kDone);
  EXPECT_THAT(TextsOf(run.uses()),
              ElementsAre("0.0/0 init 1 in 0", "1.0/0 init 1 in 0",
                          "1.0/0 complete_tx 256 in 0"));
}

// An agent a destination, each on the barrier of its own.
TEST(BarrierUse, AMulticastCompletesBytesInEachCta) {
  ControlRun run(Load(", multicast = 3"));
  run.MoveOldest(Milestone::kDone);
  EXPECT_EQ(run.uses().size(), 3u);
  run.MoveOldest(Milestone::kDone);
  EXPECT_THAT(
      TextsOf(run.uses()),
      ElementsAre("0.0/0 init 1 in 0", "1.0/0 init 1 in 0",
                  "0.0/0 complete_tx 256 in 0", "1.0/0 complete_tx 256 in 0"));
}

// Likewise: that one CTA has the arrival says nothing of the others.
TEST(BarrierUse, ACommitArrivesInEachCtaByItself) {
  ControlRun run(R"(kernel k target sm_100a {
  grid (2)
  cluster (2)
  block 32
  mbarrier b
  thread 0 { mbarrier.init b, 1 }
  barrier.cluster.arrive
  barrier.cluster.wait
  if cluster.rank == 0 {
    thread 0 { tcgen05.commit b, multicast = 3 }
  }
})");
  EXPECT_EQ(run.uses().size(), 2u);
  run.MoveOldest(Milestone::kDone);
  EXPECT_EQ(run.uses().size(), 3u);
  run.MoveOldest(Milestone::kDone);
  EXPECT_THAT(TextsOf(run.uses()),
              ElementsAre("0.0/0 init 1 in 0", "1.0/0 init 1 in 0",
                          "0.0/0 arrive 1 in 0, completes",
                          "1.0/0 arrive 1 in 0, completes"));
}

TEST(BarrierUse, ATrackRaisesAndArrives) {
  ControlRun run(OneThread(1, "cp.async.mbarrier.arrive b"));
  EXPECT_THAT(AfterInit(run), ElementsAre("0.0/0 pending 1 in 0"));
  run.MoveOldest(Milestone::kDone);
  EXPECT_THAT(AfterInit(run),
              ElementsAre("0.0/0 pending 1 in 0", "0.0/0 arrive 1 in 0"));
}

TEST(BarrierUse, APeersBarrier) {
  ControlRun run(R"(kernel k target sm_90a {
  grid (2)
  cluster (2)
  block 32
  mbarrier a, b
  thread 0 {
    mbarrier.init a, 1
    mbarrier.init b, 2
  }
  barrier.cluster.arrive
  barrier.cluster.wait
  if cluster.rank == 1 {
    thread 0 { mbarrier.arrive b @ cta 0 }
  }
})");
  EXPECT_EQ(TextOf(run.uses().back()), "0.1/0 arrive 1 in 0");
}

// --- rounds of hardware barriers ---------------------------------------------

std::vector<std::string> RoundsOf(const ControlRun& run) {
  std::vector<std::string> out;
  for (const BarrierRound& r : run.rounds()) {
    std::string what = r.named() ? Cat("bar ", r.id) : "cluster";
    out.push_back(Cat(what, " round ", r.generation));
  }
  return out;
}

TEST(BarrierRound, IsTheOneEntered) {
  ControlRun run(TwoWarps("bar.sync 2, 64\n bar.arrive 3, 64\n bar.sync 2, 64",
                          "bar.sync 2, 64\n bar.sync 3, 64\n bar.sync 2, 64"));
  EXPECT_TRUE(run.done());
  EXPECT_THAT(RoundsOf(run),
              testing::UnorderedElementsAre("bar 2 round 0", "bar 2 round 0",
                                            "bar 3 round 0", "bar 3 round 0",
                                            "bar 2 round 1", "bar 2 round 1"));
}

TEST(BarrierRound, AClusterWaitIsFollowedByTheNext) {
  ControlRun run(R"(kernel k target sm_90a {
  grid (1)
  block 32
  for i in 0..2 {
    barrier.cluster.arrive
    barrier.cluster.wait
  }
})");
  EXPECT_THAT(RoundsOf(run), ElementsAre("cluster round 0", "cluster round 1",
                                         "cluster round 1", "cluster round 2"));
}

}  // namespace
}  // namespace tilesim::machine
