// Reads through the asynchronous proxy: how each is prepared, begun, waited for
// and checked. A tile of words is written through the generic proxy before.
#ifndef TILESIM_HWTESTS_PROBES_READERS_CUH_
#define TILESIM_HWTESTS_PROBES_READERS_CUH_

#include "hwtests/calibrate/wgmma.cuh"
#include "hwtests/probes/probe.cuh"

namespace probes {

enum class Reader {
  kWgmmaA,        // A of wgmma; B is the identity
  kWgmmaB,        // B of wgmma; A is the identity
  kBulkStore,     // cp.async.bulk, shared to global
  kReduceGlobal,  // cp.reduce.async.bulk.max, shared to global
  kTensorStore,   // cp.async.bulk.tensor, shared to global
  kPush,          // cp.async.bulk, shared to a peer's shared
  kReducePush,    // cp.reduce.async.bulk.max, the same
  kBulkLoad,      // cp.async.bulk, global to shared
  kTensorLoad,    // cp.async.bulk.tensor, the same
};

TILE_DEVICE __host__ constexpr bool IsWgmma(Reader r) {
  return r <= Reader::kWgmmaB;
}
TILE_DEVICE __host__ constexpr bool IsPush(Reader r) {
  return r == Reader::kPush || r == Reader::kReducePush;
}
TILE_DEVICE __host__ constexpr bool IsLoad(Reader r) {
  return r >= Reader::kBulkLoad;
}
// What it wrote lies in this CTA's shared memory, and an mbarrier tells.
TILE_DEVICE __host__ constexpr bool HasInbox(Reader r) {
  return IsPush(r) || IsLoad(r);
}
TILE_DEVICE __host__ constexpr int ReaderThreads(Reader r) {
  return IsWgmma(r) ? 128 : 32;
}

constexpr int kMostBytes = 16384;
constexpr int kWgmmaBytes = 64 * 128;  // 64 rows of 64 f16, swizzled
constexpr int kMapRow = 1024;          // bytes of a row of the tensor maps
constexpr int kSharedBytes = 1024 + 2 * kMostBytes;

// Where the CTA keeps what.
struct Place {
  uint32_t source;   // what is written: shared memory
  uint32_t inbox;    // what the reader wrote; of wgmma the other operand
  uint32_t bar;      // completes when the inbox is full
  uint32_t* global;  // source of a load, destination of a store
  int row;           // the same, in the tensor map
};

// --- values ----------------------------------------------------------------

// Two f16 from 1024 to 2047, whose products with 1 are exact.
TILE_DEVICE uint32_t half_number(uint32_t iteration, uint32_t word,
                                 uint32_t half) {
  return (iteration * 5 + word + half * 512) & 1023;
}

template <Reader kReader>
TILE_DEVICE uint32_t written(uint32_t iteration, uint32_t word) {
  if constexpr (IsWgmma(kReader)) {
    return 0x64006400u | half_number(iteration, word, 0) |
           half_number(iteration, word, 1) << 16;
  }
  return value_of(iteration, word);
}

// The byte of an element of a K-major operand, swizzle 128B.
TILE_DEVICE uint32_t operand_byte(uint32_t row, uint32_t k) {
  return (row * 128 + k * 2) ^ (row & 7) << 4;
}

TILE_DEVICE void store_word(uint32_t address, uint32_t value) {
  asm volatile("st.shared.u32 [%0], %1;" ::"r"(address), "r"(value) : "memory");
}
TILE_DEVICE uint32_t load_word(uint32_t address) {
  uint32_t v;
  asm volatile("ld.shared.u32 %0, [%1];" : "=r"(v) : "r"(address) : "memory");
  return v;
}

// By all threads, before the first iteration: nothing in the inbox, or ones on
// its diagonal.
template <Reader kReader>
TILE_DEVICE void fill_inbox(const Place& at) {
  for (uint32_t b = threadIdx.x * 4; b < kMostBytes; b += blockDim.x * 4) {
    store_word(at.inbox + b, 0);
    store_word(at.source + b, 0);
  }
  __syncthreads();
  if (IsWgmma(kReader) && threadIdx.x < 64) {
    const uint32_t b = operand_byte(threadIdx.x, threadIdx.x);
    store_word(at.inbox + (b & ~3u), 0x3c00u << (b & 2) * 8);
  }
  tile::fence_proxy_async();
}

// --- the reads -------------------------------------------------------------

TILE_DEVICE void reduce_global(void* dst, uint32_t src, uint32_t bytes) {
  asm volatile(
      "cp.reduce.async.bulk.global.shared::cta.bulk_group.max.u32"
      " [%0], [%1], %2;" ::"l"(__cvta_generic_to_global(dst)),
      "r"(src), "r"(bytes)
      : "memory");
}
TILE_DEVICE void reduce_push(uint32_t dst, uint32_t src, uint32_t bytes,
                             uint32_t bar) {
  asm volatile(
      "cp.reduce.async.bulk.shared::cluster.shared::cta"
      ".mbarrier::complete_tx::bytes.max.u32 [%0], [%1], %2, [%3];" ::"r"(dst),
      "r"(src), "r"(bytes), "r"(bar)
      : "memory");
}

// By one thread. What goes to a peer goes to the same place there.
template <Reader kReader>
TILE_DEVICE void begin_copy(const Place& at, const CUtensorMap* map,
                            uint32_t bytes) {
  if constexpr (kReader == Reader::kBulkStore) {
    tile::bulk_store(at.global, at.source, bytes);
  } else if constexpr (kReader == Reader::kReduceGlobal) {
    reduce_global(at.global, at.source, bytes);
  } else if constexpr (kReader == Reader::kTensorStore) {
    calibrate::store_box(map, at.source, 0, at.row);
  } else if constexpr (IsPush(kReader)) {
    const uint32_t peer = tile::cluster_rank() ^ 1;
    const uint32_t dst = tile::mapa(at.inbox, peer);
    const uint32_t bar = tile::mapa(at.bar, peer);
    if constexpr (kReader == Reader::kPush) {
      tile::bulk_push(dst, at.source, bytes, bar);
    } else {
      reduce_push(dst, at.source, bytes, bar);
    }
  } else if constexpr (kReader == Reader::kBulkLoad) {
    tile::bulk_load(at.inbox, at.global, bytes, at.bar);
  } else {
    calibrate::load_box(at.inbox, map, at.bar, 0, at.row);
  }
  if constexpr (!HasInbox(kReader)) tile::bulk_commit_group();
}

// By the 128 threads of the warpgroup. Were its fence before the barrier, ptxas
// would put another one here.
template <Reader kReader>
TILE_DEVICE void begin_wgmma(const Place& at, float (&d)[32]) {
  const uint64_t source = calibrate::descriptor(at.source, false, 0);
  const uint64_t one = calibrate::descriptor(at.inbox, false, 0);
  tile::wgmma_fence();
  if constexpr (kReader == Reader::kWgmmaA) {
    calibrate::multiply(d, source, one);
  } else {
    calibrate::multiply(d, one, source);
  }
  tile::wgmma_commit_group();
}

// Elements of this thread's part of D that are not the latest.
template <Reader kReader>
TILE_DEVICE unsigned wrong_of_wgmma(const float (&d)[32], uint32_t iteration) {
  const uint32_t warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  unsigned wrong = 0;
#pragma unroll
  for (uint32_t i = 0; i < 32; ++i) {
    const uint32_t m = 16 * warp + lane / 4 + 8 * (i / 2 % 2);
    const uint32_t n = 8 * (i / 4) + 2 * (lane % 4) + i % 2;
    const uint32_t byte =
        kReader == Reader::kWgmmaA ? operand_byte(m, n) : operand_byte(n, m);
    const uint32_t want = 1024 + half_number(iteration, byte / 4, byte / 2 % 2);
    wrong += d[i] != static_cast<float>(want);
  }
  return wrong;
}

// The same of the words that a copy brought, by all threads.
template <Reader kReader>
TILE_DEVICE unsigned wrong_of_copy(const Place& at, uint32_t words,
                                   uint32_t iteration) {
  unsigned wrong = 0;
  for (uint32_t w = threadIdx.x; w < words; w += blockDim.x) {
    const uint32_t got =
        HasInbox(kReader) ? load_word(at.inbox + w * 4) : __ldcg(at.global + w);
    wrong += got != value_of(iteration, w);
  }
  return wrong;
}

}  // namespace probes

#endif  // TILESIM_HWTESTS_PROBES_READERS_CUH_
