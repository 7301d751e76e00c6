// mbarrier objects (PTX 9.7.13.15).

// Makes a barrier whose phases take `count` arrivals; before anybody else uses
// it, a fence (fence_mbarrier_init) and a barrier of threads.
TILE_DEVICE void mbarrier_init(uint32_t bar, uint32_t count) {
  asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;"
               :: "r"(bar), "r"(count) : "memory");
}

// Ends the life of a barrier: its memory may be used for something else.
TILE_DEVICE void mbarrier_inval(uint32_t bar) {
  asm volatile("mbarrier.inval.shared::cta.b64 [%0];" :: "r"(bar) : "memory");
}

// Arrivals, on a barrier of this CTA or (peer) on mapa's address of another's.
#define TILE_ARRIVE(name, op, space)                                           \
  TILE_DEVICE void name(uint32_t bar, uint32_t count = 1) {                    \
    asm volatile(op "." space ".b64 _, [%0], %1;"                              \
                 :: "r"(bar), "r"(count) : "memory");                          \
  }

TILE_ARRIVE(mbarrier_arrive, "mbarrier.arrive", "shared::cta")

TILE_ARRIVE(mbarrier_arrive_relaxed_cta, "mbarrier.arrive.relaxed.cta",
            "shared::cta")

TILE_ARRIVE(mbarrier_arrive_relaxed_cluster, "mbarrier.arrive.relaxed.cluster",
            "shared::cta")

TILE_ARRIVE(mbarrier_arrive_release_cta,
            "mbarrier.arrive.release.cta", "shared::cta")

TILE_ARRIVE(mbarrier_arrive_release_cluster, "mbarrier.arrive.release.cluster",
            "shared::cta")

TILE_ARRIVE(mbarrier_arrive_peer, "mbarrier.arrive", "shared::cluster")

TILE_ARRIVE(mbarrier_arrive_relaxed_cta_peer, "mbarrier.arrive.relaxed.cta",
            "shared::cluster")

TILE_ARRIVE(mbarrier_arrive_relaxed_cluster_peer,
            "mbarrier.arrive.relaxed.cluster", "shared::cluster")

TILE_ARRIVE(mbarrier_arrive_release_cta_peer,
            "mbarrier.arrive.release.cta", "shared::cluster")

TILE_ARRIVE(mbarrier_arrive_release_cluster_peer,
            "mbarrier.arrive.release.cluster", "shared::cluster")

TILE_ARRIVE(mbarrier_arrive_drop, "mbarrier.arrive_drop", "shared::cta")

TILE_ARRIVE(mbarrier_arrive_drop_relaxed_cta,
            "mbarrier.arrive_drop.relaxed.cta", "shared::cta")

TILE_ARRIVE(mbarrier_arrive_drop_relaxed_cluster,
            "mbarrier.arrive_drop.relaxed.cluster", "shared::cta")

TILE_ARRIVE(mbarrier_arrive_drop_release_cta,
            "mbarrier.arrive_drop.release.cta", "shared::cta")

TILE_ARRIVE(mbarrier_arrive_drop_release_cluster,
            "mbarrier.arrive_drop.release.cluster", "shared::cta")

TILE_ARRIVE(mbarrier_arrive_drop_peer, "mbarrier.arrive_drop",
            "shared::cluster")

TILE_ARRIVE(mbarrier_arrive_drop_relaxed_cta_peer,
            "mbarrier.arrive_drop.relaxed.cta", "shared::cluster")

TILE_ARRIVE(mbarrier_arrive_drop_relaxed_cluster_peer,
            "mbarrier.arrive_drop.relaxed.cluster", "shared::cluster")

TILE_ARRIVE(mbarrier_arrive_drop_release_cta_peer,
            "mbarrier.arrive_drop.release.cta", "shared::cluster")

TILE_ARRIVE(mbarrier_arrive_drop_release_cluster_peer,
            "mbarrier.arrive_drop.release.cluster", "shared::cluster")

// Expects `bytes` more in this phase, then arrives once.
TILE_ARRIVE(mbarrier_arrive_expect_tx, "mbarrier.arrive.expect_tx",
            "shared::cta")

TILE_ARRIVE(mbarrier_arrive_expect_tx_relaxed_cta,
            "mbarrier.arrive.expect_tx.relaxed.cta", "shared::cta")

TILE_ARRIVE(mbarrier_arrive_expect_tx_relaxed_cluster,
            "mbarrier.arrive.expect_tx.relaxed.cluster", "shared::cta")

TILE_ARRIVE(mbarrier_arrive_expect_tx_release_cta,
            "mbarrier.arrive.expect_tx.release.cta", "shared::cta")

TILE_ARRIVE(mbarrier_arrive_expect_tx_release_cluster,
            "mbarrier.arrive.expect_tx.release.cluster", "shared::cta")

TILE_ARRIVE(mbarrier_arrive_expect_tx_peer, "mbarrier.arrive.expect_tx",
            "shared::cluster")

TILE_ARRIVE(mbarrier_arrive_expect_tx_relaxed_cta_peer,
            "mbarrier.arrive.expect_tx.relaxed.cta", "shared::cluster")

TILE_ARRIVE(mbarrier_arrive_expect_tx_relaxed_cluster_peer,
            "mbarrier.arrive.expect_tx.relaxed.cluster", "shared::cluster")

TILE_ARRIVE(mbarrier_arrive_expect_tx_release_cta_peer,
            "mbarrier.arrive.expect_tx.release.cta", "shared::cluster")

TILE_ARRIVE(mbarrier_arrive_expect_tx_release_cluster_peer,
            "mbarrier.arrive.expect_tx.release.cluster", "shared::cluster")

// Transaction bytes without an arrival.
#define TILE_TX(name, op, space)                                               \
  TILE_DEVICE void name(uint32_t bar, uint32_t bytes) {                        \
    asm volatile(op "." space ".b64 [%0], %1;"                                 \
                 :: "r"(bar), "r"(bytes) : "memory");                          \
  }

TILE_TX(mbarrier_expect_tx, "mbarrier.expect_tx.relaxed.cta", "shared::cta")

TILE_TX(mbarrier_expect_tx_peer, "mbarrier.expect_tx.relaxed.cluster",
        "shared::cluster")

TILE_TX(mbarrier_complete_tx, "mbarrier.complete_tx.relaxed.cta", "shared::cta")

TILE_TX(mbarrier_complete_tx_peer, "mbarrier.complete_tx.relaxed.cluster",
        "shared::cluster")

// Asks whether the phase of that parity, current or just before, is complete:
// test_ once, try_ with the hardware's patience, wait until it is.
#define TILE_TEST(name, op)                                                    \
  TILE_DEVICE bool name(uint32_t bar, uint32_t parity) {                       \
    uint32_t done;                                                             \
    asm volatile("{\n .reg .pred p;\n " op                                     \
                 ".shared::cta.b64 p, [%1], %2;\n"                             \
                 " selp.u32 %0, 1, 0, p;\n}"                                   \
                 : "=r"(done) : "r"(bar), "r"(parity) : "memory");             \
    return done != 0;                                                          \
  }

// Loops on try_wait.
#define TILE_WAIT(name, try_name)                                              \
  TILE_DEVICE void name(uint32_t bar, uint32_t parity) {                       \
    while (!try_name(bar, parity)) {                                           \
    }                                                                          \
  }

// The same for at most TILE_WAIT_LIMIT_NS, then reports `site`.
#define TILE_WATCHED_WAIT(name, try_name)                                      \
  TILE_DEVICE void name(uint32_t bar, uint32_t parity, Site site) {            \
    Watch watch;                                                               \
    while (!try_name(bar, parity)) watch.check(site, parity, bar);                  \
  }

TILE_TEST(mbarrier_test_wait, "mbarrier.test_wait.parity")

TILE_TEST(mbarrier_test_wait_acquire_cta,
          "mbarrier.test_wait.parity.acquire.cta")

TILE_TEST(mbarrier_test_wait_acquire_cluster,
          "mbarrier.test_wait.parity.acquire.cluster")

TILE_TEST(mbarrier_test_wait_relaxed_cta,
          "mbarrier.test_wait.parity.relaxed.cta")

TILE_TEST(mbarrier_test_wait_relaxed_cluster,
          "mbarrier.test_wait.parity.relaxed.cluster")

TILE_TEST(mbarrier_try_wait, "mbarrier.try_wait.parity")

TILE_TEST(mbarrier_try_wait_acquire_cta,
          "mbarrier.try_wait.parity.acquire.cta")

TILE_TEST(mbarrier_try_wait_acquire_cluster,
          "mbarrier.try_wait.parity.acquire.cluster")

TILE_TEST(mbarrier_try_wait_relaxed_cta, "mbarrier.try_wait.parity.relaxed.cta")

TILE_TEST(mbarrier_try_wait_relaxed_cluster,
          "mbarrier.try_wait.parity.relaxed.cluster")

TILE_WAIT(mbarrier_wait, mbarrier_try_wait)

TILE_WAIT(mbarrier_wait_acquire_cta, mbarrier_try_wait_acquire_cta)

TILE_WAIT(mbarrier_wait_acquire_cluster, mbarrier_try_wait_acquire_cluster)

TILE_WAIT(mbarrier_wait_relaxed_cta, mbarrier_try_wait_relaxed_cta)

TILE_WAIT(mbarrier_wait_relaxed_cluster, mbarrier_try_wait_relaxed_cluster)

TILE_WATCHED_WAIT(watched_mbarrier_wait, mbarrier_try_wait)

TILE_WATCHED_WAIT(watched_mbarrier_wait_acquire_cta,
                  mbarrier_try_wait_acquire_cta)

TILE_WATCHED_WAIT(watched_mbarrier_wait_acquire_cluster,
                  mbarrier_try_wait_acquire_cluster)

TILE_WATCHED_WAIT(watched_mbarrier_wait_relaxed_cta,
                  mbarrier_try_wait_relaxed_cta)

TILE_WATCHED_WAIT(watched_mbarrier_wait_relaxed_cluster,
                  mbarrier_try_wait_relaxed_cluster)
