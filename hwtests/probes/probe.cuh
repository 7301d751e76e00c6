// What the probes share: a line of JSON a reading, launches that the host does
// not wait for without end, places of CTAs in shared memory.
#ifndef TILESIM_HWTESTS_PROBES_PROBE_CUH_
#define TILESIM_HWTESTS_PROBES_PROBE_CUH_

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "hwtests/calibrate/harness.cuh"

namespace probes {

using calibrate::Buffer;
using calibrate::kSms;
using calibrate::spin;

// Values that a kernel read, and how many were not the latest.
struct Count {
  unsigned long long checked, wrong;
};

TILE_DEVICE void add_to(Count* count, unsigned long long checked,
                        unsigned long long wrong) {
  if (checked != 0) atomicAdd(&count->checked, checked);
  if (wrong != 0) atomicAdd(&count->wrong, wrong);
}

// What is written in an iteration, counted from 1: grows with it, so that a
// maximum tells the latest.
TILE_DEVICE uint32_t value_of(uint32_t iteration, uint32_t word) {
  return iteration << 8 | (word & 255);
}

// What a reading was made of. `fence` says what orders the two sides.
struct Point {
  const char* probe;
  std::string reader, fence, setup;
  int delay;  // cycles
};

// Readings, written at once: what was read before a fault stays.
class Record {
 public:
  explicit Record(const char* path) : file_(std::fopen(path, "w")) {
    if (file_ == nullptr) {
      std::perror(path);
      std::exit(1);
    }
  }
  Record(const Record&) = delete;
  Record& operator=(const Record&) = delete;
  ~Record() { std::fclose(file_); }

  void Add(const Point& p, int iterations, Count count) {
    std::fprintf(file_,
                 "{\"probe\": \"%s\", \"reader\": \"%s\", \"fence\": \"%s\", "
                 "\"setup\": \"%s\", \"delay\": %d, \"iterations\": %d, "
                 "\"checked\": %llu, \"wrong\": %llu}\n",
                 p.probe, p.reader.c_str(), p.fence.c_str(), p.setup.c_str(),
                 p.delay, iterations, count.checked, count.wrong);
    std::fflush(file_);
  }

 private:
  std::FILE* file_;
};

// Of one reader: a probe whose right variant fails, or whose broken one does
// not, says nothing about those between.
class SelfCheck {
 public:
  void Right(Count c) { right_wrong_ += c.wrong, right_ += c.checked; }
  void Broken(Count c) { broken_wrong_ += c.wrong; }
  void Say(const std::string& reader) const {
    const bool sees = right_ > 0 && right_wrong_ == 0 && broken_wrong_ > 0;
    std::printf("%s: %s (right variant: %llu wrong of %llu, broken: %llu)\n",
                reader.c_str(),
                sees ? "sees failures" : "UNABLE to see failures", right_wrong_,
                right_, broken_wrong_);
  }

 private:
  unsigned long long right_ = 0, right_wrong_ = 0, broken_wrong_ = 0;
};

using Clock = std::chrono::steady_clock;

inline double SecondsSince(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

// Whether what was launched ends within some seconds. Never waits longer.
inline bool Ends(double seconds) {
  const Clock::time_point start = Clock::now();
  for (;;) {
    const cudaError_t e = cudaStreamQuery(nullptr);
    if (e == cudaSuccess) return true;
    if (e != cudaErrorNotReady) CALIBRATE_CHECK(e);
    if (SecondsSince(start) > seconds) return false;
  }
}

// Launches `start(iterations)` and gives up on a hang: with a kernel that does
// not end nothing more can be measured in this process.
template <class Start>
double TimeOf(const Start& start, int iterations) {
  const Clock::time_point begin = Clock::now();
  start(iterations);
  if (!Ends(5)) {
    std::fprintf(stderr, "a kernel does not end\n");
    std::_Exit(3);
  }
  return SecondsSince(begin);
}

// Runs a kernel for about `seconds`: how often its loop goes round follows from
// a short launch before, and that follows one that loads the code. `start`
// clears what the one before left. Returns the iterations.
template <class Start>
int RunFor(double seconds, const Start& start) {
  constexpr int kFirst = 100, kMost = 1 << 22;
  TimeOf(start, 1);
  const double each = TimeOf(start, kFirst) / kFirst;
  const int iterations =
      static_cast<int>(std::clamp(seconds / each, 1.0 * kFirst, 1.0 * kMost));
  TimeOf(start, iterations);
  return iterations;
}

}  // namespace probes

#endif  // TILESIM_HWTESTS_PROBES_PROBE_CUH_
