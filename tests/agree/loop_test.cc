#include <string>

#include "checkers/check.h"
#include "checkers/explore/search.h"
#include "gtest/gtest.h"
#include "tests/agree/check_text.h"

namespace tilesim::checkers {
using explore::Exploration;
using explore::Explore;

namespace {

TEST(Explore, ASearchThatGoesRoundIsNotComplete) {
  const CompiledKernel polls =
      Compiled(TextOf("tests/agree/programs/polls_an_input.tile"));
  Exploration e = Explore(*polls.code, {});
  EXPECT_FALSE(e.complete);
  EXPECT_EQ(e.why, "a schedule may go round for ever");
}

// Larger sizes do not make a loop longer that polls.
TEST(Check, NoSizesAreAskedForWhereLoopsOnlyPoll) {
  CheckReport report =
      CheckFile("tests/agree/programs/each_cta_polls_the_one_before.tile", {});
  EXPECT_FALSE(report.open.empty());
  for (const std::string& why : report.open)
    EXPECT_EQ(why.find("try -D"), std::string::npos) << why;
}

}  // namespace
}  // namespace tilesim::checkers
