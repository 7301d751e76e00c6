// The device side that the microbenchmarks share: the wrappers of the lowering,
// those that it generates, waits that end, stamps, a common start.
#ifndef TILESIM_HWTESTS_CALIBRATE_DEVICE_CUH_
#define TILESIM_HWTESTS_CALIBRATE_DEVICE_CUH_

#include <cuda.h>
#include <cuda_runtime.h>

#include <cstdint>

namespace tile {
// In the order in which lowered files carry them.
// clang-format off
#include "hwtests/emit/device/core.cuh"
#include "hwtests/emit/device/watchdog.cuh"
#include "hwtests/emit/device/mbarrier.cuh"
#include "hwtests/emit/device/sync.cuh"
#include "hwtests/emit/device/tma.cuh"
#include "hwtests/emit/device/bulk.cuh"
#include "hwtests/emit/device/fragment.cuh"
#include "hwtests/emit/device/cp_async.cuh"
#include "hwtests/emit/device/memory.cuh"
#include "hwtests/emit/device/math.cuh"
#include "hwtests/emit/device/mma.cuh"
#include "hwtests/emit/device/wgmma.cuh"
// clang-format on
}  // namespace tile

namespace calibrate {

using tile::cycles;
using tile::nanoseconds;
using tile::shared_address;
using tile::sm_index;

constexpr int kSms = 132;
constexpr uint32_t kPatience = 1u << 24;  // polls, some seconds
constexpr int kRowBytes = 128;            // a row of a box, and of a swizzle

// Waits for a phase; a barrier that never completes ends the kernel.
TILE_DEVICE void wait(uint32_t bar, uint32_t parity) {
  for (uint32_t polls = 0; !tile::mbarrier_try_wait(bar, parity); ++polls) {
    if (polls > kPatience) __trap();
  }
}

// The index of a stage and the parity of its phase.
struct Slot {
  int index = 0;
  uint32_t parity = 0;
  TILE_DEVICE void next(int stages) {
    if (++index == stages) {
      index = 0;
      parity ^= 1;
    }
  }
};

// One box of a tensor into shared memory; complete_tx on `bar`.
TILE_DEVICE void load_box(uint32_t dst, const CUtensorMap* map, uint32_t bar,
                          int x, int y) {
  asm volatile(
      "cp.async.bulk.tensor.2d.shared::cluster.global.tile"
      ".mbarrier::complete_tx::bytes [%0], [%1, {%3, %4}], [%2];" ::"r"(dst),
      "l"(map), "r"(bar), "r"(x), "r"(y)
      : "memory");
}

// The same to every rank of `mask`, at the same offsets.
TILE_DEVICE void load_box_multicast(uint32_t dst, const CUtensorMap* map,
                                    uint32_t bar, uint16_t mask, int x, int y) {
  asm volatile(
      "cp.async.bulk.tensor.2d.shared::cluster.global.tile"
      ".mbarrier::complete_tx::bytes.multicast::cluster"
      " [%0], [%1, {%4, %5}], [%2], %3;" ::"r"(dst),
      "l"(map), "r"(bar), "h"(mask), "r"(x), "r"(y)
      : "memory");
}

// Shared memory to one box of a tensor; bulk group.
TILE_DEVICE void store_box(const CUtensorMap* map, uint32_t src, int x, int y) {
  asm volatile(
      "cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group"
      " [%0, {%2, %3}], [%1];" ::"l"(map),
      "r"(src), "r"(x), "r"(y)
      : "memory");
}

// The same, added to what is there.
TILE_DEVICE void add_box(const CUtensorMap* map, uint32_t src, int x, int y) {
  asm volatile(
      "cp.reduce.async.bulk.tensor.2d.global.shared::cta.add.tile.bulk_group"
      " [%0, {%2, %3}], [%1];" ::"l"(map),
      "r"(src), "r"(x), "r"(y)
      : "memory");
}

// The dynamic shared memory, from the first multiple of 1024 on.
TILE_DEVICE uint32_t shared_base() {
  extern __shared__ uint8_t calibrate_shared[];
  return (shared_address(calibrate_shared) + 1023) & ~1023u;
}

// Addresses are loop invariants that the compiler would make anew.
TILE_DEVICE uint32_t kept(uint32_t x) {
  asm volatile("" : "+r"(x));
  return x;
}

// Keeps the clock from being read before `value` is there: the store needs it.
TILE_DEVICE uint64_t cycles_after(uint64_t value) {
  __shared__ uint64_t sink[32];
  asm volatile(
      "st.shared.u64 [%0], %1;" ::"r"(shared_address(&sink[threadIdx.x / 32])),
      "l"(value)
      : "memory");
  return cycles();
}

// Spins for a number of cycles of the SM.
TILE_DEVICE void spin(uint64_t length) {
  for (const uint64_t start = cycles(); cycles() - start < length;) {
  }
}

// Whether any of 128 threads says so: wgmma needs all warps of a warpgroup to
// leave a loop together.
TILE_DEVICE bool any_of_warpgroup(bool says, uint32_t barrier) {
  uint32_t any;
  asm volatile(
      "{\n .reg .pred p, q;\n setp.ne.b32 q, %1, 0;\n"
      " barrier.cta.red.or.pred p, %2, 128, q;\n selp.u32 %0, 1, 0, p;\n}"
      : "=r"(any)
      : "r"(static_cast<uint32_t>(says)), "r"(barrier)
      : "memory");
  return any != 0;
}

// CTAs that do not take part stay until each SM has one.
TILE_DEVICE bool takes_part(bool chosen) {
  if (!chosen) spin(20000);
  return chosen;
}

// Where the CTAs of a launch meet; zero before it.
struct Gate {
  unsigned arrived;
  unsigned unused;
  unsigned long long leave;  // time of the GPU
};

// One thread a CTA: all of them leave within a tick of the GPU's timer, 32 ns.
TILE_DEVICE void start_together(Gate* gate, unsigned ctas) {
  constexpr unsigned long long kAhead = 4000;  // ns: all know by then
  if (atomicAdd(&gate->arrived, 1) == ctas - 1) {
    atomicExch(&gate->leave, nanoseconds() + kAhead);
  }
  const volatile unsigned long long* leave = &gate->leave;
  for (uint32_t polls = 0; *leave == 0 || nanoseconds() < *leave; ++polls) {
    if (polls > kPatience) __trap();
  }
}

// A CTA's rows of the operands as the first CTAs of a GEMM have them: eight
// rows of tiles share the tiles of B.
struct GemmTile {
  int m, n;
  TILE_DEVICE explicit GemmTile(int cta, int rows)
      : m(cta % 8 * rows), n(cta / 8 * rows) {}
};

}  // namespace calibrate

#endif  // TILESIM_HWTESTS_CALIBRATE_DEVICE_CUH_
