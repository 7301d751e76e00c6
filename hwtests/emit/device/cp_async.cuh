// cp.async (PTX 9.7.9.25.3).

// `n` of kBytes from global to shared memory, and zeros after them.
template <int kBytes>
TILE_DEVICE void cp_async(uint32_t dst, const void* src, uint32_t n) {
  if constexpr (kBytes == 16) {
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;"
                 :: "r"(dst), "l"(__cvta_generic_to_global(src)), "r"(n)
                 : "memory");
  } else {
    asm volatile("cp.async.ca.shared.global [%0], [%1], %2, %3;"
                 :: "r"(dst), "l"(__cvta_generic_to_global(src)), "n"(kBytes),
                    "r"(n) : "memory");
  }
}

// Thread t of kThreads copies its share of a kRows x kCols tile: element (r, c)
// from p[r * pitch + c], zero where r >= rows or c >= cols.
template <int kRows, int kCols, int kBits, int kSwizzle, int kTileRows,
          int kTileCols, int kBytes, int kThreads, class T>
TILE_DEVICE void cp_async_tile(uint32_t base, int row0, int col0, const T* p,
                               int64_t pitch, int64_t rows, int64_t cols,
                               int t) {
  constexpr int kVector = kBytes * 8 / kBits;
  constexpr int kChunks = kCols / kVector;
  static_assert(kCols % kVector == 0, "a row is a whole number of vectors");
#pragma unroll
  for (int i = 0; i < (kRows * kChunks + kThreads - 1) / kThreads; ++i) {
    const int chunk = i * kThreads + t;
    if (kRows * kChunks % kThreads != 0 && chunk >= kRows * kChunks) break;
    const int r = chunk / kChunks, c = chunk % kChunks * kVector;
    const bool inside = r < rows && c < cols;
    const uint32_t n = !inside              ? 0
                       : cols - c < kVector ? uint32_t(cols - c) * kBits / 8
                                            : kBytes;
    cp_async<kBytes>(
        base + tile_offset<kTileRows, kTileCols, kBits, kSwizzle>(row0 + r,
                                                                  col0 + c),
        inside ? p + (r * pitch + c) * kBits / 8 / sizeof(T) : p, n);
  }
}

TILE_PLAIN(cp_async_commit_group, "cp.async.commit_group")

// Waits until at most kPending of this thread's groups are not done.
template <int kPending>
TILE_DEVICE void cp_async_wait_group() {
  asm volatile("cp.async.wait_group %0;" :: "n"(kPending) : "memory");
}

// Arrives once all earlier cp.async of this thread are done.
TILE_DEVICE void cp_async_mbarrier_arrive(uint32_t bar) {
  asm volatile("cp.async.mbarrier.arrive.shared::cta.b64 [%0];"
               :: "r"(bar) : "memory");
}

// One arrival, which the count of `bar` has, when this thread's copies are done.
TILE_DEVICE void cp_async_mbarrier_arrive_noinc(uint32_t bar) {
  asm volatile("cp.async.mbarrier.arrive.noinc.shared::cta.b64 [%0];"
               :: "r"(bar) : "memory");
}
