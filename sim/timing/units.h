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
#include "absl/container/flat_hash_set.h"
#include "sim/arch/arch.h"
#include "sim/timing/cause.h"
#include "sim/timing/fair_port.h"
#include "sim/timing/stats.h"

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
  // Time taken from the work ahead by something else.
  void Delay(double duration) { free_ += duration; }
  double busy() const { return busy_; }
  double free() const { return free_; }

 private:
  double free_ = 0;
  double busy_ = 0;
};

struct SmUnits {
  int32_t number = 0;
  Unit tensor;  // tensor core
  Unit tma;     // TMA issue
  Unit port;    // L2 to this SM
  Unit shared;  // shared memory data
  Unit store;   // this SM to L2
  Unit alu;     // FP32 pipes of the four sub-cores together
  Unit mufu;    // special functions
  Unit tmem;    // tensor memory ports of the threads
  absl::flat_hash_set<uint64_t> maps;  // tensor maps it has used
  absl::flat_hash_set<uint32_t> code;  // ops that it has run: kernel, op
  double instructions = 0;             // of those
  double landed = 0;  // when the last tensor load so far will be there
};

// What of global tensors is in L2: blocks of up to 64 rows (memory_path.cc cuts
// them), and of each the rows that are there; least recently used blocks go
// first. Coarse on purpose: one TMA box is a few blocks. What was written goes
// to HBM when it has to leave.
class L2Cache {
 public:
  // What it holds when a launch begins.
  struct Before {
    bool all = false;  // every tensor of the launch
    double dirty = 0;  // otherwise other data: the share that HBM has not seen
  };
  // Rows of one block.
  struct Rows {
    uint64_t key;         // of the block
    uint64_t rows;        // a bit each
    double bytes_of_row;  // in this block
    double bytes() const;
  };
  L2Cache(double bytes, const Before& before)
      : capacity_(bytes),
        all_(before.all),
        dirty_(before.dirty),
        other_(before.all ? 0 : bytes) {}

  // The rows that are not there: only looks.
  Rows Missing(const Rows& rows) const;
  // Touches rows; `arrives` is when those that miss would be here.
  struct Hit {
    double available;  // when they are (or were) there: 0 for what is old
    double evicted;    // bytes that had to be written to HBM for it
  };
  Hit Touch(const Rows& rows, double arrives, bool writes);

  double hits() const { return hits_; }
  double misses() const { return misses_; }

 private:
  struct Block {
    uint64_t key;
    uint64_t rows;
    double bytes;
    double available;  // all of them
    bool dirty;
  };
  double MakeRoom();

  double capacity_;
  bool all_;
  double dirty_;
  double other_;  // bytes of other data
  double used_ = 0;
  double hits_ = 0, misses_ = 0;  // bytes
  std::list<Block> recent_;       // front: most recent
  absl::flat_hash_map<uint64_t, std::list<Block>::iterator> blocks_;
};

// A GPC's way to and from L2. What is on its way for one SM is handed on to all
// others of the GPC that ask for it meanwhile. They take turns in who asks
// first for a line, so that each pays the mean of what it costs them.
struct GpcUnits {
  FairPort port;

  // Of a byte of a tensor: the part of its time at the port, by the mean of
  // late.
  double& Part(uint64_t tensor) {
    return parts_.try_emplace(tensor, 1.0).first->second;
  }
  // When rows that somebody asked for have left L2; 0: nobody did.
  double LeavesL2(uint64_t way) const {
    auto it = ways_.find(way);
    if (it == ways_.end()) return 0;
    return port.Finish(it->second.request) + it->second.after;
  }
  // They do so some time after a request is through the port.
  void SetOut(uint64_t way, int32_t request, double after) {
    port.Keep(request);
    auto [it, fresh] = ways_.try_emplace(way);
    if (!fresh) port.Release(it->second.request);
    it->second = {request, after};
  }

 private:
  struct Way {
    int32_t request;
    double after;
  };
  absl::flat_hash_map<uint64_t, double> parts_;
  absl::flat_hash_map<uint64_t, Way> ways_;
};

struct ChipUnits {
  ChipUnits(const arch::Arch& arch, const L2Cache::Before& before)
      : cache(arch.l2_bytes, before) {}
  Unit hbm;
  Unit hot_line;    // that all SMs want
  double gpcs = 1;  // how many
  double pace = 1;  // of the SMs: their clock, of the highest
  MovedBytes moved;
  L2Cache cache;
};

}  // namespace tilesim::timing

#endif  // TILESIM_SIM_TIMING_UNITS_H_
