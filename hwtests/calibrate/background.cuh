// What else goes on in an SM while something is measured: products, tensor
// loads, loads and stores of shared memory, each until a flag is set.
#ifndef TILESIM_HWTESTS_CALIBRATE_BACKGROUND_CUH_
#define TILESIM_HWTESTS_CALIBRATE_BACKGROUND_CUH_

#include "hwtests/calibrate/harness.cuh"
#include "hwtests/calibrate/wgmma.cuh"

namespace calibrate {

// Shared memory: operands, a ring for tensor loads, room for other accesses.
struct Scene {
  static constexpr int kA = 16 << 10, kB = 32 << 10, kRoom = 16 << 10;
  static constexpr int kBox = 128 * kRowBytes, kBoxes = 4;
  static constexpr int kBytes = kA + kB + kRoom + kBoxes * kBox + 1024;
  uint32_t a, b, room, ring;
  TILE_DEVICE explicit Scene(uint32_t base)
      : a(base), b(a + kA), room(b + kB), ring(room + kRoom) {}
  // Normal numbers everywhere; all threads of the CTA.
  TILE_DEVICE void fill() const {
    for (uint32_t at = threadIdx.x * 4; at < kBytes - 1024;
         at += blockDim.x * 4) {
      const uint32_t word =
          tile::pack_f16(nearly_normal(at), nearly_normal(at + 1));
      asm volatile("st.shared.u32 [%0], %1;" ::"r"(a + at), "r"(word)
                   : "memory");
    }
    tile::fence_proxy_async_shared();
  }
};

using Flag = volatile int;

// One lane; boxes of the SM's own 128 KB, which stay in L2.
TILE_DEVICE uint32_t fetch_until(Flag* stop, const CUtensorMap* map,
                                 const Scene& scene, uint64_t* barriers) {
  const uint32_t bar = shared_address(barriers);
  const int y = blockIdx.x * 128;
  uint32_t boxes = 0;
  Slot slot;
  for (int i = 0; i < Scene::kBoxes; ++i) {
    tile::mbarrier_arrive_expect_tx(bar + 8 * i, Scene::kBox);
    load_box(scene.ring + i * Scene::kBox, map, bar + 8 * i, i * 64, y);
  }
  while (!*stop) {
    const uint32_t full = bar + 8 * slot.index;
    wait(full, slot.parity);
    tile::mbarrier_arrive_expect_tx(full, Scene::kBox);
    load_box(scene.ring + slot.index * Scene::kBox, map, full, boxes % 8 * 64,
             y);
    slot.next(Scene::kBoxes);
    ++boxes;
  }
  for (int i = 0; i < Scene::kBoxes; ++i, slot.next(Scene::kBoxes))
    wait(bar + 8 * slot.index, slot.parity);
  return boxes;
}

// Three warps, so that with two warpgroups and one warp for tensor loads no
// part of the SM has four: a thread may have 168 registers.
constexpr int kReaders = 96;
constexpr int kAccesses =
    8;  // of 16 bytes a thread, in a turn of the two below
constexpr int kTurnBytes = kAccesses * kReaders * 16;

// Loads of 16 bytes without bank conflicts.
TILE_DEVICE uint32_t read_until(Flag* stop, const Scene& scene) {
  const uint32_t at = scene.room + threadIdx.x % kReaders * 16;
  uint32_t turns = 0;
  for (; !*stop; ++turns) {
#pragma unroll
    for (int i = 0; i < kAccesses; ++i) {
      asm volatile(
          "{\n .reg .b32 w<4>;\n"
          " ld.volatile.shared.v4.b32 {w0, w1, w2, w3}, [%0];\n}" ::"r"(
              at + i * kReaders * 16)
          : "memory");
    }
  }
  return turns;
}

// The same with stores.
TILE_DEVICE uint32_t write_until(Flag* stop, const Scene& scene) {
  const uint32_t at = scene.room + threadIdx.x % kReaders * 16;
  uint32_t turns = 0;
  for (; !*stop; ++turns) {
#pragma unroll
    for (int i = 0; i < kAccesses; ++i) {
      asm volatile("st.volatile.shared.v4.u32 [%0], {%1, %1, %1, %1};" ::"r"(
                       at + i * kReaders * 16),
                   "r"(turns)
                   : "memory");
    }
  }
  return turns;
}

// A warpgroup: 64 x 128 products of 64 elements of K.
TILE_DEVICE uint32_t multiply_until(Flag* stop, const Scene& scene,
                                    float* sink) {
  float acc[64] = {};
  const uint64_t a = descriptor(scene.a, false, 0);
  const uint64_t b = descriptor(scene.b, false, 0);
  constexpr int kUnasked = 8;  // turns until the flag is looked at again
  constexpr uint32_t kBarrier = 15;
  uint32_t turns = 0;
  do {
#pragma unroll 1
    for (int i = 0; i < kUnasked; ++i) {
      tile::wgmma_fence();
      multiply(acc, a, b);
      tile::wgmma_commit_group();
      tile::wgmma_wait_group<1>();
    }
    turns += kUnasked;
  } while (!any_of_warpgroup(*stop, kBarrier));
  tile::wgmma_wait_group<0>();
  consume(acc, sink);
  return turns;
}

}  // namespace calibrate

#endif  // TILESIM_HWTESTS_CALIBRATE_BACKGROUND_CUH_
