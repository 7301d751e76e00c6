// Buffers that are cut where words of them decide.
#include "ptx/launch/pieces.h"

#include <gtest/gtest.h>

namespace tilesim::ptx {
namespace {

// Two buffers of 4096 bytes, of which the kernel is given the second, from byte
// 16 on, and then the first.
LaunchFile TwoBuffers() {
  LaunchFile file;
  for (const char* name : {"A", "W"}) {
    Buffer& b = file.buffers.emplace_back();
    b.name = name;
    b.bytes = 4096;
  }
  file.buffers[1].address = 0x7f0a00000000;
  file.buffers[1].start.kind = Start::Kind::kNpy;
  for (size_t i = 0; i < file.buffers[1].bytes; ++i)
    file.buffers[1].start.bytes.push_back(static_cast<uint8_t>(i / 64));
  Launch& launch = file.launches.emplace_back();
  for (size_t buffer : {size_t{1}, size_t{0}}) {
    Param& p = launch.params.emplace_back();
    p.kind = Param::Kind::kReference;
    p.reference.index = buffer;
  }
  launch.params[0].reference.offset = 16;
  return file;
}

TouchedBytes Touch(int32_t node, uint64_t begin, uint64_t end, bool decides) {
  TouchedBytes t;
  t.node = node;
  t.buffer = 1;
  t.begin = begin;
  t.end = end;
  t.decides = decides;
  return t;
}

std::vector<std::pair<uint64_t, uint64_t>> PiecesOf(const LaunchFile& file) {
  std::vector<std::pair<uint64_t, uint64_t>> out;
  for (const Buffer& b : file.buffers) {
    const Buffer::Piece piece = b.piece.value_or(Buffer::Piece{0, 0, b.bytes});
    EXPECT_EQ(piece.whole, 4096u);
    out.emplace_back(piece.begin, piece.begin + b.bytes);
  }
  return out;
}

using Bytes = std::vector<std::pair<uint64_t, uint64_t>>;

TEST(Pieces, WordsAndPayloadAreBuffersOfTheirOwn) {
  const LaunchFile whole = TwoBuffers();
  Pieces pieces(whole);
  EXPECT_FALSE(pieces.CutAnew());
  EXPECT_EQ(pieces.cut(), whole);
  pieces.Learn(0, {Touch(1, 0, 64, true), Touch(2, 128, 4096, false)});
  ASSERT_TRUE(pieces.CutAnew());
  const LaunchFile& cut = pieces.cut();
  EXPECT_EQ(PiecesOf(cut), (Bytes{{0, 4096}, {0, 64}, {64, 4096}}));
  EXPECT_EQ(cut.buffers[1].name, "W");
  EXPECT_EQ(cut.buffers[2].name, "W +64");
  EXPECT_EQ(cut.buffers[2].address, 0x7f0a00000040u);
  // What the buffer holds is cut with it; who is given it has its beginning.
  ASSERT_EQ(cut.buffers[2].start.bytes.size(), 4032u);
  EXPECT_EQ(cut.buffers[2].start.bytes[0], 1);
  EXPECT_EQ(cut.launches[0].params[0].reference.index, 1u);
  EXPECT_EQ(cut.launches[0].params[0].reference.offset, 16u);
  EXPECT_EQ(cut.launches[0].params[1].reference.index, 0u);
  EXPECT_FALSE(pieces.CutAnew());
}

TEST(Pieces, WhatTouchesAWordIsWithIt) {
  const LaunchFile whole = TwoBuffers();
  Pieces pieces(whole);
  pieces.Learn(0, {Touch(1, 0, 4, true), Touch(2, 0, 64, false),
                   Touch(3, 256, 4096, false)});
  ASSERT_TRUE(pieces.CutAnew());
  EXPECT_EQ(PiecesOf(pieces.cut()), (Bytes{{0, 4096}, {0, 64}, {64, 4096}}));
}

TEST(Pieces, WhereAllIsTouchedByWhatTouchesWordsNothingIsCut) {
  const LaunchFile whole = TwoBuffers();
  Pieces pieces(whole);
  pieces.Learn(0, {Touch(1, 0, 4, true), Touch(2, 0, 4096, false)});
  EXPECT_FALSE(pieces.CutAnew());
  EXPECT_EQ(pieces.cut(), whole);
}

TEST(Pieces, WhatLiesAcrossMakesTheBufferWhole) {
  const LaunchFile whole = TwoBuffers();
  Pieces pieces(whole);
  pieces.Learn(0, {Touch(1, 0, 64, true), Touch(2, 128, 4096, false)});
  ASSERT_TRUE(pieces.CutAnew());
  TouchedBytes across = Touch(3, 0, 64, false);
  across.across = true;
  pieces.Learn(0, {across});
  EXPECT_TRUE(pieces.CutAnew());
  EXPECT_EQ(pieces.cut(), whole);
}

TEST(Pieces, GivenUpTheyAreWhole) {
  const LaunchFile whole = TwoBuffers();
  Pieces pieces(whole);
  pieces.Learn(0, {Touch(1, 0, 64, true), Touch(2, 128, 4096, false)});
  ASSERT_TRUE(pieces.CutAnew());
  pieces.GiveUp();
  EXPECT_EQ(pieces.cut(), whole);
}

TEST(Pieces, ABufferOfATensorMapStaysWhole) {
  LaunchFile whole = TwoBuffers();
  whole.tensormaps.emplace_back().buffer = 1;
  Pieces pieces(whole);
  pieces.Learn(0, {Touch(1, 0, 64, true), Touch(2, 128, 4096, false)});
  EXPECT_FALSE(pieces.CutAnew());
  EXPECT_EQ(pieces.cut(), whole);
}

}  // namespace
}  // namespace tilesim::ptx
