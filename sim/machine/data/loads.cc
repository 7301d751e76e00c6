// Loads, stores and atomics by threads.
#include <algorithm>

#include "sim/machine/data/compute.h"
#include "sim/machine/data/integers.h"
#include "sim/machine/data/shape.h"

namespace tilesim::machine {
namespace {

using ir::Space;

Dense Transposed(const Dense& in) {
  Dense out(in.type, in.cols, in.rows);
  for (int64_t r = 0; r < out.rows; ++r) {
    for (int64_t c = 0; c < out.cols; ++c)
      CopyCodes(in.type, out.Row(r), c, in.Row(c), r, 1);
  }
  return out;
}

// Memory to registers, each unit of threads its own copy.
void Load(Job& job, int dst, int src) {
  if (!SameElements(job, dst, src)) return;
  const ir::TileValue& to = job.tile(dst);
  for (const Unit& unit : job.UnitsOf(dst)) {
    Mask mask = job.MaskOf(dst, unit);
    bool transposed = job.tile(src).transposed;
    Dense box = job.ReadMemory(src, transposed ? Mask() : mask);
    if (transposed) box = Transposed(box);
    job.WriteReg(dst, Reshaped(std::move(box), to.rows(), to.cols()), unit,
                 mask);
  }
}

void Store(Job& job, int dst, int src) {
  if (!SameElements(job, dst, src)) return;
  const ir::TileValue& to = job.tile(dst);
  for (const Unit& unit : job.UnitsOf(src)) {
    Mask mask = job.MaskOf(src, unit);
    Dense box = job.ReadReg(src, unit, mask);
    job.WriteMemory(dst, Reshaped(std::move(box), to.rows(), to.cols()), mask);
  }
}

// One integer in memory.
class Cell {
 public:
  Cell(Job& job, int operand)
      : job_(job), operand_(operand), type_(job.tile(operand).dtype) {
    bool global = job.tile(operand).space == Space::kGlobal;
    inside_ = !global || job.GlobalElement(operand) >= 0;
  }
  int64_t Load() {
    if (!inside_) return 0;
    Dense box = job_.ReadMemory(operand_);
    return IntegerOf(type_, values::LoadCode(type_, box.data.data(), 0));
  }
  void Store(int64_t value) {
    if (!inside_) return;
    Dense box(type_, job_.tile(operand_).rows(), job_.tile(operand_).cols());
    values::StoreCode(type_, box.data.data(), 0, static_cast<uint64_t>(value));
    job_.WriteMemory(operand_, box);
  }

 private:
  Job& job_;
  int operand_;
  ir::DType type_;
  bool inside_;
};

// Every executing thread does its own; the var gets what the first one saw.
template <typename F>
void Atomic(Job& job, int dst, int mem, F next) {
  Cell cell(job, mem);
  int64_t old = cell.Load(), value = old;
  for (int i = 0; i < job.threads(); ++i) value = next(value);
  cell.Store(value);
  if (dst >= 0) job.SetVar(dst, old);
}

int64_t Sum(int64_t a, int64_t b) {
  return static_cast<int64_t>(static_cast<uint64_t>(a) +
                              static_cast<uint64_t>(b));
}

}  // namespace

void Compute(ir::ops::LdGlobal, Job& job) {
  Load(job, ir::ops::LdGlobal::kDst, ir::ops::LdGlobal::kSrc);
}

void Compute(ir::ops::LdShared, Job& job) {
  Load(job, ir::ops::LdShared::kDst, ir::ops::LdShared::kSrc);
}

void Compute(ir::ops::Ldmatrix, Job& job) {
  Load(job, ir::ops::Ldmatrix::kDst, ir::ops::Ldmatrix::kSrc);
}

void Compute(ir::ops::StGlobal, Job& job) {
  Store(job, ir::ops::StGlobal::kDst, ir::ops::StGlobal::kSrc);
}

void Compute(ir::ops::StShared, Job& job) {
  Store(job, ir::ops::StShared::kDst, ir::ops::StShared::kSrc);
}

void Compute(ir::ops::StAsync, Job& job) {
  Store(job, ir::ops::StAsync::kDst, ir::ops::StAsync::kSrc);
}

void Compute(ir::ops::Stmatrix, Job& job) {
  Store(job, ir::ops::Stmatrix::kDst, ir::ops::Stmatrix::kSrc);
}

void Compute(ir::ops::Ld, Job& job) {
  job.SetVar(ir::ops::Ld::kDst, Cell(job, ir::ops::Ld::kSrc).Load());
}

void Compute(ir::ops::St, Job& job) {
  Cell(job, ir::ops::St::kDst).Store(job.op().number(ir::ops::St::kSrc));
}

void Compute(ir::ops::AtomAdd, Job& job) {
  using Op = ir::ops::AtomAdd;
  int64_t value = job.op().number(Op::kValue);
  Atomic(job, Op::kDst, Op::kMem, [=](int64_t v) { return Sum(v, value); });
}

void Compute(ir::ops::AtomExch, Job& job) {
  using Op = ir::ops::AtomExch;
  int64_t value = job.op().number(Op::kValue);
  Atomic(job, Op::kDst, Op::kMem, [=](int64_t) { return value; });
}

void Compute(ir::ops::AtomCas, Job& job) {
  using Op = ir::ops::AtomCas;
  int64_t compare =
      IntegerOf(job.tile(Op::kMem).dtype, job.op().number(Op::kCompare));
  int64_t value = job.op().number(Op::kValue);
  Atomic(job, Op::kDst, Op::kMem,
         [=](int64_t v) { return v == compare ? value : v; });
}

void Compute(ir::ops::RedAdd, Job& job) {
  using Op = ir::ops::RedAdd;
  int64_t value = job.op().number(Op::kValue);
  Atomic(job, -1, Op::kMem, [=](int64_t v) { return Sum(v, value); });
}

}  // namespace tilesim::machine
