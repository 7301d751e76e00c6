// How far back in a run a stretch of it is judged.
#include "checkers/sizes/dependence_window.h"

#include <string>

#include "checkers/run/runner.h"
#include "fmt/format.h"
#include "gtest/gtest.h"
#include "tests/agree/check_text.h"

namespace tilesim::checkers {
using run::Log;
using run::RunCluster;
using sizes::ReuseDistance;
using sizes::RingOf;
using sizes::RingsOf;
using sizes::Rotation;
using sizes::WindowBegin;

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
  return Run(R"(kernel writer target sm_90a {
  grid (1)
  block 32
  shared s[4] : f32[32, 32]
  reg v : f32[32, 32] fragment blocked(1)
  mov v, 0.0
  for i in 0..40 {
    st.shared s[i % 4], v
  }
}
)");
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
