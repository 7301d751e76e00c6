// Which elements of a register tile threads hold, which bytes elements of a
// shared tile are, and which bytes ops touch on chip. It depends on nothing but
// layouts and who asks, so that all instances of a kernel share what was found
// once.
#ifndef TILESIM_CHECKERS_FOOTPRINT_FRAGMENTS_H_
#define TILESIM_CHECKERS_FOOTPRINT_FRAGMENTS_H_

#include <cstdint>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/inlined_vector.h"
#include "absl/container/node_hash_map.h"
#include "checkers/footprint/interval_set.h"
#include "ir/bind.h"
#include "ir/concrete.h"
#include "ir/layout.h"
#include "sim/machine/data/threads.h"

namespace tilesim::checkers::footprint {

// Bytes that are touched.
struct Footprint {
  IntervalSet bytes;
  // All of it lies in these bytes: of tensor memory, of each lane.
  Interval reach;
};

class Fragments {
 public:
  // Everything that an answer follows from, as numbers.
  using Key = absl::InlinedVector<int64_t, 24>;

  // Of the kernels whose memory on chip is laid out as this one's, a number.
  int64_t MemoryOf(const ir::BoundKernel& bound);
  // Bytes of such memory; `work_out` does if they are not known.
  template <typename F>
  const Footprint& OnChip(Key key, F work_out) {
    auto [found, fresh] = on_chip_.try_emplace(std::move(key));
    if (fresh) found->second = work_out();
    return found->second;
  }

  // Whether lanes touch each other's bytes, of two answers of OnChip for the
  // same lanes of a warp; `work_out` does if that is not known.
  template <typename F>
  bool Cross(const Footprint& earlier, const Footprint& later, F work_out) {
    auto [found, fresh] = cross_.try_emplace({&earlier, &later});
    if (fresh) found->second = work_out();
    return found->second;
  }

  // Elements of the box, numbered row after row, that `threads` hold.
  const IntervalSet& HeldBy(const ir::FragmentLayout& layout,
                            const machine::Units& units,
                            const ir::TileValue& box,
                            const ir::ThreadSet& threads);
  // Registers, numbered as each of its threads does, that a warp holds the box
  // in: by warp, from the unit's first.
  const std::vector<IntervalSet>& Registers(const ir::FragmentLayout& layout,
                                            const machine::Unit& unit,
                                            const ir::TileValue& box);
  // The same by lane, of those of `threads`: kWarpThreads times the register,
  // and the lane. What all lanes hold is one interval.
  const IntervalSet& RegistersByLane(const ir::FragmentLayout& layout,
                                     const machine::Unit& unit,
                                     const ir::TileValue& box,
                                     const ir::ThreadSet& threads);
  // Bytes from the start of an object in shared memory that `elements` of the
  // box, numbered row after row, touch.
  const IntervalSet& Shared(const ir::BoundDecl& decl, const ir::TileValue& box,
                            const IntervalSet& elements);

 private:
  std::vector<std::vector<ir::BoundDecl>> memories_;  // no globals
  absl::node_hash_map<Key, Footprint> on_chip_;
  // By two of those.
  absl::flat_hash_map<std::pair<const Footprint*, const Footprint*>, bool>
      cross_;
  absl::node_hash_map<Key, IntervalSet> held_;
  absl::node_hash_map<Key, std::vector<IntervalSet>> registers_;
  absl::node_hash_map<Key, IntervalSet> by_lane_;
  absl::node_hash_map<Key, IntervalSet> shared_;
};

}  // namespace tilesim::checkers::footprint

#endif  // TILESIM_CHECKERS_FOOTPRINT_FRAGMENTS_H_
