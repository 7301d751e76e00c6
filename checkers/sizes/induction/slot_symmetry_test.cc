#include "checkers/sizes/induction/slot_symmetry.h"

#include <gtest/gtest.h>

namespace tilesim::checkers::sizes::induction {
namespace {

using state::Rotation;

ir::BoundDecl Shared(int64_t place, int64_t bytes, int32_t objects) {
  ir::BoundDecl out;
  out.space = ir::Space::kShared;
  out.place = place;
  out.object_bytes = bytes;
  out.objects = objects;
  return out;
}

ir::BoundDecl Tmem(int64_t place, int64_t columns, int32_t pool) {
  ir::BoundDecl out;
  out.space = ir::Space::kTmem;
  out.place = place;
  out.columns = columns;
  out.pool = pool;
  return out;
}

TEST(SlotSymmetry, MemoryOfItsOwnIsNobodyElses) {
  ir::BoundKernel bound;
  bound.decls = {Shared(0, 64, 4), Shared(256, 64, 1), Shared(255, 1, 1)};
  EXPECT_FALSE(HasOwnMemory(bound, 0));
  EXPECT_TRUE(HasOwnMemory(bound, 1));
  bound.decls.pop_back();
  EXPECT_TRUE(HasOwnMemory(bound, 0));
}

TEST(SlotSymmetry, ColumnsAreThoseOfAPool) {
  ir::BoundKernel bound;
  bound.decls = {Tmem(0, 64, 5), Tmem(32, 64, 6), Tmem(0, 512, 5)};
  EXPECT_FALSE(HasOwnMemory(bound, 0));
  bound.decls[2].is_pool = true;
  EXPECT_TRUE(HasOwnMemory(bound, 0));
  bound.decls[1].pool = 5;
  EXPECT_FALSE(HasOwnMemory(bound, 0));
}

// Slots of declaration 0 are alike, those of others are not.
std::optional<int64_t> ToWholeRounds(const Rotation& rotation) {
  machine::Code code;
  code.bound.decls = {Shared(0, 64, 4), Shared(256, 64, 6)};
  return IterationsToWholeRounds(
      code, rotation, [](int32_t decl, int64_t) { return decl == 0; });
}

TEST(SlotSymmetry, OnlyWholeRoundsLeaveDifferentSlotsWhereTheyAre) {
  EXPECT_FALSE(ToWholeRounds({3, std::nullopt}));
  EXPECT_FALSE(ToWholeRounds({1, 12}));
  EXPECT_EQ(ToWholeRounds({1, 1}), 6);
  EXPECT_EQ(ToWholeRounds({1, 4}), 3);
  EXPECT_EQ(ToWholeRounds({1, -3}), 2);
}

}  // namespace
}  // namespace tilesim::checkers::sizes::induction
