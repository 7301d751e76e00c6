#include "frontend/legality/op_check.h"

#include <algorithm>
#include <utility>

#include "frontend/suggest.h"
#include "ir/cat.h"
#include "ir/ops/cp_async.h"
#include "ir/ops/tcgen05.h"
#include "ir/placement.h"
#include "ir/printer.h"

namespace tilesim::frontend {
namespace {

// Far beyond what any rule allows, and small enough to calculate with.
constexpr int64_t kHuge = int64_t{1} << 31;

}  // namespace

int64_t Tile::elements() const {
  int64_t n = 1;
  for (const Dim& d : dims) {
    if (__builtin_mul_overflow(n, d.extent, &n)) return kHuge * kHuge / 64;
  }
  return n;
}

int64_t Tile::rows() const { return cols() == 0 ? 0 : elements() / cols(); }

std::optional<int64_t> Tile::first_row() const {
  int64_t row = 0;
  for (size_t i = 0; i + 1 < dims.size(); ++i) {
    if (!dims[i].start) return std::nullopt;
    row = std::clamp(row, -kHuge, kHuge) * dims[i].size + *dims[i].start;
  }
  return std::clamp(row, -kHuge, kHuge);
}

std::optional<int64_t> Tile::first_col() const {
  return dims.empty() ? 0 : dims.back().start;
}

std::vector<int64_t> Tile::Squeezed() const {
  std::vector<int64_t> out;
  for (const Dim& d : dims) {
    if (d.extent != 1) out.push_back(d.extent);
  }
  if (transposed && out.size() == 2) std::swap(out[0], out[1]);
  return out;
}

std::string Tile::Shape() const {
  std::string out;
  for (const Dim& d : dims) ir::Append(&out, out.empty() ? "" : "x", d.extent);
  return out.empty() ? "1" : out;
}

bool OpCheck::is_ref(int operand) const {
  return op_.operands[operand].kind == ir::Operand::Kind::kRef;
}

std::optional<int64_t> OpCheck::Evaluate(const ir::Expr& e) const {
  std::optional<ir::Value> v = ir::Evaluate(e, kernel_.env, nullptr);
  if (!v || v->is_float) return std::nullopt;
  return v->number;
}

Tile OpCheck::tile(int operand) const {
  const ir::Ref& r = ref(operand);
  Tile t;
  t.decl = &kernel_.kernel.decls[r.decl];
  t.bound = &kernel_.bound.decls[r.decl];
  t.transposed = r.transposed;
  std::vector<const ir::Subscript*> box;
  for (const auto& group : r.groups) {
    for (const ir::Subscript& s : group) box.push_back(&s);
  }
  size_t next = t.bound->array_rank;
  for (int d = 0; d < t.bound->rank; ++d, ++next) {
    Tile::Dim& dim = t.dims.emplace_back();
    dim.size = dim.extent = t.bound->shape[d];
    dim.start = 0;
    if (next >= box.size() || box[next]->kind == ir::Subscript::Kind::kAll)
      continue;
    dim.start = Evaluate(box[next]->start);
    bool slice = box[next]->kind == ir::Subscript::Kind::kSlice;
    int64_t extent = slice ? Evaluate(box[next]->extent).value_or(1) : 1;
    dim.extent = std::clamp(extent, -kHuge, kHuge);
    if (dim.start) dim.start = std::clamp(*dim.start, -kHuge, kHuge);
  }
  return t;
}

std::optional<int64_t> OpCheck::number(int operand) const {
  if (!has(operand) || is_ref(operand)) return std::nullopt;
  return Evaluate(op_.operands[operand].expr);
}

std::string OpCheck::Text(int operand) const {
  const ir::Operand& o = op_.operands[operand];
  return ir::Cat("`",
                 o.kind == ir::Operand::Kind::kRef ? ir::ToString(o.ref)
                                                   : ir::ToString(o.expr),
                 "`");
}

int64_t OpCheck::Vector(int operand) const {
  if (op_.info->kind == ir::OpKind::kTcgen05MmaBlockScale) {
    Tile a = tile(ir::ops::Tcgen05MmaBlockScale::kA);
    return ir::FactorsOfInstruction(a.dtype(), a.used_cols(),
                                    tile(operand).cols());
  }
  bool vectors = op_.info->async == ir::AsyncUnit::kCpAsync;
  std::optional<int64_t> vec =
      vectors ? number(ir::ops::CpAsync::kVec) : std::nullopt;
  return vec.value_or(ir::kRawAlignment);
}

ir::Span OpCheck::SpanOf(int operand) const {
  return operand < 0 ? op_.span : op_.operands[operand].span;
}

ir::Diagnostic& OpCheck::Error(ir::Code code, int operand, std::string message,
                               std::string_view source) {
  ir::Diagnostic& d =
      kernel_.diagnostics.Error(code, SpanOf(operand), std::move(message));
  if (!source.empty()) d.notes.emplace_back(source);
  return d;
}

bool OpCheck::SameShape(int a, int b) {
  Tile x = tile(a), y = tile(b);
  bool matrix =
      x.used_rows() == y.used_rows() && x.used_cols() == y.used_cols();
  if (matrix || x.Squeezed() == y.Squeezed()) return true;
  ir::Diagnostic& d = Error(
      "shape/mismatch", b,
      ir::Cat(Text(a), " is ", x.Shape(), " and ", Text(b), " is ", y.Shape()));
  // A number a column, as of a bias: memory can have one row for all.
  if (y.space() == ir::Space::kGlobal && y.decl->shape.size() == 1 &&
      x.used_cols() == y.used_cols() && x.used_rows() > 1)
    d.help = ir::Cat(
        "one row for all rows is a tensor of as many, with a "
        "stride of 0: `global ",
        y.decl->name, " : ", values::NameOf(y.dtype()),
        "[rows, columns] stride (0, 1)`");
  return false;
}

bool OpCheck::SameType(int a, int b) {
  Tile x = tile(a), y = tile(b);
  if (x.dtype() == y.dtype()) return true;
  Error("type/dtype", b,
        ir::Cat(Text(a), " holds ", values::NameOf(x.dtype()), " and ", Text(b),
                " holds ", values::NameOf(y.dtype())))
      .help = x.space() == ir::Space::kReg && y.space() == ir::Space::kReg
                  ? "`cvt` converts a tile of registers to another type"
                  : "";
  return false;
}

std::string FragmentOf(const Tile& tile) {
  const std::string name(ir::Name(tile.decl->fragment));
  return tile.decl->fragment == ir::Fragment::kBlocked
             ? ir::Cat(name, "(", tile.bound->fragment.vector, ")")
             : name;
}

bool OpCheck::SameFragment(int a, int b) {
  Tile x = tile(a), y = tile(b);
  auto vector = [&](const Tile& t) { return t.bound->fragment.vector; };
  if (x.decl->fragment == y.decl->fragment && vector(x) == vector(y))
    return true;
  Error("layout/fragment", b,
        ir::Cat(Text(a), " lies in fragment ", FragmentOf(x), " and ", Text(b),
                " in ", FragmentOf(y)));
  return false;
}

bool OpCheck::TypeIn(int operand, std::vector<ir::DType> types,
                     std::string_view source) {
  ir::DType found = tile(operand).dtype();
  if (std::find(types.begin(), types.end(), found) != types.end()) return true;
  std::vector<std::string_view> names;
  for (ir::DType t : types) names.push_back(values::NameOf(t));
  Error("type/dtype", operand,
        ir::Cat(Text(operand), " holds ", values::NameOf(found), "; `",
                mnemonic(), "` takes ", Alternatives(names)),
        source);
  return false;
}

void OpCheck::OwnCta(int operand, std::string_view source) {
  if (ref(operand).cta.empty()) return;
  Error("cluster/remote", operand,
        ir::Cat("`", mnemonic(), "` works on this CTA's own; ", Text(operand),
                " is a peer's"),
        source);
}

void OpCheck::InRange(int operand, int64_t low, int64_t high, int64_t step,
                      ir::Code code, std::string_view source) {
  std::optional<int64_t> n = number(operand);
  if (!n || (*n >= low && *n <= high && (*n - low) % step == 0)) return;
  std::string steps = step == 1 ? "" : ir::Cat(" in steps of ", step);
  Error(code, operand,
        ir::Cat(op_.info->operands[operand].name, " is ", *n, "; it is ", low,
                " to ", high, steps),
        source);
}

void OpCheck::ClusterMask(int operand) {
  std::optional<int64_t> mask = number(operand);
  if (!mask) return;
  int64_t ctas = bound().cluster_size();
  bool inside =
      *mask > 0 && *mask < (int64_t{1} << std::min<int64_t>(ctas, 16));
  if (inside) return;
  Error("cluster/mask", operand,
        ir::Cat("the mask is ", *mask, "; the cluster has ", ctas,
                ctas == 1 ? " CTA" : " CTAs"),
        "hardware.md A.4");
}

}  // namespace tilesim::frontend
