// wgmma: one statement over K is several instructions, descriptors advanced.
#include "hwtests/emit/async_text.h"
#include "hwtests/emit/hex_text.h"
#include "hwtests/emit/matrix_operand.h"
#include "hwtests/emit/op_table.h"
#include "hwtests/emit/wgmma_text.h"
#include "ir/cat.h"

namespace tilesim::hwtests {
namespace {

using ir::Cat;
using Mma = ir::ops::WgmmaMmaAsync;

std::string Descriptor(const MatrixOperand& m) {
  return Cat("tile::matrix_descriptor<",
             HexText(WgmmaDescriptor(0, m.layout), 16), ">(", m.address, ")");
}

struct Operands {
  WgmmaForm form;
  std::optional<MatrixOperand> a;  // absent: registers
  MatrixOperand b;
  int64_t k = 0;
};

std::optional<Operands> OperandsOf(OpEmitter& e) {
  TileRef d = e.Tile(Mma::kD), a = e.Tile(Mma::kA), b = e.Tile(Mma::kB);
  Operands o;
  std::optional<MatrixOperand> right = MatrixOperandOf(e, Mma::kB);
  if (!right) return std::nullopt;
  o.b = *right;
  o.form = {d.cols(), d.dtype(), a.dtype(), b.dtype()};
  o.form.b_mn_major = o.b.mn_major;
  o.k = o.b.k;
  if (a.space() == ir::Space::kReg) {
    o.form.a_registers = true;
  } else {
    o.a = MatrixOperandOf(e, Mma::kA);
    if (!o.a) return std::nullopt;
    o.form.a_mn_major = o.a->mn_major;
  }
  return o;
}

}  // namespace

template <>
void EmitOp<Mma>(OpEmitter& e) {
  std::optional<Operands> o = OperandsOf(e);
  if (!o) return;
  std::string name = WgmmaName(o->form);
  e.kernel().file().wrappers[name] = WgmmaText(o->form);
  int64_t n = o->k / o->form.k();
  std::string kk = e.kernel().Local("kk");
  std::string da = e.kernel().Local("a_desc"), db = e.kernel().Local("b_desc");
  std::string d = e.Registers(e.Tile(Mma::kD));
  Writer& out = e.out();
  out.Block();
  if (o->a)
    out.Statement(Cat("const uint64_t ", da, " = ", Descriptor(*o->a), ";"));
  out.Statement(Cat("const uint64_t ", db, " = ", Descriptor(o->b), ";"));
  out.Margin("#pragma unroll");
  out.Open(Cat("for (int ", kk, " = 0; ", kk, " < ", n, "; ++", kk, ")"));
  std::string a = o->a ? Cat(da, " + ", o->a->Advance(kk, n))
                       : Cat(e.Registers(e.Tile(Mma::kA)), " + 4 * ", kk);
  e.Call(name, {d, a, Cat(db, " + ", o->b.Advance(kk, n)),
                AccumulateText(e, Mma::kAccumulate, kk, n)});
  out.Close();
  out.Close();
}

template <>
void EmitOp<ir::ops::WgmmaFence>(OpEmitter& e) {
  PinAsyncRegisters(e);
  e.Call("wgmma_fence", {});
}

template <>
void EmitOp<ir::ops::WgmmaCommitGroup>(OpEmitter& e) {
  e.Call("wgmma_commit_group", {});
}

template <>
void EmitOp<ir::ops::WgmmaWaitGroup>(OpEmitter& e) {
  e.WaitGroup("wgmma_wait_group", 0);
  PinAsyncRegisters(e);
}

}  // namespace tilesim::hwtests
