// Boxes of register tiles.
#include "ir/cat.h"
#include "sim/machine/data/job.h"

namespace tilesim::machine {

Units Job::UnitsOf(int operand) const {
  return machine::UnitsOf(decl(operand).fragment, compiled_, op_.threads);
}

// First thread of the unit that holds the operand's tile, for the threads of
// another operand's unit.
int32_t Job::HolderOf(int operand, const Unit& unit) const {
  for (const Unit& u : UnitsOf(operand)) {
    if (unit.first >= u.first && unit.first < u.first + u.threads)
      return u.first;
  }
  return unit.first;
}

ir::FragmentLayout Job::LayoutOf(int operand, const Unit& unit) const {
  ir::FragmentLayout layout = decl(operand).fragment;
  layout.threads = unit.threads;
  return layout;
}

Mask Job::MaskOf(int operand, const Unit& unit) const {
  Mask mask;
  if (unit.all) return mask;
  const ir::TileValue& box = tile(operand);
  ir::FragmentLayout layout = LayoutOf(operand, unit);
  int32_t row0 = box.rank < 2 ? 0 : static_cast<int32_t>(box.start[0]);
  int32_t col0 =
      box.rank == 0 ? 0 : static_cast<int32_t>(box.start[box.rank - 1]);
  int32_t rows = box.rows(), cols = box.cols();
  mask.held.reserve(static_cast<size_t>(rows) * cols);
  for (int32_t r = 0; r < rows; ++r) {
    for (int32_t c = 0; c < cols; ++c)
      mask.held.push_back(Holds(layout, unit, op_.threads, row0 + r, col0 + c));
  }
  return mask;
}

RegTile* Job::RegOf(int operand, const Unit& unit) {
  const ir::TileValue& box = tile(operand);
  if (!InBounds(operand)) return nullptr;
  return &memory_.cta(site_.cta).Reg(decl(operand), box.decl, box.index,
                                     HolderOf(operand, unit));
}

Dense Job::ReadReg(int operand, const Unit& unit, const Mask& mask) {
  const ir::TileValue& box = tile(operand);
  const ir::FragmentLayout& shape = decl(operand).fragment;
  Dense out(box.dtype, box.rows(), box.cols());
  RegTile* reg = RegOf(operand, unit);
  if (reg == nullptr) return out;
  int64_t pitch = values::BytesOf(box.dtype, shape.cols);
  int64_t row0 = box.rank < 2 ? 0 : box.start[0];
  int64_t col0 = box.rank == 0 ? 0 : box.start[box.rank - 1];
  bool written = true;
  for (int64_t r = 0; r < out.rows; ++r) {
    int64_t first = (row0 + r) * shape.cols + col0;
    CopyCodes(box.dtype, out.Row(r), 0, reg->data.data() + (row0 + r) * pitch,
              col0, out.cols);
    if (mask.all()) written &= reg->written.All(first, out.cols);
    for (int64_t c = 0; c < out.cols && !mask.all(); ++c)
      written &= !mask.Has(r, c, out.cols) || reg->written.Get(first + c);
  }
  if (!written && memory_.cta(site_.cta).values()) {
    Fault("uninit/register",
          ir::Cat("`", name(operand), "` is read before it is written"));
  }
  return out;
}

void Job::WriteReg(int operand, const Dense& in, const Unit& unit,
                   const Mask& mask) {
  const ir::TileValue& box = tile(operand);
  const ir::FragmentLayout& shape = decl(operand).fragment;
  RegTile* reg = RegOf(operand, unit);
  if (reg == nullptr) return;
  int64_t pitch = values::BytesOf(box.dtype, shape.cols);
  int64_t row0 = box.rank < 2 ? 0 : box.start[0];
  int64_t col0 = box.rank == 0 ? 0 : box.start[box.rank - 1];
  for (int64_t r = 0; r < in.rows; ++r) {
    int64_t first = (row0 + r) * shape.cols + col0;
    uint8_t* to = reg->data.data() + (row0 + r) * pitch;
    if (mask.all()) {
      CopyCodes(box.dtype, to, col0, in.Row(r), 0, in.cols);
      reg->written.Set(first, in.cols);
      continue;
    }
    for (int64_t c = 0; c < in.cols; ++c) {
      if (!mask.Has(r, c, in.cols)) continue;
      CopyCodes(box.dtype, to, col0 + c, in.Row(r), c, 1);
      reg->written.Set(first + c, 1);
    }
  }
}

}  // namespace tilesim::machine
