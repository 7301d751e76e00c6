#include "sim/machine/data/threads.h"

#include <bit>

#include "ir/cat.h"
#include "ir/tmem.h"

namespace tilesim::machine {
namespace {

using ir::kWarpgroupThreads;
using ir::kWarpThreads;

// The n-th set bit.
int NthLane(uint32_t lanes, int n) {
  for (; n > 0; --n) lanes &= lanes - 1;
  return std::countr_zero(lanes);
}

bool AllExecute(const Unit& unit, const ir::ThreadSet& set) {
  if (set.whole_warps() && unit.first % kWarpThreads == 0 &&
      unit.threads % kWarpThreads == 0) {
    int warp = unit.first / kWarpThreads;
    return warp >= set.first_warp &&
           warp + unit.threads / kWarpThreads <= set.first_warp + set.warps;
  }
  for (int32_t i = 0; i < unit.threads; ++i) {
    if (!Executes(set, unit.Thread(i))) return false;
  }
  return true;
}

int UnitThreads(const ir::FragmentLayout& layout) {
  if (layout.fragment == ir::Fragment::kWgmma) return kWarpgroupThreads;
  if (layout.fragment == ir::Fragment::kRow && layout.rows > kWarpThreads)
    return kWarpgroupThreads;
  return kWarpThreads;
}

}  // namespace

int32_t Unit::Thread(int32_t i) const {
  int per_warp = std::popcount(lanes);
  if (per_warp == kWarpThreads) return first + i;
  return first / kWarpThreads * kWarpThreads + i / per_warp * kWarpThreads +
         NthLane(lanes, i % per_warp);
}

bool Executes(const ir::ThreadSet& set, int32_t thread) {
  int warp = thread / kWarpThreads;
  return warp >= set.first_warp && warp < set.first_warp + set.warps &&
         (set.lanes >> (thread % kWarpThreads) & 1) != 0;
}

Unit ScopeUnit(const CompiledOp& op, const ir::ThreadSet& set) {
  Unit unit{op.first_thread, op.group_threads};
  if (unit.first < 0) {
    const int32_t first =
        unit.threads == 1 ? set.first_thread() : set.first_warp * kWarpThreads;
    unit.first = first / unit.threads * unit.threads;
  }
  bool whole =
      unit.first % kWarpThreads == 0 && unit.threads % kWarpThreads == 0;
  if (whole && !set.whole_warps() && set.lanes != 0) {
    unit.lanes = set.lanes;
    unit.threads = unit.threads / kWarpThreads * set.lanes_per_warp();
  }
  unit.all = AllExecute(unit, set);
  return unit;
}

Units UnitsOf(const ir::FragmentLayout& layout, const CompiledOp& op,
              const ir::ThreadSet& set) {
  if (layout.fragment == ir::Fragment::kBlocked) return {ScopeUnit(op, set)};
  int size = UnitThreads(layout), warps = size / kWarpThreads;
  Units units;
  int last = set.first_warp + set.warps - 1;
  for (int u = set.first_warp / warps; u <= last / warps; ++u) {
    Unit& unit = units.emplace_back();
    unit.first = u * size;
    unit.threads = size;
    unit.all = AllExecute(unit, set);
  }
  return units;
}

bool Holds(const ir::FragmentLayout& layout, const Unit& unit,
           const ir::ThreadSet& set, int32_t row, int32_t col) {
  int32_t owner = layout.Place(row, col).thread;
  if (layout.cols > 1 || layout.lanes_per_row() == 1)
    return owner < unit.threads && Executes(set, unit.Thread(owner));
  for (int32_t lane = 0; lane < layout.lanes_per_row(); ++lane) {
    if (Executes(set, unit.Thread(owner + lane))) return true;
  }
  return false;
}

int64_t BytesHeld(const ir::TileValue& box, const ir::FragmentLayout& layout,
                  const CompiledOp& op, const ir::ThreadSet& set) {
  int32_t row0 = box.rank < 2 ? 0 : static_cast<int32_t>(box.start[0]);
  int32_t col0 =
      box.rank == 0 ? 0 : static_cast<int32_t>(box.start[box.rank - 1]);
  int64_t elements = 0;
  for (const Unit& unit : UnitsOf(layout, op, set)) {
    if (unit.all) {
      elements += box.elements();
      continue;
    }
    ir::FragmentLayout of_unit = layout;
    of_unit.threads = unit.threads;
    for (int32_t r = 0; r < box.rows(); ++r) {
      for (int32_t c = 0; c < box.cols(); ++c)
        elements += Holds(of_unit, unit, set, row0 + r, col0 + c);
    }
  }
  return elements * values::BitsOf(box.dtype) / 8;
}

int64_t LaneReached(const ir::TileValue& reg, const Unit& unit, int64_t row) {
  int64_t thread = unit.first + (reg.rank < 2 ? 0 : reg.start[0]) + row;
  return ir::FirstLaneOf(thread / kWarpThreads) + thread % kWarpThreads;
}

std::optional<ir::OutOfBounds> OutOfReach(const ir::TileValue& tmem,
                                          const ir::TileValue& reg,
                                          const Unit& unit, int64_t row) {
  int64_t lane = LaneReached(reg, unit, row);
  int64_t first = tmem.rank < 2 ? 0 : tmem.start[0];
  bool meant = tmem.rows() == reg.rows()
                   ? first + row == lane
                   : lane >= first && lane < first + tmem.rows();
  if (meant) return std::nullopt;
  int64_t quarter = lane / ir::kQuarterLanes * ir::kQuarterLanes;
  int64_t thread = unit.first + (reg.rank < 2 ? 0 : reg.start[0]) + row;
  return ir::OutOfBounds{
      "bounds/tmem", ir::Cat("warp ", thread / kWarpThreads, " reaches lanes ",
                             quarter, " to ", quarter + ir::kQuarterLanes - 1,
                             " of tensor memory, not lane ", first + row)};
}

int OperandIn(const ir::ConcreteOp& op, ir::Space space) {
  for (int i = 0; i < static_cast<int>(op.info().operands.size()); ++i) {
    if (op.is_tile(i) && op.tile(i).space == space) return i;
  }
  return -1;
}

std::optional<ir::OutOfBounds> LanesOutOfReach(const Code& code,
                                               const CompiledOp& op,
                                               const ir::ConcreteOp& concrete) {
  const ir::AsyncUnit async = concrete.info().async;
  if (async != ir::AsyncUnit::kTmemLd && async != ir::AsyncUnit::kTmemSt)
    return std::nullopt;
  const int tmem = OperandIn(concrete, ir::Space::kTmem);
  const int reg = OperandIn(concrete, ir::Space::kReg);
  if (tmem < 0 || reg < 0) return std::nullopt;
  const ir::TileValue &t = concrete.tile(tmem), &r = concrete.tile(reg);
  const ir::ThreadSet& set = concrete.threads;
  const auto rows = static_cast<int32_t>(r.rows());
  const int32_t first = r.rank < 2 ? 0 : static_cast<int32_t>(r.start[0]);
  for (const Unit& unit : UnitsOf(code.bound.decls[r.decl].fragment, op, set)) {
    // Rows of one warp lie in lanes one after the other.
    for (int32_t row = 0; row < rows; ++row) {
      const int32_t lane = (first + row) % ir::kWarpThreads;
      const bool between = row > 0 && row + 1 < rows && lane > 0 &&
                           lane + 1 < ir::kWarpThreads && set.whole_warps();
      if (between || !Executes(set, unit.Thread(first + row))) continue;
      if (auto out = OutOfReach(t, r, unit, row)) return out;
    }
  }
  return std::nullopt;
}

}  // namespace tilesim::machine
