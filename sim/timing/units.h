// The units that operations queue for. A unit serves in the order of requests;
// a request occupies it for a duration and may then take longer to answer.
// Only the amount of work ahead is kept, not a calendar: exact while requests
// are small beside the queue.
#ifndef TILESIM_SIM_TIMING_UNITS_H_
#define TILESIM_SIM_TIMING_UNITS_H_

#include <algorithm>
#include <cstdint>
#include <list>

#include "absl/container/flat_hash_map.h"
#include "sim/arch/arch.h"
#include "sim/timing/cause.h"

namespace tilesim::timing {

class Unit {
 public:
  // Work of `duration` cycles, asked for at `now`, that can start at `ready`
  // (>= now). Returns when it starts. What the unit still has to do at `now`
  // comes first; a request that is not ready yet delays only itself, because
  // the unit serves others until then.
  double Take(double now, double ready, double duration) {
    double start = std::max(free_, now);
    free_ = start + duration;
    busy_ += duration;
    return std::max(start, ready);
  }
  double Take(double now, double duration) { return Take(now, now, duration); }
  double busy() const { return busy_; }

 private:
  double free_ = 0;
  double busy_ = 0;
};

struct SmUnits {
  Unit tensor;  // tensor core
  Unit tma;     // TMA issue
  Unit port;    // L2 to this SM
  Unit shared;  // shared memory data
  Unit alu;     // FP32 pipes of the four sub-cores together
  Unit mufu;    // special functions
  Unit tmem;    // tensor memory ports of the threads
};

// Which blocks of global tensors (memory_path.cc cuts them) are in L2, least
// recently used first out. Coarse on purpose: one TMA box is a few blocks.
class L2Cache {
 public:
  explicit L2Cache(double bytes) : capacity_(bytes) {}

  // Touches a block of `bytes`; `arrives` is when a miss would have it here.
  // Returns when the block is (or was) there: 0 for an old hit.
  struct Hit {
    bool hit;
    double available;
  };
  Hit Touch(uint64_t key, double bytes, double arrives);
  // How much a touch of this key would have to fetch: only looks.
  bool Holds(uint64_t key) const { return blocks_.contains(key); }

  double hits() const { return hits_; }
  double misses() const { return misses_; }

 private:
  struct Block {
    uint64_t key;
    double bytes;
    double available;
  };
  double capacity_;
  double used_ = 0;
  double hits_ = 0, misses_ = 0;  // bytes
  std::list<Block> recent_;       // front: most recent
  absl::flat_hash_map<uint64_t, std::list<Block>::iterator> blocks_;
};

struct ChipUnits {
  explicit ChipUnits(const arch::Arch& arch) : cache(arch.l2_bytes) {}
  Unit l2;
  Unit hbm;
  double hbm_bytes = 0;  // read and written
  L2Cache cache;
};

}  // namespace tilesim::timing

#endif  // TILESIM_SIM_TIMING_UNITS_H_
