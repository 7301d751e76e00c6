// tcgen05: tensor memory and Blackwell's tensor core.
#include "hwtests/emit/async_text.h"
#include "hwtests/emit/hex_text.h"
#include "hwtests/emit/op_table.h"
#include "hwtests/emit/tcgen05_operands.h"
#include "hwtests/emit/tcgen05_text.h"
#include "ir/cat.h"
#include "ir/tmem.h"

namespace tilesim::hwtests {
namespace {

using ir::Cat;
using Mma = ir::ops::Tcgen05Mma;
using Scaled = ir::ops::Tcgen05MmaBlockScale;
namespace ops = ir::ops;

constexpr int64_t kInstructionColumns = ir::kMmaBytes / ir::kColumnBytes;
// A load or store names neighbouring registers; more of them at once are hard
// to place and no faster.
constexpr int64_t kMostRegisters = 32;

std::string_view KindName(Tcgen05Kind kind) {
  constexpr std::string_view kNames[] = {"f16",      "tf32", "f8f6f4",  "i8",
                                         "mxf8f6f4", "mxf4", "mxf4nvf4"};
  return kNames[static_cast<int>(kind)];
}

// Scale factors that an instruction takes along K: scale_vec.
int64_t ScaleVector(Tcgen05Kind kind) {
  return kind == Tcgen05Kind::kMxf4nvf4 ? 4
         : kind == Tcgen05Kind::kMxf4   ? 2
                                        : 1;
}

// "0x08200010", and for scaled kinds which factors of a column instruction kk
// takes: ids in bits 4 and 29.
std::string ShapeText(const InstructionShape& shape, const std::string& kk) {
  std::string bits = HexText(InstructionDescriptor(shape), 8);
  if (!IsBlockScaled(shape.kind) || ScaleVector(shape.kind) == 4) return bits;
  int64_t vector = ScaleVector(shape.kind);
  return Cat(bits, " + ", TimesText(kk, vector), " % 4 * 0x20000010");
}

// A loop of instructions along K; `scales` adds to their arguments.
void EmitMma(OpEmitter& e, const Tcgen05Operands& o, int accumulate,
             const std::vector<std::pair<std::string, std::string>>& scales) {
  std::string kk = e.kernel().Local("kk"), d = e.kernel().Local("d_address");
  std::string a = e.kernel().Local("a_desc"), b = e.kernel().Local("b_desc");
  Writer& out = e.out();
  out.Block();
  out.Statement(
      Cat("const uint32_t ", d, " = ", TmemAddress(e, e.Tile(Mma::kD)), ";"));
  std::string left =
      o.a ? Cat("const uint64_t ", a, " = ", Tcgen05DescriptorText(*o.a))
          : Cat("const uint32_t ", a, " = ", TmemAddress(e, e.Tile(Mma::kA)));
  out.Statement(left + ";");
  out.Statement(
      Cat("const uint64_t ", b, " = ", Tcgen05DescriptorText(o.b), ";"));
  for (const auto& [name, address] : scales)
    out.Statement(Cat("const uint32_t ", name, " = ", address, ";"));
  out.Margin("#pragma unroll");
  out.Open(Cat("for (int ", kk, " = 0; ", kk, " < ", o.instructions, "; ++", kk,
               ")"));
  std::string advance = o.a ? o.a->Advance(kk, o.instructions)
                            : TimesText(kk, kInstructionColumns);
  std::vector<std::string> args = {
      d, Cat(a, " + ", advance), Cat(b, " + ", o.b.Advance(kk, o.instructions)),
      ShapeText(o.shape, kk)};
  for (size_t i = 0; i < scales.size(); ++i) {
    TileRef tile = e.Tile(i == 0 ? Scaled::kSfa : Scaled::kSfb);
    int64_t columns = ir::ScaleColumns(tile.bound->shape[0]);
    args.push_back(Cat(scales[i].first, " + ",
                       TimesText(kk, ScaleVector(o.shape.kind)), " / 4 * ",
                       columns));
  }
  args.push_back(AccumulateText(e, accumulate, kk, o.instructions));
  e.Call(Cat("tcgen05_mma_", KindName(o.shape.kind), PairSuffix(e),
             o.a ? "" : "_ta"),
         args);
  out.Close();
  out.Close();
}

template <class OpT>
void Move(OpEmitter& e) {
  constexpr bool load = OpT::kKind == ir::OpKind::kTcgen05Ld;
  TileRef reg = e.Tile(load ? OpT::kDst : OpT::kSrc);
  TileRef tmem = e.Tile(load ? OpT::kSrc : OpT::kDst);
  ir::FragmentLayout f = e.Fragment(reg);
  // A 16-bit accumulator has a column an element, registers two.
  bool unpacked = ir::StepBits(*tmem.bound) != tmem.bits();
  if (unpacked && tmem.bits() != 16) {
    e.Unsupported("of accumulators that are neither 32 nor 16 bits wide");
    return;
  }
  int64_t words = e.PerThread(reg) * reg.bits() / ir::kColumnBits;
  std::string address = TmemAddress(e, tmem), regs = e.Registers(reg);
  // Each warp of the four has its own quarter of the lanes.
  if (f.rows == ir::kWarpgroupThreads)
    address = Cat(address, " + (threadIdx.x / 32 % 4 << 21)");
  int64_t done = 0;
  for (int64_t n = kMostRegisters; n >= 1; n /= 2) {
    for (; words - done >= n; done += n) {
      TmemMove move{load, n, WordType(reg.dtype()) == "float", unpacked};
      e.kernel().file().wrappers[TmemMoveName(move)] = TmemMoveText(move);
      std::string at = PlusText(regs, Cat(done));
      std::string from = PlusText(address, Cat(unpacked ? 2 * done : done));
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
  TileRef pool = e.Tile(ops::Tcgen05Alloc::kPool);
  e.Call(
      Cat("tcgen05_alloc", PairSuffix(e), "<", pool.bound->columns, ">"),
      {Cat(e.print().Shared(), " + ", e.print().SharedName(pool.bound->slot))});
}

template <>
void EmitOp<ops::Tcgen05Dealloc>(OpEmitter& e) {
  TileRef pool = e.Tile(ops::Tcgen05Dealloc::kPool);
  e.Call(Cat("tcgen05_dealloc", PairSuffix(e), "<", pool.bound->columns, ">"),
         {e.print().TmemName(pool.decl)});
}

template <>
void EmitOp<ops::Tcgen05RelinquishAllocPermit>(OpEmitter& e) {
  e.Call(Cat("tcgen05_relinquish_alloc_permit", PairSuffix(e)), {});
}

template <>
void EmitOp<Mma>(OpEmitter& e) {
  std::optional<Tcgen05Operands> o = Tcgen05OperandsOf(e, nullptr);
  if (o) EmitMma(e, *o, Mma::kAccumulate, {});
}

template <>
void EmitOp<Scaled>(OpEmitter& e) {
  TileRef sfa = e.Tile(Scaled::kSfa), sfb = e.Tile(Scaled::kSfb);
  std::optional<Tcgen05Operands> o = Tcgen05OperandsOf(e, &sfa);
  if (!o) return;
  if (!o->a) {
    e.Unsupported("A in tensor memory");
    return;
  }
  EmitMma(e, *o, Scaled::kAccumulate,
          {{e.kernel().Local("a_scales"), ScaleAddress(e, sfa)},
           {e.kernel().Local("b_scales"), ScaleAddress(e, sfb)}});
}

template <>
void EmitOp<ops::Tcgen05Cp>(OpEmitter& e) {
  TileRef dst = e.Tile(ops::Tcgen05Cp::kDst);
  TileRef src = e.Tile(ops::Tcgen05Cp::kSrc);
  if (!ir::IsScale(dst.dtype()) ||
      src.bound->layout.swizzle != ir::Swizzle::kNone ||
      src.bytes() % ir::kChunkBytes != 0) {
    e.Unsupported("of anything but unswizzled chunks of scale factors");
    return;
  }
  MatrixOperand source;
  source.layout = {ir::Swizzle::kNone, 0,
                   ir::kSwizzleRows * ir::kChunkLaneBytes};
  source.address = e.SharedAddress(src);
  std::string address = ScaleAddress(e, dst);
  for (int64_t i = 0; i < src.bytes() / ir::kChunkBytes; ++i) {
    e.Call(Cat("tcgen05_cp_scales", PairSuffix(e)),
           {PlusText(address, Cat(i * ir::kChunkColumns)),
            PlusText(Tcgen05DescriptorText(source),
                     Cat(i * ir::kChunkBytes / 16))});
  }
}

template <>
void EmitOp<ops::Tcgen05Commit>(OpEmitter& e) {
  using Op = ops::Tcgen05Commit;
  std::vector<std::string> args = {e.Barrier(Op::kBar)};
  if (e.has(Op::kMulticast))
    args.push_back(Cat("uint16_t(", e.Int(Op::kMulticast), ")"));
  e.Call(Cat("tcgen05_commit", PairSuffix(e)), args);
}

template <>
void EmitOp<ops::Tcgen05Ld>(OpEmitter& e) {
  Move<ops::Tcgen05Ld>(e);
}

template <>
void EmitOp<ops::Tcgen05St>(OpEmitter& e) {
  Move<ops::Tcgen05St>(e);
}

template <>
void EmitOp<ops::Tcgen05Shift>(OpEmitter& e) {
  TileRef tile = e.Tile(ops::Tcgen05Shift::kTile);
  std::string address = TmemAddress(e, tile);
  int64_t columns = tile.cols() * ir::StepBits(*tile.bound) / ir::kColumnBits;
  for (int64_t c = 0; c < columns; c += kInstructionColumns)
    e.Call(Cat("tcgen05_shift", PairSuffix(e)), {PlusText(address, Cat(c))});
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
  bool multicast = e.op().choice<Op, ops::Multicast>();
  e.Call(multicast ? "clc_try_cancel_multicast" : "clc_try_cancel",
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
