// A CTA passes words to another of its cluster: it writes them, arrives at an
// mbarrier of the other (or sets a flag), the other waits and reads. With every
// order that the arrival and the wait can have. The CTAs are on different SMs.
#include "hwtests/probes/probe.cuh"

namespace probes {
namespace {

// Where the words are, and how the receiver reads them.
enum class Path {
  kPush,     // in the receiver's shared memory
  kPull,     // in the sender's
  kThird,    // in that of a third CTA
  kCached,   // in global memory, ld.global, which may hit in L1
  kRelaxed,  // the same, ld.relaxed.gpu
};
const char* const kPathNames[] = {
    "shared of the receiver", "shared of the sender", "shared of a third CTA",
    "global, ld.global", "global, ld.relaxed.gpu"};

TILE_DEVICE __host__ constexpr bool IsGlobal(Path p) {
  return p >= Path::kCached;
}

// How one side orders: of an arrival release, of a wait acquire; of a flag
// (relaxed.gpu) the fence before it is set, or after it was seen.
enum class Order { kCta, kCluster, kRelaxedCta, kRelaxedCluster };
const char* const kArriveNames[] = {"release.cta", "release.cluster",
                                    "relaxed.cta", "relaxed.cluster"};
const char* const kWaitNames[] = {"acquire.cta", "acquire.cluster",
                                  "relaxed.cta", "relaxed.cluster"};
enum class FlagOrder { kNone, kCta, kCluster, kGpu };
const char* const kFlagNames[] = {"none", "cta", "cluster", "gpu"};

constexpr int kClusterCtas = 4;
constexpr int kClusters = 30;  // on the GPU at a time
constexpr int kReceiver = 0, kSender = 1, kHome = 2, kNoise = 3;
constexpr int kThreads = 128;
constexpr uint32_t kMostWords = 8 * kThreads;
constexpr uint32_t kFlagStride = 32;          // words: a line of its own
constexpr int kSharedBytes = 120 * 1024;      // one CTA an SM
constexpr uint32_t kNoiseOffset = 64 * 1024;  // bytes of shared memory
constexpr uint64_t kLead = 2000;  // cycles: the receiver has read the old words

struct Arguments {
  int iterations;
  int words;  // fewer than threads: one thread writes them all, and arrives
  int delay;  // above 0: from write to arrival, below: from wait to read
  uint32_t* memory;
  uint32_t* flags;
  Count* count;
};

// What a CTA uses: addresses of the cluster's shared memory, or global ones.
struct Place {
  uint32_t words;  // shared::cluster, or own
  uint32_t* global;
  uint32_t bar;       // own
  uint32_t peer_bar;  // the receiver's, shared::cluster
  uint32_t noise;     // shared::cluster
  uint32_t* flag;
};

// --- orders ----------------------------------------------------------------

template <Order kOrder>
TILE_DEVICE void arrive(uint32_t bar) {
  if constexpr (kOrder == Order::kCta) {
    tile::mbarrier_arrive_peer(bar);
  } else if constexpr (kOrder == Order::kCluster) {
    tile::mbarrier_arrive_release_cluster_peer(bar);
  } else if constexpr (kOrder == Order::kRelaxedCta) {
    tile::mbarrier_arrive_relaxed_cta_peer(bar);
  } else {
    tile::mbarrier_arrive_relaxed_cluster_peer(bar);
  }
}

template <Order kOrder>
TILE_DEVICE bool try_wait(uint32_t bar, uint32_t parity) {
  if constexpr (kOrder == Order::kCta) {
    return tile::mbarrier_try_wait(bar, parity);
  } else if constexpr (kOrder == Order::kCluster) {
    return tile::mbarrier_try_wait_acquire_cluster(bar, parity);
  } else if constexpr (kOrder == Order::kRelaxedCta) {
    return tile::mbarrier_try_wait_relaxed_cta(bar, parity);
  }
  return tile::mbarrier_try_wait_relaxed_cluster(bar, parity);
}

template <FlagOrder kOrder>
TILE_DEVICE void fence() {
  if constexpr (kOrder == FlagOrder::kCta) {
    tile::fence_acq_rel_cta();
  } else if constexpr (kOrder == FlagOrder::kCluster) {
    tile::fence_acq_rel_cluster();
  } else if constexpr (kOrder == FlagOrder::kGpu) {
    tile::fence_acq_rel_gpu();
  }
}

TILE_DEVICE uint32_t load_relaxed(const uint32_t* p) {
  uint32_t v;
  asm volatile("ld.relaxed.gpu.global.u32 %0, [%1];"
               : "=r"(v)
               : "l"(p)
               : "memory");
  return v;
}

// Signals over an mbarrier or a flag, by one thread, and waits, by all.
template <Order kArrive, Order kWait>
struct Barrier {
  static constexpr bool kRight =
      kArrive == Order::kCluster && kWait == Order::kCluster;
  static TILE_DEVICE void signal(const Place& at, uint32_t) {
    arrive<kArrive>(at.peer_bar);
  }
  static TILE_DEVICE void wait(const Place& at, uint32_t iteration) {
    for (uint32_t n = 0; !try_wait<kWait>(at.bar, (iteration & 1) ^ 1); ++n) {
      if (n > calibrate::kPatience) __trap();
    }
  }
  static std::string Name() {
    return std::string(kArriveNames[static_cast<int>(kArrive)]) + " to " +
           kWaitNames[static_cast<int>(kWait)];
  }
};

template <FlagOrder kSet, FlagOrder kSeen>
struct Flag {
  static constexpr bool kRight =
      kSet >= FlagOrder::kCluster && kSeen >= FlagOrder::kCluster;
  static TILE_DEVICE void signal(const Place& at, uint32_t iteration) {
    fence<kSet>();
    asm volatile("st.relaxed.gpu.global.u32 [%0], %1;" ::"l"(at.flag),
                 "r"(iteration)
                 : "memory");
  }
  static TILE_DEVICE void wait(const Place& at, uint32_t iteration) {
    for (uint32_t n = 0; load_relaxed(at.flag) != iteration; ++n) {
      if (n > calibrate::kPatience) __trap();
    }
    fence<kSeen>();
  }
  static std::string Name() {
    return std::string("flag, fence ") + kFlagNames[static_cast<int>(kSet)] +
           " to " + kFlagNames[static_cast<int>(kSeen)];
  }
};

// --- the two sides ---------------------------------------------------------

template <Path kPath>
TILE_DEVICE void write(const Place& at, uint32_t word, uint32_t value) {
  if constexpr (IsGlobal(kPath)) {
    asm volatile("st.global.u32 [%0], %1;" ::"l"(at.global + word), "r"(value)
                 : "memory");
  } else {
    asm volatile("st.shared::cluster.u32 [%0], %1;" ::"r"(at.words + word * 4),
                 "r"(value)
                 : "memory");
  }
}

template <Path kPath>
TILE_DEVICE uint32_t read(const Place& at, uint32_t word) {
  uint32_t v;
  if constexpr (kPath == Path::kCached) {
    asm volatile("ld.global.ca.u32 %0, [%1];"
                 : "=r"(v)
                 : "l"(at.global + word)
                 : "memory");
  } else if constexpr (kPath == Path::kRelaxed) {
    v = load_relaxed(at.global + word);
  } else if constexpr (kPath == Path::kPush) {
    asm volatile("ld.shared.u32 %0, [%1];"
                 : "=r"(v)
                 : "r"(at.words + word * 4)
                 : "memory");
  } else {
    asm volatile("ld.shared::cluster.u32 %0, [%1];"
                 : "=r"(v)
                 : "r"(at.words + word * 4)
                 : "memory");
  }
  return v;
}

// Words of this thread that are not of this iteration.
template <Path kPath>
TILE_DEVICE unsigned wrong_words(const Place& at, int words,
                                 uint32_t iteration) {
  unsigned wrong = 0;
  for (int w = threadIdx.x; w < words; w += kThreads) {
    wrong += read<kPath>(at, w) != value_of(iteration, w);
  }
  return wrong;
}

template <Path kPath, class Signal>
TILE_DEVICE void send(const Place& at, const Arguments& a, uint32_t iteration) {
  spin(kLead);
  const bool alone = a.words < kThreads;
  if (alone && threadIdx.x == 0) {
    for (int w = 0; w < a.words; ++w) {
      write<kPath>(at, w, value_of(iteration, w));
    }
  } else if (!alone) {
    for (int w = threadIdx.x; w < a.words; w += kThreads) {
      write<kPath>(at, w, value_of(iteration, w));
    }
    __syncthreads();
  }
  if (a.delay > 0) spin(a.delay);
  if (threadIdx.x == 0) Signal::signal(at, iteration);
}

// The old words are read first: they are in L1 when the new ones are written.
// Broken: these are what it takes for the new ones.
template <Path kPath, class Signal, bool kBroken>
TILE_DEVICE unsigned receive(const Place& at, const Arguments& a,
                             uint32_t iteration) {
  const unsigned early = wrong_words<kPath>(at, a.words, iteration);
  Signal::wait(at, iteration);
  if constexpr (kBroken) return early;
  if (a.delay < 0) spin(-a.delay);
  return wrong_words<kPath>(at, a.words, iteration);
}

// Stores of a fourth CTA to where the words are, so that others wait.
TILE_DEVICE void make_noise(const Place& at, uint32_t iteration) {
  for (int i = 0; i < 64; ++i) {
    asm volatile("st.shared::cluster.u32 [%0], %1;" ::"r"(
                     at.noise + (threadIdx.x * 64 + i) * 4),
                 "r"(iteration)
                 : "memory");
  }
}

template <Path kPath>
TILE_DEVICE Place place_in(const Arguments& a, uint64_t* bar) {
  const uint32_t base = calibrate::shared_base();
  const uint32_t home = kPath == Path::kPush   ? kReceiver
                        : kPath == Path::kPull ? kSender
                                               : kHome;
  const uint32_t own = tile::shared_address(bar);
  const int cluster = blockIdx.x / kClusterCtas;
  Place at = {tile::mapa(base, home),
              a.memory + cluster * kMostWords,
              own,
              tile::mapa(own, kReceiver),
              tile::mapa(base + kNoiseOffset, home),
              a.flags + cluster * kFlagStride};
  // What is its own the receiver reads as such, not through the cluster.
  if (kPath == Path::kPush && tile::cluster_rank() == kReceiver) {
    at.words = base;
  }
  return at;
}

TILE_DEVICE void meet() {
  tile::cluster_arrive();
  tile::cluster_wait();
}

template <Path kPath, class Signal, bool kBroken>
__global__ __launch_bounds__(kThreads) void pass(const Arguments a) {
  __shared__ alignas(8) uint64_t bar;
  const Place at = place_in<kPath>(a, &bar);
  const uint32_t base = calibrate::shared_base();
  for (uint32_t w = threadIdx.x; w < kMostWords; w += kThreads) {
    asm volatile("st.shared.u32 [%0], 0;" ::"r"(base + w * 4) : "memory");
  }
  if (threadIdx.x == 0) {
    tile::mbarrier_init(at.bar, 1);
    tile::fence_mbarrier_init();
  }
  const int rank = tile::cluster_rank();
  unsigned wrong = 0;
#pragma unroll 1
  for (int i = 1; i <= a.iterations; ++i) {
    meet();
    if (rank == kReceiver) wrong += receive<kPath, Signal, kBroken>(at, a, i);
    if (rank == kSender) send<kPath, Signal>(at, a, i);
    if (rank == kNoise && !IsGlobal(kPath)) make_noise(at, i);
  }
  meet();
  const bool counts = rank == kReceiver && threadIdx.x == 0;
  add_to(a.count, counts ? 1ull * a.words * a.iterations : 0, wrong);
}

// --- host ------------------------------------------------------------------

constexpr int kWords[] = {4, kMostWords};
constexpr int kDelays[] = {-300, 0, 100, 1000};
constexpr double kSeconds = 0.012;  // a launch

class Probe {
 public:
  explicit Probe(const char* path) : record_(path) {}

  template <Path kPath>
  void Through() {
    check_ = {};
    Arrive<kPath, Order::kCta>();
    Arrive<kPath, Order::kCluster>();
    Arrive<kPath, Order::kRelaxedCta>();
    Arrive<kPath, Order::kRelaxedCluster>();
    Break<kPath, Barrier<Order::kCluster, Order::kCluster>>();
    if constexpr (IsGlobal(kPath)) {
      Set<kPath, FlagOrder::kNone>();
      Set<kPath, FlagOrder::kCta>();
      Set<kPath, FlagOrder::kCluster>();
      Set<kPath, FlagOrder::kGpu>();
      Break<kPath, Flag<FlagOrder::kGpu, FlagOrder::kGpu>>();
    }
    check_.Say(kPathNames[static_cast<int>(kPath)]);
  }

 private:
  template <Path kPath, Order kArrive>
  void Arrive() {
    All<kPath, Barrier<kArrive, Order::kCta>>();
    All<kPath, Barrier<kArrive, Order::kCluster>>();
    All<kPath, Barrier<kArrive, Order::kRelaxedCta>>();
    All<kPath, Barrier<kArrive, Order::kRelaxedCluster>>();
  }

  template <Path kPath, FlagOrder kSet>
  void Set() {
    All<kPath, Flag<kSet, FlagOrder::kNone>>();
    All<kPath, Flag<kSet, FlagOrder::kCta>>();
    All<kPath, Flag<kSet, FlagOrder::kCluster>>();
    All<kPath, Flag<kSet, FlagOrder::kGpu>>();
  }

  template <Path kPath, class Signal>
  void Break() {
    for (const int words : kWords) {
      check_.Broken(Run<kPath, Signal, true>(words, 0));
    }
  }

  template <Path kPath, class Signal>
  void All() {
    for (const int words : kWords) {
      for (const int delay : kDelays) {
        const Count count = Run<kPath, Signal, false>(words, delay);
        if (Signal::kRight) check_.Right(count);
      }
    }
  }

  template <Path kPath, class Signal, bool kBroken>
  Count Run(int words, int delay) {
    const int iterations = RunFor(kSeconds, [&](int count) {
      CALIBRATE_CHECK(cudaMemsetAsync(memory_.get(), 0, memory_.size() * 4));
      CALIBRATE_CHECK(cudaMemsetAsync(flags_.get(), 0, flags_.size() * 4));
      CALIBRATE_CHECK(cudaMemsetAsync(count_.get(), 0, sizeof(Count)));
      const Arguments a = {count,         words,        delay,
                           memory_.get(), flags_.get(), count_.get()};
      calibrate::Start(pass<kPath, Signal, kBroken>, kClusters * kClusterCtas,
                       kClusterCtas, kThreads, kSharedBytes, a);
    });
    const Count count = count_.Read()[0];
    record_.Add({"scopes", kPathNames[static_cast<int>(kPath)],
                 (kBroken ? "broken: read before " : "") + Signal::Name(),
                 std::to_string(words) + " words", delay},
                iterations, count);
    return count;
  }

  Record record_;
  SelfCheck check_;
  Buffer<uint32_t> memory_{kClusters * kMostWords};
  Buffer<uint32_t> flags_{kClusters * kFlagStride};
  Buffer<Count> count_{1};
};

void Main(const char* path) {
  Probe probe(path);
  probe.Through<Path::kPush>();
  probe.Through<Path::kPull>();
  probe.Through<Path::kThird>();
  probe.Through<Path::kCached>();
  probe.Through<Path::kRelaxed>();
}

}  // namespace
}  // namespace probes

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: %s FILE\n", argv[0]);
    return 2;
  }
  probes::Main(argv[1]);
}
