// A few random index maps; TILESIM_INDEX_MAPS=2000 for more of them,
// TILESIM_INDEX_SEED for others.
#include <gtest/gtest.h>

#include <cstdlib>
#include <set>
#include <string>

#include "tests/maps/index_map.h"
#include "tests/maps/judge.h"

namespace tilesim::checkers::maps {
namespace {

int64_t NumberIn(const char* name, int64_t otherwise) {
  const char* text = std::getenv(name);
  return text == nullptr ? otherwise : std::atoll(text);
}

TEST(Maps, AreInjectiveWhereCheckSaysSo) {
  const int64_t maps = NumberIn("TILESIM_INDEX_MAPS", 200);
  const int64_t first = NumberIn("TILESIM_INDEX_SEED", 1);
  MapJudge judge;
  for (int64_t seed = first; seed < first + maps; ++seed)
    EXPECT_EQ(judge.Judge(seed), "") << "seed " << seed;
  const MapCount all = judge.All();
  std::printf("%s", judge.Table().c_str());
  EXPECT_GE(all.injective * 10, all.maps * 4);
  EXPECT_GE((all.maps - all.injective) * 10, all.maps * 4);
  EXPECT_GE(all.decided() * 10, all.maps * 9);
}

// Each kind of arithmetic and each op comes up.
TEST(Maps, HaveEveryForm) {
  std::set<std::string> forms, stores;
  for (uint64_t seed = 1; seed <= 200; ++seed) {
    const IndexMap map = RandomIndexMap(seed);
    forms.insert(map.form);
    stores.insert(map.store);
  }
  EXPECT_EQ(forms.size(), 16u);
  EXPECT_EQ(stores, (std::set<std::string>{"bulk.store", "st", "st.global"}));
}

// The brute force sees what is there.
TEST(Maps, CollideWhereTwoCtasHaveOnePlace) {
  IndexMap map;
  map.domains = {{"P"}};
  map.grid = {kP, Number(1), Number(1)};
  map.first = kX;
  map.index = {kT % Number(5)};
  EXPECT_FALSE(map.CollidesAt({{"P", 5}}));
  EXPECT_TRUE(map.CollidesAt({{"P", 6}}));
  EXPECT_FALSE(map.CollidesUpTo(5));
  EXPECT_TRUE(map.CollidesUpTo(6));
  map.index = {kT * Number(3)};
  map.words = 4;
  EXPECT_TRUE(map.CollidesAt({{"P", 2}}));
}

// So it does where a store leaves the tensor.
TEST(Maps, LeaveWhereAPlaceIsBeyond) {
  IndexMap map;
  map.domains = {{"P"}};
  map.grid = {kP, Number(1), Number(1)};
  map.first = kX;
  map.index = {kT * Number(2)};
  map.shape = {kP + Number(3)};
  EXPECT_FALSE(map.LeavesAt({{"P", 4}}));
  EXPECT_TRUE(map.LeavesAt({{"P", 5}}));
  EXPECT_FALSE(map.LeavesUpTo(4));
  EXPECT_TRUE(map.LeavesUpTo(5));
  map.words = 2;
  EXPECT_TRUE(map.LeavesAt({{"P", 4}}));
  map.store = "st.global";
  EXPECT_FALSE(map.LeavesAt({{"P", 5}}));
}

}  // namespace
}  // namespace tilesim::checkers::maps
