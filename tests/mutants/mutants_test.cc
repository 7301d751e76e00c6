// The mutants of small programs, judged again; the recorded table names every
// program of the corpora. TILESIM_MUTANTS=all judges all of them.
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>

#include "frontend/parse.h"
#include "gtest/gtest.h"
#include "tests/mutants/table.h"

namespace tilesim::mutants {
namespace {

namespace fs = std::filesystem;
constexpr char kPrograms[] = "tests/mutants/programs.txt";
constexpr char kTable[] = "tests/mutants/table.md";
// Of the recorded rows, those with at most so many positions and mutants are
// judged again.
constexpr int64_t kCheapPositions = 400;
constexpr int64_t kCheapMutants = 40;

std::map<std::string, Row> Recorded() {
  std::map<std::string, Row> out;
  for (Row& row : ReadTable(kTable)) out[row.path] = row;
  return out;
}

bool IsCheap(const Row& row) {
  return row.states > 0 && row.states <= kCheapPositions &&
         row.mutants <= kCheapMutants;
}

bool All() {
  const char* which = std::getenv("TILESIM_MUTANTS");
  return which != nullptr && std::string_view(which) == "all";
}

TEST(Mutants, EveryWayToTheVerdictAgrees) {
  std::map<std::string, Row> recorded = Recorded();
  int64_t programs = 0;
  for (Entry& entry : ReadEntries(kPrograms)) {
    const Row& row = recorded[entry.path];
    if (!All() && !IsCheap(row)) continue;
    std::string why;
    auto subject = Load(entry, why);
    ASSERT_TRUE(subject) << entry.path << ": " << why;
    Row now = JudgeMutants(
        entry, *subject,
        [](const Entry& e, const Mutant& m, const Judgement& j) {
          EXPECT_EQ(j.difference, "") << e.path << ":" << m.line << ": "
                                      << m.kind << " `" << m.what << "`\n"
                                      << m.text;
        });
    EXPECT_EQ(ToMarkdown({now}), ToMarkdown({row}));
    ++programs;
  }
  EXPECT_GE(programs, 20);
}

Judgement JudgeText(const char* text) {
  ir::Diagnostics diagnostics;
  auto program = frontend::Parse({"k.tile", text}, diagnostics);
  EXPECT_TRUE(program);
  std::string why;
  auto codes = Compile(*program, {}, why);
  EXPECT_TRUE(codes) << why;
  return Judge(*codes, 100'000);
}

// Warps that left a barrier as one part again where one of them waits at once:
// the others must not be lost.
TEST(Mutants, WarpsThatPartGoOn) {
  Judgement j = JudgeText(R"(kernel k target sm_90a {
  grid (1)
  block 64
  mbarrier b
  warp 0, elect {
    mbarrier.init b, 1
    fence.mbarrier_init
  }
  warp 1 {  // comes to the barrier last
    fence.proxy.async
    fence.proxy.async
    fence.proxy.async
    fence.proxy.async
  }
  bar.sync 0
  fence.proxy.async
  role waits = warp 1 {
    mbarrier.wait b, parity = 0
  }
  role arrives = warp 0, elect {
    mbarrier.arrive b
  }
}
)");
  EXPECT_EQ(j.difference, "");
  EXPECT_EQ(j.certificate.answer, Answer::kClean);
}

// Whoever gets registers knows that they were given back, and nothing else of
// those who did.
TEST(Mutants, RegistersPublishNoBarrier) {
  Judgement j = JudgeText(R"(kernel k target sm_90a {
  grid (1)
  block 256 regs 128
  mbarrier b
  warp 0, elect {
    mbarrier.init b, 1
    fence.mbarrier_init
  }
  warpgroup 0 {
    setmaxnreg.dec 40
    thread 0 {
      mbarrier.arrive b
    }
  }
  warpgroup 1 {
    setmaxnreg.inc 208
    mbarrier.wait b, parity = 0
  }
}
)");
  EXPECT_EQ(j.difference, "");
  EXPECT_EQ(j.oracle.answer, Answer::kFindings);
  EXPECT_EQ(j.oracle.codes.count("init/unpublished"), 1u);
}

// Programs that are right: examples, repairs of bugs, and what peers accept.
std::set<std::string> RightPrograms() {
  std::set<std::string> out;
  for (const char* folder :
       {"examples", "tests/verify", "tests/peers", "tests/catalogue"}) {
    for (const auto& file : fs::recursive_directory_iterator(folder)) {
      if (file.path().extension() != ".tile") continue;
      std::ifstream in(file.path());
      bool right = folder == std::string_view("examples");
      for (std::string line; std::getline(in, line);)
        right |= line.starts_with("//! verdict: clean");
      if (right) out.insert(file.path().string());
    }
  }
  // Wrong as published; its repair stands beside it.
  out.erase("examples/mlir/matmul_warp_specialized.tile");
  return out;
}

TEST(Mutants, EveryRightProgramIsMutated) {
  std::set<std::string> listed, recorded;
  for (const Entry& e : ReadEntries(kPrograms)) listed.insert(e.path);
  for (const Row& row : ReadTable(kTable)) recorded.insert(row.path);
  EXPECT_EQ(listed, RightPrograms());
  EXPECT_EQ(recorded, listed);
}

TEST(Mutants, TheTableCountsTheMutantsThereAre) {
  std::map<std::string, Row> recorded = Recorded();
  for (Entry& entry : ReadEntries(kPrograms)) {
    const Row& row = recorded[entry.path];
    std::string why;
    auto subject = Load(entry, why);
    ASSERT_TRUE(subject) << entry.path << ": " << why;
    EXPECT_EQ(static_cast<int64_t>(subject->mutants.size()), row.mutants)
        << entry.path;
    EXPECT_EQ(entry.sizes, row.sizes) << entry.path;
  }
}

}  // namespace
}  // namespace tilesim::mutants
