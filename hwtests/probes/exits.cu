// Threads that have ended, and the barriers of those that have not. One case a
// process: after a hang nothing else can be measured in it.
#include <cstring>

#include "hwtests/probes/probe.cuh"

namespace probes {
namespace {

constexpr int kThreads = 128;
constexpr int kLaunches = 20;
constexpr uint64_t kLate = 4'000'000;  // cycles, 2 ms: the others wait by then
constexpr double kPatienceSeconds = 3;

enum class Meeting { kCluster, kAll, kCounted };
enum class Who { kNobody, kWarp, kCta };

struct Case {
  const char* name;
  const char* reader;  // the barrier
  const char* setup;
  Meeting meeting;
  Who who;
  bool late;
};
// The last one has to hang: five warps are counted, and there are four.
constexpr Case kCases[] = {
    {"cluster-stay", "barrier.cluster", "nobody ends", Meeting::kCluster,
     Who::kNobody, false},
    {"cluster-warp", "barrier.cluster", "a warp of each CTA ends",
     Meeting::kCluster, Who::kWarp, false},
    {"cluster-warp-late", "barrier.cluster", "a warp of each CTA ends",
     Meeting::kCluster, Who::kWarp, true},
    {"cluster-cta", "barrier.cluster", "a CTA of two ends", Meeting::kCluster,
     Who::kCta, false},
    {"cluster-cta-late", "barrier.cluster", "a CTA of two ends",
     Meeting::kCluster, Who::kCta, true},
    {"all-stay", "bar.sync 0", "nobody ends", Meeting::kAll, Who::kNobody,
     false},
    {"all-warp", "bar.sync 0", "a warp of four ends", Meeting::kAll, Who::kWarp,
     false},
    {"all-warp-late", "bar.sync 0", "a warp of four ends", Meeting::kAll,
     Who::kWarp, true},
    {"counted-stay", "bar.sync 1, 128", "nobody ends", Meeting::kCounted,
     Who::kNobody, false},
    {"counted-warp", "bar.sync 1, 128", "a warp of four ends",
     Meeting::kCounted, Who::kWarp, false},
    {"counted-warp-late", "bar.sync 1, 128", "a warp of four ends",
     Meeting::kCounted, Who::kWarp, true},
    {"counted-more", "bar.sync 1, 160", "nobody ends, a warp is missing",
     Meeting::kCounted, Who::kNobody, false},
};

struct Arguments {
  Meeting meeting;
  Who who;
  bool late;
  uint32_t counted;
  Count* count;
};

__global__ __launch_bounds__(kThreads) void exits(const Arguments a) {
  const int warp = tile::warp_index();
  const bool ends = (a.who == Who::kWarp && warp == 3) ||
                    (a.who == Who::kCta && tile::cluster_rank() == 1);
  if (ends) {
    if (a.late) spin(kLate);
    return;
  }
  if (!a.late) spin(kLate / 100);  // the others have ended by then
  if (a.meeting == Meeting::kCluster) {
    tile::cluster_arrive();
    tile::cluster_wait();
  } else if (a.meeting == Meeting::kAll) {
    tile::bar_sync_all(0);
  } else {
    tile::bar_sync(1, a.counted);
  }
  if (threadIdx.x == 0) add_to(a.count, 1, 0);
}

uint32_t CountedThreads(const Case& c) {
  return std::strstr(c.reader, "160") != nullptr ? 160 : kThreads;
}

// A reading: launches, and those that did not end.
void Run(const Case& c, const char* path) {
  Record record(path);
  Buffer<Count> count(1);
  const Arguments a = {c.meeting, c.who, c.late, CountedThreads(c),
                       count.get()};
  const Point point = {"exits", c.reader, "none", c.setup,
                       c.late ? static_cast<int>(kLate) : 0};
  for (int launch = 1; launch <= kLaunches; ++launch) {
    calibrate::Start(exits, 2, 2, kThreads, 0, a);
    if (!Ends(kPatienceSeconds)) {
      record.Add(point, launch, {static_cast<unsigned long long>(launch), 1});
      std::printf("%s: hangs\n", c.name);
      std::fflush(stdout);
      std::_Exit(0);  // nothing waits for the kernel
    }
  }
  record.Add(point, kLaunches, {kLaunches, 0});
  std::printf("%s: ends\n", c.name);
}

}  // namespace
}  // namespace probes

// exits: the names of the cases, in their order. exits CASE FILE: runs one.
int main(int argc, char** argv) {
  for (const probes::Case& c : probes::kCases) {
    if (argc == 1) {
      std::printf("%s\n", c.name);
    } else if (argc == 3 && std::strcmp(argv[1], c.name) == 0) {
      probes::Run(c, argv[2]);
      return 0;
    }
  }
  if (argc == 1) return 0;
  std::fprintf(stderr, "usage: %s [CASE FILE]\n", argv[0]);
  return 2;
}
