// Boxes of shared memory, through their layout.
#include <utility>

#include "ir/bounds.h"
#include "ir/cat.h"
#include "ir/matrix_row.h"
#include "sim/machine/data/job.h"

namespace tilesim::machine {
namespace {

// Calls f(byte of the CTA, column of the box, columns) for the runs of row `r`
// that are contiguous.
template <typename F>
void ForChunks(const ir::TileValue& box, const ir::BoundDecl& d, int64_t r,
               F f) {
  int64_t base = d.place + box.index * d.object_bytes;
  int64_t row = ir::MatrixRow(box, d, r), cols = box.cols();
  int64_t first = box.rank == 0 ? 0 : box.start[box.rank - 1];
  d.layout.ForRuns(row, first, cols, [&](int64_t byte, int64_t c, int64_t n) {
    f(base + byte, c - first, n);
  });
}

// Element of a byte array that starts at the byte with the code at `col`: 1
// for the second code of a byte.
int64_t Nibble(const ir::TileValue& box, const ir::BoundDecl& d, int64_t col) {
  if (d.layout.bits >= 8 || box.rank == 0) return 0;
  return (box.start[box.rank - 1] + col) % 2;
}

}  // namespace

bool Job::InBounds(int operand) {
  auto outside = ir::OutOfBoundsOf(bound(), op_, operand);
  if (!outside) return true;
  Fault(outside->code, std::move(outside->message));
  return false;
}

CtaMemory* Job::SharedOwner(int operand, int rank) {
  if (!InBounds(operand)) return nullptr;
  CtaMemory* owner = Peer(rank != kOwn ? rank : tile(operand).cta);
  return owner == nullptr || owner->shared().empty() ? nullptr : owner;
}

Dense Job::ReadShared(int operand, int rank, const Mask& mask) {
  const ir::TileValue& box = tile(operand);
  const ir::BoundDecl& d = decl(operand);
  Dense out(box.dtype, box.rows(), box.cols());
  CtaMemory* owner = SharedOwner(operand, rank);
  if (owner == nullptr) return out;
  const uint8_t* bytes = owner->shared().data();
  int bits = d.layout.bits;
  bool written = true;
  for (int64_t r = 0; r < out.rows; ++r) {
    ForChunks(box, d, r, [&](int64_t byte, int64_t col, int64_t n) {
      CopyCodes(box.dtype, out.Row(r), col, bytes + byte, Nibble(box, d, col),
                n);
      int64_t last = byte + (n * bits + 7) / 8 - 1;
      int64_t granules = last / kGranule - byte / kGranule + 1;
      if (mask.all())
        written &= owner->shared_written().All(byte / kGranule, granules);
      for (int64_t i = 0; i < n && !mask.all(); ++i) {
        if (mask.Has(r, col + i, out.cols))
          written &=
              owner->shared_written().Get((byte + i * bits / 8) / kGranule);
      }
    });
  }
  if (!written && owner->values()) {
    Fault(
        "uninit/shared",
        ir::Cat("`", name(operand), "` is read where nobody has written"),
        "wait for the copy that fills it; of what threads store, put a barrier "
        "between the store and this");
  }
  return out;
}

void Job::WriteShared(int operand, const Dense& in, int rank,
                      const Mask& mask) {
  const ir::TileValue& box = tile(operand);
  const ir::BoundDecl& d = decl(operand);
  CtaMemory* owner = SharedOwner(operand, rank);
  if (owner == nullptr) return;
  uint8_t* bytes = owner->shared().data();
  Bits& written = owner->shared_written();
  int bits = d.layout.bits;
  auto copy = [&](int64_t r, int64_t byte, int64_t nibble, int64_t col,
                  int64_t n) {
    CopyCodes(box.dtype, bytes + byte, nibble, in.Row(r), col, n);
    int64_t last = byte + (n * bits + 7) / 8 - 1;
    written.Set(byte / kGranule, last / kGranule - byte / kGranule + 1);
  };
  for (int64_t r = 0; r < in.rows; ++r) {
    ForChunks(box, d, r, [&](int64_t byte, int64_t col, int64_t n) {
      int64_t nibble = Nibble(box, d, col);
      if (mask.all()) return copy(r, byte, nibble, col, n);
      for (int64_t i = 0; i < n; ++i) {
        if (!mask.Has(r, col + i, in.cols)) continue;
        copy(r, byte + (nibble + i) * bits / 8, bits < 8 ? (nibble + i) % 2 : 0,
             col + i, 1);
      }
    });
  }
}

}  // namespace tilesim::machine
