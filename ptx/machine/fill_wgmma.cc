// wgmma: operands from descriptors and sets of registers.
#include <array>

#include "fmt/format.h"
#include "ir/ops/wgmma.h"
#include "ptx/machine/filling.h"
#include "ptx/machine/lower_ops.h"
#include "ptx/machine/matrix.h"

namespace tilesim::ptx {
namespace {

using ir::OpKind;
using Mma = ir::ops::WgmmaMmaAsync;

// Numbers of the step: what is computed, then the registers of d, then those
// of a.
enum Field : size_t { kN, kBytesK, kTransA, kTransB, kBits, kDRegs, kFields };

bool Descriptor(Filling& f, const Source& source, bool a, const Step& s,
                ir::OperandValue& out) {
  int64_t bits = 0;
  if (!f.Number(source, &bits)) return false;
  MatrixShape shape;
  shape.rows = a ? 64 : s.numbers[kN];
  shape.k_bytes = s.numbers[kBytesK];
  shape.element_bits = s.numbers[kBits];
  shape.mn_major = s.numbers[a ? kTransA : kTransB] != 0;
  shape.quarters = a && !shape.mn_major;
  return f.SharedMatrix(static_cast<uint64_t>(bits), shape, &WgmmaMatrix, out);
}

// Sources: b, accumulate, and a if it is a descriptor.
bool FillMma(Filling& f, const Step& s, ir::ConcreteOp& out) {
  auto d_regs = static_cast<size_t>(s.numbers[kDRegs]);
  f.Registers(s.numbers, kFields, d_regs, out.operands[Mma::kD]);
  if (!Descriptor(f, s.sources[0], false, s, out.operands[Mma::kB]) ||
      !f.Int(s.sources[1], out.operands[Mma::kAccumulate]))
    return false;
  if (s.sources.size() > 2)
    return Descriptor(f, s.sources[2], true, s, out.operands[Mma::kA]);
  f.Registers(s.numbers, kFields + d_regs, s.numbers.size() - kFields - d_regs,
              out.operands[Mma::kA]);
  return true;
}

// m64n128k16 and the type of A in a spelling.
bool ShapeOf(Making& m) {
  std::string_view s = m.spelling();
  size_t at = s.find(".m64n");
  if (at == std::string_view::npos) return m.Refuse("its shape is not m64nNkK");
  auto number = [&](size_t from) {
    int64_t n = 0;
    for (; from < s.size() && s[from] >= '0' && s[from] <= '9'; ++from)
      n = n * 10 + (s[from] - '0');
    return n;
  };
  int64_t n = number(at + 5);
  size_t k = s.find('k', at);
  int64_t depth = number(k + 1);
  int64_t bits = m.Has(".tf32")                        ? 32
                 : m.Has(".bf16") || m.Has(".f16.f16") ? 16
                 : m.Has(".b1")                        ? 1
                                                       : 8;
  m.step.numbers = {n, depth * bits / 8, 0, 0, bits, 0};
  return true;
}

void AddRegisters(Making& m, size_t operand) {
  for (const Leaf& leaf : m.leaves) {
    if (leaf.of == operand && leaf.reg >= 0) m.step.numbers.push_back(leaf.reg);
  }
}

bool MakeMma(Making& m) {
  if (m.Has(".sp")) return m.Refuse("sparse products are not executed");
  if (!ShapeOf(m)) return false;
  m.op = OpKind::kWgmmaMmaAsync;
  m.Tile(Mma::kD, ir::Space::kReg);
  bool registers = m.operand(1).kind == Operand::Kind::kVector;
  m.Tile(Mma::kA, registers ? ir::Space::kReg : ir::Space::kShared);
  m.Tile(Mma::kB, ir::Space::kShared);
  m.Int(Mma::kAccumulate);
  m.step.fill = FillMma;
  AddRegisters(m, 0);
  m.step.numbers[kDRegs] =
      static_cast<int64_t>(m.step.numbers.size() - kFields);
  if (registers) AddRegisters(m, 1);
  // scale-d, scale-a, scale-b, then the transpositions of what lies in memory.
  size_t flags = m.operands() - 3;
  auto flag = [&](size_t i) {
    return i < flags && m.operand(3 + i).kind == Operand::Kind::kNumber
               ? m.operand(3 + i).number.value()
               : 0;
  };
  if (registers) {
    m.step.numbers[kTransB] = flag(3);
  } else {
    m.step.numbers[kTransA] = flag(3);
    m.step.numbers[kTransB] = flag(4);
  }
  if (!m.Add(2) || !m.Add(3) || (!registers && !m.Add(1)))
    return m.Refuse("a descriptor is no number");
  m.step.collective = m.step.sources.size();
  return true;
}

bool MakeFence(Making& m) {
  m.op = OpKind::kWgmmaFence;
  return true;
}

bool MakeCommit(Making& m) {
  m.op = OpKind::kWgmmaCommitGroup;
  return true;
}

bool FillPending(Filling& f, const Step& s, ir::ConcreteOp& out) {
  return f.Int(s.sources[0], out.operands[0]);
}

bool MakeWait(Making& m) {
  m.op = OpKind::kWgmmaWaitGroup;
  m.Int(0);
  m.step.fill = FillPending;
  m.step.collective = 1;
  return m.Add(0);
}

}  // namespace

const std::vector<OpRow>& WgmmaRows() {
  static const std::vector<OpRow> kRows = {
      {"wgmma.mma_async", MakeMma},
      {"wgmma.fence", MakeFence},
      {"wgmma.commit_group", MakeCommit},
      {"wgmma.wait_group", MakeWait},
  };
  return kRows;
}

}  // namespace tilesim::ptx
