// What a cluster pays at its start and its end: its first barriers, the first
// tiles that its CTAs fetch for each other, the first arrivals at a peer's
// barrier, and the barrier behind stores. A ring of one stage, so that each of
// its rounds shows all of its latencies.
#include "hwtests/calibrate/harness.cuh"

namespace calibrate {
namespace {

constexpr int kRounds = 6, kThreads = 160, kLoader = 4;
constexpr int kA = 128 * kRowBytes, kB = 128 * kRowBytes, kPitch = 8192;

enum Stamp {
  kInit,        // barriers initialised
  kArrived,     // at the first barrier of the cluster, or of the CTA
  kMet,         // through it
  kMetAgain,    // a second one
  kLoaded,      // kRounds of: the stage is there, since its loads were issued
  kReleased = kLoaded + kRounds,  // and all have left it, since it was there
  kStored = kReleased + kRounds,  // a tile of fragments is issued
  kLeft,                          // arrived at the last barrier
  kEnd,                           // through it
  kStamps,
};

struct Plan {
  bool multicast;  // B comes by halves, or quarters; else each its own
  bool stores;
  bool again;  // a second barrier at the start
};

template <bool kCluster>
TILE_DEVICE void meet_arrive() {
  if (kCluster) tile::cluster_arrive();
}
template <bool kCluster>
TILE_DEVICE void meet_wait() {
  if (kCluster) {
    tile::cluster_wait();
  } else {
    __syncthreads();
  }
}

template <bool kCluster>
__global__ __launch_bounds__(kThreads, 1) void pair_of_tiles(
    const __grid_constant__ CUtensorMap map_a,
    const __grid_constant__ CUtensorMap map_b, const Plan p, char* out,
    uint32_t* stamps) {
  const uint32_t start = tile::stamp();
  __shared__ uint64_t bars[2];
  __shared__ uint32_t at[kStamps], issued[kRounds], seen[kRounds];
  const uint32_t full = shared_address(&bars[0]);
  const uint32_t empty = shared_address(&bars[1]);
  const int size = kCluster ? tile::cluster_size() : 1;
  const int rank = kCluster ? tile::cluster_rank() : 0;
  const int warp = threadIdx.x / 32;
  if (threadIdx.x == 0) {
    tile::mbarrier_init(full, 1);
    tile::mbarrier_init(empty, size);
    tile::fence_mbarrier_init();
    at[kInit] = tile::stamp() - start;
  }
  __syncwarp();
  meet_arrive<kCluster>();
  const uint32_t arrived = tile::stamp();
  meet_wait<kCluster>();
  const uint32_t met = tile::stamp();
  if (p.again) {
    meet_arrive<kCluster>();
    meet_wait<kCluster>();
  }
  const uint32_t again = tile::stamp();
  if (threadIdx.x == 0) {
    at[kArrived] = arrived - start;
    at[kMet] = met - start;
    at[kMetAgain] = again - met;
  }
  const uint32_t base = shared_base();
  if (warp == kLoader && tile::elect_one()) {
    const int y = blockIdx.x * 128;
    const int share = 128 / size;
    for (int k = 0; k < kRounds; ++k) {
      wait(empty, (k & 1) ^ 1);
      const uint32_t now = tile::stamp();
      issued[k] = now;
      if (k > 0) at[kReleased + k - 1] = now;
      tile::mbarrier_arrive_expect_tx(full, kA + kB);
      load_box(base, &map_a, full, k * 64, y);
      if (p.multicast) {
        load_box_multicast(base + kA + rank * share * kRowBytes, &map_b, full,
                           static_cast<uint16_t>((1 << size) - 1), k * 64,
                           (blockIdx.x / size) * 128 + rank * share);
      } else {
        for (int i = 0; i < size; ++i)
          load_box(base + kA + i * share * kRowBytes, &map_b, full, k * 64,
                   (blockIdx.x / size) * 128 + i * share);
      }
    }
  }
  __syncwarp();
  if (warp == 0) {
    const int lane = tile::lane_index();
    for (int k = 0; k < kRounds; ++k) {
      wait(full, k & 1);
      if (lane == 0) seen[k] = tile::stamp();
      if (kCluster ? lane < size : lane == 0)
        tile::mbarrier_arrive_peer(
            kCluster ? tile::mapa(empty, lane) : empty);
      __syncwarp();
    }
  }
  __syncthreads();
  const uint32_t before = tile::stamp();
  if (p.stores && warp < 4) {
    uint32_t regs[32];
#pragma unroll
    for (int i = 0; i < 32; ++i) regs[i] = hash(threadIdx.x * 64 + i);
    tile::st_global<tile::Wgmma<128>, 16, 2>(
        reinterpret_cast<uint16_t*>(out + blockIdx.x * 64 * kPitch), kPitch / 2,
        regs);
  }
  const uint32_t stored = tile::stamp();
  meet_arrive<kCluster>();
  const uint32_t left = tile::stamp();
  meet_wait<kCluster>();
  const uint32_t end = tile::stamp();
  if (threadIdx.x != 0) return;
  uint32_t* mine = stamps + blockIdx.x * kStamps;
  for (int k = 0; k < kRounds; ++k) {
    at[kLoaded + k] = seen[k] - issued[k];
    at[kReleased + k] = k + 1 < kRounds ? at[kReleased + k] - seen[k] : 0;
  }
  at[kStored] = stored - before;
  at[kLeft] = left - stored;
  at[kEnd] = end - left;
  for (int i = 0; i < kStamps; ++i) mine[i] = at[i];
}

const char* NameOf(int stamp) {
  static char name[32];
  if (stamp >= kLoaded && stamp < kReleased) {
    std::snprintf(name, sizeof name, "loaded %d", stamp - kLoaded);
  } else if (stamp >= kReleased && stamp < kStored) {
    std::snprintf(name, sizeof name, "released %d", stamp - kReleased);
  } else {
    const char* const names[] = {"init", "arrived", "met", "met again"};
    const char* const last[] = {"stored", "left", "end"};
    std::snprintf(name, sizeof name, "%s",
                  stamp < kLoaded ? names[stamp] : last[stamp - kStored]);
  }
  return name;
}

template <bool kCluster>
void Turn(Report& report, int ctas, int size, const Plan& p) {
  static Buffer<uint8_t> a{int64_t{kSms} * 128 * kPitch},
      b{int64_t{kSms} * 128 * kPitch}, out{int64_t{kSms} * 64 * kPitch};
  static Buffer<uint32_t> stamps{kSms * kStamps};
  const CUtensorMap map_a = MapOf(a.get(), kSms * 128, kPitch, 128);
  const CUtensorMap map_b = MapOf(b.get(), kSms * 128, kPitch, 128 / size);
  std::vector<Samples> samples(kStamps);
  for (int launch = -3; launch < 12; ++launch) {
    Run(pair_of_tiles<kCluster>, ctas, size, kThreads, 200 << 10, map_a, map_b,
        p, reinterpret_cast<char*>(out.get()), stamps.get());
    if (launch < 0) continue;
    const auto read = stamps.Read(ctas * kStamps);
    for (size_t i = 0; i < read.size(); ++i)
      samples[i % kStamps].push_back(read[i]);
  }
  for (int i = 0; i < kStamps; ++i) {
    report.Add("cluster.step",
               {{"step", NameOf(i)},
                {"ctas", ctas},
                {"cluster", kCluster ? size : 0},
                {"multicast", p.multicast},
                {"stores", p.stores},
                {"again", p.again}},
               "cycles", samples[i]);
  }
}

void Measure(Report& report) {
  for (const bool again : {false, true}) {
    for (const int sms : {4, 128}) {
      for (const bool stores : {false, true}) {
        Turn<false>(report, sms, 1, {false, stores, again});
        Turn<true>(report, sms, 1, {true, stores, again});
        for (const int size : {2, 4}) {
          Turn<true>(report, sms, size, {true, stores, again});
          Turn<true>(report, sms, size, {false, stores, again});
        }
      }
    }
  }
}

}  // namespace
}  // namespace calibrate

int main(int argc, char** argv) {
  calibrate::Report report(argc, argv);
  calibrate::ReportClock(report, "before");
  calibrate::Measure(report);
}
