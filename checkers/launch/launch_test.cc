// What is said of every CTA of a launch.
#include "checkers/launch/launch.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <utility>

#include "frontend/parse.h"
#include "ir/cat.h"

namespace tilesim::checkers::launch {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

struct Program {
  ir::Program program;
  std::optional<machine::Code> code;

  explicit Program(const std::string& text) {
    ir::Source source{"program.tile", text};
    ir::Diagnostics diagnostics;
    auto parsed = frontend::Parse(source, diagnostics);
    for (const ir::Diagnostic& d : diagnostics.all())
      ADD_FAILURE() << ir::Render(d, source);
    if (parsed) program = std::move(*parsed);
    auto bound = Bind(program.kernels.at(0), {}, 0, diagnostics);
    if (bound) code = machine::Compile(std::move(*bound), diagnostics);
  }
};

// Each CTA stores a row of Y, at `row`.
std::string Rows(const std::string& row, const std::string& before = "",
                 int64_t grid = 100, int64_t rows = 100) {
  return ir::Cat("kernel k target sm_90a {\n  global X : f32[", rows,
                 ", 32]\n  global Y : f32[", rows, ", 32]\n  computes Y = X\n",
                 "  grid (", grid, ")\n  block 32\n",
                 "  reg x : f32[1, 32] fragment blocked(1)\n", before,
                 "  ld.global x, X[0 :+ 1, :]\n  st.global Y[", row,
                 " :+ 1, :], x\n}\n");
}

Launch LookAtText(const std::string& text, const Effort& effort = {}) {
  Program p(text);
  return LookAt(*p.code, {}, effort);
}

TEST(Launch, RowsOfTheirOwnAreApart) {
  Launch all = LookAtText(Rows("cta.x"));
  EXPECT_EQ(all.limit, "");
  EXPECT_THAT(all.meetings, IsEmpty());
  EXPECT_FALSE(all.fault);
  ASSERT_THAT(all.written, SizeIs(1));
  EXPECT_EQ(all.written[0].limit, "");
  EXPECT_EQ(all.written[0].stores.holes, 0);
}

TEST(Launch, TwoCtasOnOneRowMeet) {
  Launch all = LookAtText(Rows("cta.x % 99"));
  ASSERT_THAT(all.meetings, SizeIs(1));
  EXPECT_EQ(all.meetings[0].first_cluster, 0);
  EXPECT_EQ(all.meetings[0].second_cluster, 99);
  EXPECT_FALSE(all.meetings[0].may);
  EXPECT_EQ(all.written[0].stores.holes, 32);
  EXPECT_EQ(all.written[0].stores.first_hole, 99 * 32);
}

TEST(Launch, AFaultOfOneCtaIsSeen) {
  Launch all =
      LookAtText(Rows("r", "  let r = cta.x + 0 * (1 / (cta.x - 57))\n"));
  ASSERT_TRUE(all.fault);
  EXPECT_EQ(*all.fault, 57);
}

// Loops are walked as far as rows hang on them.
TEST(Launch, ScalarsOfLoopsAreFollowed) {
  const std::string sum =
      "  var r = 0\n  for i in 0..cta.x {\n    r = r + 1\n  }\n"
      "  for j in 0..1000000 {\n    bar.sync 1\n  }\n";
  Launch all = LookAtText(Rows("r", sum));
  EXPECT_EQ(all.limit, "");
  EXPECT_THAT(all.meetings, IsEmpty());
  EXPECT_EQ(all.written[0].stores.holes, 0);
}

TEST(Launch, WhatMemoryDecidesMayMeet) {
  const std::string flag =
      "  global N : u32[1] in 0..1\n  var n = 0\n  ld n, N[0]\n  var r = "
      "cta.x\n";
  Launch known = LookAtText(Rows("cta.x", flag));
  EXPECT_EQ(known.limit, "");
  Launch index = LookAtText(Rows("n", flag));
  EXPECT_THAT(index.limit, HasSubstr("memory decides what line"));
  std::string text = Rows("cta.x", flag);
  text.insert(text.rfind("  st.global"),
              "    if n {\n    st.global Y[0 :+ 1, :], x\n    }\n");
  Launch may = LookAtText(text);
  EXPECT_EQ(may.limit, "");
  ASSERT_FALSE(may.meetings.empty());
  EXPECT_TRUE(may.meetings[0].may);
  EXPECT_THAT(may.written[0].limit, HasSubstr("memory decides whether line"));
}

// Rows that are stored in no case.
TEST(Launch, WhatMemoryCannotMakeWhole) {
  std::string text = Rows("cta.x",
                          "  global N : u32[1] in 0..1\n  var n = 0\n"
                          "  ld n, N[0]\n",
                          90);
  text.insert(text.rfind("  st.global"),
              "    if n {\n    st.global Y[95 :+ 1, :], x\n    }\n");
  const Launch all = LookAtText(text);
  EXPECT_EQ(all.written[0].limit, "");
  EXPECT_EQ(all.written[0].stores.holes, 9 * 32);
  EXPECT_EQ(all.written[0].stores.first_hole, 90 * 32);
}

TEST(Launch, SaysWhereItStops) {
  Effort little;
  little.steps = 200;
  EXPECT_THAT(LookAtText(Rows("cta.x"), little).limit,
              HasSubstr("of 100 clusters only"));
}

TEST(Launch, HundredThousandCtasAreFew) {
  Launch all = LookAtText(Rows("cta.x", "", 100'000, 100'000));
  EXPECT_EQ(all.limit, "");
  EXPECT_THAT(all.meetings, IsEmpty());
  EXPECT_EQ(all.written[0].stores.holes, 0);
}

}  // namespace
}  // namespace tilesim::checkers::launch
