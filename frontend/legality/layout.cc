#include "frontend/legality/layout.h"

#include <cstdlib>

#include "ir/cat.h"

namespace tilesim::frontend {
namespace {

bool Multiple(std::optional<int64_t> n, int64_t of) {
  return !n || *n % of == 0;
}

void Aligned8(OpCheck& c, int operand, const Tile& t, std::string_view source) {
  if (Multiple(t.first_row(), ir::kSwizzleRows)) return;
  c.Error("layout/slice", operand,
          ir::Cat(c.Text(operand), " starts at row ", *t.first_row(),
                  "; the swizzle repeats every ", ir::kSwizzleRows, " rows"),
          source);
}

}  // namespace

void DenseRows(OpCheck& c, int operand, std::string_view source) {
  Tile t = c.tile(operand);
  if (t.dims.empty() || t.rows() == 1) return;
  if (t.cols() == t.dims.back().size) return Dense(c, operand, source);
  c.Error("layout/slice", operand,
          ir::Cat(c.Text(operand), " is ", t.cols(), " of ", t.dims.back().size,
                  " columns; the rows of a box lie one after another"),
          source);
}

// All dimensions inside the outermost one above 1 must be whole.
void Dense(OpCheck& c, int operand, std::string_view source) {
  Tile t = c.tile(operand);
  bool outer = true;  // only extents of 1 so far
  for (const Tile::Dim& d : t.dims) {
    bool whole = d.extent == d.size;
    if (!outer && !whole) {
      c.Error("layout/slice", operand,
              ir::Cat(c.Text(operand), " is not one piece of memory"), source);
      return;
    }
    if (d.extent > 1) outer = false;
  }
}

void ByteAligned(OpCheck& c, int operand, int64_t bytes,
                 std::string_view source) {
  Tile t = c.tile(operand);
  if (t.dims.empty() || !t.first_row() || !t.first_col()) return;
  // Far outside the tile: reported already.
  constexpr int64_t kFar = 1 << 24;
  if (std::abs(*t.first_row()) > kFar || std::abs(*t.first_col()) > kFar)
    return;
  int64_t pitch = t.dims.back().size;
  int64_t offset = (*t.first_row() * pitch + *t.first_col()) * t.bits() / 8;
  if (offset % bytes == 0) return;
  c.Error("layout/alignment", operand,
          ir::Cat(c.Text(operand), " starts at byte ", offset,
                  " of its tile, not a multiple of ", bytes),
          source);
}

void OnPattern(OpCheck& c, int operand, std::string_view source) {
  Tile t = c.tile(operand);
  int64_t panel = t.bound->layout.panel_cols();
  if (!Multiple(t.first_col(), panel)) {
    c.Error("layout/slice", operand,
            ir::Cat(c.Text(operand), " starts at column ", *t.first_col(),
                    "; panels of the tile are ", panel, " columns wide"),
            source);
    return;
  }
  Aligned8(c, operand, t, source);
}

void Descriptor(OpCheck& c, int operand, int64_t k, std::string_view source) {
  Tile t = c.tile(operand);
  if (t.decl->swizzle == ir::Swizzle::kNone) {
    c.Error("layout/swizzle", operand,
            ir::Cat("`", t.decl->name,
                    "` has rows of plain memory, which no "
                    "descriptor describes"),
            source)
        .help = "give it a swizzle";
    return;
  }
  if (t.transposed) return OnPattern(c, operand, source);
  Aligned8(c, operand, t, source);
  if (Multiple(t.first_col(), k)) return;
  c.Error("layout/slice", operand,
          ir::Cat(c.Text(operand), " starts at column ", *t.first_col(),
                  ", inside an instruction's ", k),
          source);
}

}  // namespace tilesim::frontend
