// Debug builds: waits that run out of patience say where, then trap.

// Which wait: indices into the launch plan's names, and the line of the text.
struct Site {
  int decl;   // declaration of the barrier; -1: a loop
  int index;  // of the array of barriers
  int role;
  int line;
};

// What a wait that ran out of patience leaves behind, in host memory. The first
// one to claim it fills it.
struct Report {
  int claimed;
  int filled;
  int decl, index, parity, role, line;
  int cta[3];
  int thread;
  int kernel;
  int cluster_rank;
  int pending;  // arrivals that the phase still lacked; -1: not known
};

// Where it lies; the host sets it. nullptr: nobody reads it.
__device__ tile::Report* tile_report;

// Nanoseconds that a wait may take before it reports and traps.
#ifndef TILE_WAIT_LIMIT_NS
#define TILE_WAIT_LIMIT_NS 2000000000ull
#endif

// The clock of the GPU, in steps of 32 ns or more.
TILE_DEVICE uint64_t nanoseconds() {
  uint64_t t;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(t));
  return t;
}

// Arrivals that the current phase of a barrier lacks. Arrives, since only an
// arrival tells the state: for kernels that are about to end. A phase that has
// its arrivals and waits for bytes takes no more: this one faults there.
TILE_DEVICE int pending_arrivals(uint32_t bar) {
  uint32_t n;
  asm volatile(
      "{\n .reg .b64 state;\n"
      " mbarrier.arrive.shared::cta.b64 state, [%1];\n"
      " mbarrier.pending_count.b64 %0, state;\n}"
      : "=r"(n) : "r"(bar) : "memory");
  return static_cast<int>(n);
}

// Writes the report, once, and ends the kernel. `parity` -1: a loop.
__device__ __noinline__ void expire(Site site, int parity, uint32_t bar) {
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
    r->pending = -1;
    __threadfence_system();
    *const_cast<volatile int*>(&r->filled) = 1;
    __threadfence_system();
    if (parity >= 0) {
      *const_cast<volatile int*>(&r->pending) = pending_arrivals(bar);
      __threadfence_system();
    }
  }
  // Others give the first one time to write before the trap stops them all.
  for (uint64_t t = nanoseconds(); nanoseconds() - t < 1000000;) {
  }
  __trap();
}

// How long a polling loop has been going on.
struct Watch {
  uint64_t start = nanoseconds();
  TILE_DEVICE void check(Site site, int parity = -1, uint32_t bar = 0) const {
    if (nanoseconds() - start > TILE_WAIT_LIMIT_NS) expire(site, parity, bar);
  }
};

// Other schedules: 0 is none, any other number makes warps sleep at places and
// for times that follow from it.
__device__ uint32_t tile_delay_seed;

// The same in all lanes of a warp. Half of the places do not sleep, most of the
// others for up to 1 us, some for up to 32 us.
TILE_DEVICE void delay(uint32_t place) {
  const uint32_t seed = tile_delay_seed;
  if (seed == 0) return;
  uint32_t x = seed * 0x9e3779b1u + place * 0x85ebca77u +
               (threadIdx.x / 32) * 0xc2b2ae3du +
               (blockIdx.x + 97 * blockIdx.y) * 0x27d4eb2fu;
  x = (x ^ x >> 15) * 0x2c1b3c6du;
  x = (x ^ x >> 12) * 0x297a2d39u;
  x ^= x >> 15;
  if ((x & 1) == 0) return;
  const uint32_t limit = (x & 14) == 0 ? 0x7fff : 0x3ff;
  asm volatile("nanosleep.u32 %0;" :: "r"(x >> 8 & limit));
}

// --trace: room for the stamps of each thread of the first `ctas` CTAs of each
// kernel, `capacity` of 16 bytes; the first two of a thread say how many it
// has, on which SM, from when to when.
struct TraceRoom {
  uint4* stamps;
  uint32_t ctas;
  uint32_t capacity;
};

// The host sets it.
__device__ tile::TraceRoom tile_trace;

// Low half of the SM's clock.
TILE_DEVICE uint32_t stamp() {
  uint32_t t;
  asm volatile("mov.u32 %0, %%clock;" : "=r"(t) :: "memory");
  return t;
}

// The SM that executes this.
TILE_DEVICE uint32_t sm_index() {
  uint32_t r;
  asm volatile("mov.u32 %0, %%smid;" : "=r"(r));
  return r;
}

// The stamps of one thread. Those that find no room are left out, and counted.
struct Trace {
  uint4* stamps = nullptr;
  uint32_t capacity = 0, used = 2, start = 0;
  TILE_DEVICE explicit Trace(uint32_t kernel) {
    const uint32_t cta =
        (blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
    const TraceRoom room = tile_trace;
    if (cta >= room.ctas) return;
    capacity = room.capacity;
    stamps = room.stamps +
             (uint64_t{kernel * room.ctas + cta} * 1024 + threadIdx.x) *
                 capacity;
    start = stamp();
    const uint64_t ns = nanoseconds();
    stamps[1] = make_uint4(static_cast<uint32_t>(ns),
                           static_cast<uint32_t>(ns >> 32), 0, 0);
  }
  TILE_DEVICE ~Trace() {
    if (stamps != nullptr)
      stamps[0] = make_uint4(used, sm_index(), start, stamp());
  }
  TILE_DEVICE void add(uint32_t site, uint32_t index, uint32_t from) {
    if (stamps == nullptr) return;
    if (used < capacity) stamps[used] = make_uint4(site, index, from, stamp());
    ++used;
  }
};

// --cycles: for each kernel an array of one number a CTA.
__device__ unsigned long long* tile_cycles[8];

// The clock of the SM.
TILE_DEVICE uint64_t cycles() {
  uint64_t t;
  asm volatile("mov.u64 %0, %%clock64;" : "=l"(t));
  return t;
}

// SM cycles from here to the end of the block, the longest of the CTA's warps.
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

// --spans: the clock of the GPU and that of the SM, as one store.
TILE_DEVICE void stamp_clocks(ulonglong2* at) {
  ulonglong2 now;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now.x) :: "memory");
  asm volatile("mov.u64 %0, %%clock64;" : "=l"(now.y) :: "memory");
  *at = now;
}

// The index of this CTA in the grid, computed anew each time: what is stamped
// keeps no registers between its start and its end.
TILE_DEVICE uint32_t cta_index_anew() {
  uint32_t x, y, z;
  asm volatile("mov.u32 %0, %%ctaid.x;" : "=r"(x));
  asm volatile("mov.u32 %0, %%ctaid.y;" : "=r"(y));
  asm volatile("mov.u32 %0, %%ctaid.z;" : "=r"(z));
  return (z * gridDim.y + y) * gridDim.x + x;
}

// A CTA has 2 + warps places: its start, its SM, and the end of each warp.
struct Span {
  ulonglong2* room;
  int warps;
  TILE_DEVICE Span(ulonglong2* spans, int n) : room(spans), warps(n) {
    if (threadIdx.x != 0) return;
    ulonglong2* mine = room + uint64_t{cta_index_anew()} * (2 + warps);
    stamp_clocks(mine);
    mine[1] = make_ulonglong2(sm_index(), 1);
  }
  TILE_DEVICE ~Span() {
    if (threadIdx.x % 32 != 0) return;
    ulonglong2* mine = room + uint64_t{cta_index_anew()} * (2 + warps);
    stamp_clocks(mine + 2 + threadIdx.x / 32);
  }
};
