// Programs that are clean in all sizes are so in sizes that were not run.
#include <cstdint>
#include <optional>
#include <random>
#include <string>

#include "fmt/format.h"
#include "frontend/parse.h"
#include "gtest/gtest.h"
#include "tests/sizes/form.h"
#include "tests/sizes/larger.h"
#include "tests/sizes/late.h"

namespace tilesim::checkers {
namespace {

constexpr uint64_t kPrograms = 40;
constexpr uint64_t kFirst = 1000;

ir::Program Parsed(const std::string& text, const ir::Overrides& defines = {}) {
  ir::Source source{"program.tile", text};
  ir::Diagnostics diagnostics;
  std::optional<ir::Program> program =
      frontend::Parse(source, diagnostics, defines);
  EXPECT_TRUE(program) << text;
  return program ? std::move(*program) : ir::Program();
}

TEST(Sizes, LateMistakesAreFoundOrOpen) {
  int clean = 0, wrong = 0;
  Effort effort;
  effort.sizes = 6;
  effort.seconds = 0.2;
  for (uint64_t seed = kFirst; seed < kFirst + kPrograms; ++seed) {
    std::string text = LateProgram(seed);
    ir::Program program = Parsed(text);
    std::mt19937_64 random(seed);
    for (int64_t steps : {0, 7}) {
      Larger l = JudgeLarger(WithoutSmall(program, steps), effort, random);
      EXPECT_EQ(l.wrong, "")
          << "seed " << seed << ", from step " << steps << "\n"
          << text;
      clean += l.verdict == Verdict::kClean && l.sizes > 0;
      wrong += l.verdict == Verdict::kFindings;
    }
  }
  EXPECT_GT(clean, 10);
  EXPECT_GT(wrong, 10);
}

// Right programs in the forms of ordinary kernels are not alarmed of, and their
// mutants are clean only where all sizes are.
TEST(Sizes, FormsAreAsEachOfTheirSizes) {
  int clean = 0, findings = 0, open = 0, defined = 0;
  Effort effort;
  effort.sizes = 5;
  effort.seconds = 0.2;
  for (uint64_t seed = kFirst; seed < kFirst + kPrograms; ++seed) {
    Form form = RandomForm(seed);
    ir::Diagnostics rejected;
    const bool mutant = !form.mutation.empty();
    if (mutant && !frontend::Parse({"edited.tile", form.Edited()}, rejected))
      continue;
    defined += !form.defines.empty();
    std::mt19937_64 random(seed);
    Larger l = JudgeLarger(Parsed(form.text, form.defines), form.defines,
                           Parsed(form.Edited()), effort, random);
    EXPECT_EQ(l.wrong, "") << "seed " << seed << "\n" << form.text;
    if (!mutant) {
      EXPECT_NE(l.verdict, Verdict::kFindings)
          << "seed " << seed << ": " << l.told << "\n"
          << form.text;
    }
    clean += l.verdict == Verdict::kClean && l.all_sizes;
    findings += l.verdict == Verdict::kFindings;
    open += l.verdict == Verdict::kIncomplete;
  }
  EXPECT_GT(clean, 10);
  EXPECT_GT(findings, 10);
  EXPECT_LT(open, 10);
  EXPECT_GT(defined, 10);  // by -D
}

// One slot of two is filled after the barrier; what is read at the end is in
// the slot after the last that the loop used.
std::string OtherHalf(int64_t low) {
  return fmt::format(R"(kernel halves target sm_90a {{
  param N : {}.. = 32
  grid (1)
  block 64
  shared s[2] : f32[32, 32]
  role early = warp 0 {{
    reg v : f32[16, 32] fragment blocked(1)
    st.shared s[0][0 :+ 16, :], v
  }}
  bar.sync 0
  role late = warp 0 {{
    reg v : f32[16, 32] fragment blocked(1)
    st.shared s[1][0 :+ 16, :], v
  }}
  role loops = warp 1 {{
    reg v : f32[16, 32] fragment blocked(1)
    for i in 0..N {{
      st.shared s[i % 2][16 :+ 16, :], v
    }}
    ld.shared v, s[N % 2][0 :+ 16, :]
  }}
}}
)",
                     low);
}

TEST(Sizes, SlotsUsedBeforeAndAfterALoop) {
  for (int64_t low : {1, 10, 11, 20}) {
    CheckReport r = Check(Parsed(OtherHalf(low)), {});
    EXPECT_EQ(r.verdict, Verdict::kFindings) << low;
  }
}

// Two warps write a half of a slot once a tile, one of them a tile late; the
// loop between turns the ring by K slots.
std::string OnceATile(int64_t low) {
  return fmt::format(R"(kernel tiles target sm_90a {{
  param K : {}.. = 32
  param T : 1.. = 3
  grid (1)
  block 64
  mbarrier f[2], e[2]
  shared s[4] : f32[32, 32]
  warp 0, elect {{
    for j in 0..2 {{
      mbarrier.init f[j], 1
      mbarrier.init e[j], 1
    }}
    fence.mbarrier_init
  }}
  bar.sync 0
  role first = warp 1 {{
    reg v : f32[16, 32] fragment blocked(1)
    var n = 0
    for t in 0..T {{
      mbarrier.wait e[t % 2], parity = (t / 2 + 1) & 1
      for k in 0..K {{
        st.shared s[n % 4][16 :+ 16, :], v
        n = n + 1
      }}
      st.shared s[n % 4][0 :+ 16, :], v
      bar.warp.sync
      elect {{
        mbarrier.arrive f[t % 2]
      }}
    }}
  }}
  role second = warp 0 {{
    reg v : f32[16, 32] fragment blocked(1)
    var n = 0
    for t in 0..T {{
      mbarrier.wait f[t % 2], parity = (t / 2) & 1
      n = n + K
      st.shared s[n % 4][0 :+ 16, :], v
      bar.warp.sync
      elect {{
        mbarrier.arrive e[t % 2]
      }}
    }}
  }}
}}
)",
                     low);
}

TEST(Sizes, SlotsUsedOnceATile) {
  for (int64_t low : {1, 13, 14, 18}) {
    CheckReport r = Check(Parsed(OnceATile(low)), {});
    EXPECT_EQ(r.verdict, Verdict::kFindings) << low;
  }
}

// Copies from slots, each awaited by its own phase of another ring; what says
// so publishes nothing else.
std::string Pushes(int64_t slots, int64_t phases) {
  return fmt::format(R"(kernel pushes target sm_90a {{
  param N : {1}.. = 32
  const S = {0}
  const P = {1}
  grid (1)
  block 64
  mbarrier bar[P], fin
  shared s[S] : f32[32, 32]
  shared sink[P] : f32[32, 32]
  role fill = warp 0 {{
    reg v : f32[32, 32] fragment blocked(1)
    for j in 0..S {{
      st.shared s[j], v
    }}
    fence.proxy.async
    elect {{
      for j in 0..P {{
        mbarrier.init bar[j], 1
      }}
      mbarrier.init fin, 1
      fence.mbarrier_init
    }}
  }}
  bar.sync 0
  role pusher = warp 0, elect {{
    for k in 0..N {{
      mbarrier.wait bar[k % P], parity = (k / P + 1) & 1
      mbarrier.arrive.expect_tx.relaxed.cta bar[k % P], bytes(s)
      bulk.push sink[k % P] @ cta 0, s[k % S], bar[k % P] @ cta 0
    }}
    mbarrier.arrive.relaxed.cta fin
  }}
  role last = warp 1 {{
    reg v : f32[32, 32] fragment blocked(1)
    mbarrier.wait fin, parity = 0
    for j in 1..P + 1 {{
      mbarrier.wait bar[(N - j) % P], parity = ((N - j) / P) & 1
    }}
    st.shared s[(N - P) % S], v
  }}
}}
)",
                     slots, phases);
}

TEST(Sizes, SourcesThatAreReleasedOneByOne) {
  for (int64_t slots : {4, 5, 8}) {
    CheckReport r = Check(Parsed(Pushes(slots, 3)), {});
    EXPECT_EQ(r.verdict, Verdict::kFindings) << slots;
  }
}

}  // namespace
}  // namespace tilesim::checkers
