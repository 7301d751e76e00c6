// Bytes of tensor memory.
#include <cstring>

#include "ir/cat.h"
#include "ir/tmem.h"
#include "sim/machine/data/job.h"

namespace tilesim::machine {

// Whoever names the columns reads their address where tcgen05.alloc has put it.
void Job::CheckAddress(int operand) {
  int32_t pool = decl(operand).pool;
  int32_t slot = pool < 0 ? -1 : bound().decls[pool].slot;
  CtaMemory& own = *Peer(kOwn);
  if (slot < 0 || !own.values() || own.shared().empty()) return;
  uint32_t address = 0;
  std::memcpy(&address, own.shared().data() + bound().decls[slot].place,
              sizeof(address));
  if (address == ir::PoolColumn(bound(), pool)) return;
  const auto& decls = bound().kernel->decls;
  Fault("dataflow/clobbered",
        ir::Cat("`", decls[slot].name, "` does not hold the address of `",
                decls[pool].name, "` any more"),
        "give it memory that nobody writes to until after tcgen05.dealloc");
}

int64_t Job::TmemByte(int operand) {
  InBounds(operand);
  CheckAddress(operand);
  const ir::TileValue& box = tile(operand);
  int64_t col = box.rank == 0 ? 0 : box.start[box.rank - 1];
  return ir::ObjectColumn(bound(), box) * ir::kColumnBytes +
         col * ir::StepBits(decl(operand)) / 8;
}

int64_t Job::ScaleByte(int operand) {
  const ir::TileValue& box = tile(operand);
  int64_t col = box.rank == 0 ? 0 : box.start[box.rank - 1];
  int64_t row = box.rank < 2 ? 0 : box.start[0];
  ir::ScalePlace at = ir::ScaleAt(row, col, decl(operand).shape[0]);
  return TmemByte(operand) - col + at.byte;
}

bool Job::CheckTmem(CtaMemory& cta, int64_t lane, int64_t byte, int64_t count) {
  if (cta.tmem_written().size() == 0) return false;
  if (lane >= 0 && lane < ir::kTmemLanes && byte >= 0 &&
      byte + count <= cta.tmem_columns() * ir::kColumnBytes)
    return true;
  Fault("bounds/tmem",
        ir::Cat("lane ", lane, ", columns ", byte / ir::kColumnBytes, " to ",
                (byte + count + ir::kColumnBytes - 1) / ir::kColumnBytes,
                " are not all in tensor memory"));
  return false;
}

void Job::ReadTmemRow(CtaMemory& cta, int operand, int64_t lane, int64_t byte,
                      int64_t count, uint8_t* out) {
  int bits = values::BitsOf(tile(operand).dtype),
      step = ir::StepBits(decl(operand));
  if (step == bits) return ReadTmem(cta, lane, byte, count * bits / 8, out);
  for (int64_t i = 0; i < count; ++i)
    ReadTmem(cta, lane, byte + i * step / 8, bits / 8, out + i * bits / 8);
}

void Job::WriteTmemRow(CtaMemory& cta, int operand, int64_t lane, int64_t byte,
                       int64_t count, const uint8_t* in) {
  int bits = values::BitsOf(tile(operand).dtype),
      step = ir::StepBits(decl(operand));
  if (step == bits) return WriteTmem(cta, lane, byte, count * bits / 8, in);
  for (int64_t i = 0; i < count; ++i)
    WriteTmem(cta, lane, byte + i * step / 8, bits / 8, in + i * bits / 8);
}

void Job::ReadTmem(CtaMemory& cta, int64_t lane, int64_t byte, int64_t count,
                   void* out) {
  if (!CheckTmem(cta, lane, byte, count)) return;
  std::memcpy(out, cta.TmemLane(static_cast<int>(lane)) + byte, count);
  int64_t first = byte / ir::kColumnBytes;
  int64_t last = (byte + count - 1) / ir::kColumnBytes;
  if (cta.tmem_written().All(lane * cta.tmem_columns() + first,
                             last - first + 1))
    return;
  Fault("uninit/tmem",
        ir::Cat("lane ", lane, ", columns ", first, " to ", last + 1,
                " of tensor memory are read before they are written"),
        "the first mma into an accumulator has accumulate = 0");
}

void Job::WriteTmem(CtaMemory& cta, int64_t lane, int64_t byte, int64_t count,
                    const void* in) {
  if (!CheckTmem(cta, lane, byte, count)) return;
  std::memcpy(cta.TmemLane(static_cast<int>(lane)) + byte, in, count);
  int64_t first = byte / ir::kColumnBytes;
  int64_t last = (byte + count - 1) / ir::kColumnBytes;
  cta.tmem_written().Set(lane * cta.tmem_columns() + first, last - first + 1);
}

}  // namespace tilesim::machine
