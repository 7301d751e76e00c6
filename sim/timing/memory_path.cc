#include "sim/timing/memory_path.h"

#include <algorithm>

namespace tilesim::timing {
namespace {

// Rows of a block, for boxes at least that high and for lower ones.
constexpr int64_t kHighBlock = 64;
constexpr int64_t kLowBlock = 8;
constexpr int64_t kBlockBytes = 128;
constexpr int64_t kSectorBytes = 32;
constexpr uint64_t kColumns = (1 << 28) - 1;  // of a key: blocks along a row

// Calls f(key, bytes, rows) for every L2 block that a tile touches.
template <typename F>
void ForEachBlock(const CostContext& c, const ir::TileValue& tile, F f) {
  const ir::BoundDecl& d = c.bound.decls[tile.decl];
  int bits = values::BitsOf(tile.dtype);
  int last = tile.rank - 1;
  int64_t outer = 0, rows = 1, row = 0;
  for (int i = 0; i < last; ++i) {
    if (i + 1 == last) {
      row = tile.start[i];
      rows = tile.extent[i];
    } else {
      outer = outer * d.shape[i] + tile.start[i];
    }
  }
  const int64_t block = rows >= kHighBlock ? kHighBlock : kLowBlock;
  int64_t first_byte = last < 0 ? 0 : tile.start[last] * bits / 8;
  int64_t width = last < 0 ? bits / 8 : int64_t{tile.extent[last]} * bits / 8;
  uint64_t base = c.tensors[tile.decl] ^
                  (static_cast<uint64_t>(outer) * 0x9e3779b97f4a7c15u >> 8) ^
                  (block == kLowBlock ? uint64_t{1} << 55 : 0);
  int64_t col_step = kBlockBytes * std::max<int64_t>(1, width / 512);
  for (int64_t r = row / block; r <= (row + rows - 1) / block; ++r) {
    int64_t r0 = std::max(row, r * block);
    int64_t r1 = std::min(row + rows, (r + 1) * block);
    for (int64_t b = first_byte; b < first_byte + width; b += col_step) {
      double bytes = static_cast<double>(
          (r1 - r0) * std::min(col_step, first_byte + width - b));
      uint64_t key = (base ^ static_cast<uint64_t>(r) << 28) & ~kColumns;
      key |= static_cast<uint64_t>(b / kBlockBytes) & kColumns;
      f(key, bytes, r1 - r0);
    }
  }
}

// Cycles of the SM that L2 or HBM, which have their own clock, need.
double Beyond(const CostContext& c, double amount, double per_cycle) {
  return amount / per_cycle * c.chip.pace;
}

// How much more a tensor load costs whose rows do not begin and end at lines of
// 128 bytes: on the way from L2, and at the SM.
struct Slower {
  double way = 1, sm = 1;
};

// A row is asked for in requests: of each line that it touches its whole sectors,
// and each sector that it takes a part of (calibration.json rows.port).
Slower SlowerRows(const CostContext& c, const ir::TileValue& tile) {
  const ir::BoundDecl& d = c.bound.decls[tile.decl];
  if (c.op.info().kind != ir::OpKind::kTmaLoad || tile.rank < 2) return {};
  const int bits = values::BitsOf(tile.dtype), last = tile.rank - 1;
  const int64_t width = int64_t{tile.extent[last]} * bits / 8;
  const int64_t pitch = d.strides[last - 1] * bits / 8;
  const int64_t first =
      int64_t{tile.start[last]} * bits / 8 + tile.start[last - 1] * pitch;
  auto whole = [](int64_t x) { return x % kBlockBytes == 0; };
  if (whole(first) && (whole(pitch) || tile.extent[last - 1] == 1)) return {};
  // The pitch is a multiple of 16 bytes: rows repeat after eight.
  const int64_t rows = std::min<int64_t>(tile.extent[last - 1], 8);
  const int64_t least = (width + kBlockBytes - 1) / kBlockBytes;
  double way = 0, sm = 0;
  for (int64_t r = 0; r < rows; ++r) {
    const int64_t begin = (first + r * pitch) % kBlockBytes;
    const int64_t end = begin + width;
    const auto lines = static_cast<double>(
        (end + kBlockBytes - 1) / kBlockBytes);
    const double parts = (begin % kSectorBytes != 0) + (end % kSectorBytes != 0);
    double whole_lines = lines;
    // A line of which there is nothing but a part of a sector.
    if (begin % kBlockBytes > kBlockBytes - kSectorBytes) --whole_lines;
    if (end % kBlockBytes != 0 && end % kBlockBytes < kSectorBytes)
      --whole_lines;
    const auto bytes = static_cast<double>(width);
    way += (bytes + (lines - static_cast<double>(least)) * c.arch.l2_line +
            parts * c.arch.l2_part) / bytes;
    sm += std::max(1.0, (whole_lines + parts) * c.arch.l2_port / bytes);
  }
  return {way / static_cast<double>(rows), sm / static_cast<double>(rows)};
}

// L2 takes or makes room for a block. Returns when it is there.
double Touch(const CostContext& c, uint64_t key, double bytes, double arrives,
             bool writes) {
  L2Cache::Hit hit = c.chip.cache.Touch(key, bytes, arrives, writes);
  if (hit.evicted > 0) {
    c.chip.hbm.Take(c.now, Beyond(c, hit.evicted, c.arch.hbm_write));
    c.chip.hbm_bytes += hit.evicted;
  }
  return hit.available;
}

}  // namespace

Fetched FetchTile(const CostContext& c, const ir::TileValue& tile,
                  double request, double latency, double share, bool merged) {
  const arch::Arch& a = c.arch;
  const Slower slower = SlowerRows(c, tile);
  const double at_l2 = request + latency / 2;
  const ir::BoundDecl& decl = c.bound.decls[tile.decl];
  const int64_t row_bytes =
      tile.rank > 0 ? decl.shape[tile.rank - 1] * values::BitsOf(tile.dtype) / 8
                    : 0;
  auto paired = [&](uint64_t key) {
    auto column = static_cast<int64_t>(key & kColumns);
    return (column | 1) * kBlockBytes < row_bytes &&
           tile.extent[tile.rank - 1] * values::BitsOf(tile.dtype) / 8 <=
               kBlockBytes &&
           !c.chip.cache.Holds(key ^ 1);
  };
  Fetched f;
  f.available = f.leaves = at_l2;
  ForEachBlock(c, tile, [&](uint64_t key, double n, int64_t rows) {
    double arrives = at_l2;
    if (!c.chip.cache.Holds(key)) {
      // Tensor maps fetch 256 bytes of a row: the neighbour comes along.
      bool pair = c.op.info().kind == ir::OpKind::kTmaLoad && paired(key);
      double bytes = pair ? 2 * n : n;
      double time = Beyond(c, bytes, a.hbm_bandwidth);
      double start = c.chip.hbm.Take(at_l2, time);
      c.chip.hbm_bytes += bytes;
      arrives = start + time + a.hbm_latency + a.hbm_row * rows;
      if (pair) Touch(c, key ^ 1, n, arrives, false);
    }
    double available = std::max(at_l2, Touch(c, key, n, arrives, false));
    f.available = std::max(f.available, available);
    // What is on its way to this GPC anyhow need not be sent again.
    GpcUnits::Way& way = c.gpc.ways[key];
    double left = way.left;
    bool together =
        merged && at_l2 < way.asked + a.l2_merge && left > c.now;
    if (!together || share < 1) {
      double time = Beyond(c, n * share * slower.way, a.l2_gpc);
      left = c.gpc.port.Take(at_l2, available, time) + time;
      if (merged) way = {at_l2, left};
    }
    f.leaves = std::max(f.leaves, left);
  });
  double bytes = static_cast<double>(tile.bytes()) * share;
  f.done = DeliverTile(c, bytes, f.available, f.leaves, latency, slower.sm);
  f.chain.Add(Cause::kTma, latency);
  f.chain.Add(Cause::kHbm, f.available - at_l2);
  f.chain.Add(Cause::kL2, f.done - latency / 2 - f.available);
  return f;
}

double DeliverTile(const CostContext& c, double bytes, double available,
                   double leaves, double latency, double slower) {
  double time = bytes / c.arch.l2_port * slower;
  double end = c.sm.port.Take(c.now + latency / 2, available, time) + time;
  return std::max(end, leaves) + latency / 2;
}

double WriteTile(const CostContext& c, const ir::TileValue& tile, double ready,
                 double l2_time) {
  // In and out share the way; the rates are of all GPCs together.
  double time = l2_time * c.chip.pace * c.chip.gpcs;
  double start = c.gpc.port.Take(c.now, ready, time);
  ForEachBlock(c, tile, [&](uint64_t key, double n, int64_t) {
    Touch(c, key, n, start, true);
  });
  return start + time;
}

}  // namespace tilesim::timing
