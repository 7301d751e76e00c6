// Every file of lints/ has exactly the warnings it says, and no example has
// one.
#include "frontend/lint.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "frontend/allow.h"
#include "frontend/parse.h"
#include "tests/frontend/expectations.h"
#include "tests/frontend/files.h"

namespace tilesim::frontend {
namespace {

ir::Diagnostics LintsOf(const ir::Source& source) {
  ir::Diagnostics diagnostics;
  EXPECT_TRUE(Parse(source, diagnostics).has_value());
  LintText(source, diagnostics);
  FindAllows(source.text, diagnostics);
  return diagnostics;
}

class LintFile : public testing::TestWithParam<std::string> {};

TEST_P(LintFile, HasTheWarningsItSays) {
  ir::Source source = ReadSource(GetParam());
  for (const std::string& problem :
       Compare(ReadExpectations(source), LintsOf(source))) {
    ADD_FAILURE() << GetParam() << ": " << problem;
  }
}

INSTANTIATE_TEST_SUITE_P(
    Lints, LintFile,
    testing::ValuesIn(FilesBelow("tests/frontend/lints", ".tile")),
    [](const auto& test) {
      return TestName(std::filesystem::path(test.param).stem().string());
    });

TEST(Lints, NoExampleHasOne) {
  for (const std::string& path : FilesBelow("examples", ".tile")) {
    ir::Source source = ReadSource(path);
    ir::Diagnostics found = LintsOf(source);
    for (const ir::Diagnostic& d : found.all())
      ADD_FAILURE() << ir::Render(d, source);
  }
}

TEST(Allows, AreAboutTheirLineOrTheNextOfCode) {
  ir::Diagnostics none;
  std::vector<Allow> allows = FindAllows(
      "a // tilesim: allow(race/war) why\n"
      "// tilesim: allow(race/raw, init/twice)   two reasons \n\n// more\nb\n",
      none);
  EXPECT_TRUE(none.all().empty());
  ASSERT_EQ(allows.size(), 3u);
  EXPECT_EQ(allows[0].line, 1);
  EXPECT_EQ(allows[0].reason, "why");
  EXPECT_EQ(allows[1].line, 5);
  EXPECT_EQ(allows[2].line, 5);
  EXPECT_EQ(allows[2].code.name(), "init/twice");
  EXPECT_EQ(allows[2].reason, "two reasons");
}

// As fmt writes a long one.
TEST(Allows, BehindAStatementOfSeveralLinesIsOfItsFirst) {
  ir::Diagnostics diagnostics;
  std::vector<Allow> all = FindAllows(
      "a x ?\n  y :  // more\n  z  // tilesim: allow(race/war) why\n"
      "b  // tilesim: allow(race/raw) why\n",
      diagnostics);
  ASSERT_EQ(all.size(), 2u);
  EXPECT_EQ(all[0].line, 1);
  EXPECT_EQ(all[1].line, 4);
}

TEST(Allows, WhatSaysNothingAllowsNothing) {
  for (const char* text :
       {"tilesim:", "tilesim: allow", "tilesim: allow(race/war", "tilesim: x",
        "tilesim: allow(race/war)", "tilesim: allow() why",
        "tilesim: allow(race/wra) why"}) {
    ir::Diagnostics told;
    EXPECT_TRUE(FindAllows(std::string("// ") + text, told).empty()) << text;
    EXPECT_EQ(told.all().size(), 1u) << text;
  }
}

}  // namespace
}  // namespace tilesim::frontend
