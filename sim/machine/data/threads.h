// Who holds a register tile: which threads own one copy of it together, and
// which of its elements the executing threads are responsible for.
//
//   wgmma, row of 128    a warpgroup        mma, mma_a, mma_b, row of 32   a
//   warp blocked(V)           the enclosing scope (CompiledOp::group_threads)
#ifndef TILESIM_SIM_MACHINE_DATA_THREADS_H_
#define TILESIM_SIM_MACHINE_DATA_THREADS_H_

#include <cstdint>
#include <optional>

#include "absl/container/inlined_vector.h"
#include "ir/bounds.h"
#include "ir/concrete.h"
#include "ir/layout.h"
#include "sim/machine/code.h"

namespace tilesim::machine {

// Threads that work on one tile together, in the order in which they share it.
struct Unit {
  int32_t first = 0;  // thread of the CTA
  int32_t threads = 0;
  uint32_t lanes = ir::kAllLanes;  // of each of its warps, when narrowed
  bool all = true;                 // every one of them executes the op

  // Thread of the CTA that is number `i` of the unit.
  int32_t Thread(int32_t i) const;
};
using Units = absl::InlinedVector<Unit, 4>;

bool Executes(const ir::ThreadSet& set, int32_t thread);

// All threads of the scope around the op, narrowed to the executing lanes:
// those that share a blocked tile, or the copy of a cp.async.
Unit ScopeUnit(const CompiledOp& op, const ir::ThreadSet& set);

// The units of a register tile that the executing threads belong to.
Units UnitsOf(const ir::FragmentLayout& layout, const CompiledOp& op,
              const ir::ThreadSet& set);

// Whether an executing thread holds element (row, col). `layout.threads` must
// be unit.threads.
bool Holds(const ir::FragmentLayout& layout, const Unit& unit,
           const ir::ThreadSet& set, int32_t row, int32_t col);

// Bytes of a box of a register tile that the executing threads hold. In each
// unit every element counts once.
int64_t BytesHeld(const ir::TileValue& box, const ir::FragmentLayout& layout,
                  const CompiledOp& op, const ir::ThreadSet& set);

// The lane of tensor memory that tcgen05.ld and .st reach for row `row` of a
// register box in fragment row: in the quarter of the row's warp.
int64_t LaneReached(const ir::TileValue& reg, const Unit& unit, int64_t row);

// What is wrong if the box of tensor memory means another for it. A box of as
// many rows as the registers have is every warp's own quarter.
std::optional<ir::OutOfBounds> OutOfReach(const ir::TileValue& tmem,
                                          const ir::TileValue& reg,
                                          const Unit& unit, int64_t row);

// The operand that is a tile in that space; -1: there is none.
int OperandIn(const ir::ConcreteOp& op, ir::Space space);

// The same for all rows that the executing threads hold, of tcgen05.ld and .st;
// of other ops nothing is wrong.
std::optional<ir::OutOfBounds> LanesOutOfReach(const Code& code,
                                               const CompiledOp& op,
                                               const ir::ConcreteOp& concrete);

}  // namespace tilesim::machine

#endif  // TILESIM_SIM_MACHINE_DATA_THREADS_H_
