// Which elements of a register tile threads hold, and which bytes elements of a
// shared tile are. It depends on nothing but the layout and who asks, so that
// all instances of a kernel share what was found once.
#ifndef TILESIM_CHECKERS_FOOTPRINT_FRAGMENTS_H_
#define TILESIM_CHECKERS_FOOTPRINT_FRAGMENTS_H_

#include <cstdint>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "absl/container/node_hash_map.h"
#include "checkers/footprint/interval_set.h"
#include "ir/bind.h"
#include "ir/concrete.h"
#include "ir/layout.h"
#include "sim/machine/data/threads.h"

namespace tilesim::checkers {

class Fragments {
 public:
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
  // Bytes from the start of an object in shared memory that `elements` of the
  // box, numbered row after row, touch.
  const IntervalSet& Shared(const ir::BoundDecl& decl, const ir::TileValue& box,
                            const IntervalSet& elements);

 private:
  // Everything that the answer follows from, as numbers.
  using Key = absl::InlinedVector<int64_t, 24>;

  absl::node_hash_map<Key, IntervalSet> held_;
  absl::node_hash_map<Key, std::vector<IntervalSet>> registers_;
  absl::node_hash_map<Key, IntervalSet> shared_;
};

}  // namespace tilesim::checkers

#endif  // TILESIM_CHECKERS_FOOTPRINT_FRAGMENTS_H_
