// Arithmetic on register tiles: a loop over the elements a thread holds, with
// intrinsics that round once and never contract.
#include "hwtests/emit/element_text.h"
#include "hwtests/emit/op_table.h"
#include "ir/cat.h"

namespace tilesim::hwtests {
namespace {

using ir::Cat;
using ir::DType;
namespace ops = ir::ops;

constexpr int kDst = ops::Mov::kDst;  // of every op here

bool IsWordInteger(DType t) { return t == DType::kS32 || t == DType::kU32; }

// A number of the elements' type, which is what it is converted to.
std::string IntegerText(OpEmitter& e, int operand, DType type) {
  const ir::Expr& number = e.expr(operand);
  const std::optional<Range> range = e.kernel().facts().RangeOf(number);
  const bool as_it_is = !e.kernel().facts().IsWide(number) && range &&
                        (type == DType::kS32 || range->low >= 0);
  if (as_it_is) return e.Int(operand);
  return Cat(type == DType::kS32 ? "int32_t(" : "uint32_t(", e.Int(operand),
             ")");
}

// Text of a source's element `index` of an op whose result is `dst`.
class Source {
 public:
  Source(OpEmitter& e, int operand, const TileRef& dst) {
    if (!e.is_tile(operand)) {
      bool integer = IsWordInteger(dst.dtype());
      number_ = integer ? IntegerText(e, operand, dst.dtype())
                        : e.print().FloatText(e.expr(operand), dst.dtype());
      return;
    }
    TileRef tile = e.Tile(operand);
    type_ = tile.dtype();
    regs_ = e.Registers(tile);
    if (regs_.find(' ') != std::string::npos) regs_ = Cat("(", regs_, ")");
    if (tile.cols() == 1 && dst.cols() != 1) {
      if (e.Fragment(tile).lanes_per_row() == 1 &&
          e.Fragment(tile).fragment != ir::Fragment::kRow)
        e.Unsupported(
            Cat("a value a row in the fragment of `", tile.ref->name, "`"));
      column_ = e.FragmentType(dst);
    }
    if (ReadElement(type_, regs_, "i").empty())
      e.Unsupported(Cat("arithmetic on ", values::NameOf(type_)));
  }

  std::string At(const std::string& index) const {
    if (!number_.empty()) return number_;
    return ReadElement(
        type_, regs_,
        column_.empty() ? index : Cat(column_, "::column(", index, ")"));
  }

 private:
  std::string number_, regs_, column_;
  DType type_ = DType::kF32;
};

// dst[i] = make(sources[i]) for every element.
void Loop(OpEmitter& e, std::string_view rounding,
          const std::function<std::string(const std::string&)>& make) {
  TileRef dst = e.Tile(kDst);
  std::string regs = e.Registers(dst);
  if (regs.find(' ') != std::string::npos) regs = Cat("(", regs, ")");
  std::string i = e.kernel().Local("i");
  int64_t n = e.PerThread(dst), step = ElementsAWord(dst.dtype());
  std::string word = WriteWord(dst.dtype(), regs, i, rounding, make);
  if (word.empty() || n % step != 0) {
    e.Unsupported(Cat("results of ", values::NameOf(dst.dtype()), " in `",
                      dst.ref->name, "`"));
    return;
  }
  e.out().Margin("#pragma unroll");
  std::string advance = step == 1 ? Cat("++", i) : Cat(i, " += ", step);
  e.out().Open(Cat("for (int ", i, " = 0; ", i, " < ", n, "; ", advance, ")"));
  e.out().Statement(word);
  e.out().Close();
}

// A function of f32, and how integers do it (empty: not at all).
void Apply(OpEmitter& e, std::string_view f32, std::string_view integer) {
  TileRef dst = e.Tile(kDst);
  std::vector<Source> sources;
  for (size_t k = 1; k < e.op().operands.size(); ++k)
    sources.emplace_back(e, static_cast<int>(k), dst);
  bool is_integer = IsWordInteger(dst.dtype());
  std::string_view function = is_integer ? integer : f32;
  if (function.empty()) {
    e.Unsupported("on integers");
    return;
  }
  Loop(e, "", [&](const std::string& i) {
    if (is_integer && function.size() == 1 && sources.size() > 1)
      return Cat(sources[0].At(i), " ", function, " ", sources[1].At(i));
    std::string text = Cat(function, "(");
    for (size_t k = 0; k < sources.size(); ++k)
      ir::Append(&text, k == 0 ? "" : ", ", sources[k].At(i));
    return text + ")";
  });
}

void RowReduce(OpEmitter& e, std::string_view function) {
  TileRef dst = e.Tile(kDst), src = e.Tile(ops::RowMax::kSrc);
  std::string fragment = e.FragmentType(src);
  if (fragment.empty()) return;
  e.Call(Cat(function, "<", fragment, ">"),
         {e.Registers(dst), e.Registers(src)});
}

}  // namespace

template <>
void EmitOp<ops::Mov>(OpEmitter& e) {
  constexpr int kSrc = ops::Mov::kSrc;
  TileRef dst = e.Tile(kDst);
  if (e.is_tile(kSrc) && values::BitsOf(dst.dtype()) < 32) {
    // Same type: words as they are.
    std::string i = e.kernel().Local("i");
    int64_t words = e.PerThread(dst) * dst.bits() / 32;
    e.out().Margin("#pragma unroll");
    e.out().Open(
        Cat("for (int ", i, " = 0; ", i, " < ", words, "; ++", i, ")"));
    e.out().Statement(Cat("(", e.Registers(dst), ")[", i, "] = (",
                          e.Registers(e.Tile(kSrc)), ")[", i, "];"));
    e.out().Close();
    return;
  }
  Source source(e, kSrc, dst);
  Loop(e, "", [&](const std::string& i) { return source.At(i); });
}

template <>
void EmitOp<ops::Cvt>(OpEmitter& e) {
  using Op = ops::Cvt;
  TileRef dst = e.Tile(kDst), src = e.Tile(Op::kSrc);
  Source source(e, Op::kSrc, dst);
  std::string_view rounding = e.op().spelling<Op, ops::CvtRound>();
  bool from_integer = IsWordInteger(src.dtype());
  bool to_integer = IsWordInteger(dst.dtype());
  const bool to_tf32 = dst.dtype() == DType::kTF32;
  if (dst.dtype() == DType::kU32 || (rounding == "rz" && dst.bits() == 8) ||
      (to_tf32 && !rounding.empty()) ||
      (from_integer && !to_integer && dst.dtype() != DType::kF32)) {
    e.Unsupported(Cat("from ", values::NameOf(src.dtype()), " to ",
                      values::NameOf(dst.dtype()), " ", rounding));
    return;
  }
  Loop(e, rounding, [&](const std::string& i) {
    std::string x = source.At(i);
    if (to_integer && !from_integer)
      return Cat(rounding == "rz" ? "__float2int_rz(" : "tile::to_s32(", x,
                 ")");
    if (from_integer && !to_integer)
      return Cat(src.dtype() == DType::kS32 ? "__int2float_" : "__uint2float_",
                 rounding == "rz" ? "rz(" : "rn(", x, ")");
    if (to_tf32 && src.dtype() == DType::kF32)
      return Cat("tile::tf32(", x, ")");
    return x;
  });
}

template <>
void EmitOp<ops::Neg>(OpEmitter& e) {
  Apply(e, "-", "-");
}

template <>
void EmitOp<ops::Add>(OpEmitter& e) {
  Apply(e, "__fadd_rn", "+");
}

template <>
void EmitOp<ops::Sub>(OpEmitter& e) {
  Apply(e, "__fsub_rn", "-");
}

template <>
void EmitOp<ops::Mul>(OpEmitter& e) {
  Apply(e, "__fmul_rn", "*");
}

template <>
void EmitOp<ops::Fma>(OpEmitter& e) {
  if (e.Tile(kDst).dtype() != DType::kF32) {
    e.Unsupported("into anything but f32");
    return;
  }
  Apply(e, "__fmaf_rn", "");
}

template <>
void EmitOp<ops::Max>(OpEmitter& e) {
  Apply(e, "fmaxf", "max");
}

template <>
void EmitOp<ops::Min>(OpEmitter& e) {
  Apply(e, "fminf", "min");
}

template <>
void EmitOp<ops::Ex2>(OpEmitter& e) {
  Apply(e, "tile::ex2", "");
}

template <>
void EmitOp<ops::Lg2>(OpEmitter& e) {
  Apply(e, "tile::lg2", "");
}

template <>
void EmitOp<ops::Rcp>(OpEmitter& e) {
  Apply(e, "tile::rcp", "");
}

template <>
void EmitOp<ops::RowMax>(OpEmitter& e) {
  RowReduce(e, "row_max");
}

template <>
void EmitOp<ops::RowSum>(OpEmitter& e) {
  RowReduce(e, "row_sum");
}

template <>
void EmitOp<ops::MaskCausal>(OpEmitter& e) {
  TileRef dst = e.Tile(kDst);
  if (dst.dtype() != DType::kF32) {
    e.Unsupported("on anything but f32");
    return;
  }
  std::string fragment = e.FragmentType(dst);
  if (fragment.empty()) return;
  e.Call(Cat("mask_causal<", fragment, ">"),
         {e.Registers(dst), e.Int(ops::MaskCausal::kRow),
          e.Int(ops::MaskCausal::kCol)});
}

}  // namespace tilesim::hwtests
