// When asynchronous operations reach their milestones: a function a unit.
#include <algorithm>
#include <bit>

#include "ir/ops/all.h"
#include "ir/tmem.h"
#include "sim/timing/cost.h"
#include "sim/timing/extents.h"
#include "sim/timing/memory_path.h"

namespace tilesim::timing {
namespace {

namespace ops = ir::ops;

// A tensor map is fetched when an SM first uses it; all SMs want the same line.
// The engine takes boxes in order: those behind wait for the map as well
// (ring.first: the first stage, of two boxes of one map).
double MapFetch(const CostContext& c, int operand, double at) {
  uint64_t map = c.tensors[c.op.tile(operand).decl];
  const ir::OpKind kind = c.op.info().kind;
  const bool has_map = kind == ir::OpKind::kTmaLoad ||
                       kind == ir::OpKind::kTmaStore ||
                       kind == ir::OpKind::kTmaReduce;
  if (!has_map || !c.sm.maps.insert(map).second) return 0;
  constexpr double kNextMap = 37;  // start.tile: second map less second use
  const bool first = c.sm.maps.size() == 1;
  double line = c.chip.hot_line.Take(at, c.arch.hot_line);
  const double fetch =
      first ? c.arch.map_fetch : std::min(kNextMap, c.arch.map_fetch);
  c.sm.tma.Delay(fetch);
  return line - at + fetch;
}

// When the tensor copy engine of the SM begins with a box. It makes requests
// for one box at a time, be it loaded or stored (box.time: load and store take
// the sum of both). Loads behind loads wait at the port of the SM as long.
double BeginCopy(const CostContext& c) {
  const ir::OpKind kind = c.op.info().kind;
  const bool bulk =
      kind == ir::OpKind::kBulkLoad || kind == ir::OpKind::kBulkStore;
  return c.sm.tma.Take(c.now, bulk ? c.arch.tma_bulk : c.arch.tma_box);
}
double BeginLoad(const CostContext& c, double bytes) {
  c.sm.requests.Take(c.now, bytes / c.arch.l2_port);
  return std::max(BeginCopy(c), c.sm.stores_asked);
}
double BeginStore(const CostContext& c, double time) {
  const double start = std::max(BeginCopy(c), c.sm.requests.Take(c.now, time));
  c.sm.stores_asked = start + time;
  return start;
}

Schedule TmaIn(const CostContext& c, int dst, int src, bool multicast,
               const Schedule* earlier) {
  const arch::Arch& a = c.arch;
  if (earlier != nullptr) {  // another destination of one multicast
    Schedule s = *earlier;
    double bytes = static_cast<double>(c.op.tile(dst).bytes());
    s.read = s.done = DeliverTile(c, bytes, earlier->asked, earlier->available,
                                  earlier->leaves, a.tma_latency);
    c.chip.moved.shared += bytes;
    return s;
  }
  double issue = BeginLoad(c, static_cast<double>(c.op.tile(dst).bytes()));
  c.chip.moved.shared += static_cast<double>(c.op.tile(dst).bytes());
  Schedule s;
  if (c.op.tile(src).space == ir::Space::kShared) {  // peer to peer
    double bytes = static_cast<double>(c.op.tile(dst).bytes());
    s.read = issue + bytes / a.dsmem_bandwidth;
    s.done = s.read + a.dsmem_latency;
    s.chain.Add(Cause::kShared, s.done - issue);
  } else {
    // What is asked for by multicast comes for nobody else (slices.step).
    // In a cluster of one it is a plain load (gemm_cluster, clusters of one).
    multicast = multicast && c.bound.cluster_size() > 1;
    const int all = multicast
                        ? std::popcount(static_cast<uint32_t>(
                              c.op.number_or(ops::TmaLoad::kMulticast, 1)))
                        : 1;
    Fetched f = FetchTile(c, c.op.tile(src), issue + MapFetch(c, src, issue),
                          a.tma_latency, 1, !multicast, std::max(all, 1));
    s.done = f.done;
    s.read = f.done;
    s.asked = f.asked;
    s.available = f.available;
    s.leaves = f.leaves;
    s.port = &c.gpc.port;
    s.request = f.request;
    s.after = f.after;
    s.chain = f.chain;
  }
  s.chain.Add(Cause::kTma, issue - c.now);
  return s;
}

Schedule TmaOut(const CostContext& c, int src, int dst) {
  const arch::Arch& a = c.arch;
  double bytes = static_cast<double>(c.op.tile(src).bytes());
  bool adds = c.op.info().kind == ir::OpKind::kTmaReduce;
  double time = bytes / (adds ? a.tma_reduce_port : a.tma_store_port);
  double issue = BeginStore(c, time);
  issue += MapFetch(c, dst, issue);
  double start = c.sm.store.Take(c.now, issue + a.tma_store_read, time);
  const double left = start + time;
  // L2 takes bytes while the SM sends them.
  double l2 = bytes / (adds ? a.l2_reduce : a.l2_write);
  double sent = 0, added = 0;
  Schedule s;
  const double written = WriteTile(c, c.op.tile(dst),
                                   {.bytes = bytes,
                                    .ready = start,
                                    .l2_time = l2,
                                    .lines = !adds,
                                    .adds = adds,
                                    .added = &added,
                                    .request = &s.request},
                                   &sent);
  sent = std::max(sent, left);
  c.sm.stores_asked = std::max(c.sm.stores_asked, sent);
  c.chip.moved.shared += bytes;
  s.read = std::max(written, sent);
  s.done = std::max(s.read, added) + a.tma_store_done;
  s.port = &c.chip.out;
  s.after = a.tma_store_done;
  s.read_before = a.tma_store_done;
  c.sm.sent = std::max(c.sm.sent, s.done);
  c.sm.queued = std::max(0.0, written - left);
  s.chain.Add(Cause::kTma, left - c.now);
  s.chain.Add(Cause::kL2, sent - left + a.tma_store_done);
  s.chain.Add(Cause::kHbm, s.read - sent);
  return s;
}

Schedule Tma(const CostContext& c, int destination, const Schedule* earlier) {
  // The shared tile of a store is its source, of a load its destination.
  if (c.op.info().IntoGlobal())
    return TmaOut(c, ops::TmaStore::kSrc, ops::TmaStore::kDst);
  Schedule s = TmaIn(c, ops::TmaLoad::kDst, ops::TmaLoad::kSrc,
                     destination >= 0, earlier);
  // Every destination of a multicast gets the one fetch; peers hear of it
  // through the cluster's network.
  if (destination >= 0 && destination != c.op.cluster_rank) {
    s.done += c.arch.mbarrier_remote;
    s.after += c.arch.mbarrier_remote;
  }
  c.sm.landed = std::max(c.sm.landed, s.done);
  c.sm.loads_issued = c.now;
  // A fence that is under way is behind this load, too.
  if (c.now < c.sm.fenced)
    c.sm.fence_owes = std::max(c.sm.fence_owes,
                               c.sm.fencing + c.arch.fence_loads - c.sm.fenced);
  return s;
}

Schedule CpAsyncIn(const CostContext& c) {
  Fetched f = FetchTile(c, c.op.tile(ops::CpAsync::kSrc), c.now,
                        c.arch.l2_latency, c.Share(ops::CpAsync::kVec));
  const double bytes =
      static_cast<double>(c.op.tile(ops::CpAsync::kDst).bytes()) *
      c.Share(ops::CpAsync::kVec);
  c.chip.moved.shared += bytes;
  // It is written beside what the threads load and store there.
  c.sm.shared.Take(c.now, bytes / c.arch.shared_bandwidth);
  Schedule s;
  s.read = s.done = f.done;
  s.chain = f.chain;
  return s;
}

// II = max(N/2, operand bytes from shared memory / 128): h200-readings 2.1.
Schedule Wgmma(const CostContext& c) {
  const ir::TileValue& a = c.op.tile(ops::WgmmaMmaAsync::kA);
  const ir::TileValue& b = c.op.tile(ops::WgmmaMmaAsync::kB);
  double n = OuterExtent(b);
  double steps = static_cast<double>(StepsAlongK(a, InnerExtent(a)));
  double a_rows = a.space == ir::Space::kShared ? 64 : 0;
  double bytes = (a_rows + n) * ir::kMmaBytes / c.arch.mma_rows_bytes;
  double interval = std::max(n / 2, bytes);
  double time = interval * steps;
  c.chip.moved.shared += (a_rows + n) * ir::kMmaBytes * steps;
  double from = c.now + c.addresses * c.arch.wgmma_addresses;
  double start = c.sm.tensor.Take(from, time);
  c.sm.products += n / 2 * steps;
  Schedule s;
  // The last instruction is done N/2 after its start, whatever the interval.
  s.read = start + time - interval + n / 2;
  // A in registers is there sooner (h200-readings 2.1: 51 + n N/2, not 59).
  constexpr double kFromRegisters = 8;
  s.done = s.read + c.arch.mma_latency - (a_rows > 0 ? 0 : kFromRegisters);
  s.chain.Add(Cause::kTensor, s.done - c.now);
  return s;
}

// Both SMs of a pair work on a cta_group::2 operation.
double TakeTensor(const CostContext& c, double time) {
  double start = c.sm.tensor.Take(c.now, time);
  return c.partner == nullptr
             ? start
             : std::max(start, c.partner->tensor.Take(c.now, time));
}

// hardware.md C.4: II = max(math, operand bytes / 128 B a cycle and SM).
Schedule Tcgen05(const CostContext& c) {
  Schedule s;
  if (c.op.info().kind == ir::OpKind::kTcgen05Cp ||
      c.op.info().kind == ir::OpKind::kTcgen05Shift) {
    double time =
        c.op.tile(ops::Tcgen05Cp::kDst).bytes() / c.arch.shared_bandwidth + 8;
    double start = TakeTensor(c, time);
    // Never before a product in front of it (ir/pipeline.h), whose result comes
    // as late, and which may still read what is written here.
    s.read = s.done = start + time + c.arch.tcgen05_latency;
    s.chain.Add(Cause::kTensor, s.done - c.now);
    return s;
  }
  const ir::TileValue& a = c.op.tile(ops::Tcgen05Mma::kA);
  const ir::TileValue& b = c.op.tile(ops::Tcgen05Mma::kB);
  bool pair = ir::ops::IsPair(c.op);
  double a_rows = OuterExtent(a), b_rows = OuterExtent(b);
  double n = pair ? 2 * b_rows : b_rows;
  double steps = static_cast<double>(StepsAlongK(a, InnerExtent(a)));
  double math = pair && a_rows < 128 ? n / 4 : n / 2;
  double from_shared = a.space == ir::Space::kShared ? a_rows : 0;
  double bytes = (from_shared + b_rows) * ir::kMmaBytes / c.arch.mma_rows_bytes;
  double interval = std::max(math, bytes);
  double time = interval * steps;
  // Of both SMs of a pair.
  c.chip.moved.shared +=
      (pair ? 2 : 1) * (from_shared + b_rows) * ir::kMmaBytes * steps;
  double start = TakeTensor(c, time);
  c.sm.products += math * steps;
  if (c.partner != nullptr) c.partner->products += math * steps;
  s.read = start + time;
  s.done = s.read + c.arch.tcgen05_latency;
  s.chain.Add(Cause::kTensor, s.done - c.now);
  return s;
}

Schedule TmemMove(const CostContext& c, int reg, int tmem) {
  const ir::TileValue& t = c.op.tile(tmem);
  // Whole columns move, also those of 16-bit accumulators.
  double bits = ir::StepBits(c.bound.decls[t.decl]);
  double time = static_cast<double>(t.elements()) * bits / 8 * c.Share(reg) /
                c.arch.tmem_bandwidth;
  // A warp reaches only its own quarter of the lanes.
  double alone = time * kSubCores / std::min<double>(kSubCores, c.warps());
  double start = c.sm.tmem.Take(c.now, time);
  Schedule s;
  s.read = s.done = start + alone + c.arch.tmem_latency;
  s.chain.Add(Cause::kTmem, s.done - c.now);
  return s;
}

}  // namespace

Schedule ScheduleOf(const CostContext& c, int destination,
                    const Schedule* earlier) {
  switch (c.op.info().async) {
    case ir::AsyncUnit::kTma:
      return Tma(c, destination, earlier);
    case ir::AsyncUnit::kCpAsync:
      return CpAsyncIn(c);
    case ir::AsyncUnit::kWgmma:
      return Wgmma(c);
    case ir::AsyncUnit::kTcgen05:
      return Tcgen05(c);
    case ir::AsyncUnit::kTmemLd:
      return TmemMove(c, ops::Tcgen05Ld::kDst, ops::Tcgen05Ld::kSrc);
    case ir::AsyncUnit::kTmemSt:
      return TmemMove(c, ops::Tcgen05St::kSrc, ops::Tcgen05St::kDst);
    case ir::AsyncUnit::kClc:
      return Clc(c);
    case ir::AsyncUnit::kStAsync:
      return StoreToCta(c, ops::StAsync::kDst, ops::StAsync::kSrc);
    case ir::AsyncUnit::kNone:
      break;
  }
  Schedule at_once;
  at_once.read = at_once.done = c.now;
  return at_once;
}

}  // namespace tilesim::timing
