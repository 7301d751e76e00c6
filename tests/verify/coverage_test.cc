// What checkers can report has a program in the corpora that has it, with a
// repair beside.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
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

// Codes between what the pattern has before and after its group.
std::set<ir::Code> CodesIn(const fs::path& path, const std::regex& pattern) {
  std::string text = TextOf(path);
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

TEST(Coverage, ACheckerListsWhatItsSourceNames) {
  const std::regex literal(R"re("([a-z0-9-]+/[a-z0-9-]+)")re");
  std::set<ir::Code> listed = CodesOfCheckers();
  for (const char* folder : {"checkers/pairwise", "checkers/program"}) {
    for (const auto& file : fs::directory_iterator(folder)) {
      if (file.path().extension() != ".cc") continue;
      for (ir::Code code : CodesIn(file.path(), literal))
        EXPECT_TRUE(listed.contains(code))
            << file.path() << ": " << code.name();
    }
  }
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
        shown.merge(CodesIn(file.path(), expected));
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
