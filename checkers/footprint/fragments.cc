#include "checkers/footprint/fragments.h"

#include <utility>

namespace tilesim::checkers {
namespace {

constexpr int kThreadsPerWarp = 32;

// Where the box begins in the tile.
struct Corner {
  explicit Corner(const ir::TileValue& t)
      : row(t.rank < 2 ? 0 : static_cast<int32_t>(t.start[0])),
        col(t.rank == 0 ? 0 : static_cast<int32_t>(t.start[t.rank - 1])) {}
  int32_t row, col;
};

std::vector<int64_t> KeyOf(const ir::FragmentLayout& layout,
                           const ir::TileValue& t) {
  Corner at(t);
  return {static_cast<int64_t>(layout.fragment),
          layout.rows,
          layout.cols,
          layout.threads,
          layout.vector,
          at.row,
          at.col,
          t.cols(),
          t.elements()};
}

void Append(const machine::Unit& unit, std::vector<int64_t>& key) {
  key.insert(key.end(), {unit.first, unit.threads, unit.lanes, unit.all});
}

IntervalSet Held(ir::FragmentLayout layout, const machine::Units& units,
                 const ir::TileValue& t, const ir::ThreadSet& threads) {
  Corner at(t);
  std::vector<Interval> held;
  for (const machine::Unit& unit : units) {
    if (unit.all) return IntervalSet({{0, t.elements()}});
    layout.threads = unit.threads;
    for (int64_t i = 0; i < t.elements(); ++i) {
      if (machine::Holds(layout, unit, threads,
                         static_cast<int32_t>(at.row + i / t.cols()),
                         static_cast<int32_t>(at.col + i % t.cols())))
        held.push_back({i, i + 1});
    }
  }
  return IntervalSet(std::move(held));
}

IntervalSet InRegisters(ir::FragmentLayout layout, const machine::Unit& unit,
                        const ir::TileValue& t, int32_t warp) {
  layout.threads = unit.threads;
  Corner corner(t);
  std::vector<Interval> held;
  for (int64_t i = 0; i < t.elements(); ++i) {
    auto row = static_cast<int32_t>(corner.row + i / t.cols());
    auto col = static_cast<int32_t>(corner.col + i % t.cols());
    ir::FragmentPlace at = layout.Place(row, col);
    bool mine = at.thread < unit.threads &&
                unit.Thread(at.thread) / kThreadsPerWarp == warp;
    if (mine) held.push_back({at.element, at.element + 1});
  }
  return IntervalSet(std::move(held));
}

}  // namespace

const IntervalSet& Fragments::HeldBy(const ir::FragmentLayout& layout,
                                     const machine::Units& units,
                                     const ir::TileValue& box,
                                     const ir::ThreadSet& threads) {
  Key key = KeyOf(layout, box);
  key.insert(key.end(), {threads.first_warp, threads.warps, threads.lanes});
  for (const machine::Unit& unit : units) Append(unit, key);
  auto [found, fresh] = held_.try_emplace(std::move(key));
  if (fresh) found->second = Held(layout, units, box, threads);
  return found->second;
}

const IntervalSet& Fragments::Registers(const ir::FragmentLayout& layout,
                                        const machine::Unit& unit,
                                        const ir::TileValue& box,
                                        int32_t warp) {
  Key key = KeyOf(layout, box);
  key.push_back(warp);
  Append(unit, key);
  auto [found, fresh] = registers_.try_emplace(std::move(key));
  if (fresh) found->second = InRegisters(layout, unit, box, warp);
  return found->second;
}

}  // namespace tilesim::checkers
