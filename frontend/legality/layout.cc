#include "frontend/legality/layout.h"

#include <utility>

#include "ir/cat.h"
#include "ir/placement.h"

namespace tilesim::frontend {
namespace {

// Whether neighbours in a dimension are as far apart as what lies inside is
// large.
bool StepsBy(const Tile& t, size_t dim, int64_t inside) {
  return t.space() != ir::Space::kGlobal || t.bound->strides[dim] == inside ||
         t.dims[dim].extent == 1;
}

std::optional<int64_t> IndexOf(OpCheck& c, const ir::Ref& ref) {
  const ir::BoundDecl& d = c.bound().decls[ref.decl];
  int64_t flat = 0;
  int i = 0;
  for (const auto& group : ref.groups) {
    for (const ir::Subscript& s : group) {
      if (i == d.array_rank) return flat;
      std::optional<int64_t> n = c.Evaluate(s.start);
      // Outside the array: bounds/index.
      if (!n || *n < 0 || *n >= d.array[i]) return std::nullopt;
      flat = flat * d.array[i++] + *n;
    }
  }
  return flat;
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

// All dimensions inside the outermost one above 1 must be whole, and lie one
// after another.
void Dense(OpCheck& c, int operand, std::string_view source) {
  Tile t = c.tile(operand);
  int64_t inside = 1;
  bool whole = true;  // so far, from the innermost outwards
  for (size_t d = t.dims.size(); d-- > 0;) {
    const Tile::Dim& dim = t.dims[d];
    bool dense = dim.extent == 1 || (whole && StepsBy(t, d, inside));
    if (!dense) {
      c.Error("layout/slice", operand,
              ir::Cat(c.Text(operand), " is not one piece of memory"), source);
      return;
    }
    whole = whole && dim.extent == dim.size;
    inside *= dim.size;
  }
}

void Described(OpCheck& c, int operand, std::string_view source) {
  Tile t = c.tile(operand);
  if (t.decl->swizzle != ir::Swizzle::kNone) return;
  c.Error("layout/swizzle", operand,
          ir::Cat("`", t.decl->name,
                  "` has rows of plain memory, which no "
                  "descriptor describes"),
          source)
      .help =
      "give its declaration a swizzle, `swizzle 128B` if its rows have 128 "
      "bytes or more";
}

void Placed(OpCheck& c, int operand) {
  ir::StartRule rule = c.op().info->operands[operand].start;
  Tile t = c.tile(operand);
  if (rule == ir::StartRule::kAnywhere && t.space() != ir::Space::kTmem) return;
  std::string text = c.Text(operand);
  ir::PlacedBox box;
  box.name = text;
  box.decl = t.bound;
  box.index = IndexOf(c, c.ref(operand));
  box.transposed = t.transposed;
  for (size_t d = 0; d < t.dims.size(); ++d) {
    box.start[d] = t.dims[d].start;
    box.extent[d] = t.dims[d].extent;
  }
  auto wrong = ir::MisplacedOf(box, rule, c.Vector(operand));
  if (wrong)
    c.Error(wrong->code, operand, std::move(wrong->message),
            c.op().info->source);
}

}  // namespace tilesim::frontend
