#include "hwtests/emit/matrix_operand.h"

#include "ir/cat.h"

namespace tilesim::hwtests {
namespace {

using ir::Cat;

using ir::kMmaBytes;
using ir::kSwizzleRows;

constexpr int64_t kFieldUnit = 16;  // descriptors count 16 bytes

// Tile is MN x K: rows of one swizzle width; panels follow one another along K.
std::optional<MatrixOperand> KMajor(OpEmitter& e, const TileRef& tile) {
  const ir::SharedLayout& layout = tile.bound->layout;
  int64_t span = ir::SpanOf(layout.swizzle);
  MatrixOperand m;
  m.mn = tile.rows();
  m.k = tile.cols();
  m.layout = {layout.swizzle, kFieldUnit, kSwizzleRows * span};
  m.step = kMmaBytes;
  m.per_panel = span / kMmaBytes;
  m.panel_step = layout.panel_bytes();
  std::string base = e.SharedBase(tile);
  std::string row = e.StartRow(tile);
  size_t last = tile.dims.size() - 1;
  std::optional<int64_t> col = e.ConstantStart(tile, last);
  if (!col) {
    m.address = e.SharedAddress(tile);
    return m;
  }
  int64_t bytes = *col * layout.bits / 8;
  if (bytes % kMmaBytes != 0) {
    e.Shape(Cat("`", tile.ref->name, "` starts ", bytes,
                " bytes into a row, which is not a multiple of ", kMmaBytes));
    return std::nullopt;
  }
  int64_t panel = bytes / span * m.panel_step;
  m.first = bytes % span / kMmaBytes;
  bool number = row.find_first_not_of("0123456789") == std::string::npos;
  std::string rows =
      number ? Cat(std::stoll(row) * span) : Cat(WordText(row), " * ", span);
  m.address = PlusText(PlusText(base, rows), Cat(panel));
  return m;
}

// Tile is K x MN and used as its transpose: panels follow along MN.
std::optional<MatrixOperand> MnMajor(OpEmitter& e, const TileRef& tile) {
  const ir::SharedLayout& layout = tile.bound->layout;
  int64_t span = ir::SpanOf(layout.swizzle);
  MatrixOperand m;
  m.mn_major = true;
  m.mn = tile.cols();
  m.k = tile.rows();
  m.layout = {layout.swizzle, layout.panel_bytes(), kSwizzleRows * span};
  int64_t k_elements = kMmaBytes * 8 / layout.bits;
  m.step = k_elements * span;
  size_t last = tile.dims.size() - 1;
  int64_t within =
      e.ConstantStart(tile, last).value_or(0) % layout.panel_cols();
  if (within != 0 && within + tile.cols() > layout.panel_cols()) {
    e.Unsupported(Cat("`", tile.ref->name,
                      "` crosses from one panel of its "
                      "swizzle into the next"));
    return std::nullopt;
  }
  m.address = e.SharedAddress(tile);
  return m;
}

}  // namespace

std::string MatrixOperand::Advance(const std::string& kk,
                                   int64_t instructions) const {
  int64_t unit = step / kFieldUnit;
  if (per_panel == 0 || first + instructions <= per_panel) {
    std::string text = TimesText(kk, unit);
    return first == 0 ? text : Cat(text, " + ", first * unit);
  }
  std::string at = first == 0 ? kk : Cat("(", kk, " + ", first, ")");
  return Cat(at, " / ", per_panel, " * ", panel_step / kFieldUnit, " + ", at,
             " % ", per_panel, " * ", unit);
}

std::optional<MatrixOperand> MatrixOperandOf(OpEmitter& e, int i) {
  TileRef tile = e.Tile(i);
  const ir::SharedLayout& layout = tile.bound->layout;
  if (layout.swizzle == ir::Swizzle::kNone) {
    e.Unsupported(Cat("`", tile.ref->name,
                      "` has no swizzle: its rows are not "
                      "a layout that descriptors can say"));
    return std::nullopt;
  }
  for (size_t d = 0; d + 1 < tile.dims.size(); ++d) {
    if (e.StartDivisor(tile, d) % kSwizzleRows == 0) continue;
    e.Shape(Cat("rows of `", tile.ref->name, "` must start at a multiple of ",
                kSwizzleRows));
    return std::nullopt;
  }
  return tile.ref->transposed ? MnMajor(e, tile) : KMajor(e, tile);
}

}  // namespace tilesim::hwtests
