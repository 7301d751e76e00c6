// Threads write memory through the generic proxy, a barrier, then one of them
// (or a warpgroup) reads it through the asynchronous proxy: with no proxy
// fence, with one by each writer before the barrier, with one by the reader
// after it.
#include "hwtests/probes/readers.cuh"

namespace probes {
namespace {

enum class Fence { kNone, kWriters, kReader, kBoth, kBroken };
const char* const kFenceNames[] = {"none", "writers", "reader", "both",
                                   "broken: read before written"};

// Who writes: all threads; those of other warps than the reader's; the reader's
// warp alone (of wgmma each warp its rows of A), with bar.warp.sync between.
enum class Writers { kAll, kOthers, kOwn };
const char* const kWritersNames[] = {"all", "others", "own"};

const char* const kReaderNames[] = {"wgmma A",
                                    "wgmma B",
                                    "bulk store",
                                    "bulk reduce",
                                    "tensor store",
                                    "bulk push",
                                    "reduce push",
                                    "bulk load of global",
                                    "tensor load of global"};

struct Arguments {
  int iterations;
  uint32_t bytes;
  int delay;      // below 0: of one warp before it writes, above: of the reader
  bool conflict;  // the lanes of a store in one bank
  uint32_t* memory;
  Count* count;
};

// The words that a thread writes, from the last to the first, since readers
// begin with the first: a place after the other, `step` words apart.
struct Part {
  int first, step, count;
};

// Rows of 32 words go to the writing warps in turn; with conflicts columns do.
template <Reader kReader, Writers kWriters>
TILE_DEVICE Part part_of(const Arguments& a) {
  constexpr int kReaderWarps = ReaderThreads(kReader) / 32;
  const int lane = threadIdx.x % 32;
  int warp = threadIdx.x / 32, warps = blockDim.x / 32, from = 0;
  int rows = a.bytes / 128;
  if (kWriters == Writers::kOthers) {
    warp -= kReaderWarps;
    warps -= kReaderWarps;
  } else if (kWriters == Writers::kOwn) {
    rows /= kReaderWarps;
    from = warp * rows * 32;
    warp = 0;
    warps = 1;
  }
  const int count = (rows - warp + warps - 1) / warps;
  return a.conflict ? Part{from + lane * rows + warp, warps, count}
                    : Part{from + lane + warp * 32, warps * 32, count};
}

template <Reader kReader>
TILE_DEVICE void write(const Place& at, Part part, uint32_t iteration) {
#pragma unroll 4
  for (int i = part.count - 1; i >= 0; --i) {
    const uint32_t word = part.first + i * part.step;
    const uint32_t value = written<kReader>(iteration, word);
    if constexpr (IsLoad(kReader)) {
      asm volatile("st.global.u32 [%0], %1;" ::"l"(at.global + word), "r"(value)
                   : "memory");
    } else {
      store_word(at.source + word * 4, value);
    }
  }
}

template <Reader kReader>
TILE_DEVICE void proxy_fence() {
  if constexpr (IsLoad(kReader)) {
    tile::fence_proxy_async_global();
  } else {
    tile::fence_proxy_async_shared();
  }
}

// Between the writers and the reader.
template <Writers kWriters>
TILE_DEVICE void meet() {
  if constexpr (kWriters == Writers::kOwn) {
    __syncwarp();
  } else {
    tile::bar_sync_all(0);
  }
}

// One warp, another each time, writes later than the others.
TILE_DEVICE void be_late(int delay, uint32_t iteration) {
  if (delay < 0 &&
      calibrate::hash(iteration) % (blockDim.x / 32) == threadIdx.x / 32) {
    spin(-delay);
  }
}

// The threads of the reader's warps, after the barrier.
template <Reader kReader>
TILE_DEVICE void begin(const Place& at, const CUtensorMap* map, uint32_t bytes,
                       float (&d)[32]) {
  if constexpr (IsWgmma(kReader)) {
    begin_wgmma<kReader>(at, d);
  } else if (threadIdx.x == 0) {
    begin_copy<kReader>(at, map, bytes);
  }
}

// Waits for the result; how much of this thread's part of it is not the latest.
template <Reader kReader, bool kReads>
TILE_DEVICE unsigned finish(const Place& at, uint32_t words, uint32_t iteration,
                            float (&d)[32]) {
  if constexpr (IsWgmma(kReader) && kReads) {
    tile::wgmma_wait_group<0>();
    tile::pin<32>(d);
    return wrong_of_wgmma<kReader>(d, iteration);
  } else if constexpr (IsWgmma(kReader)) {
    return 0;
  } else if constexpr (HasInbox(kReader)) {
    calibrate::wait(at.bar, (iteration & 1) ^ 1);
  } else {
    if (threadIdx.x == 0) tile::bulk_wait_group<0>();
    __syncthreads();
  }
  return wrong_of_copy<kReader>(at, words, iteration);
}

// Nobody writes the next values before all have looked at these.
template <Reader kReader>
TILE_DEVICE void leave() {
  if constexpr (IsPush(kReader)) {
    tile::cluster_arrive();
    tile::cluster_wait();
  } else {
    __syncthreads();
  }
}

// An iteration of a warp of the reader, or of another: two texts, since ptxas
// serialises wgmma that stands under a condition on the thread.
template <Reader kReader, Fence kFence, Writers kWriters, bool kReads>
TILE_DEVICE unsigned iterate(const Place& at, const CUtensorMap* map,
                             const Arguments& a, Part part,
                             uint32_t iteration) {
  constexpr uint64_t kLate = 3000;  // of broken writers: the reader is done
  float d[32] = {};
  if constexpr (IsWgmma(kReader) && kReads) tile::pin<32>(d);
  if (HasInbox(kReader) && threadIdx.x == 0) {
    tile::mbarrier_arrive_expect_tx(at.bar, a.bytes);
  }
  if constexpr (kFence == Fence::kBroken) {
    if constexpr (kReads) begin<kReader>(at, map, a.bytes, d);
    spin(kLate);
  }
  if constexpr (kWriters == Writers::kAll ||
                kReads == (kWriters == Writers::kOwn)) {
    be_late(a.delay, iteration);
    write<kReader>(at, part, iteration);
    if constexpr (kFence == Fence::kWriters || kFence == Fence::kBoth) {
      proxy_fence<kReader>();
    }
  }
  meet<kWriters>();
  if constexpr (kFence != Fence::kBroken && kReads) {
    if (a.delay > 0) spin(a.delay);
    if constexpr (kFence == Fence::kReader || kFence == Fence::kBoth) {
      proxy_fence<kReader>();
    }
    begin<kReader>(at, map, a.bytes, d);
  }
  const unsigned wrong = finish<kReader, kReads>(at, a.bytes / 4, iteration, d);
  leave<kReader>();
  return wrong;
}

template <Reader kReader, Fence kFence, Writers kWriters, bool kReads>
TILE_DEVICE void iterate_all(const Place& at, const CUtensorMap* map,
                             const Arguments& a) {
  const Part part = part_of<kReader, kWriters>(a);
  unsigned wrong = 0;
#pragma unroll 1
  for (int i = 1; i <= a.iterations; ++i) {
    wrong += iterate<kReader, kFence, kWriters, kReads>(at, map, a, part, i);
  }
  const unsigned long long each = a.bytes / (IsWgmma(kReader) ? 2 : 4);
  add_to(a.count, threadIdx.x == 0 ? each * a.iterations : 0, wrong);
}

template <Reader kReader, Fence kFence, Writers kWriters>
__global__ __launch_bounds__(512, 2) void probe(
    const Arguments a, const __grid_constant__ CUtensorMap map) {
  __shared__ alignas(8) uint64_t bar;
  const uint32_t base = calibrate::shared_base();
  const Place at = {base, base + kMostBytes, tile::shared_address(&bar),
                    a.memory + blockIdx.x * (kMostBytes / 4),
                    static_cast<int>(blockIdx.x * (kMostBytes / kMapRow))};
  if (threadIdx.x == 0) {
    tile::mbarrier_init(at.bar, 1);
    tile::fence_mbarrier_init();
  }
  fill_inbox<kReader>(at);
  __syncthreads();
  leave<kReader>();
  if (tile::warp_index() < ReaderThreads(kReader) / 32) {
    iterate_all<kReader, kFence, kWriters, true>(at, &map, a);
  } else {
    iterate_all<kReader, kFence, kWriters, false>(at, &map, a);
  }
}

// --- host ------------------------------------------------------------------

struct Setup {
  int threads;
  uint32_t bytes;
  bool conflict;
  int ctas;  // an SM
};
constexpr Setup kSetups[] = {{128, 1024, false, 1},
                             {256, 4096, true, 1},
                             {256, 16384, false, 2},
                             {512, 16384, true, 2},
                             {256, 4096, true, 4}};
constexpr int kDelays[] = {-300, -60, 0, 30, 100, 300};
constexpr double kSeconds = 0.010;  // a launch

class Probe {
 public:
  explicit Probe(const char* path) : record_(path) {}

  template <Reader kReader>
  void Read() {
    check_ = {};
    Write<kReader, Writers::kAll>();
    Write<kReader, Writers::kOthers>();
    // Rows of B are read by all warps: no warp's own.
    if constexpr (kReader != Reader::kWgmmaB) {
      Write<kReader, Writers::kOwn>();
    }
    check_.Say(kReaderNames[static_cast<int>(kReader)]);
  }

 private:
  template <Reader kReader, Writers kWriters>
  void Write() {
    for (Setup s : kSetups) {
      if (IsWgmma(kReader)) s.bytes = kWgmmaBytes;
      if (kWriters == Writers::kOthers && s.threads <= ReaderThreads(kReader)) {
        continue;
      }
      for (const int delay : kDelays) {
        Run<kReader, Fence::kNone, kWriters>(s, delay);
        const Count right = Run<kReader, Fence::kWriters, kWriters>(s, delay);
        if (IsRight<kReader, kWriters>()) check_.Right(right);
        Run<kReader, Fence::kReader, kWriters>(s, delay);
        if constexpr (IsLoad(kReader)) {
          Run<kReader, Fence::kBoth, kWriters>(s, delay);
        }
      }
      check_.Broken(Run<kReader, Fence::kBroken, kWriters>(s, 0));
    }
  }

  // PTX does not say which warp's wgmma reads which rows of A: without a
  // barrier of all four no fence makes it right, though a warp may well read
  // its own.
  template <Reader kReader, Writers kWriters>
  static constexpr bool IsRight() {
    return !IsWgmma(kReader) || kWriters != Writers::kOwn;
  }

  // A box is what a CTA writes; the CTAs' places are kMostBytes apart.
  CUtensorMap MapFor(const Setup& s) const {
    CUtensorMap map;
    const int64_t rows = memory_.size() * 4 / kMapRow;
    CALIBRATE_CHECK(host::tensor_map(
        &map, memory_.get(), CU_TENSOR_MAP_DATA_TYPE_UINT32,
        CU_TENSOR_MAP_SWIZZLE_NONE, {kMapRow / 4, rows}, {kMapRow},
        {kMapRow / 4, std::max<int64_t>(1, s.bytes / kMapRow)}));
    return map;
  }

  template <Reader kReader, Fence kFence, Writers kWriters>
  Count Run(const Setup& s, int delay) {
    const CUtensorMap map = MapFor(s);
    const int iterations = RunFor(kSeconds, [&](int count) {
      CALIBRATE_CHECK(
          cudaMemsetAsync(memory_.get(), 0, memory_.size() * 4, nullptr));
      CALIBRATE_CHECK(cudaMemsetAsync(count_.get(), 0, sizeof(Count), nullptr));
      const Arguments a = {count,      s.bytes,       delay,
                           s.conflict, memory_.get(), count_.get()};
      calibrate::Start(probe<kReader, kFence, kWriters>, kSms * s.ctas,
                       IsPush(kReader) ? 2 : 1, s.threads, kSharedBytes, a,
                       map);
    });
    const Count count = count_.Read()[0];
    record_.Add(
        {"proxy", kReaderNames[static_cast<int>(kReader)],
         kFenceNames[static_cast<int>(kFence)], Describe<kWriters>(s), delay},
        iterations, count);
    return count;
  }

  template <Writers kWriters>
  static std::string Describe(const Setup& s) {
    return std::string(kWritersNames[static_cast<int>(kWriters)]) + " of " +
           std::to_string(s.threads) + " write " + std::to_string(s.bytes) +
           " bytes" + (s.conflict ? ", conflicts" : "") + ", " +
           std::to_string(s.ctas) + " CTAs an SM";
  }

  Record record_;
  SelfCheck check_;
  Buffer<uint32_t> memory_{4 * kSms * (kMostBytes / 4)};
  Buffer<Count> count_{1};
};

void Main(const char* path) {
  Probe probe(path);
  probe.Read<Reader::kWgmmaA>();
  probe.Read<Reader::kWgmmaB>();
  probe.Read<Reader::kBulkStore>();
  probe.Read<Reader::kReduceGlobal>();
  probe.Read<Reader::kTensorStore>();
  probe.Read<Reader::kPush>();
  probe.Read<Reader::kReducePush>();
  probe.Read<Reader::kBulkLoad>();
  probe.Read<Reader::kTensorLoad>();
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
