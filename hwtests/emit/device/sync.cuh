// Hardware barriers, fences, the register pool.

// Named barrier: waits until `threads` threads have arrived or synced.
TILE_DEVICE void bar_sync(uint32_t id, uint32_t threads) {
  asm volatile("bar.sync %0, %1;" :: "r"(id), "r"(threads) : "memory");
}

// The same for all threads of the CTA.
TILE_DEVICE void bar_sync_all(uint32_t id) {
  asm volatile("bar.sync %0;" :: "r"(id) : "memory");
}

// Counts in a named barrier without waiting for it.
TILE_DEVICE void bar_arrive(uint32_t id, uint32_t threads) {
  asm volatile("bar.arrive %0, %1;" :: "r"(id), "r"(threads) : "memory");
}

// Instructions without operands.
#define TILE_PLAIN(name, op)                                                   \
  TILE_DEVICE void name() {                                                    \
    asm volatile(op ";" ::: "memory");                                         \
  }

TILE_PLAIN(cluster_arrive, "barrier.cluster.arrive.release.aligned")

TILE_PLAIN(cluster_arrive_relaxed, "barrier.cluster.arrive.relaxed.aligned")

TILE_PLAIN(cluster_wait, "barrier.cluster.wait.acquire.aligned")

TILE_PLAIN(fence_mbarrier_init, "fence.mbarrier_init.release.cluster")

TILE_PLAIN(fence_proxy_async, "fence.proxy.async")

TILE_PLAIN(fence_proxy_async_shared, "fence.proxy.async.shared::cta")

TILE_PLAIN(fence_proxy_async_global, "fence.proxy.async.global")

TILE_PLAIN(fence_proxy_async_cluster, "fence.proxy.async.shared::cluster")

TILE_PLAIN(fence_proxy_async_acquire,
           "fence.proxy.async::generic.acquire"
           ".sync_restrict::shared::cluster.cluster")

TILE_PLAIN(fence_proxy_async_release,
           "fence.proxy.async::generic.release"
           ".sync_restrict::shared::cta.cluster")

TILE_PLAIN(fence_acq_rel_cta, "fence.acq_rel.cta")

TILE_PLAIN(fence_acq_rel_cluster, "fence.acq_rel.cluster")

TILE_PLAIN(fence_acq_rel_gpu, "fence.acq_rel.gpu")

TILE_PLAIN(fence_acq_rel_sys, "fence.acq_rel.sys")

TILE_PLAIN(fence_sc_cta, "fence.sc.cta")

TILE_PLAIN(fence_sc_cluster, "fence.sc.cluster")

TILE_PLAIN(fence_sc_gpu, "fence.sc.gpu")

TILE_PLAIN(fence_sc_sys, "fence.sc.sys")

TILE_PLAIN(fence_acquire_cta, "fence.acquire.cta")

TILE_PLAIN(fence_acquire_cluster, "fence.acquire.cluster")

TILE_PLAIN(fence_acquire_gpu, "fence.acquire.gpu")

TILE_PLAIN(fence_acquire_sys, "fence.acquire.sys")

TILE_PLAIN(fence_release_cta, "fence.release.cta")

TILE_PLAIN(fence_release_cluster, "fence.release.cluster")

TILE_PLAIN(fence_release_gpu, "fence.release.gpu")

TILE_PLAIN(fence_release_sys, "fence.release.sys")

TILE_PLAIN(griddepcontrol_launch_dependents, "griddepcontrol.launch_dependents")

TILE_PLAIN(griddepcontrol_wait, "griddepcontrol.wait")

// Each thread of the warpgroup gets kRegisters, once there are so many.
template <int kRegisters>
TILE_DEVICE void setmaxnreg_inc() {
  asm volatile("setmaxnreg.inc.sync.aligned.u32 %0;" :: "n"(kRegisters));
}

// Each thread of the warpgroup keeps kRegisters and gives back the others.
template <int kRegisters>
TILE_DEVICE void setmaxnreg_dec() {
  asm volatile("setmaxnreg.dec.sync.aligned.u32 %0;" :: "n"(kRegisters));
}
