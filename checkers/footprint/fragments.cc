#include "checkers/footprint/fragments.h"

#include <algorithm>
#include <utility>

#include "checkers/footprint/rows.h"
#include "ir/matrix_row.h"

namespace tilesim::checkers::footprint {

namespace {

// Where the box begins in the tile.
struct Corner {
  explicit Corner(const ir::TileValue& t)
      : row(t.rank < 2 ? 0 : static_cast<int32_t>(t.start[0])),
        col(t.rank == 0 ? 0 : static_cast<int32_t>(t.start[t.rank - 1])) {}
  int32_t row, col;
};

Fragments::Key KeyOf(const ir::FragmentLayout& layout, const ir::TileValue& t) {
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

void Append(const machine::Unit& unit, Fragments::Key& key) {
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

std::vector<IntervalSet> InRegisters(ir::FragmentLayout layout,
                                     const machine::Unit& unit,
                                     const ir::TileValue& t) {
  layout.threads = unit.threads;
  Corner corner(t);
  std::vector<std::vector<Interval>> held;
  for (int64_t i = 0; i < t.elements(); ++i) {
    auto row = static_cast<int32_t>(corner.row + i / t.cols());
    auto col = static_cast<int32_t>(corner.col + i % t.cols());
    ir::FragmentPlace at = layout.Place(row, col);
    if (at.thread >= unit.threads) continue;
    size_t warp = unit.Thread(at.thread) / ir::kWarpThreads -
                  unit.first / ir::kWarpThreads;
    if (held.size() <= warp) held.resize(warp + 1);
    held[warp].push_back({at.element, at.element + 1});
  }
  std::vector<IntervalSet> out;
  for (std::vector<Interval>& all : held) out.emplace_back(std::move(all));
  return out;
}

IntervalSet InRegistersByLane(ir::FragmentLayout layout,
                              const machine::Unit& unit, const ir::TileValue& t,
                              const ir::ThreadSet& threads) {
  layout.threads = unit.threads;
  Corner corner(t);
  std::vector<Interval> held;
  for (int64_t i = 0; i < t.elements(); ++i) {
    const ir::FragmentPlace at =
        layout.Place(static_cast<int32_t>(corner.row + i / t.cols()),
                     static_cast<int32_t>(corner.col + i % t.cols()));
    if (at.thread >= unit.threads) continue;
    const int32_t thread = unit.Thread(at.thread);
    if (!machine::Executes(threads, thread)) continue;
    const int64_t place =
        at.element * ir::kWarpThreads + thread % ir::kWarpThreads;
    held.push_back({place, place + 1});
  }
  return IntervalSet(std::move(held));
}

IntervalSet InShared(const ir::BoundDecl& d, const ir::TileValue& t,
                     const IntervalSet& elements) {
  int64_t col0 = t.rank == 0 ? 0 : t.start[t.rank - 1];
  std::vector<Interval> bytes;
  ForRows(t, elements, [&](int64_t r, int64_t first, int64_t cols) {
    int64_t row = ir::MatrixRow(t, d, r), bits = d.layout.bits;
    d.layout.ForRuns(row, col0 + first, cols,
                     [&](int64_t at, int64_t c, int64_t n) {
                       int64_t bit = c * bits % 8;
                       bytes.push_back({at, at + (bit + n * bits + 7) / 8});
                     });
  });
  return IntervalSet(std::move(bytes));
}

}  // namespace

int64_t Fragments::MemoryOf(const ir::BoundKernel& bound) {
  std::vector<ir::BoundDecl> memory = bound.decls;
  for (ir::BoundDecl& d : memory) {
    if (d.space == ir::Space::kGlobal) d = ir::BoundDecl();
  }
  auto found = std::find(memories_.begin(), memories_.end(), memory);
  if (found == memories_.end())
    found = memories_.insert(found, std::move(memory));
  return found - memories_.begin();
}

const IntervalSet& Fragments::Shared(const ir::BoundDecl& decl,
                                     const ir::TileValue& box,
                                     const IntervalSet& elements) {
  const ir::SharedLayout& layout = decl.layout;
  Key key{layout.rows, layout.cols, layout.bits,
          static_cast<int64_t>(layout.swizzle), box.rank};
  for (int d = 0; d < box.rank; ++d)
    key.insert(key.end(), {decl.shape[d], box.start[d], box.extent[d]});
  for (const Interval& i : elements.intervals())
    key.insert(key.end(), {i.begin, i.end});
  auto [found, fresh] = shared_.try_emplace(std::move(key));
  if (fresh) found->second = InShared(decl, box, elements);
  return found->second;
}

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

const std::vector<IntervalSet>& Fragments::Registers(
    const ir::FragmentLayout& layout, const machine::Unit& unit,
    const ir::TileValue& box) {
  Key key = KeyOf(layout, box);
  Append(unit, key);
  auto [found, fresh] = registers_.try_emplace(std::move(key));
  if (fresh) found->second = InRegisters(layout, unit, box);
  return found->second;
}

const IntervalSet& Fragments::RegistersByLane(const ir::FragmentLayout& layout,
                                              const machine::Unit& unit,
                                              const ir::TileValue& box,
                                              const ir::ThreadSet& threads) {
  Key key = KeyOf(layout, box);
  Append(unit, key);
  key.insert(key.end(), {threads.first_warp, threads.warps, threads.lanes});
  auto [found, fresh] = by_lane_.try_emplace(std::move(key));
  if (fresh) found->second = InRegistersByLane(layout, unit, box, threads);
  return found->second;
}

}  // namespace tilesim::checkers::footprint
