// TMA: tensor copies. Coordinates are elements, innermost first.

// One box of `map` into shared memory at `dst`; complete_tx on `bar`.
namespace tile {
TILE_DEVICE void tma_load(uint32_t dst, const CUtensorMap* map, uint32_t bar,
                          int c0) {
  asm volatile(
      "cp.async.bulk.tensor.1d.shared::cluster.global.tile"
      ".mbarrier::complete_tx::bytes [%0], [%1, {%3}], [%2];"
      :: "r"(dst), "l"(map), "r"(bar), "r"(c0) : "memory");
}
TILE_DEVICE void tma_load(uint32_t dst, const CUtensorMap* map, uint32_t bar,
                          int c0, int c1) {
  asm volatile(
      "cp.async.bulk.tensor.2d.shared::cluster.global.tile"
      ".mbarrier::complete_tx::bytes [%0], [%1, {%3, %4}], [%2];"
      :: "r"(dst), "l"(map), "r"(bar), "r"(c0), "r"(c1) : "memory");
}
TILE_DEVICE void tma_load(uint32_t dst, const CUtensorMap* map, uint32_t bar,
                          int c0, int c1, int c2) {
  asm volatile(
      "cp.async.bulk.tensor.3d.shared::cluster.global.tile"
      ".mbarrier::complete_tx::bytes [%0], [%1, {%3, %4, %5}], [%2];"
      :: "r"(dst), "l"(map), "r"(bar), "r"(c0), "r"(c1), "r"(c2) : "memory");
}
TILE_DEVICE void tma_load(uint32_t dst, const CUtensorMap* map, uint32_t bar,
                          int c0, int c1, int c2, int c3) {
  asm volatile(
      "cp.async.bulk.tensor.4d.shared::cluster.global.tile"
      ".mbarrier::complete_tx::bytes [%0], [%1, {%3, %4, %5, %6}], [%2];"
      :: "r"(dst), "l"(map), "r"(bar), "r"(c0), "r"(c1), "r"(c2), "r"(c3)
      : "memory");
}
TILE_DEVICE void tma_load(uint32_t dst, const CUtensorMap* map, uint32_t bar,
                          int c0, int c1, int c2, int c3, int c4) {
  asm volatile(
      "cp.async.bulk.tensor.5d.shared::cluster.global.tile"
      ".mbarrier::complete_tx::bytes [%0], [%1, {%3, %4, %5, %6, %7}], [%2];"
      :: "r"(dst), "l"(map), "r"(bar), "r"(c0), "r"(c1), "r"(c2), "r"(c3),
         "r"(c4) : "memory");
}
}  // namespace tile

// The same box to every rank of `mask`, at the same offset of each, with
// complete_tx on the barrier at the same offset of each.
namespace tile {
TILE_DEVICE void tma_load_multicast(uint32_t dst, const CUtensorMap* map,
                                    uint32_t bar, uint16_t mask, int c0) {
  asm volatile(
      "cp.async.bulk.tensor.1d.shared::cluster.global.tile"
      ".mbarrier::complete_tx::bytes.multicast::cluster"
      " [%0], [%1, {%4}], [%2], %3;"
      :: "r"(dst), "l"(map), "r"(bar), "h"(mask), "r"(c0) : "memory");
}
TILE_DEVICE void tma_load_multicast(uint32_t dst, const CUtensorMap* map,
                                    uint32_t bar, uint16_t mask, int c0,
                                    int c1) {
  asm volatile(
      "cp.async.bulk.tensor.2d.shared::cluster.global.tile"
      ".mbarrier::complete_tx::bytes.multicast::cluster"
      " [%0], [%1, {%4, %5}], [%2], %3;"
      :: "r"(dst), "l"(map), "r"(bar), "h"(mask), "r"(c0), "r"(c1) : "memory");
}
TILE_DEVICE void tma_load_multicast(uint32_t dst, const CUtensorMap* map,
                                    uint32_t bar, uint16_t mask, int c0, int c1,
                                    int c2) {
  asm volatile(
      "cp.async.bulk.tensor.3d.shared::cluster.global.tile"
      ".mbarrier::complete_tx::bytes.multicast::cluster"
      " [%0], [%1, {%4, %5, %6}], [%2], %3;"
      :: "r"(dst), "l"(map), "r"(bar), "h"(mask), "r"(c0), "r"(c1), "r"(c2)
      : "memory");
}
TILE_DEVICE void tma_load_multicast(uint32_t dst, const CUtensorMap* map,
                                    uint32_t bar, uint16_t mask, int c0, int c1,
                                    int c2, int c3) {
  asm volatile(
      "cp.async.bulk.tensor.4d.shared::cluster.global.tile"
      ".mbarrier::complete_tx::bytes.multicast::cluster"
      " [%0], [%1, {%4, %5, %6, %7}], [%2], %3;"
      :: "r"(dst), "l"(map), "r"(bar), "h"(mask), "r"(c0), "r"(c1), "r"(c2),
         "r"(c3) : "memory");
}
}  // namespace tile

// sm_100: as tma_load, but the barrier may be the one of either CTA of a pair.
namespace tile {
TILE_DEVICE void tma_load_pair(uint32_t dst, const CUtensorMap* map,
                               uint32_t bar, int c0, int c1) {
  asm volatile(
      "cp.async.bulk.tensor.2d.shared::cluster.global.tile"
      ".mbarrier::complete_tx::bytes.cta_group::2 [%0], [%1, {%3, %4}], [%2];"
      :: "r"(dst), "l"(map), "r"(bar), "r"(c0), "r"(c1) : "memory");
}
TILE_DEVICE void tma_load_pair(uint32_t dst, const CUtensorMap* map,
                               uint32_t bar, int c0, int c1, int c2) {
  asm volatile(
      "cp.async.bulk.tensor.3d.shared::cluster.global.tile"
      ".mbarrier::complete_tx::bytes.cta_group::2"
      " [%0], [%1, {%3, %4, %5}], [%2];"
      :: "r"(dst), "l"(map), "r"(bar), "r"(c0), "r"(c1), "r"(c2) : "memory");
}
}  // namespace tile

// sm_100: both.
namespace tile {
TILE_DEVICE void tma_load_pair_multicast(uint32_t dst, const CUtensorMap* map,
                                         uint32_t bar, uint16_t mask, int c0,
                                         int c1) {
  asm volatile(
      "cp.async.bulk.tensor.2d.shared::cluster.global.tile"
      ".mbarrier::complete_tx::bytes.multicast::cluster.cta_group::2"
      " [%0], [%1, {%4, %5}], [%2], %3;"
      :: "r"(dst), "l"(map), "r"(bar), "h"(mask), "r"(c0), "r"(c1) : "memory");
}
}  // namespace tile

// Shared memory to one box (or combined with what is there); bulk group.
#define TILE_TMA_STORE(name, op, kind)                                         \
  namespace tile {                                                             \
  TILE_DEVICE void name(const CUtensorMap* map, uint32_t src, int c0) {        \
    asm volatile("cp" op ".1d.global.shared::cta" kind                         \
                 " [%0, {%2}], [%1];"                                          \
                 :: "l"(map), "r"(src), "r"(c0) : "memory");                   \
  }                                                                            \
  TILE_DEVICE void name(const CUtensorMap* map, uint32_t src, int c0,          \
                        int c1) {                                              \
    asm volatile("cp" op ".2d.global.shared::cta" kind                         \
                 " [%0, {%2, %3}], [%1];"                                      \
                 :: "l"(map), "r"(src), "r"(c0), "r"(c1) : "memory");          \
  }                                                                            \
  TILE_DEVICE void name(const CUtensorMap* map, uint32_t src, int c0, int c1,  \
                        int c2) {                                              \
    asm volatile("cp" op ".3d.global.shared::cta" kind                         \
                 " [%0, {%2, %3, %4}], [%1];"                                  \
                 :: "l"(map), "r"(src), "r"(c0), "r"(c1), "r"(c2)              \
                 : "memory");                                                  \
  }                                                                            \
  TILE_DEVICE void name(const CUtensorMap* map, uint32_t src, int c0, int c1,  \
                        int c2, int c3) {                                      \
    asm volatile("cp" op ".4d.global.shared::cta" kind                         \
                 " [%0, {%2, %3, %4, %5}], [%1];"                              \
                 :: "l"(map), "r"(src), "r"(c0), "r"(c1), "r"(c2), "r"(c3)     \
                 : "memory");                                                  \
  }                                                                            \
  TILE_DEVICE void name(const CUtensorMap* map, uint32_t src, int c0, int c1,  \
                        int c2, int c3, int c4) {                              \
    asm volatile("cp" op ".5d.global.shared::cta" kind                         \
                 " [%0, {%2, %3, %4, %5, %6}], [%1];"                          \
                 :: "l"(map), "r"(src), "r"(c0), "r"(c1), "r"(c2), "r"(c3),    \
                    "r"(c4) : "memory");                                       \
  }                                                                            \
  }

TILE_TMA_STORE(tma_store, ".async.bulk.tensor", ".tile.bulk_group")

TILE_TMA_STORE(tma_reduce_add, ".reduce.async.bulk.tensor",
               ".add.tile.bulk_group")

TILE_TMA_STORE(tma_reduce_min, ".reduce.async.bulk.tensor",
               ".min.tile.bulk_group")

TILE_TMA_STORE(tma_reduce_max, ".reduce.async.bulk.tensor",
               ".max.tile.bulk_group")

// A hint: the box will be loaded soon.
namespace tile {
TILE_DEVICE void tma_prefetch(const CUtensorMap* map, int c0) {
  asm volatile("cp.async.bulk.prefetch.tensor.1d.L2.global.tile [%0, {%1}];"
               :: "l"(map), "r"(c0) : "memory");
}
TILE_DEVICE void tma_prefetch(const CUtensorMap* map, int c0, int c1) {
  asm volatile("cp.async.bulk.prefetch.tensor.2d.L2.global.tile [%0, {%1, %2}];"
               :: "l"(map), "r"(c0), "r"(c1) : "memory");
}
TILE_DEVICE void tma_prefetch(const CUtensorMap* map, int c0, int c1, int c2) {
  asm volatile(
      "cp.async.bulk.prefetch.tensor.3d.L2.global.tile [%0, {%1, %2, %3}];"
      :: "l"(map), "r"(c0), "r"(c1), "r"(c2) : "memory");
}
}  // namespace tile

// A hint: the tensor map will be used soon.
namespace tile {
TILE_DEVICE void prefetch_tensormap(const CUtensorMap* map) {
  asm volatile("prefetch.tensormap [%0];" :: "l"(map) : "memory");
}
}  // namespace tile
