#include "hwtests/emit/global_box.h"

#include <numeric>

#include "hwtests/emit/below.h"
#include "ir/cat.h"

namespace tilesim::hwtests {
namespace {

using ir::Cat;

// "M - m", or "" if the box lies inside whatever the sizes.
std::string Inside(OpEmitter& e, const TileRef& g, size_t d) {
  const BoxDim& dim = g.dims[d];
  if (dim.start == nullptr) return "";
  int at = static_cast<int>(d);
  std::string size = e.globals().Extent(g.decl, at);
  const ir::Expr& extent = e.kernel().kernel().decls[g.decl].shape[d];
  std::optional<int64_t> start = e.ConstantStart(g, d);
  std::optional<int64_t> constant = e.kernel().facts().Constant(extent);
  if (start && constant && *start >= 0 && *start + dim.extent <= *constant)
    return "";
  if (start && *start == 0) return size;
  return Cat(size, " - ", start ? Cat(*start) : e.print().Factor(*dim.start));
}

// Whether the box may begin before the tensor, for all that is known.
bool MayBeginBefore(OpEmitter& e, const TileRef& g, size_t d) {
  if (g.dims[d].start == nullptr) return false;
  if (std::optional<int64_t> start = e.ConstantStart(g, d)) return *start < 0;
  const Facts& facts = e.kernel().facts();
  const ir::Expr& start = *g.dims[d].start;
  return !facts.NonNegative(start) && !facts.NeverNegative(start);
}

// "-m": which of the box is the first inside.
std::string First(OpEmitter& e, const TileRef& g, size_t d) {
  if (std::optional<int64_t> start = e.ConstantStart(g, d)) return Cat(-*start);
  return Cat("-", e.print().Factor(*g.dims[d].start));
}

// True if the box is inside in this dimension as soon as it starts inside.
bool AllOrNone(OpEmitter& e, const TileRef& g, size_t d) {
  int64_t extent = g.dims[d].extent;
  return extent == 1 ||
         (e.StartDivisor(g, d) % extent == 0 &&
          e.globals().ExtentDivisor(g.decl, static_cast<int>(d)) % extent == 0);
}

bool StartsInside(OpEmitter& e, const TileRef& g, size_t d) {
  const ir::Expr& extent = e.kernel().kernel().decls[g.decl].shape[d];
  return IsBelow(e.kernel().facts(), e.kernel().threads(), *g.dims[d].start,
                 extent);
}

std::optional<size_t> RowDim(OpEmitter& e, const TileRef& g) {
  std::optional<size_t> row;
  for (size_t d = 0; d + 1 < g.dims.size(); ++d) {
    if (g.dims[d].extent == 1) continue;
    if (row) {
      e.Unsupported(
          Cat("the box of `", g.ref->name, "` has more than two dimensions"));
      return std::nullopt;
    }
    row = d;
  }
  return row.value_or(g.dims.size());  // none
}

}  // namespace

std::optional<GlobalBox> GlobalBoxOf(OpEmitter& e, const TileRef& g) {
  std::optional<size_t> row = RowDim(e, g);
  if (!row) return std::nullopt;
  size_t col = g.dims.size() - 1;
  GlobalBox box;
  box.address = e.GlobalAddress(g);
  if (e.globals().Stride(g.decl, static_cast<int>(col)) != "1" &&
      g.cols() != 1) {
    e.Unsupported(Cat("the last dimension of `", g.ref->name,
                      "` is not the contiguous one"));
    return std::nullopt;
  }
  box.vector = e.StartDivisor(g, col);
  for (size_t d = 0; d < g.dims.size(); ++d) {
    int at = static_cast<int>(d);
    if (d != col) {
      int64_t stride = e.globals().StrideDivisor(g.decl, at);
      int64_t step = d == *row ? 1 : e.StartDivisor(g, d);
      box.vector = std::gcd(box.vector, stride * step);
    }
    if (d == *row) box.pitch = e.globals().Stride(g.decl, at);
  }
  box.aligned = box.vector;
  for (size_t d = 0; d < g.dims.size(); ++d) {
    int at = static_cast<int>(d);
    std::string inside = Inside(e, g, d);
    if (inside.empty()) continue;
    const bool before = MayBeginBefore(e, g, d);
    const bool whole = AllOrNone(e, g, d);
    if (whole && !before && StartsInside(e, g, d)) continue;
    if (whole) {
      std::string size = e.globals().Extent(g.decl, at);
      const std::string start = e.print().Term(*g.dims[d].start);
      ir::Append(&box.guard, box.guard.empty() ? "" : " && ",
                 before ? Cat(start, " >= 0 && ") : "", start, " < ", size);
      continue;
    }
    box.all_inside = false;
    if (before) (d == col ? box.first_col : box.first_row) = First(e, g, d);
    (d == col ? box.cols : box.rows) = inside;
    if (d == col)
      box.vector = std::gcd(box.vector, e.globals().ExtentDivisor(g.decl, at));
  }
  return box;
}

void AddLimits(const GlobalBox& box, std::string_view guard,
               std::vector<std::string>* args) {
  if (box.all_inside && guard.empty()) return;
  constexpr std::string_view kAll = "1 << 30";
  std::string rows(box.rows.empty() ? kAll : std::string_view(box.rows));
  if (!guard.empty()) rows = Cat(guard, " ? ", rows, " : 0");
  args->push_back(rows);
  args->push_back(
      std::string(box.cols.empty() ? kAll : std::string_view(box.cols)));
}

void AddFirst(const GlobalBox& box, std::vector<std::string>* args) {
  if (!box.begins_before()) return;
  for (const std::string& first : {box.first_row, box.first_col})
    args->push_back(first.empty() ? "0" : first);
}

}  // namespace tilesim::hwtests
