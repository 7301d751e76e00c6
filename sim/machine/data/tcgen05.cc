// tcgen05 moves between tensor memory, registers and shared memory.
#include <utility>

#include "ir/cat.h"
#include "ir/tmem.h"
#include "sim/machine/data/compute.h"

namespace tilesim::machine {
namespace {

using ir::kChunkBytes;
using ir::kChunkLaneBytes;
using ir::kQuarterLanes;
using ir::kTmemLanes;

// Calls f(lane, row of the register box) for the rows that executing threads
// hold. A warp reaches the quarter of the lanes that its number says.
template <typename F>
void ForLanes(Job& job, int tmem, int reg, const Unit& unit, const Mask& mask,
              F f) {
  const ir::TileValue &t = job.tile(tmem), &r = job.tile(reg);
  for (int64_t i = 0; i < r.rows(); ++i) {
    if (!mask.Has(i, 0, r.cols())) continue;
    if (auto out = OutOfReach(t, r, unit, i))
      return job.Fault(out->code, std::move(out->message));
    f(LaneReached(r, unit, i), i);
  }
}

bool SameColumns(Job& job, int tmem, int reg) {
  const ir::TileValue &t = job.tile(tmem), &r = job.tile(reg);
  bool same = t.cols() == r.cols() &&
              values::BitsOf(t.dtype) == values::BitsOf(r.dtype) &&
              job.decl(reg).fragment.fragment == ir::Fragment::kRow;
  if (!same) {
    job.Fault("shape/mismatch",
              ir::Cat("`", job.name(tmem), "` and `", job.name(reg),
                      "` do not have as many columns of one width, or the "
                      "registers are not in fragment row"));
  }
  return same;
}

// The CTAs that a cp or shift is done in.
absl::InlinedVector<int, 2> RanksOf(const Job& job) {
  if (!ir::ops::IsPair(job.op())) return {Job::kOwn};
  int even = job.op().cluster_rank & ~1;
  return {even, even + 1};
}

// .32x128b.warpx4: 16 bytes a lane of 32, the same in all quarters.
void CopyScales(Job& job, CtaMemory& cta, const Dense& in, int64_t byte) {
  int64_t size = static_cast<int64_t>(in.data.size());
  if (size % kChunkBytes != 0) {
    return job.Fault("shape/extent",
                     ir::Cat("tcgen05.cp copies scale factors in chunks of ",
                             kChunkBytes, " bytes, not ", size));
  }
  for (int64_t at = 0; at < size; at += kChunkLaneBytes) {
    int64_t lane = at % kChunkBytes / kChunkLaneBytes;
    int64_t to = byte + at / kChunkBytes * kChunkLaneBytes;
    for (int64_t quarter = 0; quarter < kTmemLanes; quarter += kQuarterLanes)
      job.WriteTmem(cta, quarter + lane, to, kChunkLaneBytes,
                    in.data.data() + at);
  }
}

}  // namespace

void Compute(ir::ops::Tcgen05Ld, Job& job) {
  using Op = ir::ops::Tcgen05Ld;
  if (!SameColumns(job, Op::kSrc, Op::kDst)) return;
  const ir::TileValue& reg = job.tile(Op::kDst);
  int64_t byte = job.TmemByte(Op::kSrc);
  for (const Unit& unit : job.UnitsOf(Op::kDst)) {
    Mask mask = job.MaskOf(Op::kDst, unit);
    Dense box(reg.dtype, reg.rows(), reg.cols());
    ForLanes(job, Op::kSrc, Op::kDst, unit, mask,
             [&](int64_t lane, int64_t row) {
               job.ReadTmemRow(*job.Peer(Job::kOwn), Op::kSrc, lane, byte,
                               reg.cols(), box.Row(row));
             });
    job.WriteReg(Op::kDst, box, unit, mask);
  }
}

void Compute(ir::ops::Tcgen05St, Job& job) {
  using Op = ir::ops::Tcgen05St;
  if (!SameColumns(job, Op::kDst, Op::kSrc)) return;
  int64_t byte = job.TmemByte(Op::kDst);
  for (const Unit& unit : job.UnitsOf(Op::kSrc)) {
    Mask mask = job.MaskOf(Op::kSrc, unit);
    Dense box = job.ReadReg(Op::kSrc, unit, mask);
    ForLanes(job, Op::kDst, Op::kSrc, unit, mask,
             [&](int64_t lane, int64_t row) {
               job.WriteTmemRow(*job.Peer(Job::kOwn), Op::kDst, lane, byte,
                                box.cols, box.Row(row));
             });
  }
}

void Compute(ir::ops::Tcgen05Cp, Job& job) {
  using Op = ir::ops::Tcgen05Cp;
  const ir::TileValue& dst = job.tile(Op::kDst);
  for (int rank : RanksOf(job)) {
    CtaMemory* cta = job.Peer(rank);
    if (cta == nullptr) continue;
    Dense in = job.ReadShared(Op::kSrc, rank);
    if (ir::IsScale(dst.dtype)) {
      CopyScales(job, *cta, in, job.ScaleByte(Op::kDst));
      continue;
    }
    int64_t lane = dst.rank < 2 ? 0 : dst.start[0];
    for (int64_t r = 0; r < in.rows; ++r)
      job.WriteTmem(*cta, lane + r, job.TmemByte(Op::kDst), in.pitch(),
                    in.Row(r));
  }
}

// The last row has nowhere to go; the first keeps what it has.
void Compute(ir::ops::Tcgen05Shift, Job& job) {
  constexpr int kTile = ir::ops::Tcgen05Shift::kTile;
  const ir::TileValue& tile = job.tile(kTile);
  int64_t byte = job.TmemByte(kTile), lane = tile.start[0];
  std::vector<uint8_t> row(
      static_cast<size_t>(tile.cols() * ir::StepBits(job.decl(kTile)) / 8));
  int64_t bytes = static_cast<int64_t>(row.size());
  for (int rank : RanksOf(job)) {
    CtaMemory* cta = job.Peer(rank);
    for (int64_t r = tile.rows() - 1; r > 0 && cta != nullptr; --r) {
      job.ReadTmem(*cta, lane + r - 1, byte, bytes, row.data());
      job.WriteTmem(*cta, lane + r, byte, bytes, row.data());
    }
  }
}

namespace {

// What a freed or fresh allocation holds is nobody's.
void Forget(Job& job, int pool) {
  CtaMemory& cta = *job.Peer(Job::kOwn);
  if (cta.tmem_written().size() == 0) return;
  int decl = job.tile(pool).decl;
  int64_t first = ir::PoolColumn(job.bound(), decl);
  for (int64_t lane = 0; lane < kTmemLanes; ++lane)
    cta.tmem_written().Clear(lane * cta.tmem_columns() + first,
                             job.bound().decls[decl].columns);
}

}  // namespace

// Also stores the address where the program looks for it.
void Compute(ir::ops::Tcgen05Alloc, Job& job) {
  constexpr int kPool = ir::ops::Tcgen05Alloc::kPool;
  Forget(job, kPool);
  int decl = job.tile(kPool).decl;
  int slot = job.bound().decls[decl].slot;
  CtaMemory& cta = *job.Peer(Job::kOwn);
  if (slot < 0 || cta.shared().empty()) return;
  int64_t place = job.bound().decls[slot].place;
  auto address = static_cast<uint32_t>(ir::PoolColumn(job.bound(), decl));
  std::memcpy(cta.shared().data() + place, &address, sizeof(address));
  cta.shared_written().Set(place / kGranule, 1);
}

void Compute(ir::ops::Tcgen05Dealloc, Job& job) {
  Forget(job, ir::ops::Tcgen05Dealloc::kPool);
}

}  // namespace tilesim::machine
