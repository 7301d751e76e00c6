// Debug builds: waits that run out of patience say where, then trap.

// Which wait: indices into the launch plan's names, and the line of the text.
namespace tile {
struct Site {
  int decl;   // declaration of the barrier; -1: a loop
  int index;  // of the array of barriers
  int role;
  int line;
};
}  // namespace tile

// What a wait that ran out of patience leaves behind, in host memory. The first
// one to claim it fills it.
namespace tile {
struct Report {
  int claimed;
  int filled;
  int decl, index, parity, role, line;
  int cta[3];
  int thread;
  int kernel;
  int cluster_rank;
};
}  // namespace tile

// Where it lies; the host sets it. nullptr: nobody reads it.
__device__ tile::Report* tile_report;

// Nanoseconds that a wait may take before it reports and traps.
#ifndef TILE_WAIT_LIMIT_NS
#define TILE_WAIT_LIMIT_NS 2000000000ull
#endif

namespace tile {
TILE_DEVICE uint64_t nanoseconds() {
  uint64_t t;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(t));
  return t;
}
}  // namespace tile

// Writes the report, once, and ends the kernel.
namespace tile {
__device__ __noinline__ void expire(Site site, int parity) {
  Report* r = tile_report;
  if (r != nullptr && atomicCAS_system(&r->claimed, 0, 1) == 0) {
    r->decl = site.decl;
    r->index = site.index;
    r->parity = parity;
    r->role = site.role;
    r->line = site.line;
    r->cta[0] = blockIdx.x;
    r->cta[1] = blockIdx.y;
    r->cta[2] = blockIdx.z;
    r->thread = threadIdx.x;
    r->cluster_rank = cluster_rank();
    __threadfence_system();
    *const_cast<volatile int*>(&r->filled) = 1;
    __threadfence_system();
  }
  // Others give the first one time to write before the trap stops them all.
  for (uint64_t t = nanoseconds(); nanoseconds() - t < 1000000;) {
  }
  __trap();
}
}  // namespace tile

// How long a polling loop has been going on.
namespace tile {
struct Watch {
  uint64_t start = nanoseconds();
  TILE_DEVICE void check(Site site, int parity = -1) const {
    if (nanoseconds() - start > TILE_WAIT_LIMIT_NS) expire(site, parity);
  }
};
}  // namespace tile

// --cycles: for each kernel an array of one number a CTA.
__device__ unsigned long long* tile_cycles[8];

namespace tile {
TILE_DEVICE uint64_t cycles() {
  uint64_t t;
  asm volatile("mov.u64 %0, %%clock64;" : "=l"(t));
  return t;
}
}  // namespace tile

// SM cycles from here to the end of the block, the longest of the CTA's warps.
namespace tile {
struct CycleCounter {
  int kernel;
  uint64_t start = cycles();
  TILE_DEVICE explicit CycleCounter(int index) : kernel(index) {}
  TILE_DEVICE ~CycleCounter() {
    if (threadIdx.x % 32 != 0 || tile_cycles[kernel] == nullptr) return;
    const uint64_t cta =
        (uint64_t{blockIdx.z} * gridDim.y + blockIdx.y) * gridDim.x +
        blockIdx.x;
    atomicMax(&tile_cycles[kernel][cta],
              static_cast<unsigned long long>(cycles() - start));
  }
};
}  // namespace tile
