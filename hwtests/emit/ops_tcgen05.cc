// tcgen05: tensor memory and Blackwell's tensor core.
#include "hwtests/emit/async_text.h"
#include "hwtests/emit/matrix_operand.h"
#include "hwtests/emit/op_table.h"
#include "hwtests/emit/tcgen05_text.h"
#include "ir/cat.h"

namespace tilesim::hwtests {
namespace {

using ir::Cat;
using ir::DType;
using Mma = ir::ops::Tcgen05Mma;
namespace ops = ir::ops;

constexpr int64_t kColumnBits = 32;
constexpr int64_t kInstructionColumns = 8;  // of A along K: 32 bytes
// A load or store names neighbouring registers; more of them at once are hard
// to place and no faster.
constexpr int64_t kMostRegisters = 32;

std::string Pair(const OpEmitter& e) { return e.mod(0) == 2 ? "_pair" : ""; }

// "pool + 128 + ((32) << 16)": the address of a tile's first element.
std::string TmemAddress(OpEmitter& e, const TileRef& tile) {
  const ir::BoundDecl& bound = *tile.bound;
  std::string text = e.kernel().TmemName(bound.pool);
  int64_t constant = bound.place;
  std::string index = e.Index(tile);
  bool number = index.find_first_not_of("0123456789") == std::string::npos;
  if (number) {
    constant += std::stoll(index) * bound.columns;
  } else {
    text = PlusText(text, TimesText(index, bound.columns));
  }
  size_t last = tile.dims.size() - 1;
  std::optional<int64_t> col = e.ConstantStart(tile, last);
  if (col) {
    constant += *col * tile.bits() / kColumnBits;
  } else if (tile.bits() == kColumnBits) {
    text = PlusText(text, e.kernel().Term(*tile.dims[last].start));
  } else {
    text = PlusText(text, Cat(e.kernel().Factor(*tile.dims[last].start), " * ",
                              tile.bits(), " / ", kColumnBits));
  }
  std::string row = e.StartRow(tile);
  if (row != "0") text = PlusText(text, Cat("((", row, ") << 16)"));
  return PlusText(text, Cat(constant));
}

std::optional<Tcgen05Kind> KindOf(DType a, DType b, DType d) {
  auto narrow = [](DType t) {
    return t == DType::kE4M3 || t == DType::kE5M2 || t == DType::kE2M3 ||
           t == DType::kE3M2;
  };
  auto integer = [](DType t) { return t == DType::kS8 || t == DType::kU8; };
  if (a == b && a == DType::kF16 && (d == DType::kF32 || d == DType::kF16))
    return Tcgen05Kind::kF16;
  if (a == b && a == DType::kBF16 && d == DType::kF32) return Tcgen05Kind::kF16;
  if (a == b && a == DType::kTF32 && d == DType::kF32)
    return Tcgen05Kind::kTf32;
  if (narrow(a) && narrow(b) && (d == DType::kF32 || d == DType::kF16))
    return Tcgen05Kind::kF8f6f4;
  if (integer(a) && integer(b) && d == DType::kS32) return Tcgen05Kind::kI8;
  return std::nullopt;
}

// hardware.md B.2.
std::string ShapeMistake(const InstructionShape& s, bool pair) {
  bool m_ok = pair ? s.m == 128 || s.m == 256 : s.m == 64 || s.m == 128;
  int64_t step = pair ? 16 : 8;
  if (s.kind == Tcgen05Kind::kI8 && s.n > 32) step = pair ? 32 : 16;
  if (!m_ok) return Cat("there is no instruction with M = ", s.m);
  if (s.n < step || s.n > 256 || s.n % step != 0)
    return Cat("there is no instruction with N = ", s.n);
  bool wide = s.kind == Tcgen05Kind::kTf32;
  if (wide && (s.a_mn_major || s.b_mn_major))
    return "transposed tf32 needs a swizzle that tiles do not have";
  return "";
}

std::string_view KindName(Tcgen05Kind kind) {
  constexpr std::string_view kNames[] = {"f16", "tf32", "f8f6f4", "i8"};
  return kNames[static_cast<int>(kind)];
}

std::string Descriptor(const MatrixOperand& m) {
  return Cat("tile::matrix_descriptor<0x",
             fmt::format("{:016x}", Tcgen05Descriptor(0, m.layout)), ">(",
             m.address, ")");
}

struct Operands {
  InstructionShape shape;
  std::optional<MatrixOperand> a;  // absent: tensor memory
  MatrixOperand b;
  int64_t k_instruction = 0;
};

std::optional<Operands> OperandsOf(OpEmitter& e) {
  TileRef d = e.Tile(Mma::kD), a = e.Tile(Mma::kA), b = e.Tile(Mma::kB);
  Operands o;
  std::optional<Tcgen05Kind> kind = KindOf(a.dtype(), b.dtype(), d.dtype());
  if (!kind || d.bits() != kColumnBits) {
    e.Unsupported(Cat("of ", values::NameOf(a.dtype()), " and ",
                      values::NameOf(b.dtype()), " into ",
                      values::NameOf(d.dtype())));
    return std::nullopt;
  }
  std::optional<MatrixOperand> right = MatrixOperandOf(e, Mma::kB);
  if (!right) return std::nullopt;
  o.b = *right;
  int64_t rows = a.rows(), k = a.cols();
  if (a.space() == ir::Space::kShared) {
    o.a = MatrixOperandOf(e, Mma::kA);
    if (!o.a) return std::nullopt;
    rows = o.a->mn;
    k = o.a->k;
  }
  bool pair = e.mod(0) == 2;
  o.shape = {*kind, a.dtype(), b.dtype(), d.dtype(), rows * (pair ? 2 : 1),
             o.b.mn * (pair ? 2 : 1), o.a && o.a->mn_major, o.b.mn_major};
  o.k_instruction = 256 / a.bits();
  std::string mistake = ShapeMistake(o.shape, pair);
  if (mistake.empty() && (k != o.b.k || k % o.k_instruction != 0))
    mistake = Cat("K = ", k, " and ", o.b.k, " do not fit instructions of ",
                  o.k_instruction);
  if (mistake.empty() && !pair && d.cols() != o.shape.n)
    mistake = Cat("D has ", d.cols(), " columns, but N is ", o.shape.n);
  if (mistake.empty()) return o;
  e.Shape(mistake);
  return std::nullopt;
}

void Move(OpEmitter& e, bool load) {
  TileRef reg = e.Tile(load ? 0 : 1), tmem = e.Tile(load ? 1 : 0);
  ir::FragmentLayout f = e.Fragment(reg);
  if (f.fragment != ir::Fragment::kRow || reg.bits() != tmem.bits()) {
    e.Unsupported("between a tile that is not in fragment row and tensor "
                  "memory of another type");
    return;
  }
  int64_t words = e.PerThread(reg) * reg.bits() / kColumnBits;
  std::string address = TmemAddress(e, tmem), regs = e.Registers(reg);
  // Each warp of the four has its own quarter of the lanes.
  if (f.rows == 128)
    address = Cat(address, " + (threadIdx.x / 32 % 4 << 21)");
  int64_t done = 0;
  for (int64_t n = kMostRegisters; n >= 1; n /= 2) {
    for (; words - done >= n; done += n) {
      TmemMove move{load, n, WordType(reg.dtype()) == "float"};
      e.kernel().file().wrappers[TmemMoveName(move)] = TmemMoveText(move);
      std::string at = PlusText(regs, Cat(done));
      std::string from = PlusText(address, Cat(done));
      if (load) {
        e.Call(TmemMoveName(move), {at, from});
      } else {
        e.Call(TmemMoveName(move), {from, at});
      }
    }
  }
}

}  // namespace

template <>
void EmitOp<ops::Tcgen05Alloc>(OpEmitter& e) {
  TileRef pool = e.Tile(0);
  e.Call(Cat("tcgen05_alloc", Pair(e), "<", pool.bound->columns, ">"),
         {Cat(e.kernel().Shared(), " + ",
              e.kernel().SharedName(pool.bound->slot))});
}

template <>
void EmitOp<ops::Tcgen05Dealloc>(OpEmitter& e) {
  TileRef pool = e.Tile(0);
  e.Call(Cat("tcgen05_dealloc", Pair(e), "<", pool.bound->columns, ">"),
         {e.kernel().TmemName(pool.decl)});
}

template <>
void EmitOp<ops::Tcgen05RelinquishAllocPermit>(OpEmitter& e) {
  e.Call(Cat("tcgen05_relinquish_alloc_permit", Pair(e)), {});
}

template <>
void EmitOp<Mma>(OpEmitter& e) {
  std::optional<Operands> o = OperandsOf(e);
  if (!o) return;
  int64_t n = o->b.k / o->k_instruction;
  std::string kk = e.kernel().Local("kk"), d = e.kernel().Local("d_address");
  std::string a = e.kernel().Local("a_desc"), b = e.kernel().Local("b_desc");
  Writer& out = e.out();
  out.Block();
  out.Statement(Cat("const uint32_t ", d, " = ",
                    TmemAddress(e, e.Tile(Mma::kD)), ";"));
  std::string left = o->a ? Cat("const uint64_t ", a, " = ", Descriptor(*o->a))
                          : Cat("const uint32_t ", a, " = ",
                                TmemAddress(e, e.Tile(Mma::kA)));
  out.Statement(left + ";");
  out.Statement(Cat("const uint64_t ", b, " = ", Descriptor(o->b), ";"));
  out.Margin("#pragma unroll");
  out.Open(Cat("for (int ", kk, " = 0; ", kk, " < ", n, "; ++", kk, ")"));
  std::string advance =
      o->a ? o->a->Advance(kk, n) : TimesText(kk, kInstructionColumns);
  e.Call(Cat("tcgen05_mma_", KindName(o->shape.kind), Pair(e),
             o->a ? "" : "_ta"),
         {d, Cat(a, " + ", advance), Cat(b, " + ", o->b.Advance(kk, n)),
          Cat("0x", fmt::format("{:08x}", InstructionDescriptor(o->shape))),
          AccumulateText(e, Mma::kAccumulate, kk, n)});
  out.Close();
  out.Close();
}

template <>
void EmitOp<ops::Tcgen05Commit>(OpEmitter& e) {
  using Op = ops::Tcgen05Commit;
  std::vector<std::string> args = {e.Barrier(Op::kBar)};
  if (e.has(Op::kMulticast))
    args.push_back(Cat("uint16_t(", e.Int(Op::kMulticast), ")"));
  e.Call(Cat("tcgen05_commit", Pair(e)), args);
}

template <>
void EmitOp<ops::Tcgen05Ld>(OpEmitter& e) {
  Move(e, true);
}

template <>
void EmitOp<ops::Tcgen05St>(OpEmitter& e) {
  Move(e, false);
}

template <>
void EmitOp<ops::Tcgen05Shift>(OpEmitter& e) {
  TileRef tile = e.Tile(0);
  std::string address = TmemAddress(e, tile);
  int64_t columns = tile.cols() * tile.bits() / kColumnBits;
  for (int64_t c = 0; c < columns; c += kInstructionColumns)
    e.Call(Cat("tcgen05_shift", Pair(e)), {PlusText(address, Cat(c))});
}

template <>
void EmitOp<ops::Tcgen05WaitLd>(OpEmitter& e) {
  e.Call("tcgen05_wait_ld", {});
  PinAsyncRegisters(e);
}

template <>
void EmitOp<ops::Tcgen05WaitSt>(OpEmitter& e) {
  e.Call("tcgen05_wait_st", {});
}

template <>
void EmitOp<ops::Tcgen05FenceBefore>(OpEmitter& e) {
  e.Call("tcgen05_fence_before", {});
}

template <>
void EmitOp<ops::Tcgen05FenceAfter>(OpEmitter& e) {
  e.Call("tcgen05_fence_after", {});
}

template <>
void EmitOp<ops::ClcTryCancel>(OpEmitter& e) {
  using Op = ops::ClcTryCancel;
  e.Call(e.mod(0) == 1 ? "clc_try_cancel_multicast" : "clc_try_cancel",
         {e.SharedAddress(e.Tile(Op::kResponse)), e.Barrier(Op::kBar)});
}

template <>
void EmitOp<ops::ClcQueryCancel>(OpEmitter& e) {
  using Op = ops::ClcQueryCancel;
  std::string answer = e.kernel().Local("answer");
  e.out().Block();
  e.out().Statement(Cat("const tile::ClcAnswer ", answer,
                        " = tile::clc_query_cancel(",
                        e.SharedAddress(e.Tile(Op::kResponse)), ");"));
  e.out().Statement(Cat(e.Var(Op::kCanceled), " = ", answer, ".canceled;"));
  e.out().Statement(Cat(e.Var(Op::kX), " = ", answer, ".x;"));
  e.out().Statement(Cat(e.Var(Op::kY), " = ", answer, ".y;"));
  e.out().Close();
}

}  // namespace tilesim::hwtests
