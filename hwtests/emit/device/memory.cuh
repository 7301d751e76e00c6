// Register tiles to and from memory. Elements of 32 bits are one word each;
// narrower ones are packed into words.

// Words of register tiles as bits.
TILE_DEVICE uint32_t word_bits(float x) { return __float_as_uint(x); }
TILE_DEVICE uint32_t word_bits(uint32_t x) { return x; }
TILE_DEVICE uint32_t word_bits(int32_t x) { return static_cast<uint32_t>(x); }
TILE_DEVICE void set_word(float& x, uint32_t v) { x = __uint_as_float(v); }
TILE_DEVICE void set_word(uint32_t& x, uint32_t v) { x = v; }
TILE_DEVICE void set_word(int32_t& x, uint32_t v) {
  x = static_cast<int32_t>(v);
}

// kBytes of registers, from element i on.
template <int kBytes>
struct Piece {
  uint32_t w[kBytes < 4 ? 1 : kBytes / 4];
};
template <int kBits, int kBytes, class Word>
TILE_DEVICE Piece<kBytes> piece_at(const Word* regs, int i) {
  Piece<kBytes> p;
  if constexpr (kBytes < 4) {
    p.w[0] = word_bits(regs[i * kBits / 32]) >> (i * kBits % 32);
  } else {
#pragma unroll
    for (int j = 0; j < kBytes / 4; ++j)
      p.w[j] = word_bits(regs[i * kBits / 32 + j]);
  }
  return p;
}
template <int kBits, int kBytes, class Word>
TILE_DEVICE void set_piece(Word* regs, int i, const Piece<kBytes>& p) {
  if constexpr (kBytes < 4) {
    const int shift = i * kBits % 32;
    const uint32_t mask = ((1u << (kBytes * 8 % 32)) - 1) << shift;
    Word& word = regs[i * kBits / 32];
    const uint32_t old = shift == 0 ? 0 : word_bits(word);
    set_word(word, (old & ~mask) | ((p.w[0] << shift) & mask));
  } else {
#pragma unroll
    for (int j = 0; j < kBytes / 4; ++j)
      set_word(regs[i * kBits / 32 + j], p.w[j]);
  }
}

// Vectors of 1 to 16 bytes to and from memory.
template <int kBytes>
TILE_DEVICE void global_store(void* p, const Piece<kBytes>& v) {
  if constexpr (kBytes == 16) {
    *static_cast<uint4*>(p) = make_uint4(v.w[0], v.w[1], v.w[2], v.w[3]);
  } else if constexpr (kBytes == 8) {
    *static_cast<uint2*>(p) = make_uint2(v.w[0], v.w[1]);
  } else if constexpr (kBytes == 4) {
    *static_cast<uint32_t*>(p) = v.w[0];
  } else if constexpr (kBytes == 2) {
    *static_cast<uint16_t*>(p) = static_cast<uint16_t>(v.w[0]);
  } else {
    *static_cast<uint8_t*>(p) = static_cast<uint8_t>(v.w[0]);
  }
}

// One access of kBytes each.
template <int kBytes>
TILE_DEVICE Piece<kBytes> global_load(const void* p) {
  if constexpr (kBytes == 16) {
    const uint4 v = *static_cast<const uint4*>(p);
    return {{v.x, v.y, v.z, v.w}};
  } else if constexpr (kBytes == 8) {
    const uint2 v = *static_cast<const uint2*>(p);
    return {{v.x, v.y}};
  } else if constexpr (kBytes == 4) {
    return {{*static_cast<const uint32_t*>(p)}};
  } else if constexpr (kBytes == 2) {
    return {{*static_cast<const uint16_t*>(p)}};
  } else {
    return {{*static_cast<const uint8_t*>(p)}};
  }
}

// Shared memory, likewise.
template <int kBytes>
TILE_DEVICE void shared_store(uint32_t a, const Piece<kBytes>& v) {
  if constexpr (kBytes == 16) {
    asm volatile("st.shared.v4.b32 [%0], {%1, %2, %3, %4};"
                 :: "r"(a), "r"(v.w[0]), "r"(v.w[1]), "r"(v.w[2]), "r"(v.w[3])
                 : "memory");
  } else if constexpr (kBytes == 8) {
    asm volatile("st.shared.v2.b32 [%0], {%1, %2};"
                 :: "r"(a), "r"(v.w[0]), "r"(v.w[1]) : "memory");
  } else if constexpr (kBytes == 4) {
    asm volatile("st.shared.b32 [%0], %1;" :: "r"(a), "r"(v.w[0]) : "memory");
  } else if constexpr (kBytes == 2) {
    asm volatile("st.shared.b16 [%0], %1;"
                 :: "r"(a), "h"(static_cast<uint16_t>(v.w[0])) : "memory");
  } else {
    asm volatile("st.shared.b8 [%0], %1;" :: "r"(a), "r"(v.w[0]) : "memory");
  }
}

// Shared memory, likewise.
template <int kBytes>
TILE_DEVICE Piece<kBytes> shared_load(uint32_t a) {
  Piece<kBytes> v;
  if constexpr (kBytes == 16) {
    asm volatile("ld.shared.v4.b32 {%0, %1, %2, %3}, [%4];"
                 : "=r"(v.w[0]), "=r"(v.w[1]), "=r"(v.w[2]), "=r"(v.w[3])
                 : "r"(a) : "memory");
  } else if constexpr (kBytes == 8) {
    asm volatile("ld.shared.v2.b32 {%0, %1}, [%2];"
                 : "=r"(v.w[0]), "=r"(v.w[1]) : "r"(a) : "memory");
  } else if constexpr (kBytes == 4) {
    asm volatile("ld.shared.b32 %0, [%1];" : "=r"(v.w[0]) : "r"(a) : "memory");
  } else if constexpr (kBytes == 2) {
    uint16_t h;
    asm volatile("ld.shared.b16 %0, [%1];" : "=h"(h) : "r"(a) : "memory");
    v.w[0] = h;
  } else {
    asm volatile("ld.shared.u8 %0, [%1];" : "=r"(v.w[0]) : "r"(a) : "memory");
  }
  return v;
}

// A register tile to global memory: element (r, c) to p[r * pitch + c]. With
// `rows` and `cols`, only elements inside them.
template <class Fragment, int kBits, int kVector, class Word, class T>
TILE_DEVICE void st_global(T* p, int64_t pitch, const Word* regs) {
#pragma unroll
  for (int i = 0; i < Fragment::kCount; i += kVector) {
    if (!Fragment::owner(i)) continue;
    const int64_t at = Fragment::row(i) * pitch + Fragment::col(i);
    global_store(p + at * kBits / 8 / static_cast<int>(sizeof(T)),
                 piece_at<kBits, kVector * kBits / 8>(regs, i));
  }
}
template <class Fragment, int kBits, int kVector, class Word, class T>
TILE_DEVICE void st_global(T* p, int64_t pitch, const Word* regs, int64_t rows,
                           int64_t cols) {
#pragma unroll
  for (int i = 0; i < Fragment::kCount; i += kVector) {
    const int r = Fragment::row(i), c = Fragment::col(i);
    if (!Fragment::owner(i) || r >= rows || c >= cols) continue;
    const int64_t at = r * pitch + c;
    global_store(p + at * kBits / 8 / static_cast<int>(sizeof(T)),
                 piece_at<kBits, kVector * kBits / 8>(regs, i));
  }
}

// The other way; zero outside `rows` and `cols`.
template <class Fragment, int kBits, int kVector, class Word, class T>
TILE_DEVICE void ld_global(Word* regs, const T* p, int64_t pitch,
                           int64_t rows = int64_t{1} << 40,
                           int64_t cols = int64_t{1} << 40) {
  constexpr int kBytes = kVector * kBits / 8;
#pragma unroll
  for (int i = 0; i < Fragment::kCount; i += kVector) {
    const int r = Fragment::row(i), c = Fragment::col(i);
    Piece<kBytes> v{};
    if (Fragment::holds(i) && r < rows && c < cols) {
      const int64_t at = r * pitch + c;
      v = global_load<kBytes>(p + at * kBits / 8 /
                                      static_cast<int>(sizeof(T)));
    }
    set_piece<kBits>(regs, i, v);
  }
}

// The same of a box that may begin before its tensor: only elements from `row0`
// and `col0` on.
template <class Fragment, int kBits, int kVector, class Word, class T>
TILE_DEVICE void st_global_from(T* p, int64_t pitch, const Word* regs,
                                int64_t rows, int64_t cols, int64_t row0,
                                int64_t col0) {
#pragma unroll
  for (int i = 0; i < Fragment::kCount; i += kVector) {
    const int r = Fragment::row(i), c = Fragment::col(i);
    if (!Fragment::owner(i) || r < row0 || r >= rows || c < col0 || c >= cols)
      continue;
    const int64_t at = r * pitch + c;
    global_store(p + at * kBits / 8 / static_cast<int>(sizeof(T)),
                 piece_at<kBits, kVector * kBits / 8>(regs, i));
  }
}

template <class Fragment, int kBits, int kVector, class Word, class T>
TILE_DEVICE void ld_global_from(Word* regs, const T* p, int64_t pitch,
                                int64_t rows, int64_t cols, int64_t row0,
                                int64_t col0) {
  constexpr int kBytes = kVector * kBits / 8;
#pragma unroll
  for (int i = 0; i < Fragment::kCount; i += kVector) {
    const int r = Fragment::row(i), c = Fragment::col(i);
    Piece<kBytes> v{};
    if (Fragment::holds(i) && r >= row0 && r < rows && c >= col0 && c < cols) {
      const int64_t at = r * pitch + c;
      v = global_load<kBytes>(p + at * kBits / 8 /
                                      static_cast<int>(sizeof(T)));
    }
    set_piece<kBits>(regs, i, v);
  }
}

// A register tile to and from a shared tile; (row0, col0) is its first element.
template <class Fragment, int kBits, int kVector, int kTileRows, int kTileCols,
          int kSwizzle, class Word>
TILE_DEVICE void st_shared(uint32_t base, int row0, int col0,
                           const Word* regs) {
#pragma unroll
  for (int i = 0; i < Fragment::kCount; i += kVector) {
    if (!Fragment::owner(i)) continue;
    shared_store(base + tile_offset<kTileRows, kTileCols, kBits, kSwizzle>(
                            row0 + Fragment::row(i), col0 + Fragment::col(i)),
                 piece_at<kBits, kVector * kBits / 8>(regs, i));
  }
}

template <class Fragment, int kBits, int kVector, int kTileRows, int kTileCols,
          int kSwizzle, class Word>
TILE_DEVICE void ld_shared(Word* regs, uint32_t base, int row0, int col0) {
  constexpr int kBytes = kVector * kBits / 8;
#pragma unroll
  for (int i = 0; i < Fragment::kCount; i += kVector) {
    if (!Fragment::holds(i)) continue;
    set_piece<kBits>(
        regs, i,
        shared_load<kBytes>(
            base + tile_offset<kTileRows, kTileCols, kBits, kSwizzle>(
                       row0 + Fragment::row(i), col0 + Fragment::col(i))));
  }
}

// Shared memory of a peer, likewise; `a` is mapa's address.
template <int kBytes>
TILE_DEVICE void cluster_store(uint32_t a, const Piece<kBytes>& v) {
  if constexpr (kBytes == 16) {
    asm volatile("st.shared::cluster.v4.b32 [%0], {%1, %2, %3, %4};"
                 :: "r"(a), "r"(v.w[0]), "r"(v.w[1]), "r"(v.w[2]), "r"(v.w[3])
                 : "memory");
  } else if constexpr (kBytes == 8) {
    asm volatile("st.shared::cluster.v2.b32 [%0], {%1, %2};"
                 :: "r"(a), "r"(v.w[0]), "r"(v.w[1]) : "memory");
  } else if constexpr (kBytes == 4) {
    asm volatile("st.shared::cluster.b32 [%0], %1;" :: "r"(a), "r"(v.w[0]) : "memory");
  } else if constexpr (kBytes == 2) {
    asm volatile("st.shared::cluster.b16 [%0], %1;"
                 :: "r"(a), "h"(static_cast<uint16_t>(v.w[0])) : "memory");
  } else {
    asm volatile("st.shared::cluster.b8 [%0], %1;" :: "r"(a), "r"(v.w[0]) : "memory");
  }
}

// Shared memory of a peer, likewise; `a` is mapa's address.
template <int kBytes>
TILE_DEVICE Piece<kBytes> cluster_load(uint32_t a) {
  Piece<kBytes> v;
  if constexpr (kBytes == 16) {
    asm volatile("ld.shared::cluster.v4.b32 {%0, %1, %2, %3}, [%4];"
                 : "=r"(v.w[0]), "=r"(v.w[1]), "=r"(v.w[2]), "=r"(v.w[3])
                 : "r"(a) : "memory");
  } else if constexpr (kBytes == 8) {
    asm volatile("ld.shared::cluster.v2.b32 {%0, %1}, [%2];"
                 : "=r"(v.w[0]), "=r"(v.w[1]) : "r"(a) : "memory");
  } else if constexpr (kBytes == 4) {
    asm volatile("ld.shared::cluster.b32 %0, [%1];" : "=r"(v.w[0]) : "r"(a) : "memory");
  } else if constexpr (kBytes == 2) {
    uint16_t h;
    asm volatile("ld.shared::cluster.b16 %0, [%1];" : "=h"(h) : "r"(a) : "memory");
    v.w[0] = h;
  } else {
    asm volatile("ld.shared::cluster.u8 %0, [%1];" : "=r"(v.w[0]) : "r"(a) : "memory");
  }
  return v;
}

// The same of a peer's tile: `base` is mapa's address; (row0, col0) is its first element.
template <class Fragment, int kBits, int kVector, int kTileRows, int kTileCols,
          int kSwizzle, class Word>
TILE_DEVICE void st_shared_cluster(uint32_t base, int row0, int col0,
                                   const Word* regs) {
#pragma unroll
  for (int i = 0; i < Fragment::kCount; i += kVector) {
    if (!Fragment::owner(i)) continue;
    cluster_store(base + tile_offset<kTileRows, kTileCols, kBits, kSwizzle>(
                            row0 + Fragment::row(i), col0 + Fragment::col(i)),
                 piece_at<kBits, kVector * kBits / 8>(regs, i));
  }
}

// Likewise without waiting: each store completes its bytes on `bar`, of the same
// CTA, as mapa says it.
template <int kBytes>
TILE_DEVICE void async_store(uint32_t a, const Piece<kBytes>& v, uint32_t bar) {
  if constexpr (kBytes == 16) {
    asm volatile(
        "st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.v4.b32"
        " [%0], {%1, %2, %3, %4}, [%5];"
        :: "r"(a), "r"(v.w[0]), "r"(v.w[1]), "r"(v.w[2]), "r"(v.w[3]), "r"(bar)
        : "memory");
  } else if constexpr (kBytes == 8) {
    asm volatile(
        "st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.v2.b32"
        " [%0], {%1, %2}, [%3];"
        :: "r"(a), "r"(v.w[0]), "r"(v.w[1]), "r"(bar) : "memory");
  } else {
    asm volatile(
        "st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.b32"
        " [%0], %1, [%2];"
        :: "r"(a), "r"(v.w[0]), "r"(bar) : "memory");
  }
}

template <class Fragment, int kBits, int kVector, int kTileRows, int kTileCols,
          int kSwizzle, class Word>
TILE_DEVICE void st_async(uint32_t base, int row0, int col0, const Word* regs,
                          uint32_t bar) {
#pragma unroll
  for (int i = 0; i < Fragment::kCount; i += kVector) {
    if (!Fragment::owner(i)) continue;
    async_store(base + tile_offset<kTileRows, kTileCols, kBits, kSwizzle>(
                           row0 + Fragment::row(i), col0 + Fragment::col(i)),
                piece_at<kBits, kVector * kBits / 8>(regs, i), bar);
  }
}

template <class Fragment, int kBits, int kVector, int kTileRows, int kTileCols,
          int kSwizzle, class Word>
TILE_DEVICE void ld_shared_cluster(Word* regs, uint32_t base, int row0, int col0) {
  constexpr int kBytes = kVector * kBits / 8;
#pragma unroll
  for (int i = 0; i < Fragment::kCount; i += kVector) {
    if (!Fragment::holds(i)) continue;
    set_piece<kBits>(
        regs, i,
        cluster_load<kBytes>(
            base + tile_offset<kTileRows, kTileCols, kBits, kSwizzle>(
                       row0 + Fragment::row(i), col0 + Fragment::col(i))));
  }
}
