// What `check` asks of real programs: no question that the solver answers with
// "none" has a point for Z3.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "checkers/check.h"
#include "frontend/check.h"
#include "frontend/parse.h"
#include "tests/solver/z3_oracle.h"

namespace tilesim::checkers::solver {
namespace {

constexpr unsigned kSteps = 100'000;

struct Tally {
  int programs = 0, asked = 0, none = 0, some = 0;
  int refuted = 0, undecided = 0;  // by Z3, of those that are none
};

std::vector<std::string> TilesUnder(const std::string& folder) {
  std::vector<std::string> out;
  for (const auto& entry :
       std::filesystem::recursive_directory_iterator(folder)) {
    if (entry.path().extension() == ".tile") out.push_back(entry.path());
  }
  std::sort(out.begin(), out.end());
  return out;
}

void Hear(const Problem& p, const Point& ours, const std::string& path,
          Tally& tally) {
  ++tally.asked;
  tally.some += ours.answer == Answer::kSome;
  if (ours.answer == Answer::kSome) {
    EXPECT_EQ(ViolatedBy(p, ours.values), "") << path;
  }
  if (ours.answer != Answer::kNone) return;
  ++tally.none;
  const Point z3 = AskZ3(p, kSteps);
  EXPECT_NE(z3.answer, Answer::kSome)
      << path << ": question " << tally.asked << " has a point for Z3";
  tally.refuted += z3.answer == Answer::kNone;
  tally.undecided += z3.answer == Answer::kUnknown;
}

void AskOf(const std::string& path, Tally& tally) {
  std::ifstream in(path);
  const ir::Source source{path, {std::istreambuf_iterator<char>(in), {}}};
  ir::Diagnostics ignored;
  auto program = frontend::Parse(source, ignored);
  if (!program) return;
  CheckOptions options;
  options.legality = frontend::CheckBound;
  const int before = tally.asked;
  Observer observer(
      [&](const Problem& p, const Point& ours) { Hear(p, ours, path, tally); });
  Check(*program, options);
  tally.programs += tally.asked > before;
}

void Print(const char* what, const Tally& t) {
  std::printf(
      "%s: %d programs ask %d questions; %d are none, of which Z3 "
      "refutes %d and does not decide %d; %d have a point\n",
      what, t.programs, t.asked, t.none, t.refuted, t.undecided, t.some);
}

TEST(QuestionsOfCheck, OfExamples) {
  Tally tally;
  for (const std::string& path : TilesUnder("examples")) AskOf(path, tally);
  Print("examples", tally);
  EXPECT_GE(tally.none, 50);
  EXPECT_GE(tally.refuted * 2, tally.none);
}

// TILESIM_QUESTIONS_EACH=1 for all of them.
TEST(QuestionsOfCheck, OfASampleOfTests) {
  const char* each = std::getenv("TILESIM_QUESTIONS_EACH");
  const size_t step = each == nullptr ? 10 : std::atoi(each);
  Tally tally;
  const std::vector<std::string> all = TilesUnder("tests");
  for (size_t i = 0; i < all.size(); i += step) AskOf(all[i], tally);
  Print("tests", tally);
  EXPECT_GE(tally.none, 10);
}

}  // namespace
}  // namespace tilesim::checkers::solver
