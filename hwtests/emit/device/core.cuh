// Types, and who is executing.

#ifdef __CUDACC_RTC__
using int8_t = signed char;
using uint8_t = unsigned char;
using int16_t = short;
using uint16_t = unsigned short;
using int32_t = int;
using uint32_t = unsigned;
using int64_t = long long;
using uint64_t = unsigned long long;
struct alignas(64) CUtensorMap { uint64_t opaque[16]; };
#else
#include <cstdint>
#include <cuda.h>
#endif
#define TILE_DEVICE __device__ __forceinline__

// Numbers of 16 bits and fewer are carried as their bits.
using f16 = uint16_t;
using bf16 = uint16_t;

// The warp of the CTA, known to be the same in all lanes.
TILE_DEVICE int warp_index() {
  return __shfl_sync(0xffffffffu, static_cast<int>(threadIdx.x / 32), 0);
}

// The lane of the warp.
TILE_DEVICE int lane_index() { return static_cast<int>(threadIdx.x % 32); }

// elect.sync: true in one lane of a converged warp.
TILE_DEVICE bool elect_one() {
  uint32_t elected;
  asm volatile(
      "{\n .reg .pred p;\n elect.sync _|p, 0xffffffff;\n"
      " selp.u32 %0, 1, 0, p;\n}" : "=r"(elected));
  return elected != 0;
}

// The number of the CTA in its cluster.
TILE_DEVICE int cluster_rank() {
  uint32_t r;
  asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(r));
  return static_cast<int>(r);
}

// How many CTAs a cluster has.
TILE_DEVICE int cluster_size() {
  uint32_t r;
  asm("mov.u32 %0, %%cluster_nctarank;" : "=r"(r));
  return static_cast<int>(r);
}

// The place of the cluster in the grid of clusters.
TILE_DEVICE int cluster_x() {
  uint32_t r;
  asm("mov.u32 %0, %%clusterid.x;" : "=r"(r));
  return static_cast<int>(r);
}

// The same in y.
TILE_DEVICE int cluster_y() {
  uint32_t r;
  asm("mov.u32 %0, %%clusterid.y;" : "=r"(r));
  return static_cast<int>(r);
}

// Quotient rounded up.
TILE_DEVICE __host__ constexpr int64_t cdiv(int64_t a, int64_t b) {
  return (a + b - 1) / b;
}

// The same of numbers that may be below 0.
TILE_DEVICE __host__ constexpr int64_t cdiv_signed(int64_t a, int64_t b) {
  return a / b + (a % b != 0 && (a < 0) == (b < 0));
}

// Shared-window address of shared memory.
TILE_DEVICE uint32_t shared_address(const void* p) {
  return static_cast<uint32_t>(__cvta_generic_to_shared(p));
}

// The address of the same place in the shared memory of cluster rank `rank`.
TILE_DEVICE uint32_t mapa(uint32_t address, uint32_t rank) {
  uint32_t peer;
  asm("mapa.shared::cluster.u32 %0, %1, %2;"
      : "=r"(peer) : "r"(address), "r"(rank));
  return peer;
}
