// Where the elements of tiles lie: bytes of shared memory, threads and
// registers of a fragment.
#ifndef TILESIM_IR_LAYOUT_H_
#define TILESIM_IR_LAYOUT_H_

#include <algorithm>
#include <cstdint>

#include "ir/types.h"
#include "ir/warp.h"

namespace tilesim::ir {

// The pattern of a swizzle (hardware.md A.5): chunks that stay together, and
// rows after which it repeats.
inline constexpr int kSwizzleChunk = 16;  // bytes
inline constexpr int kSwizzleRows = 8;

// Bytes of a row of a panel; 0 without swizzle.
constexpr int64_t SpanOf(Swizzle swizzle) {
  return static_cast<int64_t>(swizzle);
}

// A shared tile of rows x cols elements. Without swizzle it is row-major.
// With one, it is cut into panels as wide as the swizzle's span; a panel is
// row-major with rows of exactly that many bytes, panels follow one another,
// and the 16-byte chunks of a row are permuted by the row's number:
//
//   f16[64, 128] swizzle 128B:  | panel 0: 64 x 128 B | panel 1: 64 x 128 B |
//
// That is what TMA writes and what wgmma and tcgen05 descriptors describe
// (hardware.md A.5, E.1).
struct SharedLayout {
  int64_t rows = 1;
  int64_t cols = 1;
  int bits = 8;
  Swizzle swizzle = Swizzle::kNone;

  int64_t bytes() const { return (rows * cols * bits + 7) / 8; }
  // Columns of one panel; all of them without swizzle.
  int64_t panel_cols() const {
    return swizzle == Swizzle::kNone ? cols : SpanOf(swizzle) * 8 / bits;
  }
  // Bytes from one row of a panel to the next, and from panel to panel.
  int64_t pitch() const { return panel_cols() * bits / 8; }
  int64_t panel_bytes() const { return rows * pitch(); }
  // Bytes from the start of the tile to the byte that holds (row, col). The
  // tile must start at a multiple of alignment().
  int64_t Offset(int64_t row, int64_t col) const;
  // 1024, 512 or 256 with a swizzle: where its pattern repeats. Else what TMA
  // needs.
  int64_t alignment() const;
  // Calls f(byte, column, columns) for the runs of columns [first, first + n)
  // of a row that are contiguous: rows of the tile, or chunks under a swizzle.
  // What is past the row's end is where Offset says, not in the next row.
  template <typename F>
  void ForRuns(int64_t row, int64_t first, int64_t n, F f) const;

  friend bool operator==(const SharedLayout&, const SharedLayout&) = default;
};

// The byte offset after swizzling, for a pattern-aligned base.
constexpr int64_t SwizzledOffset(Swizzle swizzle, int64_t offset) {
  int64_t mask =
      swizzle == Swizzle::kNone ? 0 : SpanOf(swizzle) / kSwizzleChunk - 1;
  return offset ^ (((offset >> 7) & mask) << 4);
}

template <typename F>
void SharedLayout::ForRuns(int64_t row, int64_t first, int64_t n, F f) const {
  int64_t chunk =
      swizzle == Swizzle::kNone ? cols : int64_t{kSwizzleChunk} * 8 / bits;
  for (int64_t c = first; c < first + n;) {
    int64_t run = std::min(chunk - c % chunk, first + n - c);
    f(Offset(row, c), c, run);
    c += run;
  }
}

// What a box that TMA copies without a swizzle starts at a multiple of, in
// shared memory (hardware.md B.4).
inline constexpr int kTmaAlignment = 128;

// Bytes of K that one wgmma or tcgen05.mma takes of a row, whatever the type
// (hardware.md B.1, B.2).
inline constexpr int kMmaBytes = 32;

// One element's place in a fragment.
struct FragmentPlace {
  int32_t thread = 0;   // first thread that holds it, of the owning threads
  int32_t element = 0;  // its position in that thread's array
};

// A register tile of rows x cols over `threads` threads.
struct FragmentLayout {
  Fragment fragment = Fragment::kNone;
  int32_t rows = 1;
  int32_t cols = 1;
  int32_t threads = kWarpgroupThreads;
  int32_t vector = 1;  // blocked(V)

  // Threads that own the tile together: a warpgroup, a warp, or all of the
  // scope's.
  FragmentPlace Place(int32_t row, int32_t col) const;
  // Elements each thread holds.
  int32_t per_thread() const;
  // Threads that hold the same row of it, and exchange to reduce a row.
  int32_t lanes_per_row() const;

  friend bool operator==(const FragmentLayout&,
                         const FragmentLayout&) = default;
};

}  // namespace tilesim::ir

#endif  // TILESIM_IR_LAYOUT_H_
