// How far back in a run an iteration is judged, and whether the run has had as
// many iterations as that.
#include "checkers/sizes/induction/dependence_window.h"

#include <string>

#include "checkers/proof/condition.h"
#include "checkers/run/runner.h"
#include "checkers/sizes/induction/base_case.h"
#include "fmt/format.h"
#include "gtest/gtest.h"
#include "tests/agree/check_text.h"

namespace tilesim::checkers {
using run::Log;
using run::RunCluster;
using sizes::induction::BaseCase;
using sizes::induction::BaseCaseOf;
using sizes::induction::LoopSummary;
using sizes::induction::ReuseDistance;
using sizes::induction::RunNotes;
using sizes::induction::WindowBegin;
using sizes::state::RingOf;
using sizes::state::RingsOf;
using sizes::state::Rotation;

namespace {

// The run of a program, and what it refers to.
struct Ran : CompiledKernel {
  Log log;
};

Ran Run(const std::string& text) {
  Ran out{Compiled(text), {}};
  out.log = RunCluster(*out.code, {});
  EXPECT_TRUE(out.log.finished);
  return out;
}

// One op, in slot after slot of a ring of 4.
Ran Writer() {
  return Run(TextOf("tests/agree/programs/one_op_in_slot_after_slot.tile"));
}

int64_t RepeatsOf(const Log& log, int64_t uses) {
  Rotation rotation(RingsOf(*log.code));
  rotation[RingOf(*log.code, 0, 0)] = uses;
  auto end = static_cast<int32_t>(1 + 3 * uses);
  return ReuseDistance(log, end - static_cast<int32_t>(uses), end, rotation);
}

TEST(DependenceWindow, UntilEveryOpIsBackInItsSlots) {
  Ran writer = Writer();
  const Log& log = writer.log;
  EXPECT_EQ(RepeatsOf(log, 1), 4);
  EXPECT_EQ(RepeatsOf(log, 2), 2);
  // 0 1 2, 3 0 1, 2 3 0, 1 2 3: each slot is left out once.
  EXPECT_EQ(RepeatsOf(log, 3), 2);
  for (int64_t uses = 4; uses < 10; ++uses) EXPECT_EQ(RepeatsOf(log, uses), 1);
}

// Of an iteration that begins at an event, with so many uses of the ring; each
// event is a turn.
BaseCase Base(const Log& log, int64_t begin, int64_t uses) {
  RunNotes notes;
  for (size_t i = 0; i < log.events.size(); ++i)
    notes.BeginTurn(static_cast<int32_t>(i));
  LoopSummary loop{begin, begin + uses, {}, Rotation(RingsOf(*log.code)), {}};
  constexpr int64_t kSlots = 4;
  loop.rotation[RingOf(*log.code, 0, 0)] = uses % kSlots;
  return BaseCaseOf(log, notes, loop);
}

TEST(BaseCase, IsOneIterationMoreThanItTakesToReturn) {
  Ran writer = Writer();
  const Log& log = writer.log;
  // The first event sets v.
  for (int64_t before = 0; before < 8; ++before) {
    BaseCase base = Base(log, 1 + before, 1);
    EXPECT_EQ(base.holds, before >= 4);
    EXPECT_EQ(base.lacking, before >= 4 ? 0 : 4 - before);
  }
  EXPECT_FALSE(Base(log, 1 + 2, 2).holds);
  EXPECT_TRUE(Base(log, 1 + 4, 2).holds);
  EXPECT_TRUE(Base(log, 1 + 4, 4).holds);
}

// Where slots have neighbours of their own.
TEST(BaseCase, SlotsThatOthersLieInTurnWholeRounds) {
  Ran writer = Writer();
  ir::BoundDecl view = writer.code->bound.decls[0];
  view.objects = 1;
  writer.code->bound.decls.push_back(view);
  BaseCase base = Base(writer.log, 21, 1);
  EXPECT_FALSE(base.holds);
  EXPECT_EQ(base.whole_rounds, 4);
  EXPECT_EQ(base.lacking, 0);
  EXPECT_TRUE(Base(writer.log, 21, 4).holds);
}

// Copies to a peer, each out of the next slot.
Ran Pusher() {
  return Run(TextOf(
      "tests/agree/programs/copies_to_a_peer_out_of_the_next_slot.tile"));
}

// Reads of which an mbarrier says that each is over, and nothing of those
// before (docs/all_sizes.md 3.3).
TEST(BaseCase, SlotsThatArePushedToAPeerTurnWholeRounds) {
  Ran push = Pusher();
  const Log& log = push.log;
  RunNotes notes;  // a turn begins with each push
  for (size_t i = 0; i < log.events.size(); ++i) {
    const run::Event& e = log.events[i];
    const bool stores = e.kind == run::Event::Kind::kOp &&
                        e.instance->Has(ir::EffectKind::kWrite) &&
                        e.issued.empty() && e.concrete().is_tile(0) &&
                        e.concrete().tile(0).space == ir::Space::kShared;
    if (stores) notes.BeginTurn(static_cast<int32_t>(i));
  }
  LoopSummary loop{20, 21, {}, Rotation(RingsOf(*log.code)), {}};
  for (int32_t decl : {0, 1, 2}) {
    for (int32_t cta : {0, 1}) loop.rotation[RingOf(*log.code, decl, cta)] = 1;
  }
  EXPECT_EQ(BaseCaseOf(log, notes, loop).whole_rounds, 4);
  proof::Weakened without(proof::Condition::kReadsInOrder);
  EXPECT_TRUE(BaseCaseOf(log, notes, loop).holds);
}

// A ring with consumers, of which each takes the phases that are `its`.
Ran Ring(const std::string& its) {
  return Run(fmt::format(R"(kernel ring target sm_90a {{
  grid (1)
  block 96
  mbarrier full[2], empty[2]
  warp 0, elect {{
    for s in 0..2 {{
      mbarrier.init full[s], 1
      mbarrier.init empty[s], 1
    }}
    fence.mbarrier_init
  }}
  bar.sync 0
  role producer = warp 0, elect {{
    for k in 0..12 {{
      mbarrier.wait empty[k % 2], parity = (k / 2 + 1) & 1
      mbarrier.arrive full[k % 2]
    }}
  }}
  role consumer = warps 1..3 {{
    for k in 0..12 {{
      bar.sync 1, 64
      if {} {{
        elect {{
          mbarrier.wait full[k % 2], parity = (k / 2) & 1
          mbarrier.arrive empty[k % 2]
        }}
      }}
    }}
  }}
}}
)",
                         its));
}

// Events between the last wait for `full` and the first that it needs to know.
int32_t Back(const Ran& ran) {
  const Log& log = ran.log;
  Rotation rotation(RingsOf(*log.code));
  for (int32_t decl : {0, 1}) rotation[RingOf(*log.code, decl, 0)] = 1;
  auto waits = [&](int32_t i) {
    const auto& uses = log.events[i].uses;
    return !uses.empty() && uses[0].kind == ir::EffectKind::kWait &&
           uses[0].barrier.index < 2;
  };
  auto last = static_cast<int32_t>(log.events.size()) - 1;
  while (!waits(last)) --last;
  return last - WindowBegin(log, last, last + 1, rotation);
}

// Whoever waits for a phase needs to know what counted in the one before: if it
// has waited for that one, it does.
TEST(DependenceWindow, AWaitForThePhaseBeforeTellsWhatCountedInIt) {
  EXPECT_LT(Back(Ring("warp == 1")), Back(Ring("warp - 1 == k / 2 % 2")));
}

}  // namespace
}  // namespace tilesim::checkers
