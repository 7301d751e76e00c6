// Boxes of global tensors.
#include "ir/cat.h"
#include "sim/machine/data/box_rows.h"
#include "sim/machine/data/job.h"

namespace tilesim::machine {
GlobalTensor& Job::Global(int operand) {
  return *memory_.globals().Get(site_.kernel, tile(operand).decl);
}

Dense Job::ReadGlobal(int operand) {
  const ir::TileValue& box = tile(operand);
  GlobalTensor& tensor = Global(operand);
  Dense out(box.dtype, box.rows(), box.cols());
  // Where not all CTAs so far have written what they write, nobody knows what
  // they would have.
  bool written = true, known = tensor.spec().undefined && site_.all_have_values;
  ForRows(box, decl(operand),
          [&](int64_t row, int64_t element, int64_t col, int64_t count) {
            const uint8_t* data = tensor.Touch(element, count);
            CopyCodes(box.dtype, out.Row(row), col, data, element, count);
            if (known) written &= tensor.Written(element, count);
          });
  if (!written) {
    Fault("uninit/global",
          ir::Cat("`", name(operand), "` is read where nobody has written"),
          "write it first, or let it start as `zero`");
  }
  return out;
}

void Job::WriteGlobal(int operand, const Dense& in, const Mask& mask) {
  const ir::TileValue& box = tile(operand);
  GlobalTensor& tensor = Global(operand);
  ForRows(box, decl(operand),
          [&](int64_t row, int64_t element, int64_t col, int64_t count) {
            uint8_t* data = tensor.Touch(element, count);
            if (mask.all()) {
              CopyCodes(box.dtype, data, element, in.Row(row), col, count);
              return tensor.MarkWritten(element, count);
            }
            for (int64_t i = 0; i < count; ++i) {
              if (!mask.Has(row, col + i, in.cols)) continue;
              CopyCodes(box.dtype, data, element + i, in.Row(row), col + i, 1);
              tensor.MarkWritten(element + i, 1);
            }
          });
}

int64_t Job::GlobalElement(int operand) {
  const ir::TileValue& box = tile(operand);
  const ir::BoundDecl& d = decl(operand);
  if (!InBounds(operand)) return -1;
  int64_t element = 0;
  for (int i = 0; i < box.rank; ++i)
    element = element * d.shape[i] + box.start[i];
  return element;
}

}  // namespace tilesim::machine
