// Bulk copies (PTX 9.7.9.25.4).

// Contiguous bytes of global memory to shared memory; complete_tx on `bar`.
TILE_DEVICE void bulk_load(uint32_t dst, const void* src, uint32_t bytes,
                           uint32_t bar) {
  asm volatile(
      "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes"
      " [%0], [%1], %2, [%3];"
      :: "r"(dst), "l"(__cvta_generic_to_global(src)), "r"(bytes), "r"(bar)
      : "memory");
}

// The same to every rank of `mask`, at the same offset of each.
TILE_DEVICE void bulk_load_multicast(uint32_t dst, const void* src,
                                     uint32_t bytes, uint32_t bar,
                                     uint16_t mask) {
  asm volatile(
      "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes"
      ".multicast::cluster [%0], [%1], %2, [%3], %4;"
      :: "r"(dst), "l"(__cvta_generic_to_global(src)), "r"(bytes), "r"(bar),
         "h"(mask) : "memory");
}

// Contiguous bytes of shared memory to global memory; bulk group.
TILE_DEVICE void bulk_store(void* dst, uint32_t src, uint32_t bytes) {
  asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;"
               :: "l"(__cvta_generic_to_global(dst)), "r"(src), "r"(bytes)
               : "memory");
}

// Own shared memory to a peer's; `dst` and `bar` are mapa's addresses.
TILE_DEVICE void bulk_push(uint32_t dst, uint32_t src, uint32_t bytes,
                           uint32_t bar) {
  asm volatile(
      "cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes"
      " [%0], [%1], %2, [%3];"
      :: "r"(dst), "r"(src), "r"(bytes), "r"(bar) : "memory");
}

TILE_PLAIN(bulk_commit_group, "cp.async.bulk.commit_group")

// Waits until at most kPending of this thread's bulk groups are not done.
template <int kPending>
TILE_DEVICE void bulk_wait_group() {
  asm volatile("cp.async.bulk.wait_group %0;" :: "n"(kPending) : "memory");
}

// Only until the sources are read.
template <int kPending>
TILE_DEVICE void bulk_wait_group_read() {
  asm volatile("cp.async.bulk.wait_group.read %0;" :: "n"(kPending)
               : "memory");
}
