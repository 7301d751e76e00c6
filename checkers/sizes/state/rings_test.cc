#include "checkers/sizes/state/rings.h"

#include <gtest/gtest.h>

namespace tilesim::checkers::sizes::state {
namespace {

// Two CTAs with four barriers each, and three tiles.
machine::Code Two() {
  machine::Code code;
  code.bound.cluster = {2, 1, 1};
  ir::BoundDecl barriers, tiles;
  barriers.space = ir::Space::kMbarrier;
  barriers.objects = 4;
  barriers.place = 2;
  tiles.space = ir::Space::kShared;
  tiles.objects = 3;
  code.bound.decls = {tiles, barriers};
  return code;
}

TEST(Rings, BarriersTurnInEachCtaTilesInAll) {
  machine::Code code = Two();
  EXPECT_EQ(RingsOf(code), 4);
  EXPECT_EQ(RingOf(code, 0, 0), RingOf(code, 0, 1));
  EXPECT_NE(RingOf(code, 1, 0), RingOf(code, 1, 1));
  for (int32_t cta : {0, 1}) EXPECT_EQ(DeclOf(code, RingOf(code, 1, cta)), 1);
}

TEST(Rings, SlotsAreCountedOnAndRounds) {
  machine::Code code = Two();
  Rotation rotation(RingsOf(code));
  rotation[RingOf(code, 1, 1)] = 6;
  rotation[RingOf(code, 0, 0)] = -4;
  TurnedSlot own = Turned(code, rotation, 1, 0, 3);
  EXPECT_EQ(own.slot, 3);
  EXPECT_EQ(own.rounds, 0);
  TurnedSlot peer = Turned(code, rotation, 1, 1, 3);
  EXPECT_EQ(peer.slot, 1);
  EXPECT_EQ(peer.rounds, 2);
  TurnedSlot back = Turned(code, rotation, 0, 0, 0);
  EXPECT_EQ(back.slot, 2);
  EXPECT_EQ(back.rounds, -2);
}

TEST(Rings, ABarrierIsOneOfItsArray) {
  machine::Code code = Two();
  EXPECT_EQ(SlotOf(code, 5).decl, 1);
  EXPECT_EQ(SlotOf(code, 5).slot, 3);
  EXPECT_EQ(SlotOf(code, 6).decl, -1);
}

}  // namespace
}  // namespace tilesim::checkers::sizes::state
