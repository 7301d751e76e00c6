// The units that operations queue for. A unit serves in the order of requests;
// a request occupies it for a duration and may then take longer to answer.
// Only the amount of work ahead is kept, not a calendar: exact while requests
// are small beside the queue.
#ifndef TILESIM_SIM_TIMING_UNITS_H_
#define TILESIM_SIM_TIMING_UNITS_H_

#include <algorithm>
#include <cstdint>
#include <deque>
#include <list>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "sim/arch/arch.h"
#include "sim/timing/banks.h"
#include "sim/timing/cause.h"
#include "sim/timing/fair_port.h"
#include "sim/timing/stats.h"
#include "sim/timing/sub_cores.h"

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

// How much of its time a unit was asked for lately. Who asks at random waits
// for others the longer the fuller it is, also while it has time to spare
// (requests of one length: half of share / (1 - share) of such a length).
class Crowd {
 public:
  // A unit that is asked for more than `most` of its time has a queue.
  explicit Crowd(double most) : most_(most) {}
  // `time` is asked for at `now`. Returns how many lengths of a request that
  // waits on average.
  double Ask(double now, double time) {
    const double share = Share(now);
    share_ += time / kLately;
    return share / (2 * (1 - share));
  }
  double Share(double now) {
    share_ *= std::max(0.0, 1 - std::max(0.0, now - at_) / kLately);
    at_ = std::max(at_, now);
    return std::min(share_, most_);
  }

 private:
  static constexpr double kLately = 4096;  // cycles
  double most_;
  double at_ = 0;
  double share_ = 0;
};

struct SmUnits {
  int32_t number = 0;
  int32_t tpc = 0;          // in its GPC
  int side = 0;             // of L2
  double turns = 1;         // of a store that all SMs have as well
  Unit tensor;              // tensor core
  Unit tma;                 // TMA issue
  Unit requests;            // that TMA makes
  double stores_asked = 0;  // when it has made those of all stores
  Unit port;                // L2 to this SM
  Unit shared;              // shared memory data
  Unit peers;               // loads from the shared memory of peers
  Unit store;               // this SM to L2
  SubCores issue;           // of register arithmetic: FP32 pipes
  double fp32 = 0;          // for those, of all that was issued
  SubCores half;            // min, max and conversions
  SubCores mufu;            // special functions
  double products = 0;      // cycles that these would take at the highest rate
  Unit tmem;                // tensor memory ports of the threads
  absl::flat_hash_set<uint64_t> maps;             // tensor maps it has used
  absl::flat_hash_map<uint64_t, double> sectors;  // of words in L1: since when
  absl::flat_hash_set<uint64_t> near;  // lines in L1, of compiled code
  std::vector<bool> code;              // ops and roles that it has run: Engine
  double instructions = 0;             // of those
  double landed = 0;         // when the last tensor load so far will be there
  double loads_issued = -1;  // when the last one was
  double loads_fenced = -1;  // of those until then fences take no longer
  double fence_owes = 0;  // by loads that were issued while one was under way
  double settled = 0;     // when stores and atomics of compiled code are in L2
  double written = -1;    // when its stores and arrivals at peers are there
  double sent = -1;       // likewise, its tensor and bulk stores
  double queued = 0;      // how long the last of those waited for L2
  std::deque<double> adding;  // when L2 has done its reds on words
  double left = 0;            // when what fences wait for has left the SM
  double fencing = -1, fenced = -1;  // its last fence beyond the CTA: from, to
  double fence_slow = 0;             // part of it that later ones wait for
};

// What of global tensors is in L2: blocks of up to 64 rows (memory_path.cc cuts
// them), and of each the rows that are there; least recently used blocks go
// first. Coarse on purpose: one TMA box is a few blocks. What was written goes
// to HBM long before it has to leave: L2 keeps back only the last of it.
class L2Cache {
 public:
  static int Count(uint64_t rows);
  // What it holds when a launch begins.
  struct Before {
    double part = 0;   // of the launch's tensors, by block; else other data
    double dirty = 0;  // bytes that HBM has not seen
  };
  // Rows of one block.
  struct Rows {
    uint64_t key;         // of the block
    uint64_t rows;        // a bit each
    double bytes_of_row;  // in this block
    double bytes() const { return Count(rows) * bytes_of_row; }
  };
  // Of `bytes` at most `dirty` stay that HBM has not seen.
  // What SMs of both sides read takes more room, so that `both` are there.
  L2Cache(double bytes, double both, double dirty, const Before& before)
      : capacity_(bytes),
        both_(bytes / both),
        most_dirty_(dirty),
        part_(before.part),
        old_dirty_(std::min(before.dirty, dirty)),
        other_(before.part == 1 ? 0 : bytes) {}

  // The rows that are not there: only looks.
  Rows Missing(const Rows& rows) const;
  // Touches rows; `arrives` is when those that miss would be here.
  struct Hit {
    double available;  // when they are (or were) there: 0 for what is old
    double evicted;    // bytes that had to be written to HBM for it
  };
  Hit Touch(const Rows& rows, double arrives, bool writes, int side = 0);

  double hits() const { return hits_; }
  double misses() const { return misses_; }

 private:
  struct Block {
    uint64_t key;
    uint64_t rows;
    uint64_t dirty;  // rows that HBM has not seen
    double bytes_of_row;
    double available;  // all of them
    int sides = 0;     // whose SMs have read it: a bit each
    double bytes(uint64_t of) const { return Count(of) * bytes_of_row; }
  };
  double WriteBack();
  double MakeRoom();

  double Room(const Block& block) const {
    return block.bytes(block.rows) * (block.sides == 3 ? both_ : 1);
  }

  double capacity_, both_, most_dirty_;
  bool Old(uint64_t key) const;  // it was there before

  double part_;
  double old_dirty_;              // from before the launch
  double dirty_ = 0;              // of this one
  std::deque<uint64_t> written_;  // blocks that are or were dirty, oldest first
  double other_;                  // bytes of other data
  double used_ = 0;
  double hits_ = 0, misses_ = 0;  // bytes
  std::list<Block> recent_;       // front: most recent
  absl::flat_hash_map<uint64_t, std::list<Block>::iterator> blocks_;
};

// A GPC's way from L2. What is on its way for one SM is handed on to
// all others of the GPC that ask for it meanwhile. They take turns in who asks
// first for a line, so that each pays the mean of what it costs them.
struct GpcUnits {
  FairPort port;  // from L2
  // At it. Beyond 0.97 there is a queue: so say rings of four stages of shared
  // tiles, 656 cycles a turn (ring.turn; 630 here, and 475 with 0.95).
  Crowd crowd{0.97};

  // Of a byte of a tensor: the part of its time at the port, by the mean of
  // late.
  double& Part(uint64_t tensor) {
    return parts_.try_emplace(tensor, 1.0).first->second;
  }
  // When rows that somebody asked for have left L2, whether the SM itself or
  // another one of its TPC was among those who did, and when the first one did;
  // nothing: nobody asked.
  struct Way {
    double leaves;
    bool of_sm;
    bool of_tpc;
    double asked;
  };
  Way On(uint64_t way, const SmUnits& sm) {
    auto it = ways_.find(way);
    if (it == ways_.end()) return {0, false, false, -1e18};
    const uint32_t bit = Bit(sm), tpc = 3u << 2 * sm.tpc;
    const uint32_t asked = it->second.sms;
    it->second.sms |= bit;
    return {port.Finish(it->second.request) + it->second.after,
            (asked & bit) != 0, (asked & tpc) != 0, it->second.asked};
  }
  // They do so some time after a request is through the port.
  void SetOut(uint64_t way, const SmUnits& sm, int32_t request, double after,
              double asked) {
    port.Keep(request);
    auto [it, fresh] = ways_.try_emplace(way);
    if (!fresh) port.Release(it->second.request);
    it->second = {request, Bit(sm), after, asked};
  }

 private:
  // A TPC has two SMs.
  static uint32_t Bit(const SmUnits& sm) {
    return 1u << (2 * sm.tpc + sm.number % 2);
  }

  struct OnWay {
    int32_t request;
    uint32_t sms;  // who asked
    double after;
    double asked;
  };
  absl::flat_hash_map<uint64_t, double> parts_;
  absl::flat_hash_map<uint64_t, OnWay> ways_;
};

struct ChipUnits {
  ChipUnits(const arch::Arch& arch, const L2Cache::Before& before)
      : adders(static_cast<size_t>(arch.l2_slices)),
        cache(arch.l2_kept, arch.l2_kept_both, arch.l2_dirty, before) {}
  Unit hbm;
  Crowd at_hbm{0.95};
  Crowd reads_hbm{0.95};                        // of those, loads
  Unit hot_line;                                // that all SMs want
  absl::flat_hash_map<uint64_t, Unit> slices;   // of L2, for atomics on words
  std::vector<Unit> adders;                     // of the slices, for tiles
  absl::flat_hash_map<uint64_t, double> words;  // flags: there as written since
  // By part of 2 KB: when a word of it was polled last, and stores to those.
  absl::flat_hash_map<uint64_t, double> polled;
  absl::flat_hash_map<uint64_t, Unit> told;
  // What SMs write to L2. CPCs have their turns, so that the SMs of one that
  // has fewer get more: those of two TPCs 1.45 times as much as those of three
  // (store.turn, by what each SM was given).
  FairPort out;
  double gpcs = 1;  // how many
  double pace = 1;  // of the SMs: their clock, of the highest
  MovedBytes moved;
  L2Cache cache;
  Banks banks;
};

}  // namespace tilesim::timing

#endif  // TILESIM_SIM_TIMING_UNITS_H_
