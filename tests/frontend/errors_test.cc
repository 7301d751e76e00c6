// Every file of errors/ has exactly the findings it says, and every code the
// frontend emits has a file.
#include <gtest/gtest.h>

#include <regex>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "frontend/parse.h"
#include "tests/frontend/expectations.h"
#include "tests/frontend/files.h"

namespace tilesim::frontend {
namespace {

constexpr char kErrors[] = "tests/frontend/errors";

class ErrorFile : public testing::TestWithParam<std::string> {};

TEST_P(ErrorFile, HasTheFindingsItSays) {
  ir::Source source = ReadSource(GetParam());
  ir::Diagnostics diagnostics;
  std::optional<ir::Program> program = Parse(source, diagnostics);
  EXPECT_EQ(program.has_value(), !diagnostics.has_errors());
  for (const std::string& problem :
       Compare(ReadExpectations(source), diagnostics)) {
    ADD_FAILURE() << GetParam() << ": " << problem;
  }
  for (const ir::Diagnostic& d : diagnostics.all())
    EXPECT_NE(ir::Render(d, source), "");
}

INSTANTIATE_TEST_SUITE_P(
    Errors, ErrorFile, testing::ValuesIn(FilesBelow(kErrors, ".tile")),
    [](const auto& test) {
      return TestName(std::filesystem::path(test.param).stem().string());
    });

// In sources a code is a string of its own.
std::set<ir::Code> CodesIn(const std::string& path) {
  static const std::regex kCode(R"re("([a-z0-9-]+/[a-z0-9-]+)")re");
  std::string text = ReadSource(path).text;
  std::set<ir::Code> codes;
  for (std::sregex_iterator it(text.begin(), text.end(), kCode), end; it != end;
       ++it) {
    if (std::optional<ir::Code> code = ir::FindCode((*it)[1].str()))
      codes.insert(*code);
  }
  return codes;
}

// Parse binds and evaluates as well.
std::set<ir::Code> CodesOfParse() {
  std::vector<std::string> sources = FilesBelow("frontend", ".cc");
  sources.insert(sources.end(), {"ir/bind.cc", "ir/eval.cc"});
  std::set<ir::Code> codes;
  for (const std::string& path : sources) codes.merge(CodesIn(path));
  return codes;
}

TEST(Codes, EachHasAFile) {
  std::set<ir::Code> covered = {
      // Tested in code: a file cannot hold them, or is too large.
      "syntax/encoding", "syntax/too-long",
      // No text has them (tests/explain/no_program.txt).
      "name/parameter", "name/placement"};
  std::vector<std::string> files = FilesBelow(kErrors, ".tile");
  for (std::string& path : FilesBelow("tests/frontend/lints", ".tile"))
    files.push_back(std::move(path));
  for (const std::string& path : files) {
    for (const Expectation& e : ReadExpectations(ReadSource(path)).findings)
      covered.insert(e.code);
  }
  std::set<ir::Code> codes = CodesOfParse();
  EXPECT_GE(codes.size(), 80u);
  for (ir::Code code : codes)
    EXPECT_TRUE(covered.contains(code)) << code.name();
}

TEST(Expectations, UnknownDirectivesAndUnmatchedOnesFail) {
  ir::Source source{"",
                    "//! eror[type/step]\n//! error[type/stepp]\n"
                    "//! error[type/step] @3 \"text\"\nx\n"};
  Expectations e = ReadExpectations(source);
  ASSERT_EQ(e.problems.size(), 2u);
  ASSERT_EQ(e.findings.size(), 1u);
  EXPECT_EQ(e.findings[0].line, 4);
  ir::Diagnostics none, other;
  EXPECT_EQ(Compare(e, none).size(), 3u);
  other.Error("type/step", {4, 3, 1}, "some text");
  EXPECT_EQ(Compare(e, other).size(), 2u);
  other.Error("type/peer", {4, 3, 1}, "more");
  EXPECT_EQ(Compare(e, other).size(), 3u);
}

}  // namespace
}  // namespace tilesim::frontend
