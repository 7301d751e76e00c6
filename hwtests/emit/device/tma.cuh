// TMA: tensor copies are generated, see tma_text.h.

// A hint: the tensor map will be used soon.
TILE_DEVICE void prefetch_tensormap(const CUtensorMap* map) {
  asm volatile("prefetch.tensormap [%0];" :: "l"(map) : "memory");
}
