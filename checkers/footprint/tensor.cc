// Tensor memory.
#include <algorithm>
#include <optional>
#include <utility>

#include "checkers/footprint/footprint.h"
#include "ir/tmem.h"
#include "sim/machine/tensor_bytes.h"

namespace tilesim::checkers::footprint {
using run::Event;

namespace {

using ir::kColumnBytes;
using ir::kQuarterLanes;
using ir::kTmemLanes;

constexpr int64_t kAddressBytes = 4;
static_assert(kLaneStride == machine::kLaneStride);

struct Columns {
  int64_t begin, end;  // bytes of a lane
};

void Lanes(int64_t first, int64_t count, const Columns& c,
           std::vector<Interval>& out) {
  for (int64_t l = first; l < first + count && l < kTmemLanes; ++l)
    out.push_back({l * kLaneStride + c.begin, l * kLaneStride + c.end});
}

// Bytes of a lane that a box of scale factors takes: 32 rows, which lie in the
// 32 lanes of every quarter, have a byte for each block along K.
std::vector<Columns> ScaleColumns(const ir::TileValue& t, int64_t rows) {
  std::vector<int64_t> bytes;
  int64_t first = t.start[0] / kQuarterLanes;
  int64_t last = (t.start[0] + t.rows() - 1) / kQuarterLanes;
  for (int64_t group = first; group <= last; ++group) {
    for (int64_t k = t.start[1]; k < t.start[1] + t.cols(); ++k)
      bytes.push_back(ir::ScaleAt(group * kQuarterLanes, k, rows).byte);
  }
  std::sort(bytes.begin(), bytes.end());
  std::vector<Columns> out;
  for (int64_t b : bytes) {
    if (!out.empty() && out.back().end == b) {
      ++out.back().end;
    } else {
      out.push_back({b, b + 1});
    }
  }
  return out;
}

}  // namespace

Footprint Footprints::OfLanes(IntervalSet bytes) {
  Interval reach{kLaneStride, 0};
  for (const Interval& i : bytes.intervals()) {
    bool one = i.begin / kLaneStride == (i.end - 1) / kLaneStride;
    if (!one) return {std::move(bytes), {0, kLaneStride}};
    reach.begin = std::min(reach.begin, i.begin % kLaneStride);
    reach.end = std::max(reach.end, (i.end - 1) % kLaneStride + 1);
  }
  return {std::move(bytes), reach};
}

Footprint Footprints::Pool(int32_t decl) const {
  int64_t column = ir::PoolColumn(code_.bound, decl);
  std::vector<Interval> out;
  int64_t end = column + code_.bound.decls[decl].columns;
  Lanes(0, kTmemLanes, {column * kColumnBytes, end * kColumnBytes}, out);
  return OfLanes(IntervalSet(std::move(out)));
}

Footprint Footprints::Slot(int32_t pool) const {
  const ir::BoundDecl& slot = code_.bound.decls[code_.bound.decls[pool].slot];
  Interval word{slot.place, slot.place + kAddressBytes};
  return {IntervalSet({word}), word};
}

// By what the program writes in shared memory, or by another allocation.
bool Footprints::MayBeWritten(int32_t pool) const {
  const Interval word = Slot(pool).reach;
  const auto& decls = code_.bound.decls;
  for (size_t i = 0; i < decls.size(); ++i) {
    const ir::BoundDecl& d = decls[i];
    bool other = d.is_pool && d.slot >= 0 && static_cast<int32_t>(i) != pool;
    if (other && Slot(static_cast<int32_t>(i)).reach.Overlaps(word))
      return true;
    bool written = d.space == ir::Space::kShared && written_[i];
    if (written &&
        word.Overlaps({d.place, d.place + d.objects * d.object_bytes}))
      return true;
  }
  return false;
}

IntervalSet Footprints::Tensor(const Event& event, const ir::TileValue& t,
                               const ir::ThreadSet& threads) const {
  const ir::BoundDecl& d = decl(t);
  int64_t base = ir::ObjectColumn(code_.bound, t) * kColumnBytes;
  int64_t bits = ir::StepBits(d);
  int64_t col = t.rank == 0 ? 0 : t.start[t.rank - 1];
  Columns c{base + col * bits / 8, base + ((col + t.cols()) * bits + 7) / 8};
  int64_t lane = t.rank < 2 ? 0 : t.start[0];
  std::vector<Interval> out;
  ir::AsyncUnit unit = event.concrete().info().async;
  if (unit == ir::AsyncUnit::kTmemLd || unit == ir::AsyncUnit::kTmemSt) {
    // Each warp has its quarter of the lanes.
    for (int64_t w = threads.first_warp; w < threads.first_warp + threads.warps;
         ++w) {
      int64_t quarter = ir::FirstLaneOf(w);
      int64_t low = std::max(lane, quarter);
      int64_t high = std::min(lane + t.rows(), quarter + kQuarterLanes);
      Lanes(low, high - low, c, out);
    }
    return IntervalSet(std::move(out));
  }
  if (ir::IsScale(t.dtype)) {
    for (const Columns& run : ScaleColumns(t, d.shape[0]))
      Lanes(0, kTmemLanes, {base + run.begin, base + run.end}, out);
    return IntervalSet(std::move(out));
  }
  bool pair = !event.effects().empty() && event.effects()[0].ranks != 0;
  std::optional<ir::DataPath> path =
      ir::DataPathOf(t.rows() * (pair ? 2 : 1), pair);
  if (!path || !event.concrete().info().AccumulatesInTmem()) {
    Lanes(lane, t.rows(), c, out);
    return IntervalSet(std::move(out));
  }
  bool halves = *path == ir::DataPath::kB;
  if (halves) c.end = c.begin + (c.end - c.begin) / 2;
  for (int64_t r = 0; r < t.rows(); ++r) {
    Lanes(lane + ir::LaneOf(*path, r, 0, t.cols()), 1, c, out);
    if (halves) Lanes(lane + r + kTmemLanes / 2, 1, c, out);
  }
  return IntervalSet(std::move(out));
}

}  // namespace tilesim::checkers::footprint
