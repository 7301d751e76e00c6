#include "sim/timing/cost.h"

#include <algorithm>
#include <cmath>
#include <deque>
#include <utility>

#include "ir/ops/all.h"
#include "ir/tmem.h"
#include "sim/timing/arithmetic.h"
#include "sim/timing/extents.h"
#include "sim/timing/fences.h"
#include "sim/timing/memory_path.h"
#include "sim/timing/slices.h"

namespace tilesim::timing {
namespace {

namespace ops = ir::ops;

Cost Fixed(double cycles, Cause cause = Cause::kIssue) {
  return {cycles, cause, 0};
}

// --- fixed costs, straight from the parameter file ---------------------------

template <class Op>
Cost OpCost(const CostContext& c);

#define TILESIM_FIXED(Op, Expression, Why)                      \
  template <>                                                   \
  Cost OpCost<ops::Op>([[maybe_unused]] const CostContext& c) { \
    return Fixed(Expression, Cause::Why);                       \
  }

// A release at cluster scope is a fence before the arrival (h200-readings 2.2).
template <class OpT>
double ClusterOrder(const CostContext& c) {
  bool releases = c.op.choice<OpT, ops::ArriveSem>() == ir::Sem::kRelease;
  bool cluster =
      c.op.choice<OpT, ops::BarrierScope>() == ir::MemScope::kCluster;
  return cluster && releases ? FenceTime(c, c.arch.fence_cluster) : 0;
}

template <class OpT>
Cost Arrive(const CostContext& c) {
  double fence = ClusterOrder<OpT>(c);
  bool remote = c.op.barrier(OpT::kBar).cta != ir::kOwnCta;
  if (remote && c.bound.cluster_size() > 1) {
    // Fences wait for it, too (clusters.cu: the last barrier).
    c.sm.written = std::max(c.sm.written, c.now + c.arch.mbarrier_remote);
    c.sm.left = std::max(c.sm.left, c.sm.written);
  }
  return {c.arch.mbarrier_issue + fence, Cause::kIssue, 0,
          fence + (remote ? c.arch.mbarrier_remote : 0)};
}

#define TILESIM_ARRIVE(Op)                     \
  template <>                                  \
  Cost OpCost<ops::Op>(const CostContext& c) { \
    return Arrive<ops::Op>(c);                 \
  }
TILESIM_ARRIVE(MbarrierArrive)
TILESIM_ARRIVE(MbarrierArriveDrop)
TILESIM_ARRIVE(MbarrierArriveExpectTx)

template <>
Cost OpCost<ops::ClusterArrive>(const CostContext& c) {
  ir::Sem sem = c.op.choice<ops::ClusterArrive, ops::ClusterArriveSem>();
  bool releases = sem == ir::Sem::kRelease;
  if (!releases) return {c.arch.scalar_issue, Cause::kBarrier, 0, 0};
  // In a cluster of one nobody is farther than the CTA (clusters.cu).
  if (c.bound.cluster_size() == 1)
    return {c.arch.scalar_issue + c.arch.fence_cta, Cause::kBarrier, 0,
            c.arch.fence_cta};
  // The first one of an SM takes longer (launch.cluster_barrier: 453 of 128
  // threads, less fence_cluster and cluster_barrier).
  constexpr double kFirst = 103;
  const double first = c.sm.fenced < 0 ? kFirst : 0;
  const double fence = FenceTime(c, c.arch.fence_cluster) + first;
  c.sm.fenced += first;
  return {c.arch.scalar_issue + fence, Cause::kBarrier, 0, fence};
}

TILESIM_FIXED(MbarrierInit, c.arch.mbarrier_issue, kIssue)
TILESIM_FIXED(MbarrierInval, c.arch.mbarrier_issue, kIssue)
TILESIM_FIXED(MbarrierExpectTx, c.arch.mbarrier_issue, kIssue)
TILESIM_FIXED(MbarrierCompleteTx, c.arch.mbarrier_issue, kIssue)
TILESIM_FIXED(MbarrierWait, c.arch.mbarrier_wait, kBarrier)
TILESIM_FIXED(MbarrierTestWait, c.arch.mbarrier_wait, kBarrier)
TILESIM_FIXED(BarSync, c.arch.bar_sync_base + c.arch.bar_sync_warp * c.warps(),
              kBarrier)
TILESIM_FIXED(BarArrive, c.arch.bar_sync_warp* c.warps(), kBarrier)
TILESIM_FIXED(BarWarpSync, c.arch.warp_sync, kIssue)
TILESIM_FIXED(ClusterWait, 2, kBarrier)
TILESIM_FIXED(FenceMbarrierInit, c.arch.fence_cta, kIssue)
TILESIM_FIXED(FenceProxyAsyncAcquire, c.arch.fence_proxy_shared, kShared)
TILESIM_FIXED(FenceProxyAsyncRelease, c.arch.fence_proxy_shared, kShared)
TILESIM_FIXED(SetmaxnregInc, c.arch.setmaxnreg_inc, kIssue)
TILESIM_FIXED(SetmaxnregDec, c.arch.setmaxnreg_dec, kIssue)
TILESIM_FIXED(TmaLoad, c.arch.mbarrier_issue, kIssue)
TILESIM_FIXED(TmaStore, c.arch.mbarrier_issue, kIssue)
TILESIM_FIXED(TmaReduce, c.arch.mbarrier_issue, kIssue)
TILESIM_FIXED(BulkLoad, c.arch.mbarrier_issue, kIssue)
TILESIM_FIXED(BulkStore, c.arch.mbarrier_issue, kIssue)
TILESIM_FIXED(BulkPush, c.arch.mbarrier_issue, kIssue)
TILESIM_FIXED(BulkCommitGroup, c.arch.scalar_issue, kIssue)
TILESIM_FIXED(BulkWaitGroup, c.arch.scalar_issue, kIssue)
TILESIM_FIXED(CpAsyncCommitGroup, c.arch.scalar_issue, kIssue)
TILESIM_FIXED(CpAsyncWaitGroup, c.arch.scalar_issue, kIssue)
TILESIM_FIXED(CpAsyncMbarrierArrive, c.arch.mbarrier_issue, kIssue)
TILESIM_FIXED(WgmmaFence, c.arch.wgmma_fence, kIssue)
TILESIM_FIXED(WgmmaCommitGroup, c.arch.wgmma_commit, kIssue)
TILESIM_FIXED(WgmmaWaitGroup, c.arch.wgmma_commit, kIssue)
TILESIM_FIXED(Tcgen05Alloc, c.arch.tcgen05_alloc, kTmem)
TILESIM_FIXED(Tcgen05Dealloc, c.arch.tcgen05_issue, kTmem)
TILESIM_FIXED(Tcgen05RelinquishAllocPermit, c.arch.tcgen05_issue, kTmem)
TILESIM_FIXED(Tcgen05Commit, c.arch.tcgen05_issue, kIssue)
TILESIM_FIXED(Tcgen05Ld, c.arch.tcgen05_issue, kTmem)
TILESIM_FIXED(Tcgen05St, c.arch.tcgen05_issue, kTmem)
TILESIM_FIXED(Tcgen05Cp, c.arch.tcgen05_issue, kIssue)
TILESIM_FIXED(Tcgen05Shift, c.arch.tcgen05_issue, kIssue)
TILESIM_FIXED(Tcgen05WaitLd, c.arch.scalar_issue, kTmem)
TILESIM_FIXED(Tcgen05WaitSt, c.arch.scalar_issue, kTmem)
TILESIM_FIXED(Tcgen05FenceBefore, 1, kIssue)
TILESIM_FIXED(Tcgen05FenceAfter, 1, kIssue)
TILESIM_FIXED(ClcTryCancel, c.arch.mbarrier_issue, kIssue)
TILESIM_FIXED(ClcQueryCancel, c.arch.shared_latency, kShared)
TILESIM_FIXED(GriddepcontrolLaunchDependents, c.arch.scalar_issue, kIssue)
TILESIM_FIXED(GriddepcontrolWait, c.arch.scalar_issue, kIssue)

template <>
Cost OpCost<ops::Fence>(const CostContext& c) {
  const double by_scope[] = {
      c.arch.fence_cta, FenceTime(c, c.arch.fence_cluster),
      FenceTime(c, c.arch.fence_gpu), FenceTime(c, c.arch.fence_gpu)};
  return Fixed(
      by_scope[static_cast<int>(c.op.choice<ops::Fence, ops::FenceScope>())]);
}

template <>
Cost OpCost<ops::FenceProxyAsync>(const CostContext& c) {
  ir::FenceKind kind = c.op.choice<ops::FenceProxyAsync, ops::ProxySpace>();
  bool shared = kind == ir::FenceKind::kProxyShared;
  return Fixed(shared ? c.arch.fence_proxy_shared : ProxyFenceTime(c),
               Cause::kShared);
}

template <>
Cost OpCost<ops::PrefetchTensormap>(const CostContext& c) {
  c.sm.maps.insert(c.tensors[c.op.tile(ops::PrefetchTensormap::kTile).decl]);
  return Fixed(c.arch.mbarrier_issue);
}

template <>
Cost OpCost<ops::TmaPrefetch>(const CostContext& c) {
  FetchTile(c, c.op.tile(ops::TmaPrefetch::kSrc), c.now, c.arch.tma_latency);
  return Fixed(c.arch.mbarrier_issue);
}

// --- scalar memory -----------------------------------------------------------

Cost Word(const CostContext& c, int operand, bool waits) {
  bool global = c.op.tile(operand).space == ir::Space::kGlobal;
  double latency = global ? c.arch.atom_latency : c.arch.shared_latency;
  return {waits ? latency : c.arch.mbarrier_issue,
          global ? Cause::kL2 : Cause::kShared, 0};
}

template <>
Cost OpCost<ops::Ld>(const CostContext& c) {
  const ir::TileValue& src = c.op.tile(ops::Ld::kSrc);
  bool weak = c.op.choice<ops::Ld, ops::LdSem>() == ir::Sem::kWeak;
  if (src.space != ir::Space::kGlobal) return Word(c, ops::Ld::kSrc, true);
  return {weak ? LoadWord(c, src) : PollWord(c, src), Cause::kL2, 0};
}
template <>
Cost OpCost<ops::St>(const CostContext& c) {
  const ir::TileValue& dst = c.op.tile(ops::St::kDst);
  Cost cost = Word(c, ops::St::kDst, false);
  const bool releases = c.op.choice<ops::St, ops::StSem>() == ir::Sem::kRelease;
  if (releases) cost.busy += FenceTime(c, c.arch.fence_gpu);
  if (dst.space == ir::Space::kGlobal)
    TellWord(c, dst, c.now + cost.busy + c.arch.atom_latency / 2);
  return cost;
}
// What an instruction adds for each thread: sectors go to L2 as those of
// stores, and L2 adds no faster than for tensor stores.
Cost CompiledAtomic(const CostContext& c, int operand, bool releases,
                    bool waits) {
  const ir::TileValue& mem = c.op.tile(operand);
  if (mem.space != ir::Space::kGlobal) return Word(c, operand, waits);
  Cost cost = {releases ? FenceTime(c, c.arch.fence_gpu) : 0, Cause::kL2, 0};
  const double bytes = static_cast<double>(mem.bytes());
  const double time = std::max(1.0, bytes / kSectorBytes) * c.arch.store_sector;
  const double from = c.now + cost.busy;
  const double start = c.sm.store.Take(from, time);
  const double in_l2 = WriteTile(c, mem,
                                 {.bytes = bytes,
                                  .ready = start,
                                  .l2_time = bytes / c.arch.l2_reduce,
                                  .adds = true});
  const double issued = start + time;
  const double answered = std::max(issued, in_l2) + c.arch.atom_latency;
  c.sm.settled = std::max(c.sm.settled, answered);
  cost.busy = (waits ? answered : issued) - c.now;
  return cost;
}

// On a word, by some warps: what lanes of one ask for ptxas makes one of. A red
// waits for nothing but a place in the queue of the SM, which has as many as
// for pieces of sectors (word.turn: 67,584 reds of all SMs are issued when half
// are done).
Cost Atomic(const CostContext& c, int operand, bool releases, bool waits) {
  const ir::TileValue& word = c.op.tile(operand);
  Cost cost = Word(c, operand, waits);
  if (word.space != ir::Space::kGlobal) return cost;
  const double fence = releases ? FenceTime(c, c.arch.fence_gpu) : 0;
  const double way = c.arch.atom_latency / 2;
  std::deque<double>& adding = c.sm.adding;
  while (!adding.empty() && adding.front() <= c.now) adding.pop_front();
  double done = 0;
  for (int warp = 0; warp < c.warps(); ++warp) {
    done = AtomicInL2(c, word, c.now + fence + way);
    if (!waits) adding.push_back(done);
  }
  TellWord(c, word, done);
  cost.busy += fence;
  if (waits) {
    cost.busy = std::max(cost.busy, done + way - c.now);
    return cost;
  }
  const auto room = static_cast<size_t>(c.arch.store_queue);
  if (adding.size() > room)
    cost.busy = std::max(cost.busy, adding[adding.size() - 1 - room] - c.now);
  c.sm.written = std::max(c.sm.written, done);
  return cost;
}

template <class OpT>
Cost Atom(const CostContext& c) {
  const ir::Sem sem = c.op.choice<OpT, ops::AtomSem>();
  const bool releases = sem == ir::Sem::kRelease || sem == ir::Sem::kAcqRel;
  return c.compiled ? CompiledAtomic(c, OpT::kMem, releases, true)
                    : Atomic(c, OpT::kMem, releases, true);
}
template <>
Cost OpCost<ops::AtomAdd>(const CostContext& c) {
  return Atom<ops::AtomAdd>(c);
}
template <>
Cost OpCost<ops::AtomExch>(const CostContext& c) {
  return Atom<ops::AtomExch>(c);
}
template <>
Cost OpCost<ops::AtomCas>(const CostContext& c) {
  return Atom<ops::AtomCas>(c);
}
template <>
Cost OpCost<ops::RedAdd>(const CostContext& c) {
  const bool releases =
      c.op.choice<ops::RedAdd, ops::RedSem>() == ir::Sem::kRelease;
  return c.compiled ? CompiledAtomic(c, ops::RedAdd::kMem, releases, false)
                    : Atomic(c, ops::RedAdd::kMem, releases, false);
}

// --- tiles between registers and memory --------------------------------------

// Addresses of a fragment in a swizzled tile whose origin changes: integer
// instructions of each access, which half of the lanes have (LOP3, SHF and
// IADD3 of what ptxas 13.0 makes of the loops of softmax.tile: 4.0, 4.0 and
// 2.4).
SubCores::Work ComputeAddresses(const CostContext& c) {
  constexpr double kOfAccess = 3.5;
  if (c.addresses == 0) return {};
  const double threads = c.warps() * ir::kWarpThreads;
  return Use(c, c.sm.half, HalfTime(c, AccessesOf(c) * kOfAccess * threads),
             WarpPipe::By::kStream);
}

// Cycles of the way between SMs that a load from a peer's shared memory takes:
// a line of which the lanes have a part takes as long as two thirds of a whole
// one (peer.turn).
double FromPeer(const CostContext& c, const BankCycles& banks, double bytes) {
  return std::max(banks.lines * c.arch.dsmem_line,
                  bytes / c.arch.dsmem_bandwidth);
}

// Shared memory gives a line a cycle to all warps of the SM together, and to
// those of one sub-core every other cycle (shared.turn: one warp, and four).
template <class OpT>
Cost SharedTile(const CostContext& c, bool load, bool matrices = false) {
  constexpr double kLine = 128, kOfSubCore = 2;
  int shared = load ? OpT::kSrc : OpT::kDst, reg = load ? OpT::kDst : OpT::kSrc;
  const ir::TileValue& tile = c.op.tile(shared);
  // Of compiled code the lanes' own words were counted before, as bytes.
  const auto bytes = static_cast<double>(tile.bytes());
  const BankCycles banks =
      c.compiled ? BankCycles{bytes / kLine, 0, bytes / kLine}
                 : c.chip.banks.Wavefronts(c.bound, tile, c.op.tile(reg),
                                           c.group_threads, matrices);
  // Of a peer it comes over the network between SMs.
  const bool peer = load && tile.cta >= 0 && tile.cta != c.op.cluster_rank;
  Unit& unit = peer ? c.sm.peers : c.sm.shared;
  const double lines = c.Share(reg) * banks.taken;
  const double time = peer ? c.Share(reg) * FromPeer(c, banks, bytes)
                           : lines * kLine / c.arch.shared_bandwidth;
  const double last = std::max(c.now, c.ready - time);  // of what it stores
  const double start = unit.Take(c.now, load ? c.now : last, time);
  const double alone =
      peer ? time
           : time * kOfSubCore / std::clamp<double>(c.warps(), 1, kSubCores);
  c.chip.moved.shared += bytes * c.Share(reg);
  const double moved =
      std::max(start + time - c.now + c.arch.scalar_issue, alone);
  Cost cost{moved, Cause::kShared};
  if (!c.compiled) {
    cost.bank_cycles = lines;
    cost.least_bank_cycles = c.Share(reg) * banks.least;
  }
  if (load) {
    // The threads go on while it is under way, once it has begun.
    const double issue = std::max(1.0, AccessesOf(c)) * c.arch.scalar_issue;
    cost.busy = std::min(cost.busy, start - c.now + issue);
    const double latency = peer ? c.arch.dsmem_latency : c.arch.shared_latency;
    // From a peer the time that all of it takes has the latency in it.
    cost.latency = peer ? std::max(moved - cost.busy, latency)
                        : moved - cost.busy + latency;
    cost.first = std::max(0.0, start - c.now - cost.busy) + latency;
  }
  // A load has its addresses one by one, and goes on behind the last.
  cost.work = ComputeAddresses(c);
  const double late = cost.work.Finish() - c.now - cost.busy;
  if (late > 0) (load ? cost.latency : cost.busy) += late;
  return cost;
}

template <>
Cost OpCost<ops::LdShared>(const CostContext& c) {
  return SharedTile<ops::LdShared>(c, true);
}
template <>
Cost OpCost<ops::StShared>(const CostContext& c) {
  return SharedTile<ops::StShared>(c, false);
}
template <>
Cost OpCost<ops::Ldmatrix>(const CostContext& c) {
  return SharedTile<ops::Ldmatrix>(c, true, true);
}
template <>
Cost OpCost<ops::Stmatrix>(const CostContext& c) {
  return SharedTile<ops::Stmatrix>(c, false, true);
}

// An instruction that loads for each thread: L1 gives a line a cycle, what it
// lacks comes from L2.
Cost CompiledLoad(const CostContext& c, const ir::TileValue& src) {
  const Lines lines = LoadNear(c, src);
  const double missing = lines.all > 0 ? lines.fetched / lines.all : 0;
  const double sectors = static_cast<double>(src.bytes()) / kSectorBytes;
  const double time =
      std::max(lines.all, sectors * missing * c.arch.load_sector);
  const double issue = c.sm.store.Take(c.now, time) + time - c.now;
  double done = c.now + issue + c.arch.l1_latency;
  if (missing > 0) {
    const Fetched f =
        FetchTile(c, src, c.now, c.arch.l2_latency, missing, false);
    done = std::max(f.done, c.now + issue + c.arch.l2_latency);
  }
  return {issue, Cause::kIssue, done - c.now - issue};
}

// What an instruction loads or stores of one row of a fragment: two elements of
// each of four lanes, or 16 bytes of a lane, or more than a sector.
double PieceOf(const ir::BoundDecl& reg, const ir::TileValue& memory) {
  switch (reg.fragment.fragment) {
    case ir::Fragment::kWgmma:
    case ir::Fragment::kMma:
      return std::min<double>(8 * values::BitsOf(memory.dtype) / 8.0,
                              kSectorBytes);
    case ir::Fragment::kRow:
      return 16;
    default:
      return kSectorBytes;
  }
}

// Of a line of 128 bytes, what the lanes of a warp store by one instruction: L2
// takes as long for a part of it.
double PartOfLine(const ir::BoundDecl& reg, const ir::TileValue& memory) {
  constexpr double kLineBytes = 128;
  const double lane =
      std::max(1, reg.fragment.vector) * values::BitsOf(memory.dtype) / 8.0;
  return ir::kWarpThreads * lane / kLineBytes;
}

// Rows that the lanes of a warp load a piece of together.
double RowsOf(const ir::BoundDecl& reg) {
  switch (reg.fragment.fragment) {
    case ir::Fragment::kWgmma:
    case ir::Fragment::kMma:
      return 8;
    case ir::Fragment::kRow:
      return ir::kWarpThreads;
    default:
      return 1;
  }
}

template <>
Cost OpCost<ops::LdGlobal>(const CostContext& c) {
  const ir::TileValue& src = c.op.tile(ops::LdGlobal::kSrc);
  if (c.compiled) return CompiledLoad(c, src);
  double share = c.Share(ops::LdGlobal::kDst);
  // Of rows that lie apart if it is a fragment.
  const ir::BoundDecl& dst = c.bound.decls[c.op.tile(ops::LdGlobal::kDst).decl];
  bool rows = dst.fragment.fragment != ir::Fragment::kBlocked;
  double time = src.bytes() * share / PieceOf(dst, src) *
                (rows ? c.arch.store_sector : c.arch.load_sector);
  // One row for all is asked for once.
  const ir::TileValue there = DistinctOf(c, src);
  if (src.rank > 1 && there.extent[src.rank - 2] < src.extent[src.rank - 2])
    time /= RowsOf(dst);
  double issue = c.sm.store.Take(c.now, time) + time - c.now;
  // Nobody else gets what a plain load fetches (copy.step: ld.global).
  Fetched f = FetchTile(c, there, c.now, c.arch.l2_latency, share, false);
  double done = std::max(f.done, c.now + issue + c.arch.l2_latency);
  return {issue, Cause::kIssue, done - c.now - issue};
}

// Pieces of sectors wait in a queue of the SM, their threads only for a place
// in it (stores.cu). They leave it from `start` to `end`.
Cost Queued(const CostContext& c, double start, double end, double pieces) {
  c.sm.written = std::max(c.sm.written, end);
  c.sm.left = std::max(c.sm.left, end);
  const double waiting = std::min(pieces, c.arch.store_queue);
  if (waiting <= 0) return {end - c.now, Cause::kL2, 0};
  const double room = end - (end - start) * waiting / pieces;
  constexpr double kIssue = 0.5;  // a piece, into a queue that has room
  return {std::max(room, c.now + pieces * kIssue) - c.now, Cause::kL2, 0};
}

template <>
Cost OpCost<ops::StGlobal>(const CostContext& c) {
  const ir::TileValue& dst = c.op.tile(ops::StGlobal::kDst);
  const ir::BoundDecl& src = c.bound.decls[c.op.tile(ops::StGlobal::kSrc).decl];
  double share = c.Share(ops::StGlobal::kSrc);
  double bytes = static_cast<double>(dst.bytes()) * share;
  const double each = PieceOf(src, dst);
  bool whole = each >= kSectorBytes;
  // Lanes that follow each other along a row fill its lines.
  bool lines = src.fragment.fragment == ir::Fragment::kBlocked;
  double sectors = bytes / each;
  const arch::Arch& a = c.arch;
  double time = sectors * (whole ? a.store_sector : a.store_piece);
  double start = c.sm.store.Take(c.now, time);
  double l2_time =
      lines ? bytes / std::min(1.0, PartOfLine(src, dst)) / a.l2_write
            : sectors / (whole ? a.l2_write_sectors : a.l2_write_pieces);
  double l2 = WriteTile(
      c, dst,
      {.bytes = bytes, .ready = start, .l2_time = l2_time, .lines = lines});
  // The next instruction need not wait for this one's answer; a fence does.
  if (c.compiled) {
    c.sm.settled = std::max({c.sm.settled, l2, start + time + a.l2_latency});
    l2 -= a.l2_latency;
    return {std::max(l2, start + time) - c.now, Cause::kL2, 0};
  }
  return Queued(c, start, std::max(l2, start + time), whole ? 0 : sectors);
}

template <>
Cost OpCost<ops::CpAsync>(const CostContext& c) {
  double vec = static_cast<double>(c.op.number_or(ops::CpAsync::kVec, 16));
  double lanes = std::max(1, c.op.threads.threads());
  double share = c.Share(ops::CpAsync::kVec);
  double each = c.op.tile(ops::CpAsync::kDst).bytes() * share / (vec * lanes);
  // Address arithmetic and issue, per instruction of a warp on its sub-core.
  double per_instruction =
      c.arch.cp_async_issue * std::max(1.0, c.warps() / kSubCores);
  return Fixed(std::ceil(each) * per_instruction);
}

// --- arithmetic on register tiles --------------------------------------------

#define TILESIM_TILE_COST(Op, Expression)      \
  template <>                                  \
  Cost OpCost<ops::Op>(const CostContext& c) { \
    return Expression;                         \
  }
TILESIM_TILE_COST(StAsync, SharedTile<ops::StAsync>(c, false))
TILESIM_TILE_COST(Mov, Move(c))
TILESIM_TILE_COST(Cvt, Convert(c))
TILESIM_TILE_COST(Neg, Alu(c))
TILESIM_TILE_COST(Add, Alu(c))
TILESIM_TILE_COST(Sub, Alu(c))
TILESIM_TILE_COST(Mul, Alu(c))
TILESIM_TILE_COST(Fma, Alu(c))
TILESIM_TILE_COST(Max, HalfAlu(c))
TILESIM_TILE_COST(Min, HalfAlu(c))
TILESIM_TILE_COST(Ex2, Mufu(c))
TILESIM_TILE_COST(Lg2, Mufu(c))
TILESIM_TILE_COST(Rcp, Mufu(c))
TILESIM_TILE_COST(RowMax, RowReduce(c, &c.sm.half))
TILESIM_TILE_COST(RowSum, RowReduce(c, nullptr))
TILESIM_TILE_COST(MaskCausal, Alu(c, 2))

// --- tensor core -------------------------------------------------------------

template <>
Cost OpCost<ops::WgmmaMmaAsync>(const CostContext& c) {
  const ir::TileValue& a = c.op.tile(ops::WgmmaMmaAsync::kA);
  return Fixed(c.addresses * c.arch.wgmma_addresses +
               c.arch.wgmma_issue *
                   static_cast<double>(StepsAlongK(a, InnerExtent(a))));
}

Cost Tcgen05Issue(const CostContext& c, int a) {
  const ir::TileValue& t = c.op.tile(a);
  return Fixed(c.arch.tcgen05_issue *
               static_cast<double>(StepsAlongK(t, InnerExtent(t))));
}
template <>
Cost OpCost<ops::Tcgen05Mma>(const CostContext& c) {
  return Tcgen05Issue(c, ops::Tcgen05Mma::kA);
}
template <>
Cost OpCost<ops::Tcgen05MmaBlockScale>(const CostContext& c) {
  return Tcgen05Issue(c, ops::Tcgen05MmaBlockScale::kA);
}

template <>
Cost OpCost<ops::MmaSync>(const CostContext& c) {
  const ir::TileValue& d = c.op.tile(ops::MmaSync::kD);
  const ir::TileValue& a = c.op.tile(ops::MmaSync::kA);
  double count = (d.rows() / 16.0) * (d.cols() / 8.0) *
                 static_cast<double>(StepsAlongK(a, a.cols()));
  double time = count * c.arch.mma_sync_interval;
  // Four sub-cores share the work of the warps that are there.
  const double all = time / kSubCores * std::max(1, c.warps());
  const double start = c.sm.tensor.Take(c.now, all);
  c.sm.products += all * kMmaSyncFull / c.arch.mma_sync_interval;
  // The last one is behind the last words of its operands.
  const double end = std::max(start + time, c.ready + c.arch.mma_sync_interval);
  return {end - c.now, Cause::kTensor, c.arch.mma_sync_latency};
}

using CostFn = Cost (*)(const CostContext&);
constexpr CostFn kCosts[] = {
#define TILE_OP(Name) &OpCost<ops::Name>,
#include "ir/ops.def"
#undef TILE_OP
};

}  // namespace

Cost CostOf(const CostContext& c) {
  return kCosts[static_cast<int>(c.op.info().kind)](c);
}

}  // namespace tilesim::timing
