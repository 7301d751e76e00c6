#include "sim/timing/memory_path.h"

#include <algorithm>

namespace tilesim::timing {
namespace {

// Rows of a block, for boxes at least that high and for lower ones.
constexpr int64_t kHighBlock = 64;
constexpr int64_t kLowBlock = 8;
constexpr int64_t kBlockBytes = 128;

// Calls f(key, bytes) for every L2 block that a tile touches.
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
  uint64_t base = (static_cast<uint64_t>(tile.decl) << 56) ^
                  (static_cast<uint64_t>(outer) * 0x9e3779b97f4a7c15u >> 8) ^
                  (block == kLowBlock ? uint64_t{1} << 55 : 0);
  int64_t col_step = kBlockBytes * std::max<int64_t>(1, width / 512);
  for (int64_t r = row / block; r <= (row + rows - 1) / block; ++r) {
    int64_t r0 = std::max(row, r * block);
    int64_t r1 = std::min(row + rows, (r + 1) * block);
    for (int64_t b = first_byte; b < first_byte + width; b += col_step) {
      double bytes = static_cast<double>(
          (r1 - r0) * std::min(col_step, first_byte + width - b));
      uint64_t key = base + (static_cast<uint64_t>(r) << 28) +
                     static_cast<uint64_t>(b / kBlockBytes);
      f(key, bytes);
    }
  }
}

}  // namespace

Fetched FetchTile(const CostContext& c, const ir::TileValue& tile,
                  double request, double latency, double share) {
  const arch::Arch& a = c.arch;
  double bytes = static_cast<double>(tile.bytes()) * share;
  double at_l2 = request + latency / 2;
  double available = at_l2;
  ForEachBlock(c, tile, [&](uint64_t key, double n) {
    double arrives = at_l2;
    if (!c.chip.cache.Holds(key)) {
      double start = c.chip.hbm.Take(c.now, at_l2, n / a.hbm_bandwidth);
      c.chip.hbm_bytes += n;
      arrives = start + n / a.hbm_bandwidth + a.hbm_latency;
    }
    available = std::max(available,
                         c.chip.cache.Touch(key, n, arrives).available);
  });
  Fetched f;
  f.available = available;
  f.done = DeliverTile(c, bytes, available, latency);
  f.chain.Add(Cause::kTma, latency);
  f.chain.Add(Cause::kHbm, available - at_l2);
  f.chain.Add(Cause::kL2, f.done - latency / 2 - available);
  return f;
}

double DeliverTile(const CostContext& c, double bytes, double available,
                   double latency) {
  double leaves = c.chip.l2.Take(c.now, available, bytes / c.arch.l2_bandwidth);
  double time = bytes / c.arch.l2_port;
  return c.sm.port.Take(c.now, leaves, time) + time + latency / 2;
}

double WriteTile(const CostContext& c, const ir::TileValue& tile,
                 double ready, double share) {
  const arch::Arch& a = c.arch;
  double bytes = static_cast<double>(tile.bytes()) * share;
  double port = c.sm.port.Take(c.now, ready, bytes / a.l2_port);
  double l2 = c.chip.l2.Take(c.now, port, bytes / a.l2_bandwidth);
  // L2 writes back later; the bytes still take HBM's time.
  c.chip.hbm.Take(c.now, l2, bytes / a.hbm_write);
  c.chip.hbm_bytes += bytes;
  return l2 + bytes / a.l2_port;
}

}  // namespace tilesim::timing
