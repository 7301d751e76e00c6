// Every file of errors/ has exactly the findings it says, and every code the
// frontend emits has a file.
#include <gtest/gtest.h>

#include <regex>
#include <set>
#include <string>

#include "frontend/codes.h"
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

std::set<std::string> ListedCodes() {
  std::set<std::string> codes;
  for (const CodeInfo& c : kCodes) codes.emplace(c.code);
  return codes;
}

// In sources a code is a string of its own.
std::set<std::string> CodesIn(const std::string& folder) {
  static const std::regex kCode(R"re("([a-z0-9-]+/[a-z0-9-]+)")re");
  std::set<std::string> codes;
  for (const std::string& path : FilesBelow(folder, ".cc")) {
    std::string text = ReadSource(path).text;
    for (std::sregex_iterator it(text.begin(), text.end(), kCode), end;
         it != end; ++it) {
      codes.insert((*it)[1]);
    }
  }
  return codes;
}

TEST(Codes, TheListIsWhatTheSourcesEmit) {
  std::set<std::string> listed = ListedCodes();
  for (const std::string& code : CodesIn("frontend"))
    EXPECT_TRUE(listed.contains(code)) << code << " is not in codes.h";
  std::set<std::string> emitted = CodesIn("frontend");
  emitted.merge(CodesIn("ir"));
  for (const std::string& code : listed)
    EXPECT_TRUE(emitted.contains(code)) << code << " is emitted nowhere";
}

TEST(Codes, EachHasAFile) {
  // Tested in code: a file cannot hold them, or is too large.
  std::set<std::string> covered = {"syntax/encoding", "syntax/too-long"};
  for (const std::string& path : FilesBelow(kErrors, ".tile")) {
    for (const Expectation& e : ReadExpectations(ReadSource(path)).findings)
      covered.insert(e.code);
  }
  for (const CodeInfo& c : kCodes)
    EXPECT_TRUE(covered.contains(std::string(c.code))) << c.code;
}

TEST(Expectations, UnknownDirectivesAndUnmatchedOnesFail) {
  ir::Source source{"", "//! eror[a/b]\n//! error[a/b] @3 \"text\"\nx\n"};
  Expectations e = ReadExpectations(source);
  ASSERT_EQ(e.problems.size(), 1u);
  ASSERT_EQ(e.findings.size(), 1u);
  EXPECT_EQ(e.findings[0].line, 3);
  ir::Diagnostics none, other;
  EXPECT_EQ(Compare(e, none).size(), 2u);
  other.Error("a/b", {3, 3, 1}, "some text");
  EXPECT_EQ(Compare(e, other).size(), 1u);
  other.Error("a/c", {3, 3, 1}, "more");
  EXPECT_EQ(Compare(e, other).size(), 2u);
}

}  // namespace
}  // namespace tilesim::frontend
