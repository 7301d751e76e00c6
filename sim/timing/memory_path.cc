#include "sim/timing/memory_path.h"

#include <algorithm>
#include <bit>

#include "absl/container/inlined_vector.h"
#include "sim/timing/slices.h"

namespace tilesim::timing {
namespace {

constexpr int64_t kBlockRows = 64;  // a bit each in L2Cache::Rows
constexpr int64_t kBlockBytes = 128;
constexpr double kPageBytes = 2048;  // of DRAM
// What was asked for as long ago is still to be had by others with nothing else
// under way (calibration.json pair.latency: 40 and, at times, 80).
constexpr double kTogether = 60;
// What was asked for longer ago comes for who asked first alone, however long
// it still takes: several CTAs of an SM drift apart and gain less from the
// other SMs than one (ring.turn, 132 to 528 CTAs, shared tiles and later ones).
constexpr double kHandedOn = 700;
// How much longer L2 takes for what is stored while the way from it is full
// (stream.rate, warm, 8 and 16 MB read and written: 0.3 us more for 8 MB than
// written alone, with that way 0.37 full).
constexpr double kLoadsBeside = 0.4;
// The part of their time that tensor stores which add take of the way of loads
// (16 KB added and 16 or 32 KB loaded in turn, all SMs: 2,880 and 3,710 cycles,
// alone 2,560, and 980 and 1,960).
constexpr double kAddsBeside = 0.7;
// Of so many blocks the part that they take of a port is the mean.
constexpr double kPartOf = 32;
constexpr uint64_t kColumns = (1 << 28) - 1;  // of a key: blocks along a row

uint64_t Bits(int64_t first, int64_t end) {
  const uint64_t all = ~uint64_t{0};
  return all >> (kBlockRows - (end - first)) << first;
}

// Calls f(index) with that of every matrix of the last two dimensions that a
// tile has a part of; what lies outside the tensor is not fetched.
template <typename F>
void ForEachMatrix(const ir::BoundDecl& d, const ir::TileValue& tile, F f,
                   int dim = 0, int64_t outer = 0) {
  if (dim >= tile.rank - 2) return f(outer);
  const int64_t first = std::max<int64_t>(tile.start[dim], 0);
  const int64_t end =
      std::min<int64_t>(tile.start[dim] + tile.extent[dim], d.shape[dim]);
  for (int64_t i = first; i < end; ++i)
    ForEachMatrix(d, tile, f, dim + 1, outer * d.shape[dim] + i);
}

// Calls f(rows, first) with what a tile touches of every L2 block, from its
// `first` byte of each row on.
template <typename F>
void ForEachBlock(const CostContext& c, const ir::TileValue& tile, F f) {
  const ir::BoundDecl& d = c.bound.decls[tile.decl];
  int bits = values::BitsOf(tile.dtype);
  int last = tile.rank - 1;
  int64_t row = 0, end = 1;
  if (last > 0) {
    row = std::max<int64_t>(tile.start[last - 1], 0);
    end = std::min(tile.start[last - 1] + tile.extent[last - 1],
                   d.shape[last - 1]);
  }
  int64_t first_byte = last < 0 ? 0 : tile.start[last] * bits / 8;
  int64_t width = last < 0 ? bits / 8 : int64_t{tile.extent[last]} * bits / 8;
  int64_t col_step = kBlockBytes * std::max<int64_t>(1, width / 512);
  ForEachMatrix(d, tile, [&](int64_t outer) {
    uint64_t base = c.tensors[tile.decl] ^
                    (static_cast<uint64_t>(outer) * 0x9e3779b97f4a7c15u >> 8);
    for (int64_t r = row / kBlockRows; r * kBlockRows < end; ++r) {
      const int64_t begin = r * kBlockRows;
      const uint64_t touched = Bits(std::max(row - begin, int64_t{0}),
                                    std::min(end - begin, kBlockRows));
      for (int64_t b = first_byte; b < first_byte + width; b += col_step) {
        uint64_t key = (base ^ static_cast<uint64_t>(r) << 28) & ~kColumns;
        key |= static_cast<uint64_t>(b / kBlockBytes) & kColumns;
        f(L2Cache::Rows{key, touched,
                        static_cast<double>(
                            std::min(col_step, first_byte + width - b))},
          b % kBlockBytes);
      }
    }
  });
}

// Of what is on its way: these rows of the block, from a byte of each on. The
// first one stands for them. Who asks for the other half of a line asks anew
// (ring.turn, rows of 64 bytes).
uint64_t WayOf(const L2Cache::Rows& rows, int64_t first) {
  return rows.key ^ static_cast<uint64_t>(std::countr_zero(rows.rows)) << 56 ^
         static_cast<uint64_t>(first / kSectorBytes) << 62;
}

// Cycles of the SM that L2 or HBM, which have their own clock, need.
double Beyond(const CostContext& c, double amount, double per_cycle) {
  return amount / per_cycle * c.chip.pace;
}

// Who waits by chance waits more or less than the mean: from 0 to 2, the same
// for one SM at one time in each run.
double Luck(const CostContext& c) {
  uint64_t x = static_cast<uint64_t>(c.now) * 0x9e3779b97f4a7c15u ^
               static_cast<uint64_t>(c.sm.number) * 0xbf58476d1ce4e5b9u;
  x = (x ^ x >> 31) * 0x94d049bb133111ebu;
  constexpr double kLargest = 1ull << 32;
  return static_cast<double>(x >> 32) / kLargest * 2;
}

// How much more a tensor load costs whose rows do not begin and end at lines of
// 128 bytes, or are shorter than one: on the way from L2, and at the SM.
struct Slower {
  double way = 1, sm = 1;
};

// A row is asked for in requests: of each line that it touches its whole
// sectors, and each sector that it takes a part of (calibration.json
// rows.port).
Slower SlowerRows(const CostContext& c, const ir::TileValue& tile) {
  const ir::BoundDecl& d = c.bound.decls[tile.decl];
  if (c.op.info().kind != ir::OpKind::kTmaLoad || tile.rank < 2) return {};
  const int bits = values::BitsOf(tile.dtype), last = tile.rank - 1;
  const int64_t width = int64_t{tile.extent[last]} * bits / 8;
  const int64_t pitch = d.strides[last - 1] * bits / 8;
  const int64_t first =
      int64_t{tile.start[last]} * bits / 8 + tile.start[last - 1] * pitch;
  auto whole = [](int64_t x) { return x % kBlockBytes == 0; };
  if (whole(width) && whole(first) &&
      (whole(pitch) || tile.extent[last - 1] == 1))
    return {};
  // The pitch is a multiple of 16 bytes: rows repeat after eight.
  const int64_t rows = std::min<int64_t>(tile.extent[last - 1], 8);
  const int64_t least = (width + kBlockBytes - 1) / kBlockBytes;
  double way = 0, sm = 0;
  for (int64_t r = 0; r < rows; ++r) {
    const int64_t begin = (first + r * pitch) % kBlockBytes;
    const int64_t end = begin + width;
    const auto lines =
        static_cast<double>((end + kBlockBytes - 1) / kBlockBytes);
    const double parts =
        (begin % kSectorBytes != 0) + (end % kSectorBytes != 0);
    double whole_lines = lines;
    // A line of which there is nothing but a part of a sector.
    if (begin % kBlockBytes > kBlockBytes - kSectorBytes) --whole_lines;
    if (end % kBlockBytes != 0 && end % kBlockBytes < kSectorBytes)
      --whole_lines;
    const auto bytes = static_cast<double>(width);
    const double lacking = static_cast<double>(least * kBlockBytes) - bytes;
    way += (bytes + (lines - static_cast<double>(least)) * c.arch.l2_line +
            parts * c.arch.l2_part + lacking * c.arch.l2_narrow) /
           bytes;
    sm += std::max(1.0, (whole_lines + parts) * c.arch.l2_port / bytes);
  }
  return {way / static_cast<double>(rows), sm / static_cast<double>(rows)};
}

// Cycles of HBM for bytes that leave L2. Where it is read meanwhile, it has to
// turn from one to the other, which is counted as the writes' (calibration.json
// stream.rate: writes alone are as fast as reads).
double WriteBack(const CostContext& c, double bytes) {
  const double alone = Beyond(c, bytes, c.arch.hbm_write_alone);
  const double in_turn = Beyond(c, bytes, c.arch.hbm_write);
  const double reads = c.chip.reads_hbm.Share(c.now);
  const double all = c.chip.at_hbm.Share(c.now);
  const double turns = all > 0 ? std::min(1.0, 2 * reads / all) : 0;
  return alone + (in_turn - alone) * turns;
}

// L2 takes or makes room for a block. Returns when it is there; what is written
// waits until HBM has taken what had to leave for it.
double Touch(const CostContext& c, const L2Cache::Rows& rows, double arrives,
             bool writes) {
  L2Cache::Hit hit = c.chip.cache.Touch(rows, arrives, writes, c.sm.side);
  if (hit.evicted <= 0) return hit.available;
  const double time = WriteBack(c, hit.evicted);
  const double start = c.chip.hbm.Take(c.now, time);
  c.chip.at_hbm.Ask(c.now, time);
  c.chip.moved.hbm_written += hit.evicted;
  return writes ? std::max(hit.available, start + time) : hit.available;
}

// Whether a request for rows of a tile brings their neighbours along: tensor
// maps fetch 256 bytes of a row.
L2Cache::Rows Neighbour(const CostContext& c, const ir::TileValue& tile,
                        L2Cache::Rows missing) {
  const ir::BoundDecl& decl = c.bound.decls[tile.decl];
  const int64_t bits = values::BitsOf(tile.dtype);
  const int64_t row_bytes =
      tile.rank > 0 ? decl.shape[tile.rank - 1] * bits / 8 : 0;
  const auto column = static_cast<int64_t>(missing.key & kColumns);
  const bool pair = c.op.info().kind == ir::OpKind::kTmaLoad &&
                    (column | 1) * kBlockBytes < row_bytes &&
                    tile.extent[tile.rank - 1] * bits / 8 <= kBlockBytes;
  missing.key ^= 1;
  if (!pair) missing.rows = 0;
  return c.chip.cache.Missing(missing);
}

// How much longer than a line rows of a box take from HBM: they lie in so many
// DRAM pages (tma.pitch: 64 rows of 128 bytes, 128 bytes to 2 MB apart).
double Pages(const CostContext& c, const ir::TileValue& tile,
             const L2Cache::Rows& rows) {
  if (tile.bytes() <= kBlockBytes) return 0;
  const ir::BoundDecl& d = c.bound.decls[tile.decl];
  const double count = L2Cache::Count(rows.rows);
  const double pitch =
      tile.rank < 2 ? rows.bytes_of_row
                    : static_cast<double>(d.strides[tile.rank - 2] *
                                          values::BitsOf(tile.dtype) / 8);
  const double pages =
      std::min(count * std::max(1.0, rows.bytes_of_row / kPageBytes),
               count * pitch / kPageBytes);
  return c.arch.hbm_box + c.arch.hbm_page * std::max(1.0, pages);
}

// What HBM gives of a line of which a tensor load asks for a part: all of it,
// and who asks for the rest finds it (boxes of 32 and 64 bytes that go along
// rows of 4 KB, all SMs: HBM gives 3.4 and 4.3 TB/s, no more than for whole
// lines).
L2Cache::Rows WholeLines(const CostContext& c, const ir::TileValue& tile,
                         L2Cache::Rows rows) {
  if (c.op.info().kind != ir::OpKind::kTmaLoad || tile.rank < 2) return rows;
  const auto pitch =
      static_cast<double>(c.bound.decls[tile.decl].strides[tile.rank - 2] *
                          values::BitsOf(tile.dtype) / 8);
  const double line = std::min<double>(pitch, kBlockBytes);
  rows.bytes_of_row = std::max(rows.bytes_of_row, line);
  return rows;
}

// When a request that comes to L2 at `at_l2` finds all of the rows there, of
// which it is for `share`.
double InL2(const CostContext& c, const ir::TileValue& tile,
            const L2Cache::Rows& asked_rows, double at_l2, double share) {
  const arch::Arch& a = c.arch;
  double arrives = at_l2;
  const L2Cache::Rows rows = WholeLines(c, tile, asked_rows);
  const L2Cache::Rows missing = c.chip.cache.Missing(rows);
  const double asked = asked_rows.bytes() * share;
  const double missed = std::min(asked, missing.bytes());
  c.chip.moved.l2_missed += missed;
  c.chip.moved.l2_hit += asked - missed;
  if (missing.rows != 0) {
    const L2Cache::Rows beside = Neighbour(c, tile, missing);
    const double bytes = missing.bytes() + beside.bytes();
    // DRAM gives long rows a little faster than boxes of lines.
    const bool box = c.op.info().kind == ir::OpKind::kTmaLoad &&
                     rows.bytes_of_row <= kBlockBytes;
    const double time = Beyond(c, bytes, box ? a.hbm_bandwidth : a.hbm_stream);
    const double crowd = c.chip.at_hbm.Ask(c.now, time) * a.hbm_queue;
    c.chip.reads_hbm.Ask(c.now, time);
    const double start = c.chip.hbm.Take(at_l2, time) + crowd;
    c.chip.moved.hbm_read += bytes;
    arrives = start + time + a.hbm_latency + Pages(c, tile, missing);
    if (beside.rows != 0) Touch(c, beside, arrives, false);
  }
  return std::max(at_l2, Touch(c, rows, arrives, false));
}

}  // namespace

ir::TileValue DistinctOf(const CostContext& c, ir::TileValue tile) {
  const ir::BoundDecl& d = c.bound.decls[tile.decl];
  for (int i = 0; i < tile.rank; ++i) {
    if (d.strides[i] != 0) continue;
    tile.start[i] = 0;
    tile.extent[i] = 1;
  }
  return tile;
}

Fetched FetchTile(const CostContext& c, const ir::TileValue& tile,
                  double request, double latency, double share, bool merged,
                  int destinations) {
  const Slower slower = SlowerRows(c, tile);
  const double at_l2 = request + latency / 2;
  const bool merges = merged && share == 1;
  // What others asked for comes to this SM too while it waits in a queue: not
  // if the SM itself takes as long.
  const double alone = std::max(
      at_l2,
      at_l2 + static_cast<double>(tile.bytes()) / c.arch.l2_port - kTogether);
  double* often = merges ? &c.gpc.Part(c.tensors[tile.decl]) : nullptr;
  Fetched f;
  f.asked = f.available = f.leaves = at_l2;
  double asked = 0;  // of the port
  absl::InlinedVector<uint64_t, 8> first;
  ForEachBlock(c, tile, [&](const L2Cache::Rows& rows, int64_t first_byte) {
    const double available = InL2(c, tile, rows, at_l2, share);
    f.available = std::max(f.available, available);
    // What is on its way to this GPC anyhow is not read again, only handed on.
    const uint64_t way = WayOf(rows, first_byte);
    const GpcUnits::Way on = merges ? c.gpc.On(way, c.sm) : GpcUnits::Way{};
    const double there = on.leaves;
    // Not to who has asked already: an SM's CTAs each get their own.
    const bool together =
        !on.of_sm && there > alone && c.now - on.asked < kHandedOn;
    const double handed_on =
        on.of_tpc ? c.arch.l2_merged_tpc : c.arch.l2_merged;
    // Only whole sectors are: what is asked for besides is each SM's own.
    double part = (together ? handed_on : 1) + slower.way - 1;
    if (merges) part = *often += (part - *often) / kPartOf;
    const double time = Beyond(c, rows.bytes() * share * part, c.arch.l2_gpc);
    asked += time;
    f.leaves = std::max(f.leaves, together ? there : available + time);
    if (merges && !together) first.push_back(way);
  });
  // To hand it on takes as long as for those who ask themselves (ring.turn:
  // four stages, multicast 2 and 4 on all SMs).
  asked *= 1 + c.arch.l2_merged * (destinations - 1);
  f.request = c.gpc.port.Ask(c.sm.number, c.now, asked);
  const double crowd =
      c.gpc.crowd.Ask(c.now, asked) * c.arch.l2_queue * Luck(c);
  const double after = at_l2 - c.now + crowd;
  f.after = after + latency / 2;
  f.leaves = std::max(f.leaves, after + c.gpc.port.Finish(f.request));
  for (uint64_t way : first) c.gpc.SetOut(way, c.sm, f.request, after, c.now);
  double bytes = static_cast<double>(tile.bytes()) * share;
  f.done =
      DeliverTile(c, bytes, at_l2, f.available, f.leaves, latency, slower.sm);
  f.chain.Add(Cause::kTma, latency);
  f.chain.Add(Cause::kHbm, f.available - at_l2);
  f.chain.Add(Cause::kL2, f.done - latency / 2 - f.available);
  return f;
}

double DeliverTile(const CostContext& c, double bytes, double asked,
                   double available, double leaves, double latency,
                   double slower) {
  double time = bytes / c.arch.l2_port * slower;
  double end = c.sm.port.Take(asked, available, time) + time;
  return std::max(end, leaves) + latency / 2;
}

double WriteTile(const CostContext& c, const ir::TileValue& tile,
                 const Outgoing& out, double* sent) {
  c.chip.moved.l2_written += out.bytes;
  // The rates are of all together, and without loads beside.
  double time = out.l2_time * c.chip.pace * c.sm.turns;
  if (out.lines) time *= 1 + kLoadsBeside * c.gpc.crowd.Share(c.now);
  const int32_t request = c.chip.out.Ask(c.sm.number, c.now, time);
  if (out.request != nullptr) *out.request = request;
  double done = std::max(out.ready + time, c.chip.out.Finish(request));
  // What is no line takes the way of loads, too.
  if (!out.lines) {
    const double part = out.adds && !c.compiled ? kAddsBeside : 1;
    const double beside = part * out.l2_time * c.chip.pace * c.chip.gpcs;
    const int32_t in = c.gpc.port.Ask(c.sm.number, c.now, beside);
    done = std::max(done, c.gpc.port.Finish(in));
  }
  const double start = done - time;
  if (sent != nullptr) *sent = done;
  if (out.adds) {
    // Slices have room for what waits to be added, up to a point.
    constexpr double kRoom = 2000;
    const double added = AddInL2(c, tile, out.ready);
    if (out.added != nullptr) *out.added = added;
    done = std::max(done, added - (out.added != nullptr ? kRoom : 0));
  }
  ForEachBlock(c, tile, [&](const L2Cache::Rows& rows, int64_t) {
    // L2 adds to what it has: what it lacks comes from HBM.
    const double there = out.adds ? InL2(c, tile, rows, start, 1) : start;
    const double touched = std::max(there, Touch(c, rows, start, true));
    // A store of compiled code is a piece of a tile: others write the rest.
    if (!c.compiled) done = std::max(done, touched);
  });
  // It is behind what had to leave L2 for those before it.
  if (c.compiled) done = std::max(done, c.chip.hbm.free() - c.arch.hbm_latency);
  return done;
}

// L1 and shared memory are one: 256 KB, of which most kernels of shared tiles
// leave little. What was there is gone when it is full.
Lines LoadNear(const CostContext& c, const ir::TileValue& tile) {
  constexpr int64_t kL1Bytes = 256 * 1024;
  const auto most = static_cast<size_t>(
      std::max<int64_t>(kL1Bytes - c.bound.shared_bytes, 0) / kBlockBytes);
  if (c.sm.near.size() > most) c.sm.near.clear();
  const ir::BoundDecl& d = c.bound.decls[tile.decl];
  const int last = tile.rank - 1;
  const int64_t rows = last > 0 ? tile.extent[0] : 1;
  Lines out;
  for (int64_t r = 0; r < rows; ++r) {
    int64_t first = tile.start[last];
    if (last > 0) first += (tile.start[0] + r) * d.strides[0];
    for (int64_t b = first / kBlockBytes;
         b * kBlockBytes < first + tile.extent[last]; ++b) {
      ++out.all;
      const uint64_t line = c.tensors[tile.decl] ^ static_cast<uint64_t>(b);
      if (c.sm.near.insert(line).second) ++out.fetched;
    }
  }
  return out;
}

// A slice of L2 has 512 bytes (word.turn: 32 words of a line and 64 of two take
// turns, 256 of eight take two at a time).
Schedule StoreToCta(const CostContext& c, int dst, int src) {
  double bytes = static_cast<double>(c.op.tile(dst).bytes()) * c.Share(src);
  Schedule s;
  s.read = c.now;
  s.done = c.now + bytes / c.arch.dsmem_bandwidth + c.arch.dsmem_latency;
  s.chain.Add(Cause::kShared, s.done - c.now);
  return s;
}

Schedule Clc(const CostContext& c) {
  Schedule s;
  s.read = c.now + c.arch.clc_latency / 2;
  s.done = c.now + c.arch.clc_latency;
  s.chain.Add(Cause::kL2, c.arch.clc_latency);
  return s;
}

}  // namespace tilesim::timing
