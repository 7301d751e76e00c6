// wgmma (PTX 9.7.15); the multiplications are generated, see wgmma_text.h.

TILE_PLAIN(wgmma_fence, "wgmma.fence.sync.aligned")

TILE_PLAIN(wgmma_commit_group, "wgmma.commit_group.sync.aligned")

// Waits until at most kPending of this warp's groups are not done.
template <int kPending>
TILE_DEVICE void wgmma_wait_group() {
  asm volatile("wgmma.wait_group.sync.aligned %0;" :: "n"(kPending) : "memory");
}

// Keeps the compiler from moving uses of the registers of an asynchronous
// operation across this point. No instruction.
template <int kCount>
TILE_DEVICE void pin(float* r) {
#pragma unroll
  for (int i = 0; i < kCount; ++i) asm volatile("" : "+f"(r[i]) :: "memory");
}
template <int kCount, class Word>
TILE_DEVICE void pin(Word* r) {
#pragma unroll
  for (int i = 0; i < kCount; ++i) asm volatile("" : "+r"(r[i]) :: "memory");
}

// A shared-memory matrix descriptor: `start` is an address, the offsets bytes
// (PTX 9.7.15.5). kBits has the constant bits: swizzle mode and version.
template <uint64_t kBits>
TILE_DEVICE uint64_t matrix_descriptor(uint32_t start) {
  return kBits | ((start & 0x3ffff) >> 4);
}
