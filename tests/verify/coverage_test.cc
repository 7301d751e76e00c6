// What checkers can report has a program in the corpora that has it, with a
// repair beside.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <regex>
#include <set>
#include <string>
#include <string_view>

#include "checkers/footprint/fragments.h"
#include "checkers/pairwise/all_checkers.h"
#include "checkers/program/all_checks.h"
#include "ir/code.h"

namespace tilesim::checkers {
namespace {

namespace fs = std::filesystem;

// What is shown elsewhere only, and where.
constexpr struct {
  ir::Code code;
  std::string_view where;
} kElsewhere[] = {
    {"bounds/register", "checkers/explain, tests/agree/bounds_test.cc"},
    {"bounds/tmem", "checkers/explain"},
};

std::string TextOf(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

const std::regex kLiteral(R"re("([a-z0-9-]+/[a-z0-9-]+)")re");

// Codes between what the pattern has before and after its group.
std::set<ir::Code> CodesIn(const std::string& text, const std::regex& pattern) {
  std::set<ir::Code> out;
  for (std::sregex_iterator it(text.begin(), text.end(), pattern), end;
       it != end; ++it) {
    if (auto code = ir::FindCode((*it)[1].str())) out.insert(*code);
  }
  return out;
}

std::set<ir::Code> CodesOfCheckers() {
  std::set<ir::Code> out;
  for (const auto& checker : pairwise::AllCheckers())
    out.insert(checker->codes().begin(), checker->codes().end());
  ir::Program program;
  footprint::Fragments fragments;
  for (const auto& check : program::AllChecks(program, fragments))
    out.insert(check->codes().begin(), check->codes().end());
  return out;
}

// The codes between the braces of a file's kCodes; absent: it has none.
std::optional<std::set<ir::Code>> ListedIn(const fs::path& path) {
  static const std::regex kList(R"re(kCodes\[\] = \{([^}]*)\})re");
  std::string text = TextOf(path);
  std::smatch list;
  if (!std::regex_search(text, list, kList)) return std::nullopt;
  return CodesIn(list[1].str(), kLiteral);
}

// A file that lists codes names no others, even if another checker lists them;
// what a helper names, some checker lists.
TEST(Coverage, ACheckerListsWhatItsSourceNames) {
  std::set<ir::Code> all = CodesOfCheckers();
  int lists = 0;
  for (const char* folder : {"checkers/pairwise", "checkers/program"}) {
    for (const auto& file : fs::directory_iterator(folder)) {
      if (file.path().extension() != ".cc") continue;
      std::optional<std::set<ir::Code>> own = ListedIn(file.path());
      lists += own.has_value();
      for (ir::Code code : CodesIn(TextOf(file.path()), kLiteral))
        EXPECT_TRUE((own ? *own : all).contains(code))
            << file.path() << ": " << code.name();
    }
  }
  EXPECT_GT(lists, 0);
}

// verify_test.cc judges the programs.
TEST(Coverage, EveryCodeOfACheckerHasABugAndItsRepair) {
  const std::regex expected(R"re(//! (?:error|warning)\[([^\]|]+)\])re");
  std::set<ir::Code> shown;
  for (const char* folder :
       {"tests/verify", "tests/peers", "tests/catalogue"}) {
    for (const auto& file : fs::directory_iterator(folder)) {
      fs::path repair = file.path();
      repair.replace_extension(".fixed.tile");
      if (file.path().extension() == ".tile" && fs::exists(repair))
        shown.merge(CodesIn(TextOf(file.path()), expected));
    }
  }
  for (const auto& [code, where] : kElsewhere) {
    EXPECT_FALSE(shown.contains(code)) << code.name() << " needs no exemption";
    shown.insert(code);
  }
  for (ir::Code code : CodesOfCheckers())
    EXPECT_TRUE(shown.contains(code)) << code.name();
}

}  // namespace
}  // namespace tilesim::checkers
