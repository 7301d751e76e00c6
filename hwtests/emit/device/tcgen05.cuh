// tcgen05 and tensor memory (PTX 9.7.16); loads and stores are generated, see
// tcgen05_text.h. `pair`: cta_group::2. Tensor memory addresses have the lane
// in bits 16-31 and the column in bits 0-15.

// What tcgen05.alloc wrote to the slot.
TILE_DEVICE uint32_t tmem_address(uint32_t slot) {
  uint32_t t;
  asm volatile("ld.shared.b32 %0, [%1];" : "=r"(t) : "r"(slot));
  return t;
}

// kColumns columns of tensor memory; their address is written to `slot`.
#define TILE_TCGEN05_ALLOC(name, group)                                        \
  template <int kColumns>                                                      \
  TILE_DEVICE void name(uint32_t slot) {                                       \
    asm volatile("tcgen05.alloc." group                                        \
                 ".sync.aligned.shared::cta.b32 [%0], %1;"                     \
                 :: "r"(slot), "n"(kColumns) : "memory");                      \
  }

TILE_TCGEN05_ALLOC(tcgen05_alloc, "cta_group::1")

TILE_TCGEN05_ALLOC(tcgen05_alloc_pair, "cta_group::2")

// Gives them back.
#define TILE_TCGEN05_DEALLOC(name, group)                                      \
  template <int kColumns>                                                      \
  TILE_DEVICE void name(uint32_t address) {                                    \
    asm volatile("tcgen05.dealloc." group ".sync.aligned.b32 %0, %1;"          \
                 :: "r"(address), "n"(kColumns) : "memory");                   \
  }

TILE_TCGEN05_DEALLOC(tcgen05_dealloc, "cta_group::1")

TILE_TCGEN05_DEALLOC(tcgen05_dealloc_pair, "cta_group::2")

TILE_PLAIN(tcgen05_relinquish_alloc_permit,
           "tcgen05.relinquish_alloc_permit.cta_group::1.sync.aligned")

TILE_PLAIN(tcgen05_relinquish_alloc_permit_pair,
           "tcgen05.relinquish_alloc_permit.cta_group::2.sync.aligned")

TILE_PLAIN(tcgen05_wait_ld, "tcgen05.wait::ld.sync.aligned")

TILE_PLAIN(tcgen05_wait_st, "tcgen05.wait::st.sync.aligned")

TILE_PLAIN(tcgen05_fence_before, "tcgen05.fence::before_thread_sync")

TILE_PLAIN(tcgen05_fence_after, "tcgen05.fence::after_thread_sync")

// One arrival on `bar` when every earlier mma, cp and shift is done.
#define TILE_TCGEN05_COMMIT(name, group)                                       \
  TILE_DEVICE void name(uint32_t bar) {                                        \
    asm volatile("tcgen05.commit." group                                       \
                 ".mbarrier::arrive::one.shared::cluster.b64 [%0];"            \
                 :: "r"(bar) : "memory");                                      \
  }                                                                            \
  TILE_DEVICE void name(uint32_t bar, uint16_t mask) {                         \
    asm volatile("tcgen05.commit." group                                       \
                 ".mbarrier::arrive::one.shared::cluster"                      \
                 ".multicast::cluster.b64 [%0], %1;"                           \
                 :: "r"(bar), "h"(mask) : "memory");                           \
  }

TILE_TCGEN05_COMMIT(tcgen05_commit, "cta_group::1")

TILE_TCGEN05_COMMIT(tcgen05_commit_pair, "cta_group::2")

// D = A * B^T, or D += with `accumulate`; `shape` is the instruction
// descriptor. A is a descriptor, or (_ta) an address in tensor memory.
#define TILE_TCGEN05_MMA(name, group, kind)                                    \
  TILE_DEVICE void name(uint32_t d, uint64_t a, uint64_t b, uint32_t shape,    \
                        int accumulate) {                                      \
    asm volatile("{\n .reg .pred p;\n setp.ne.b32 p, %4, 0;\n"                 \
                 " tcgen05.mma." group "." kind " [%0], %1, %2, %3, p;\n}"     \
                 :: "r"(d), "l"(a), "l"(b), "r"(shape), "r"(accumulate)        \
                 : "memory");                                                  \
  }

// A in tensor memory.
#define TILE_TCGEN05_MMA_TA(name, group, kind)                                 \
  TILE_DEVICE void name(uint32_t d, uint32_t a, uint64_t b, uint32_t shape,    \
                        int accumulate) {                                      \
    asm volatile("{\n .reg .pred p;\n setp.ne.b32 p, %4, 0;\n"                 \
                 " tcgen05.mma." group "." kind " [%0], [%1], %2, %3, p;\n}"   \
                 :: "r"(d), "r"(a), "l"(b), "r"(shape), "r"(accumulate)        \
                 : "memory");                                                  \
  }

TILE_TCGEN05_MMA(tcgen05_mma_f16, "cta_group::1", "kind::f16")

TILE_TCGEN05_MMA(tcgen05_mma_tf32, "cta_group::1", "kind::tf32")

TILE_TCGEN05_MMA(tcgen05_mma_f8f6f4, "cta_group::1", "kind::f8f6f4")

TILE_TCGEN05_MMA(tcgen05_mma_i8, "cta_group::1", "kind::i8")

TILE_TCGEN05_MMA(tcgen05_mma_f16_pair, "cta_group::2", "kind::f16")

TILE_TCGEN05_MMA(tcgen05_mma_tf32_pair, "cta_group::2", "kind::tf32")

TILE_TCGEN05_MMA(tcgen05_mma_f8f6f4_pair, "cta_group::2", "kind::f8f6f4")

TILE_TCGEN05_MMA(tcgen05_mma_i8_pair, "cta_group::2", "kind::i8")

TILE_TCGEN05_MMA_TA(tcgen05_mma_f16_ta, "cta_group::1", "kind::f16")

TILE_TCGEN05_MMA_TA(tcgen05_mma_tf32_ta, "cta_group::1", "kind::tf32")

TILE_TCGEN05_MMA_TA(tcgen05_mma_f8f6f4_ta, "cta_group::1", "kind::f8f6f4")

TILE_TCGEN05_MMA_TA(tcgen05_mma_i8_ta, "cta_group::1", "kind::i8")

TILE_TCGEN05_MMA_TA(tcgen05_mma_f16_pair_ta, "cta_group::2", "kind::f16")

TILE_TCGEN05_MMA_TA(tcgen05_mma_tf32_pair_ta, "cta_group::2", "kind::tf32")

TILE_TCGEN05_MMA_TA(tcgen05_mma_f8f6f4_pair_ta, "cta_group::2", "kind::f8f6f4")

TILE_TCGEN05_MMA_TA(tcgen05_mma_i8_pair_ta, "cta_group::2", "kind::i8")

// The same with scale factors in tensor memory.
#define TILE_TCGEN05_SCALED(name, group, kind)                                 \
  TILE_DEVICE void name(uint32_t d, uint64_t a, uint64_t b, uint32_t shape,    \
                        uint32_t sfa, uint32_t sfb, int accumulate) {          \
    asm volatile("{\n .reg .pred p;\n setp.ne.b32 p, %6, 0;\n"                 \
                 " tcgen05.mma." group "." kind                                \
                 " [%0], %1, %2, %3, [%4], [%5], p;\n}"                        \
                 :: "r"(d), "l"(a), "l"(b), "r"(shape), "r"(sfa), "r"(sfb),    \
                    "r"(accumulate) : "memory");                               \
  }

TILE_TCGEN05_SCALED(tcgen05_mma_mxf8f6f4, "cta_group::1",
                    "kind::mxf8f6f4.block_scale.scale_vec::1X")

TILE_TCGEN05_SCALED(tcgen05_mma_mxf8f6f4_pair, "cta_group::2",
                    "kind::mxf8f6f4.block_scale.scale_vec::1X")

TILE_TCGEN05_SCALED(tcgen05_mma_mxf4, "cta_group::1",
                    "kind::mxf4.block_scale.scale_vec::2X")

TILE_TCGEN05_SCALED(tcgen05_mma_mxf4_pair, "cta_group::2",
                    "kind::mxf4.block_scale.scale_vec::2X")

TILE_TCGEN05_SCALED(tcgen05_mma_mxf4nvf4, "cta_group::1",
                    "kind::mxf4nvf4.block_scale.scale_vec::4X")

TILE_TCGEN05_SCALED(tcgen05_mma_mxf4nvf4_pair, "cta_group::2",
                    "kind::mxf4nvf4.block_scale.scale_vec::4X")

// Shared memory to tensor memory: 32 lanes of 128 bits, to all four quarters
// of the lanes (scale factors).
#define TILE_TCGEN05_CP(name, group)                                           \
  TILE_DEVICE void name(uint32_t dst, uint64_t src) {                          \
    asm volatile("tcgen05.cp." group ".32x128b.warpx4 [%0], %1;"               \
                 :: "r"(dst), "l"(src) : "memory");                            \
  }

TILE_TCGEN05_CP(tcgen05_cp_scales, "cta_group::1")

TILE_TCGEN05_CP(tcgen05_cp_scales_pair, "cta_group::2")

// Rows move down by one lane, 32 bytes of columns at a time.
TILE_DEVICE void tcgen05_shift(uint32_t address) {
  asm volatile("tcgen05.shift.cta_group::1.down [%0];" :: "r"(address)
               : "memory");
}
TILE_DEVICE void tcgen05_shift_pair(uint32_t address) {
  asm volatile("tcgen05.shift.cta_group::2.down [%0];" :: "r"(address)
               : "memory");
}

// --- Cluster launch control (PTX 9.7.13.17).

// Asks for a cluster that has not started yet; 16 bytes at `response`, complete_tx
// on `bar`.
TILE_DEVICE void clc_try_cancel(uint32_t response, uint32_t bar) {
  asm volatile(
      "clusterlaunchcontrol.try_cancel.async.shared::cta"
      ".mbarrier::complete_tx::bytes.b128 [%0], [%1];"
      :: "r"(response), "r"(bar) : "memory");
}

// The same, answered in every CTA of the cluster.
TILE_DEVICE void clc_try_cancel_multicast(uint32_t response, uint32_t bar) {
  asm volatile(
      "clusterlaunchcontrol.try_cancel.async.shared::cta"
      ".mbarrier::complete_tx::bytes.multicast::cluster::all.b128 [%0], [%1];"
      :: "r"(response), "r"(bar) : "memory");
}

// The answer: whether a cluster was taken over, and where its first CTA is.
struct ClcAnswer {
  int canceled, x, y;
};
TILE_DEVICE ClcAnswer clc_query_cancel(uint32_t response) {
  ClcAnswer a;
  asm volatile(
      "{\n .reg .pred p;\n .reg .b128 r;\n .reg .b32 z, w;\n"
      " .reg .b64 lo, hi;\n ld.shared.v2.b64 {lo, hi}, [%3];\n"
      " mov.b128 r, {lo, hi};\n"
      " clusterlaunchcontrol.query_cancel.is_canceled.pred.b128 p, r;\n"
      " selp.s32 %0, 1, 0, p;\n mov.b32 %1, 0;\n mov.b32 %2, 0;\n"
      " @p clusterlaunchcontrol.query_cancel.get_first_ctaid.v4.b32.b128"
      " {%1, %2, z, w}, r;\n}"
      : "=r"(a.canceled), "=r"(a.x), "=r"(a.y) : "r"(response) : "memory");
  return a;
}
