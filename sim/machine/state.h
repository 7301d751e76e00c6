// Everything about a running grid that can change, apart from payload: plain
// values, copyable and comparable, no pointers. Indices into the vectors are
// the identities; slots of things that ended are reused.
#ifndef TILESIM_SIM_MACHINE_STATE_H_
#define TILESIM_SIM_MACHINE_STATE_H_

#include <array>
#include <cstdint>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "ir/concrete.h"
#include "ir/effect.h"

namespace tilesim::machine {

// PTX 9.7.13.15; hardware.md A.1. Inside tilesim a phase has its full number.
struct Mbarrier {
  bool live = false;
  uint32_t phase = 0;    // number of the current, incomplete phase
  int32_t expected = 0;  // arrivals of the next phase
  int32_t pending = 0;   // arrivals the current phase still lacks
  int64_t tx = 0;        // bytes expected and not completed; may be negative
  bool invalidated = false;  // it was live, and mbarrier.inval has ended that
  // How often this memory has been initialised, from 0; the same once more
  // before any use is the same life (bug-catalogue N26).
  int32_t life = -1;

  // Whether a wait on this parity passes: the phase of that parity that is
  // current or just before has completed.
  bool Passes(int64_t parity) const {
    return (phase & 1) != static_cast<uint32_t>(parity & 1);
  }
  friend bool operator==(const Mbarrier&, const Mbarrier&) = default;
};

// bar.sync / bar.arrive (hardware.md A.2).
struct NamedBarrier {
  int32_t expected = 0;  // 0: nobody has come yet
  int32_t arrived = 0;   // threads
  uint32_t warps = 0;    // of the CTA, that have come
  bool counted = false;  // somebody named a count: those that exit are missed
  uint32_t generation = 0;

  friend bool operator==(const NamedBarrier&, const NamedBarrier&) = default;
};

// Groups of asynchronous operations a thread (or warpgroup) has in flight,
// oldest first; the last entry is the open group when `open` is set.
struct GroupQueue {
  struct Group {
    uint32_t number = 0;
    int32_t unread = 0;  // operations whose sources are not read yet
    int32_t undone = 0;  // operations that are not done yet

    friend bool operator==(const Group&, const Group&) = default;
  };
  uint32_t next = 0;                     // number of the open group
  absl::InlinedVector<Group, 4> groups;  // not yet done, and the open one

  friend bool operator==(const GroupQueue&, const GroupQueue&) = default;
};

// Threads that wait for those of the strand that go on without them. The last
// three are for guides whose code has no instruction that ends a frame.
struct Frame {
  uint32_t lanes = ir::kAllLanes;
  uint32_t electors = 0;
  int16_t role = -1;
  int32_t join = -1;  // where the frame ends
  uint32_t rest = 0;  // lanes that go on from `rest_pc` when it does
  int32_t rest_pc = -1;

  friend bool operator==(const Frame&, const Frame&) = default;
};

// Threads of one CTA that have done the same so far.
struct Strand {
  // What a scalar holds that has no value: the place in an answer of cluster
  // launch control that refuses (PTX 9.7.13.18).
  static constexpr int64_t kNoValue = INT64_MIN + 0x7ac1;

  enum class Status : uint8_t {
    kFree,  // slot not in use
    kRunning,
    kInNamed,  // arrived at named barrier `waiting`, generation `generation`
    kExited,
  };
  Status status = Status::kFree;
  int8_t waiting = 0;
  int16_t role = -1;
  int32_t cta = -1;
  int32_t pc = 0;
  uint32_t generation = 0;
  uint32_t cluster_phase = 0;  // of its last barrier.cluster.arrive
  bool cluster_arrived = false;
  bool ready = false;  // Code::guarded: its threads execute the op at `pc`
  ir::ThreadSet threads;
  absl::InlinedVector<Frame, 4> frames;
  std::vector<int64_t> slots;
  std::array<GroupQueue, ir::kGroupKinds> groups;

  friend bool operator==(const Strand&, const Strand&) = default;
};

// An asynchronous operation between its issue and its end.
struct InFlight {
  bool live = false;
  bool read = false;        // sources-read milestone has passed
  int32_t cta = -1;         // that issued it
  int32_t op = -1;          // index into Code::ops
  uint32_t number = 0;      // of its group
  uint64_t order = 0;       // issue order in the whole machine
  int8_t destination = -1;  // multicast: the one rank this agent serves
  ir::GroupKind group = ir::GroupKind::kNone;
  ir::GroupKind tracks = ir::GroupKind::kNone;  // kTrack: what it waits for
  bool is_track = false;  // arrives when earlier operations are done
  ir::ThreadSet threads;
  absl::InlinedVector<int32_t, 2> owners;  // strands
  // Those that are not the same each time (Machine::ConcreteOf has all).
  absl::InlinedVector<ir::OperandValue, 3> varying;

  friend bool operator==(const InFlight&, const InFlight&) = default;
};

enum class TmemStatus : uint8_t { kNever, kAllocated, kFreed };

// What is known of a word of shared memory, where control goes through it and
// the bytes of tensors are not followed (compiled code).
struct KnownWord {
  int32_t at = 0;     // bytes from the start of shared memory
  int32_t bytes = 0;  // 1 to 8
  int64_t value = 0;

  friend bool operator==(const KnownWord&, const KnownWord&) = default;
};

struct Cta {
  bool live = false;
  bool exited = false;  // all its threads have ended
  bool relinquished = false;
  bool triggered = false;  // griddepcontrol.launch_dependents
  bool refused = false;    // it has seen that no cluster is left to take over
  uint8_t rank = 0;        // in its cluster
  int16_t kernel = 0;
  int32_t cluster = -1;
  int64_t linear = 0;  // in the grid
  std::array<int32_t, 3> id{};
  int32_t live_threads = 0;
  int32_t free_registers = 0;
  std::array<int16_t, ir::kMaxWarps / ir::kWarpgroupWarps>
      registers{};  // a thread, by warpgroup
  std::vector<Mbarrier> mbarriers;
  std::array<NamedBarrier, 16> named;
  std::vector<TmemStatus> tmem;              // by DeclId of pools
  std::vector<KnownWord> words;              // by place; of compiled code
  absl::InlinedVector<int32_t, 8> strands;   // live ones
  absl::InlinedVector<int32_t, 8> inflight;  // issued by it

  friend bool operator==(const Cta&, const Cta&) = default;
};

struct Cluster {
  bool live = false;
  int16_t kernel = 0;
  int64_t linear = 0;       // among the grid's clusters
  int32_t arrived = 0;      // threads, in the current phase
  uint32_t generation = 0;  // completed phases
  absl::InlinedVector<int32_t, 4> ctas;

  friend bool operator==(const Cluster&, const Cluster&) = default;
};

struct Grid {
  int64_t next_cluster = 0;  // first that nobody has taken
  int64_t live_ctas = 0;
  int64_t finished_ctas = 0;
  int64_t taken_over = 0;   // CTAs whose work a running one took (CLC)
  int64_t untriggered = 0;  // CTAs that neither triggered nor ended

  friend bool operator==(const Grid&, const Grid&) = default;
};

struct State {
  std::vector<Strand> strands;
  std::vector<InFlight> inflight;
  std::vector<Cta> ctas;
  std::vector<Cluster> clusters;
  std::vector<Grid> grids;  // by kernel
  std::vector<int32_t> free_strands, free_inflight, free_ctas, free_clusters;
  uint64_t next_order = 0;

  friend bool operator==(const State&, const State&) = default;
};

}  // namespace tilesim::machine

#endif  // TILESIM_SIM_MACHINE_STATE_H_
