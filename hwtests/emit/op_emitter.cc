#include "hwtests/emit/op_emitter.h"

#include <algorithm>

#include "ir/cat.h"
#include "ir/operand_rules.h"
#include "ir/values/check.h"

namespace tilesim::hwtests {
namespace {

using ir::Cat;
using ir::Fragment;
using ir::FragmentLayout;
using ir::Subscript;

// Where slices of a fragment's register array may be cut: `unit` rows (or
// columns) are `step` elements apart. unit 0: not at all.
struct Cut {
  int64_t row_unit = 0, row_step = 0;
  int64_t col_unit = 0, col_step = 0;
};

Cut CutOf(const FragmentLayout& f) {
  switch (f.fragment) {
    case Fragment::kWgmma:
      return {64, 0, 8, 4};
    case Fragment::kRow:
      return {f.rows, 0, 1, 1};
    case Fragment::kMma:
      return {16, f.cols / 2, 8, 4};
    case Fragment::kMmaA:
      return {16, f.cols / 2, 16, 8};
    case Fragment::kMmaB:
      return {8, f.cols / 4, 16, 4};
    case Fragment::kNone:
    case Fragment::kBlocked:
      break;
  }
  return {};
}

}  // namespace

std::string TimesText(std::string_view factor, int64_t by) {
  if (by == 0 || factor == "0") return "0";
  if (by == 1) return std::string(factor);
  return Cat(factor, " * ", by);
}

std::string PlusText(std::string_view a, std::string_view b) {
  if (b == "0" || b.empty()) return std::string(a);
  if (a == "0" || a.empty()) return std::string(b);
  return Cat(a, " + ", b);
}

std::string WordText(std::string_view text) {
  bool word = text.find(' ') == std::string_view::npos;
  return word ? std::string(text) : Cat("(", text, ")");
}

void OpEmitter::Call(std::string_view function,
                     const std::vector<std::string>& args) {
  std::string text = Cat("tile::", function, "(");
  for (size_t i = 0; i < args.size(); ++i)
    ir::Append(&text, i == 0 ? "" : ", ", args[i]);
  out().Statement(text + ");");
}

void OpEmitter::Unsupported(std::string_view message) {
  kernel_.diagnostics().Error("lower/unsupported", op_.span,
                              Cat("`", op_.info->mnemonic, "`: ", message));
}

void OpEmitter::Shape(std::string_view message) {
  kernel_.diagnostics().Error("lower/shape", op_.span,
                              Cat("`", op_.info->mnemonic, "`: ", message));
}

std::optional<int64_t> OpEmitter::Immediate(int i, std::string_view what) {
  std::optional<int64_t> value = Constant(i);
  if (!value) {
    kernel_.diagnostics().Error("lower/unsupported", op_.operands[i].span,
                                Cat(what, " of `", op_.info->mnemonic,
                                    "` is part of the instruction "
                                    "and must follow from constants"));
  }
  return value;
}

void OpEmitter::WaitGroup(std::string_view function, int i) {
  constexpr int64_t kMostCases = 8;  // what wgmma.wait_group can count to
  if (std::optional<int64_t> n = Constant(i)) {
    Call(Cat(function, "<", *n, ">"), {});
    return;
  }
  // What else it may be as far as is known here is group/count.
  std::optional<ir::NumberRange> legal =
      ir::RangeOf(kernel_.bound(), *op_.info, i);
  std::optional<Range> range = kernel_.facts().RangeOf(expr(i));
  if (range && legal) {
    range->low = std::max(range->low, legal->low);
    range->high = std::min(range->high, legal->high);
  }
  if (!range || range->high < range->low ||
      range->high - range->low >= kMostCases) {
    kernel_.diagnostics()
        .Error("lower/unsupported", op_.operands[i].span,
               Cat("the number of groups of `", op_.info->mnemonic,
                   "` is part of the instruction, and it is not known to be "
                   "one of at most ",
                   kMostCases))
        .help = "bound it with `min`";
    return;
  }
  out().Open(Cat("switch (", Int(i), ")"));
  for (int64_t n = range->high; n > range->low; --n)
    out().Statement(
        Cat("case ", n, ": tile::", function, "<", n, ">(); break;"));
  // Fewer groups left than it says would be right as well.
  out().Statement(Cat("default: tile::", function, "<", range->low, ">();"));
  out().Close();
}

std::string OpEmitter::Var(int i) { return print().Text(expr(i)); }

std::string OpEmitter::Index(const ir::Ref& ref, const ir::BoundDecl& bound) {
  if (bound.array_rank == 0 || ref.groups.empty()) return "0";
  const std::vector<Subscript>& group = ref.groups[0];
  std::string text = "0";
  int64_t constant = 0;
  bool all_constant = true;
  for (int d = 0; d < bound.array_rank; ++d) {
    int64_t below = 1;
    for (int k = d + 1; k < bound.array_rank; ++k) below *= bound.array[k];
    const ir::Expr& e = group[d].start;
    std::optional<int64_t> value = kernel_.facts().Constant(e);
    if (value) constant += *value * below;
    all_constant = all_constant && value.has_value();
    std::string factor = below == 1 && bound.array_rank == 1
                             ? print().Text(e)
                             : TimesText(print().Factor(e), below);
    text = PlusText(text, factor);
  }
  if (all_constant) return Cat(constant);
  bool simple = text.find_first_of(" ?") == std::string::npos;
  return simple ? text : Cat("(", text, ")");
}

std::string OpEmitter::Barrier(int i) {
  const ir::Ref& ref = op_.operands[i].ref;
  const ir::BoundDecl& bound = kernel_.bound().decls[ref.decl];
  std::string index = Index(ref, bound);
  std::string address =
      Cat(print().Shared(), " + ", print().SharedName(ref.decl));
  bool number = index.find_first_not_of("0123456789") == std::string::npos;
  if (index != "0")
    address = Cat(address, " + ",
                  number ? Cat(8 * std::stoll(index)) : Cat("8 * ", index));
  if (ref.cta.empty()) return address;
  return Cat("tile::mapa(", address, ", ", print().Text(ref.cta[0]), ")");
}

std::string OpEmitter::BarrierIndex(int i) {
  const ir::Ref& ref = op_.operands[i].ref;
  return Index(ref, kernel_.bound().decls[ref.decl]);
}

std::string OpEmitter::Site(int i) {
  const ir::Ref& ref = op_.operands[i].ref;
  const std::string& name = kernel_.kernel().decls[ref.decl].name;
  auto& names = kernel_.file().plan.barriers;
  size_t at = 0;
  while (at < names.size() && names[at] != name) ++at;
  if (at == names.size()) names.push_back(name);
  return Cat("tile::Site{", at, ", int(", BarrierIndex(i), "), ",
             kernel_.role(), ", ", op_.span.line, "}");
}

bool OpEmitter::RefusesRowsApart() {
  for (size_t i = 0; i < op_.operands.size(); ++i) {
    if (op_.operands[i].kind != ir::Operand::Kind::kRef) continue;
    const TileRef tile = Tile(static_cast<int>(i));
    if (tile.space() != ir::Space::kShared) continue;
    bool several = false;
    for (size_t d = 0; d + 1 < tile.dims.size(); ++d) {
      if (several && tile.dims[d].extent != tile.bound->shape[d]) {
        Unsupported(Cat("the rows of `", kernel_.kernel().decls[tile.decl].name,
                        "` that it takes do not follow each other in memory"));
        return true;
      }
      several |= tile.dims[d].extent > 1;
    }
  }
  return false;
}

TileRef OpEmitter::Tile(int i) {
  const ir::Ref& ref = op_.operands[i].ref;
  values::Check(ref.decl >= 0, "an unresolved tile");
  TileRef tile;
  tile.decl = ref.decl;
  tile.ref = &ref;
  tile.bound = &kernel_.bound().decls[ref.decl];
  size_t box = tile.bound->array_rank > 0 ? 1 : 0;
  for (int d = 0; d < tile.bound->rank; ++d) {
    BoxDim dim{nullptr, tile.bound->shape[d], true};
    if (box < ref.groups.size() &&
        static_cast<size_t>(d) < ref.groups[box].size()) {
      const Subscript& s = ref.groups[box][d];
      if (s.kind != Subscript::Kind::kAll) dim.start = &s.start;
      if (s.kind == Subscript::Kind::kSlice)
        dim.extent = kernel_.facts().Bound(s.extent).value_or(1);
      if (s.kind == Subscript::Kind::kIndex) dim.extent = 1;
      dim.kept = s.kind != Subscript::Kind::kIndex;
    }
    tile.dims.push_back(dim);
  }
  return tile;
}

std::optional<int64_t> OpEmitter::ConstantStart(const TileRef& tile,
                                                size_t dim) {
  if (tile.dims[dim].start == nullptr) return 0;
  return kernel_.facts().Constant(*tile.dims[dim].start);
}

int64_t OpEmitter::StartDivisor(const TileRef& tile, size_t dim) {
  if (tile.dims[dim].start == nullptr) return 0;
  return kernel_.facts().Divisor(*tile.dims[dim].start);
}

std::string OpEmitter::StartText(const TileRef& tile, size_t dim) {
  if (std::optional<int64_t> value = ConstantStart(tile, dim))
    return Cat(*value);
  return print().Text(*tile.dims[dim].start);
}

std::string OpEmitter::SharedBase(const TileRef& tile) {
  std::string name = print().SharedName(tile.decl);
  std::string index = Index(*tile.ref, *tile.bound);
  std::string address = Cat(print().Shared(), " + ", name);
  if (index != "0") address = Cat(address, " + ", index, " * ", name, "_bytes");
  if (tile.ref->cta.empty()) return address;
  return Cat("tile::mapa(", address, ", ", print().Text(tile.ref->cta[0]), ")");
}

std::string OpEmitter::StartRow(const TileRef& tile) {
  std::string text = "0";
  for (size_t d = 0; d + 1 < tile.dims.size(); ++d) {
    int64_t below = 1;
    for (size_t k = d + 1; k + 1 < tile.dims.size(); ++k)
      below *= tile.bound->shape[k];
    if (std::optional<int64_t> value = ConstantStart(tile, d)) {
      text = PlusText(text, Cat(*value * below));
    } else if (below == 1) {
      const ir::Expr& start = *tile.dims[d].start;
      text = PlusText(text,
                      text == "0" ? print().Text(start) : print().Term(start));
    } else {
      text =
          PlusText(text, TimesText(print().Factor(*tile.dims[d].start), below));
    }
  }
  return text;
}

std::string OpEmitter::StartCol(const TileRef& tile) {
  return tile.dims.empty() ? "0" : StartText(tile, tile.dims.size() - 1);
}

std::string OpEmitter::SharedAddress(const TileRef& tile) {
  const ir::SharedLayout& layout = tile.bound->layout;
  std::string base = SharedBase(tile);
  std::string row = StartRow(tile), col = StartCol(tile);
  int64_t panel = layout.panel_cols(), pitch = layout.pitch();
  auto number = [](const std::string& text) -> std::optional<int64_t> {
    if (text.find_first_not_of("0123456789") != std::string::npos)
      return std::nullopt;
    return std::stoll(text);
  };
  std::optional<int64_t> r = number(row), c = number(col);
  int64_t constant = 0;
  std::string text = base;
  if (r) {
    constant += *r * pitch;
  } else {
    text = PlusText(text, Cat(WordText(row), " * ", pitch));
  }
  if (c) {
    constant +=
        *c / panel * layout.panel_bytes() + *c % panel * layout.bits / 8;
  } else if (layout.swizzle == ir::Swizzle::kNone) {
    text = PlusText(text, Cat(WordText(col), " * ", layout.bits, " / 8"));
  } else if (StartDivisor(tile, tile.dims.size() - 1) % panel == 0) {
    text = PlusText(
        text, Cat(WordText(col), " / ", panel, " * ", layout.panel_bytes()));
  } else {
    Unsupported(Cat("columns of `", tile.ref->name,
                    "` must start at a multiple of its swizzle's width, ",
                    panel));
  }
  return PlusText(text, Cat(constant));
}

std::string OpEmitter::GlobalAddress(const TileRef& tile) {
  std::string text = print().GlobalName(tile.decl);
  for (size_t d = 0; d < tile.dims.size(); ++d) {
    std::optional<int64_t> start = ConstantStart(tile, d);
    if (start && *start == 0) continue;
    std::string stride =
        kernel_.globals().Stride(tile.decl, static_cast<int>(d));
    std::string at = start ? Cat(*start) : "";
    if (stride == "1") {
      if (at.empty()) at = print().Term(*tile.dims[d].start);
      text = PlusText(text, at);
    } else {
      if (at.empty()) at = print().Text(*tile.dims[d].start);
      text = PlusText(text, Cat("int64_t(", at, ") * ", stride));
    }
  }
  return text;
}

ir::FragmentLayout OpEmitter::Fragment(const TileRef& tile) {
  FragmentLayout f = tile.bound->fragment;
  if (f.threads == 0)
    f.threads =
        static_cast<int32_t>(kernel_.registers().Threads(tile.decl).threads());
  // Not known, as the declaration's error says: a number to go on with.
  if (f.threads == 0) f.threads = 1;
  return f;
}

std::string OpEmitter::Registers(const TileRef& tile) {
  std::string text = print().RegName(tile.decl);
  const ir::BoundDecl& bound = *tile.bound;
  if (bound.array_rank > 0) {
    for (const Subscript& s : tile.ref->groups[0]) {
      kernel_.registers().MustUnroll(s.start, op_.span);
      ir::Append(&text, "[", print().Text(s.start), "]");
    }
  }
  Cut cut = CutOf(Fragment(tile));
  int64_t constant = 0;
  std::string offset;
  for (size_t d = 0; d < tile.dims.size(); ++d) {
    bool column = d + 1 == tile.dims.size();
    int64_t unit = column ? cut.col_unit : cut.row_unit;
    int64_t step = column ? cut.col_step : cut.row_step;
    std::optional<int64_t> start = ConstantStart(tile, d);
    if (start && *start == 0 && tile.dims[d].extent == bound.shape[d]) continue;
    if (unit == 0 || StartDivisor(tile, d) % unit != 0 ||
        (tile.dims[d].extent % unit != 0)) {
      Unsupported(Cat("a slice of `", tile.ref->name,
                      "` does not fall on whole registers of its fragment"));
      continue;
    }
    // Elements to words.
    int64_t num = step * tile.bits(), den = unit * 32;
    if (start) {
      constant += *start * num / den;
      continue;
    }
    kernel_.registers().MustUnroll(*tile.dims[d].start, op_.span);
    ir::Append(&offset, " + ", print().Factor(*tile.dims[d].start), " * ", num,
               " / ", den);
  }
  if (constant != 0) ir::Append(&offset, " + ", constant);
  return text + offset;
}

int64_t OpEmitter::PerThread(const TileRef& tile) {
  FragmentLayout f = Fragment(tile);
  f.rows = static_cast<int32_t>(tile.rows());
  f.cols = static_cast<int32_t>(tile.cols());
  return f.per_thread();
}

std::string OpEmitter::FragmentType(const TileRef& tile) {
  FragmentLayout f = Fragment(tile);
  int64_t rows = tile.rows(), cols = tile.cols();
  switch (f.fragment) {
    case Fragment::kWgmma:
      if (cols == 1) return "tile::WgmmaColumn";
      return Cat("tile::Wgmma<", cols, ">");
    case Fragment::kRow:
      return Cat("tile::RowOf<", f.rows, ", ", cols, ">");
    case Fragment::kMma:
      if (cols == 1) return Cat("tile::MmaColumn<", rows, ">");
      return Cat("tile::Mma<", rows, ", ", cols, ">");
    case Fragment::kMmaA:
      return Cat("tile::MmaA<", rows, ", ", cols, ">");
    case Fragment::kMmaB:
      return Cat("tile::MmaB<", rows, ", ", cols, ">");
    case Fragment::kNone:
    case Fragment::kBlocked:
      break;
  }
  const ThreadsHere& here = kernel_.registers().Threads(tile.decl);
  if (here.threads() == 0 || !here.whole_warps()) {
    if (here.threads() != 1) {
      Unsupported(Cat("the threads that hold `", tile.ref->name,
                      "` do not follow from constants"));
      return "";
    }
  }
  if (here.any && here.threads() > 1)
    return Cat("tile::BlockedOfAny<", rows, ", ", cols, ", ", f.vector, ", ",
               f.threads, ">");
  return Cat("tile::Blocked<", rows, ", ", cols, ", ", f.vector, ", ",
             f.threads, ", ", here.first_thread(), ">");
}

}  // namespace tilesim::hwtests
