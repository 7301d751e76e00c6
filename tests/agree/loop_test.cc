#include <optional>
#include <string>

#include "checkers/check.h"
#include "checkers/explore/search.h"
#include "frontend/parse.h"
#include "gtest/gtest.h"
#include "ir/bind.h"

namespace tilesim::checkers {
using explore::Exploration;
using explore::Explore;

namespace {

// Polls an input that nobody ever writes: it never blocks and never ends, so
// no end of a schedule shows that something is wrong.
constexpr char kPolls[] = R"(kernel k target sm_90a {
  global flag : u32[1]
  grid (1)
  block 32
  thread 0 {
    var seen = 0
    while seen < 4294967296 {
      ld seen, flag[0]
    }
  }
}
)";

TEST(Explore, ASearchThatGoesRoundIsNotComplete) {
  ir::Source source{"polls.tile", kPolls};
  ir::Diagnostics diagnostics;
  std::optional<ir::Program> program = frontend::Parse(source, diagnostics);
  ASSERT_TRUE(program) << ir::Render(diagnostics.all().front(), source);
  auto bound = ir::Bind(program->kernels[0], {}, 1, diagnostics);
  ASSERT_TRUE(bound);
  auto code = machine::Compile(std::move(*bound), diagnostics);
  ASSERT_TRUE(code);
  Exploration e = Explore(*code, {});
  EXPECT_FALSE(e.complete);
  EXPECT_EQ(e.why, "a schedule may go round for ever");
}

// Larger sizes do not make a loop longer that polls.
TEST(Check, NoSizesAreAskedForWhereLoopsOnlyPoll) {
  ir::Source source{"polls.tile", R"(
kernel polls target sm_90a {
  param M : 1..50 = 4
  global F : u32[M] zero
  global W : u32[M] undefined
  grid (M)
  block 32
  thread 0 {
    if cta.x > 0 {
      var f = 0
      while f == 0 { ld.acquire.gpu f, F[cta.x - 1] }
      st W[cta.x], 1
    }
    st.release.gpu F[cta.x], cta.x + 1
  }
}
)"};
  ir::Diagnostics diagnostics;
  auto program = frontend::Parse(source, diagnostics);
  ASSERT_TRUE(program) << ir::Render(diagnostics.all().front(), source);
  CheckReport report = Check(*program, {});
  EXPECT_FALSE(report.open.empty());
  for (const std::string& why : report.open)
    EXPECT_EQ(why.find("try -D"), std::string::npos) << why;
}

}  // namespace
}  // namespace tilesim::checkers
