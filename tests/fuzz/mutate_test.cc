#include "tests/fuzz/mutate.h"

#include <gtest/gtest.h>

#include <set>

#include "frontend/parse.h"

namespace tilesim::fuzz {
namespace {

constexpr char kProgram[] =
    "kernel k target sm_90a {\n"
    "  param N : 1.. step 1 = 2\n"
    "  grid (N)\n"
    "  block 64\n"
    "  mbarrier a, b\n"
    "  warp 0, elect {\n"
    "    mbarrier.init a, 1\n"
    "    mbarrier.init b, 2\n"
    "  }\n"
    "  bar.sync 0\n"
    "  for i in 0..4 {\n"
    "    warp 1, elect {\n"
    "      mbarrier.arrive a\n"
    "    }\n"
    "    mbarrier.wait a, parity = i & 1\n"
    "  }\n"
    "}\n";
constexpr uint32_t kSeeds = 2000;

bool Parses(const std::string& text) {
  ir::Source source{"mutant.tile", text};
  ir::Diagnostics diagnostics;
  return frontend::Parse(source, diagnostics).has_value();
}

TEST(Mutate, ManyDifferentMutantsAreStillPrograms) {
  ASSERT_TRUE(Parses(kProgram));
  std::set<std::string> all, good;
  for (uint32_t seed = 0; seed < kSeeds; ++seed) {
    std::string mutant = Mutate(kProgram, seed);
    all.insert(mutant);
    if (Parses(mutant)) good.insert(mutant);
  }
  EXPECT_GT(all.size(), 400u);
  EXPECT_GT(good.size(), all.size() / 4);
  good.erase(kProgram);
  EXPECT_GT(good.size(), 100u);
}

TEST(Mutate, SpliceTakesFromBoth) {
  constexpr char kBlock[] = "  lane 3 {\n    mbarrier.arrive b\n  }\n";
  std::set<std::string> mixed;
  for (uint32_t seed = 0; seed < kSeeds; ++seed) {
    std::string child = Splice(kProgram, kBlock, seed);
    bool whole = child.find(kBlock) != std::string::npos;
    if (whole && Parses(child)) mixed.insert(child);
  }
  EXPECT_GT(mixed.size(), 5u);
}

TEST(Mutate, SameSeedSameAnswer) {
  for (uint32_t seed = 0; seed < 100; ++seed)
    EXPECT_EQ(Mutate(kProgram, seed), Mutate(kProgram, seed));
}

TEST(Mutate, AnyTextStaysSmall) {
  constexpr size_t kMore = 64;
  for (std::string text :
       {"", "\n", "x", "{", "}", "7", "}{", ",,", "{\n{\n"}) {
    for (uint32_t seed = 0; seed < kSeeds; ++seed) {
      EXPECT_LE(Mutate(text, seed).size(), 2 * text.size() + kMore);
      EXPECT_LE(Splice(text, kProgram, seed).size(),
                text.size() + sizeof(kProgram) + kMore);
    }
  }
}

}  // namespace
}  // namespace tilesim::fuzz
