// mma.sync, ldmatrix, stmatrix.
#include "hwtests/emit/op_table.h"
#include "ir/cat.h"

namespace tilesim::hwtests {
namespace {

using ir::Cat;
using ir::DType;
using ir::Fragment;
namespace ops = ir::ops;

// ", 128, 64, 128": rows, columns and swizzle of the whole tile.
std::string TileParameters(const TileRef& tile) {
  const ir::SharedLayout& layout = tile.bound->layout;
  return Cat(layout.rows, ", ", layout.cols, ", ",
             static_cast<int>(layout.swizzle));
}

// 8 elements of a row are read at once: 16 bytes, 16-byte aligned.
bool FitsBlocks(OpEmitter& e, const TileRef& s) {
  if (!s.ref->cta.empty()) {
    e.Unsupported("on a peer's shared memory");
    return false;
  }
  if (e.StartDivisor(s, s.dims.size() - 1) % 8 == 0 &&
      s.bound->layout.cols % 8 == 0)
    return true;
  e.Shape(Cat("rows of `", s.ref->name, "` must start 16-byte aligned"));
  return false;
}

std::string MmaFunction(DType d, DType a) {
  if (d == DType::kF32 && a == DType::kF16) return "mma_m16n8k16_f32_f16";
  if (d == DType::kF32 && a == DType::kBF16) return "mma_m16n8k16_f32_bf16";
  return "mma_m16n8k16_f16_f16";
}

std::string Grouped(const std::string& registers) {
  bool sum = registers.find(' ') != std::string::npos;
  return sum ? Cat("(", registers, ")") : registers;
}

// Words that start as zero when the operation does not accumulate.
void ClearUnless(OpEmitter& e, const std::string& d, int64_t words) {
  using Op = ops::MmaSync;
  std::optional<int64_t> constant = e.Constant(Op::kAccumulate);
  if (constant && *constant != 0) return;
  if (!constant) e.out().Open(Cat("if (!(", e.Int(Op::kAccumulate), "))"));
  std::string i = e.kernel().Local("i");
  e.out().Margin("#pragma unroll");
  e.out().Statement(Cat("for (int ", i, " = 0; ", i, " < ", words, "; ++", i,
                        ") ", Grouped(d), "[", i, "] = 0;"));
  if (!constant) e.out().Close();
}

}  // namespace

template <>
void EmitOp<ops::MmaSync>(OpEmitter& e) {
  using Op = ops::MmaSync;
  TileRef d = e.Tile(Op::kD), a = e.Tile(Op::kA), b = e.Tile(Op::kB);
  std::string function = MmaFunction(d.dtype(), a.dtype());
  int64_t m = d.rows(), n = d.cols(), k = a.cols();
  if (m % 16 != 0 || n % 8 != 0 || k % 16 != 0) {
    e.Shape("D, A and B are not whole m16n8k16");
    return;
  }
  std::string mi = e.kernel().Local("mi"), ni = e.kernel().Local("ni");
  std::string ki = e.kernel().Local("ki");
  std::string dr = e.Registers(d), ar = e.Registers(a), br = e.Registers(b);
  int64_t d_words = 4 * d.bits() / 32;
  ClearUnless(e, dr, m / 16 * (n / 8) * d_words);
  auto loop = [&](const std::string& i, int64_t count) {
    e.out().Margin("#pragma unroll");
    e.out().Open(
        Cat("for (int ", i, " = 0; ", i, " < ", count, "; ++", i, ")"));
  };
  loop(ki, k / 16);
  loop(mi, m / 16);
  loop(ni, n / 8);
  e.Call(function,
         {Cat(dr, " + (", mi, " * ", n / 8, " + ", ni, ") * ", d_words),
          Cat(ar, " + (", mi, " * ", k / 16, " + ", ki, ") * 4"),
          Cat(br, " + (", ni, " * ", k / 16, " + ", ki, ") * 2")});
  for (int i = 0; i < 3; ++i) e.out().Close();
}

template <>
void EmitOp<ops::Ldmatrix>(OpEmitter& e) {
  TileRef dst = e.Tile(ops::Ldmatrix::kDst), src = e.Tile(ops::Ldmatrix::kSrc);
  if (!FitsBlocks(e, src)) return;
  bool a = e.Fragment(dst).fragment == Fragment::kMmaA;
  e.Call(
      Cat(a ? "ldmatrix_a<" : "ldmatrix_b<", dst.rows(), ", ", dst.cols(), ", ",
          src.ref->transposed ? "true" : "false", ", ", TileParameters(src),
          ">"),
      {e.Registers(dst), e.SharedBase(src), e.StartRow(src), e.StartCol(src)});
}

template <>
void EmitOp<ops::Stmatrix>(OpEmitter& e) {
  TileRef dst = e.Tile(ops::Stmatrix::kDst), src = e.Tile(ops::Stmatrix::kSrc);
  if (!FitsBlocks(e, dst)) return;
  if (src.cols() % 8 != 0) {
    e.Shape(Cat("`", src.ref->name, "` has ", src.cols(),
                " columns, not a multiple of 8"));
    return;
  }
  e.Call(
      Cat("stmatrix<", e.FragmentType(src), ", ", TileParameters(dst), ">"),
      {e.SharedBase(dst), e.StartRow(dst), e.StartCol(dst), e.Registers(src)});
}

}  // namespace tilesim::hwtests
