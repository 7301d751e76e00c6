// mma.sync and the moves of 8x8 blocks (PTX 9.7.14.5).

// d += a * b^T of one m16n8k16 instruction.
#define TILE_MMA_F32(name, type)                                               \
  TILE_DEVICE void name(float* d, const uint32_t* a, const uint32_t* b) {      \
    asm volatile(                                                              \
        "mma.sync.aligned.m16n8k16.row.col.f32." type "." type ".f32"          \
        " {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"     \
        : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])                       \
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));   \
  }

TILE_MMA_F32(mma_m16n8k16_f32_f16, "f16")

TILE_MMA_F32(mma_m16n8k16_f32_bf16, "bf16")

// D += A * B of one warp, accumulated in f16.
TILE_DEVICE void mma_m16n8k16_f16_f16(uint32_t* d, const uint32_t* a,
                                      const uint32_t* b) {
  asm volatile(
      "mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16"
      " {%0, %1}, {%2, %3, %4, %5}, {%6, %7}, {%0, %1};"
      : "+r"(d[0]), "+r"(d[1])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}

// ldmatrix: 8x8 blocks of 16-bit elements; lane l gives row l % 8 of block
// l / 8. kTrans: each block is transposed on its way.
template <bool kTrans>
TILE_DEVICE void ldmatrix_x4(uint32_t* w, uint32_t row) {
  if constexpr (kTrans) {
    asm volatile(
        "ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
        : "=r"(w[0]), "=r"(w[1]), "=r"(w[2]), "=r"(w[3]) : "r"(row) : "memory");
  } else {
    asm volatile(
        "ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
        : "=r"(w[0]), "=r"(w[1]), "=r"(w[2]), "=r"(w[3]) : "r"(row) : "memory");
  }
}
template <bool kTrans>
TILE_DEVICE void ldmatrix_x2(uint32_t* w, uint32_t row) {
  if constexpr (kTrans) {
    asm volatile(
        "ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%0, %1}, [%2];"
        : "=r"(w[0]), "=r"(w[1]) : "r"(row) : "memory");
  } else {
    asm volatile("ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0, %1}, [%2];"
                 : "=r"(w[0]), "=r"(w[1]) : "r"(row) : "memory");
  }
}

// Address of element (r, k) of a tile that kTrans says is stored transposed.
template <bool kTrans, int kTileRows, int kTileCols, int kSwizzle>
TILE_DEVICE uint32_t block_row(uint32_t base, int row0, int col0, int r,
                               int k) {
  return base + tile_offset<kTileRows, kTileCols, 16, kSwizzle>(
                    row0 + (kTrans ? k : r), col0 + (kTrans ? r : k));
}

// A kRows x kCols A operand, 16 x 16 at a time.
template <int kRows, int kCols, bool kTrans, int kTileRows, int kTileCols,
          int kSwizzle>
TILE_DEVICE void ldmatrix_a(uint32_t* w, uint32_t base, int row0, int col0) {
  const int l = threadIdx.x % 32, low = l % 8;
  const int r = l / 8 % 2 * 8 + (kTrans ? 0 : low);
  const int k = l / 16 * 8 + (kTrans ? low : 0);
#pragma unroll
  for (int i = 0; i < kRows / 16; ++i) {
#pragma unroll
    for (int j = 0; j < kCols / 16; ++j) {
      ldmatrix_x4<kTrans>(
          w + (i * (kCols / 16) + j) * 4,
          block_row<kTrans, kTileRows, kTileCols, kSwizzle>(
              base, row0, col0, i * 16 + r, j * 16 + k));
    }
  }
}

// A kRows x kCols B operand (N x K), 8 x 16 at a time.
template <int kRows, int kCols, bool kTrans, int kTileRows, int kTileCols,
          int kSwizzle>
TILE_DEVICE void ldmatrix_b(uint32_t* w, uint32_t base, int row0, int col0) {
  const int l = threadIdx.x % 16, low = l % 8;
  const int n = kTrans ? 0 : low;
  const int k = l / 8 * 8 + (kTrans ? low : 0);
#pragma unroll
  for (int i = 0; i < kRows / 8; ++i) {
#pragma unroll
    for (int j = 0; j < kCols / 16; ++j) {
      ldmatrix_x2<kTrans>(
          w + (i * (kCols / 16) + j) * 2,
          block_row<kTrans, kTileRows, kTileCols, kSwizzle>(
              base, row0, col0, i * 8 + n, j * 16 + k));
    }
  }
}

// stmatrix: the other way, accumulator blocks of 16 rows.
TILE_DEVICE void stmatrix_x4(uint32_t row, const uint32_t* w) {
  asm volatile(
      "stmatrix.sync.aligned.m8n8.x4.shared.b16 [%0], {%1, %2, %3, %4};"
      :: "r"(row), "r"(w[0]), "r"(w[1]), "r"(w[2]), "r"(w[3]) : "memory");
}
TILE_DEVICE void stmatrix_x2(uint32_t row, const uint32_t* w) {
  asm volatile("stmatrix.sync.aligned.m8n8.x2.shared.b16 [%0], {%1, %2};"
               :: "r"(row), "r"(w[0]), "r"(w[1]) : "memory");
}

// A register tile to a shared tile; (row0, col0) is its first element.
template <class Fragment, int kTileRows, int kTileCols, int kSwizzle>
TILE_DEVICE void stmatrix(uint32_t base, int row0, int col0,
                          const uint32_t* w) {
  constexpr int kCols = Fragment::kWidth;
  const int l = threadIdx.x % 32;
  const int r = row0 + l % 16, c = col0 + l / 16 * 8;
#pragma unroll
  for (int i = 0; i < Fragment::kBlocks; ++i) {
    const int row = r + Fragment::block_row(i);
    const uint32_t* words = w + i * (kCols / 4);
#pragma unroll
    for (int j = 0; j < kCols / 16; ++j) {
      stmatrix_x4(base + tile_offset<kTileRows, kTileCols, 16, kSwizzle>(
                             row, c + j * 16),
                  words + j * 4);
    }
    if constexpr (kCols % 16 != 0) {
      stmatrix_x2(base + tile_offset<kTileRows, kTileCols, 16, kSwizzle>(
                             row, col0 + kCols - 8),
                  words + kCols / 16 * 4);
    }
  }
}
