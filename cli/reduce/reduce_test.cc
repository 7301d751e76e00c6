#include "cli/reduce/reduce.h"

#include <atomic>
#include <fstream>
#include <sstream>
#include <string>

#include "cli/reduce/edits.h"
#include "cli/reduce/expectations.h"
#include "frontend/parse.h"
#include "gtest/gtest.h"
#include "ir/printer.h"

namespace tilesim::cli::reduce {
namespace {

constexpr char kTwo[] = R"(kernel k target sm_90a {
  param N : 1.. = 4
  grid (1)
  block 64
  mbarrier x
  shared s : u32[32]
  thread 0 {
    mbarrier.init x, 1
    fence.mbarrier_init
  }
  bar.sync 0
  for i in 0..N {
    if warp == 0 {
      bar.sync 1, 32
    } else {
      bar.sync 2, 32
    }
  }
}
)";

ir::Source Read(const std::string& path) {
  std::ifstream in(path);
  std::ostringstream text;
  text << in.rdbuf();
  return {path, text.str()};
}

std::string Layout(const std::string& text) {
  ir::Diagnostics diagnostics;
  auto program = frontend::ParseSyntax({"", text}, diagnostics);
  return program ? ir::Print(*program) : "no program";
}

TEST(LineTree, IsTheProgramAgain) {
  EXPECT_EQ(Layout(TextOf(LinesOf(kTwo))), kTwo);
}

TEST(LineTree, HoldsBlocks) {
  Lines lines = LinesOf(kTwo);
  ASSERT_EQ(lines.size(), 1u);
  // grid, block, mbarrier, shared, param, thread, bar.sync, for
  EXPECT_EQ(lines[0].body.size(), 8u);
  const Line& loop = lines[0].body.back();
  ASSERT_EQ(loop.body.size(), 2u);
  EXPECT_TRUE(loop.body[1].IsElse());
}

// Whatever is taken is smaller, and what has a name keeps its meaning.
TEST(Edits, DropLoops) {
  Lines lines = LinesOf("for i in 2..N {\n  bar.sync i\n}\n");
  Lines kernel = LinesOf("kernel k target sm_90a {\n}\n");
  kernel[0].body = lines;
  std::string found;
  DropHolders(kernel, [&](Lines smaller) {
    found += TextOf(smaller);
    return false;
  });
  EXPECT_NE(found.find("bar.sync 2"), std::string::npos) << found;
}

TEST(Edits, DefineReplacesOneOfSeveral) {
  Lines lines = LinesOf("const A = 1, B = 2, C = A\nparam N : 1.. = 4\n");
  Define(lines, "B", 7);
  Define(lines, "N", 3);
  EXPECT_EQ(TextOf(lines), "const A = 1 , B = 7 , C = A \nconst N = 3 \n");
}

struct Bug {
  const char* path;
  const char* code;
  int lines;  // at most, of the smallest
};

class OfTheCorpora : public testing::TestWithParam<Bug> {};

// The smallest is still it, is laid out, and is not made smaller again.
TEST_P(OfTheCorpora, BecomesSmall) {
  const Bug& bug = GetParam();
  std::atomic<bool> stop = false;
  auto reduce = [&](const ir::Source& source) {
    Oracle oracle({*ir::FindCode(bug.code), {}, {}}, {.max_states = 2'000});
    return Reduce(source, oracle, {1'500}, stop, [](int64_t, const Size&) {});
  };
  std::optional<Reduction> first = reduce(Read(bug.path));
  ASSERT_TRUE(first);
  SCOPED_TRACE(first->text);
  EXPECT_LE(std::get<0>(first->to), bug.lines);
  EXPECT_LT(first->to, first->from);
  EXPECT_EQ(Layout(first->text), first->text);
  EXPECT_TRUE(first->seen.Has(*ir::FindCode(bug.code)));
  std::optional<Reduction> again = reduce({"again.tile", first->text});
  ASSERT_TRUE(again);
  if (first->all) {
    EXPECT_EQ(again->text, first->text);
  }
  std::string expected = WithExpectations(first->text, first->seen);
  EXPECT_NE(expected.find("//! verdict: findings"), std::string::npos);
  EXPECT_EQ(Layout(expected), expected);
}

INSTANTIATE_TEST_SUITE_P(
    , OfTheCorpora,
    testing::Values(
        Bug{"tests/catalogue/R26_leader_loads_while_others_read.tile",
            "race/war", 17},
        Bug{"tests/catalogue/C04_load_not_bound_to_its_barrier.tile",
            "race/raw", 16},
        Bug{"tests/catalogue/P17_rendezvous_parity_starts_anew_each_tile.tile",
            "parity/lapped", 18},
        Bug{"tests/peers/tensor_memory_left_at_exit.tile", "tmem/leak", 8},
        Bug{"tests/verify/box_beyond_its_tile.tile", "bounds/shared", 10}),
    [](const auto& test) { return "n" + std::to_string(test.index); });

TEST(Reduce, RefusesWhatIsNotThere) {
  std::atomic<bool> stop = false;
  Oracle oracle({ir::Code("race/war"), {}, {}}, {});
  EXPECT_FALSE(Reduce({"k.tile", kTwo}, oracle, {10}, stop,
                      [](int64_t, const Size&) {}));
}

// Ctrl-C before the first step: the program as it is.
TEST(Reduce, StopsWhereItIs) {
  std::atomic<bool> stop = true;
  ir::Source source = Read("tests/peers/tensor_memory_left_at_exit.tile");
  Oracle oracle({ir::Code("tmem/leak"), {}, {}}, {});
  auto r = Reduce(source, oracle, {1'000}, stop, [](int64_t, const Size&) {});
  ASSERT_TRUE(r);
  EXPECT_FALSE(r->all);
  EXPECT_TRUE(r->seen.Has("tmem/leak"));
}

}  // namespace
}  // namespace tilesim::cli::reduce
