// wgmma: the table of hardware.md B.1.
#include "ir/ops/wgmma.h"

#include <algorithm>

#include "frontend/legality/layout.h"
#include "frontend/legality/rules.h"
#include "ir/cat.h"

namespace tilesim::frontend {
namespace {

using ir::DType;
using Op = ir::ops::WgmmaMmaAsync;

constexpr std::string_view kTable = "hardware.md B.1 (PTX 9.7.15.2)";
constexpr std::string_view kDescriptor = "hardware.md E.1 (PTX 9.7.15.5)";
constexpr std::string_view kRegisters = "hardware.md A.7";
constexpr int64_t kM = 64;

bool IsFp8(DType t) { return t == DType::kE4M3 || t == DType::kE5M2; }
bool IsInt8(DType t) { return t == DType::kS8 || t == DType::kU8; }

// Types that may be multiplied with one another, and what they add up in.
bool TypesFit(DType a, DType b, DType d) {
  if (a == DType::kF16) return b == a && (d == DType::kF16 || d == DType::kF32);
  if (a == DType::kBF16 || a == DType::kTF32) return b == a && d == DType::kF32;
  if (IsFp8(a)) return IsFp8(b) && (d == DType::kF16 || d == DType::kF32);
  return IsInt8(a) && IsInt8(b) && d == DType::kS32;
}

int64_t InstructionK(const Tile& t) { return ir::kMmaBytes * 8 / t.bits(); }

bool Types(OpCheck& c) {
  DType a = c.tile(Op::kA).dtype(), b = c.tile(Op::kB).dtype();
  DType d = c.tile(Op::kD).dtype();
  if (TypesFit(a, b, d)) return true;
  c.Error("type/dtype", -1,
          ir::Cat("there is no wgmma from ", values::NameOf(a), " and ",
                  values::NameOf(b), " to ", values::NameOf(d)),
          kTable);
  return false;
}

bool NFits(int64_t n, DType a) {
  if (n < 8 || n > 256 || n % 8 != 0) return false;
  return !IsInt8(a) || n <= 32 || n % 16 == 0;
}

void Shape(OpCheck& c) {
  Tile d = c.tile(Op::kD), a = c.tile(Op::kA), b = c.tile(Op::kB);
  if (a.used_rows() != kM || d.rows() != kM) {
    c.Error("shape/wgmma", a.used_rows() != kM ? Op::kA : Op::kD,
            ir::Cat("M is ", a.used_rows() != kM ? a.used_rows() : d.rows(),
                    "; a wgmma multiplies 64 rows"),
            kTable);
  }
  if (!NFits(b.used_rows(), a.dtype())) {
    c.Error("shape/wgmma", Op::kB,
            ir::Cat("N is ", b.used_rows(), "; it is 8 to 256 in steps of 8",
                    IsInt8(a.dtype()) ? ", of 16 above 32" : ""),
            kTable);
  }
  if (d.cols() != b.used_rows()) {
    c.Error("shape/mismatch", Op::kD,
            ir::Cat(c.Text(Op::kD), " has ", d.cols(), " columns; N is ",
                    b.used_rows()));
  }
  if (a.used_cols() != b.used_cols()) {
    c.Error("shape/mismatch", Op::kB,
            ir::Cat("K is ", a.used_cols(), " in ", c.Text(Op::kA), " and ",
                    b.used_cols(), " in ", c.Text(Op::kB)));
  }
  int64_t k = InstructionK(a);
  if (a.used_cols() % k != 0) {
    c.Error("shape/wgmma", Op::kA,
            ir::Cat("K is ", a.used_cols(),
                    ", not a multiple of the "
                    "instruction's ",
                    k),
            kTable);
  }
}

void SharedOperand(OpCheck& c, int operand) {
  Tile t = c.tile(operand);
  if (t.transposed && t.bits() != 16) {
    c.Error("type/transpose", operand,
            ir::Cat("only 16-bit operands can be MN-major; ",
                    values::NameOf(t.dtype()), " is K-major"),
            kTable);
  }
  Described(c, operand, kDescriptor);
  c.OwnCta(operand, kDescriptor);
}

// A from registers: the 16-bit fragment (the others have layouts of their
// own, which no fragment of the language names).
void RegisterA(OpCheck& c) {
  Tile a = c.tile(Op::kA);
  if (a.bits() != 16) {
    c.Error("type/dtype", Op::kA,
            ir::Cat("A in registers is f16 or bf16 here, not ",
                    values::NameOf(a.dtype())),
            kRegisters);
  }
  if (a.decl->fragment == ir::Fragment::kWgmma) return;
  c.Error("layout/fragment", Op::kA,
          ir::Cat(c.Text(Op::kA), " lies in fragment ",
                  ir::Name(a.decl->fragment), "; A is read from `wgmma`"),
          kRegisters);
}

void Mma(OpCheck& c) {
  if (c.tile(Op::kD).decl->fragment != ir::Fragment::kWgmma) {
    c.Error("layout/fragment", Op::kD,
            ir::Cat(c.Text(Op::kD), " lies in fragment ",
                    ir::Name(c.tile(Op::kD).decl->fragment),
                    "; the accumulator is in `wgmma`"),
            kRegisters);
  }
  if (!Types(c)) return;
  Shape(c);
  SharedOperand(c, Op::kB);
  if (c.tile(Op::kA).space() == ir::Space::kShared) {
    SharedOperand(c, Op::kA);
  } else {
    RegisterA(c);
  }
}

void WaitGroup(OpCheck& c) {
  c.InRange(ir::ops::WgmmaWaitGroup::kPending, 0, 7, 1, "group/count",
            "CUT include/cute/arch/mma_sm90_gmma.hpp");
}

}  // namespace

void CheckOp(ir::ops::WgmmaMmaAsync, OpCheck& c) { Mma(c); }
void CheckOp(ir::ops::WgmmaWaitGroup, OpCheck& c) { WaitGroup(c); }

}  // namespace tilesim::frontend
