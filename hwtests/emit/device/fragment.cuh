// Where elements lie: shared tiles and register fragments.

// Byte of element (row, col) of a shared tile of kRows x kCols: row-major, or
// with a swizzle of kSwizzle bytes panels of that width whose 16-byte chunks
// are permuted by the row's number.
template <int kRows, int kCols, int kBits, int kSwizzle>
TILE_DEVICE constexpr uint32_t tile_offset(int row, int col) {
  if constexpr (kSwizzle == 0) {
    return (row * kCols + col) * kBits / 8;
  } else {
    constexpr int kWide = kSwizzle * 8 / kBits;
    const uint32_t offset = (col / kWide) * (kRows * kSwizzle) +
                            row * kSwizzle + (col % kWide) * kBits / 8;
    return offset ^ (((offset >> 7) & (kSwizzle / 16 - 1)) << 4);
  }
}

// Fragments: which elements of a register tile this thread holds. Element i is
// (row(i), col(i)); kVector neighbours lie along a row; column(i) is the
// element of a one-column tile of the same fragment that has the same row.

// wgmma accumulator, 64 rows over a warpgroup.
template <int kCols>
struct Wgmma {
  static constexpr int kCount = kCols / 2, kVector = 2, kLanesPerRow = 4;
  static constexpr int kColumns = 2, kBlocks = 1, kWidth = kCols;
  TILE_DEVICE static int block_row(int) { return threadIdx.x / 32 % 4 * 16; }
  TILE_DEVICE static bool holds(int) { return true; }
  TILE_DEVICE static bool owner(int) { return true; }
  TILE_DEVICE static int row(int i) {
    return threadIdx.x / 32 % 4 * 16 + threadIdx.x % 32 / 4 + i / 2 % 2 * 8;
  }
  TILE_DEVICE static int col(int i) {
    return i / 4 * 8 + threadIdx.x % 4 * 2 + i % 2;
  }
  static constexpr TILE_DEVICE int column(int i) { return i / 2 % 2; }
};

// One value a row of it, in all four lanes that hold the row.
struct WgmmaColumn {
  static constexpr int kCount = 2, kVector = 1, kLanesPerRow = 4;
  TILE_DEVICE static bool holds(int) { return true; }
  TILE_DEVICE static bool owner(int) { return threadIdx.x % 4 == 0; }
  TILE_DEVICE static int row(int i) {
    return threadIdx.x / 32 % 4 * 16 + threadIdx.x % 32 / 4 + i * 8;
  }
  TILE_DEVICE static int col(int) { return 0; }
  static constexpr TILE_DEVICE int column(int i) { return i; }
};

// One row a thread, over 128 threads or the 32 of a warp.
template <int kThreads, int kCols>
struct RowOf {
  static constexpr int kCount = kCols, kLanesPerRow = 1, kColumns = 1;
  static constexpr int kVector = kCols % 16 == 0 ? 16
                                 : kCols % 4 == 0 ? 4
                                 : kCols % 2 == 0 ? 2 : 1;
  TILE_DEVICE static bool holds(int) { return true; }
  TILE_DEVICE static bool owner(int) { return true; }
  TILE_DEVICE static int row(int) { return threadIdx.x % kThreads; }
  TILE_DEVICE static int col(int i) { return i; }
  static constexpr TILE_DEVICE int column(int) { return 0; }
};

// Accumulator of mma.sync, held by a warp; 16 rows a block.
template <int kRows, int kCols>
struct Mma {
  static constexpr int kCount = kRows * kCols / 32, kVector = 2;
  static constexpr int kLanesPerRow = 4, kColumns = kRows / 8;
  static constexpr int kBlocks = kRows / 16, kWidth = kCols;
  TILE_DEVICE static int block_row(int i) { return i * 16; }
  TILE_DEVICE static bool holds(int) { return true; }
  TILE_DEVICE static bool owner(int) { return true; }
  TILE_DEVICE static int row(int i) {
    return i / (kCols / 2) * 16 + threadIdx.x % 32 / 4 + i / 2 % 2 * 8;
  }
  TILE_DEVICE static int col(int i) {
    return i % (kCols / 2) / 4 * 8 + threadIdx.x % 4 * 2 + i % 2;
  }
  static constexpr TILE_DEVICE int column(int i) {
    return i / (kCols / 2) * 2 + i / 2 % 2;
  }
};

// One number a row of an mma.sync accumulator.
template <int kRows>
struct MmaColumn {
  static constexpr int kCount = kRows / 8, kVector = 1, kLanesPerRow = 4;
  TILE_DEVICE static bool holds(int) { return true; }
  TILE_DEVICE static bool owner(int) { return threadIdx.x % 4 == 0; }
  TILE_DEVICE static int row(int i) {
    return i / 2 * 16 + threadIdx.x % 32 / 4 + i % 2 * 8;
  }
  TILE_DEVICE static int col(int) { return 0; }
  static constexpr TILE_DEVICE int column(int i) { return i; }
};

// A operand of mma.sync, 16 x 16 blocks.
template <int kRows, int kCols>
struct MmaA {
  static constexpr int kCount = kRows * kCols / 32, kVector = 2;
  TILE_DEVICE static bool holds(int) { return true; }
  TILE_DEVICE static bool owner(int) { return true; }
  TILE_DEVICE static int row(int i) {
    return i / (kCols / 2) * 16 + threadIdx.x % 32 / 4 + i / 2 % 2 * 8;
  }
  TILE_DEVICE static int col(int i) {
    return i % (kCols / 2) / 8 * 16 + i % 8 / 4 * 8 + threadIdx.x % 4 * 2 +
           i % 2;
  }
};

// B operand of mma.sync (N x K), 8 x 16 blocks.
template <int kRows, int kCols>
struct MmaB {
  static constexpr int kCount = kRows * kCols / 32, kVector = 2;
  TILE_DEVICE static bool holds(int) { return true; }
  TILE_DEVICE static bool owner(int) { return true; }
  TILE_DEVICE static int row(int i) {
    return i / (kCols / 4) * 8 + threadIdx.x % 32 / 4;
  }
  TILE_DEVICE static int col(int i) {
    return i % (kCols / 4) / 4 * 16 + i % 4 / 2 * 8 + threadIdx.x % 4 * 2 +
           i % 2;
  }
};

// Row-major, kV neighbours a thread, over kThreads threads from kFirst on.
template <int kRows, int kCols, int kV, int kThreads, int kFirst>
struct Blocked {
  static constexpr int kChunk = kThreads * kV, kVector = kV;
  static constexpr int kTotal = kRows * kCols;
  static constexpr int kCount = (kTotal + kChunk - 1) / kChunk * kV;
  TILE_DEVICE static int at(int i) {
    const int t = kThreads == 1 ? 0 : static_cast<int>(threadIdx.x) - kFirst;
    return (i / kV * kThreads + t) * kV + i % kV;
  }
  TILE_DEVICE static bool holds(int i) {
    return kTotal % kChunk == 0 || at(i) < kTotal;
  }
  TILE_DEVICE static bool owner(int i) { return holds(i); }
  TILE_DEVICE static int row(int i) { return at(i) / kCols; }
  TILE_DEVICE static int col(int i) { return at(i) % kCols; }
};

// The same of one warp or warpgroup, and a run decides which.
template <int kRows, int kCols, int kV, int kThreads>
struct BlockedOfAny {
  using All = Blocked<kRows, kCols, kV, kThreads, 0>;
  static constexpr int kCount = All::kCount, kVector = kV;
  TILE_DEVICE static int at(int i) {
    const int t = static_cast<int>(threadIdx.x) % kThreads;
    return (i / kV * kThreads + t) * kV + i % kV;
  }
  TILE_DEVICE static bool holds(int i) { return at(i) < All::kTotal; }
  TILE_DEVICE static bool owner(int i) { return holds(i); }
  TILE_DEVICE static int row(int i) { return at(i) / kCols; }
  TILE_DEVICE static int col(int i) { return at(i) % kCols; }
};

// A fragment whose rows lie along the columns of memory.
template <class Fragment>
struct Turned : Fragment {
  TILE_DEVICE static int row(int i) { return Fragment::col(i); }
  TILE_DEVICE static int col(int i) { return Fragment::row(i); }
};
