// wgmma and mma.sync: accumulators in registers.
#include <optional>

#include "sim/machine/data/compute.h"
#include "sim/machine/data/multiply.h"

namespace tilesim::machine {
namespace {

using Side = arith::Prepared::Side;

// D, A and B as the op has them; A and B in registers are read once a unit.
class RegisterMma {
 public:
  RegisterMma(Job& job, arith::Unit unit, int d, int a, int b, int accumulate)
      : job_(job), unit_(unit), d_(d), a_(a), b_(b) {
    accumulate_ = job.op().number(accumulate) != 0;
  }

  void Run() {
    const ir::TileValue &d = job_.tile(d_), &a = job_.tile(a_),
                        &b = job_.tile(b_);
    arith::MmaKey key{.unit = unit_, .a = a.dtype, .b = b.dtype, .d = d.dtype};
    const arith::MmaRule* rule = RuleFor(job_, key, MmaK(b));
    if (rule == nullptr || !ShapesFit(job_, a, b, d.rows(), d.cols())) return;
    std::optional<MmaSide> left, right;
    for (const Unit& unit : job_.UnitsOf(d_)) {
      if (!left || InRegisters(a_))
        left.emplace(*rule, Read(a_, unit), Side::kA);
      if (!right || InRegisters(b_))
        right.emplace(*rule, Read(b_, unit), Side::kB);
      One(*left, *right, unit);
    }
  }

 private:
  bool InRegisters(int operand) const {
    return job_.tile(operand).space == ir::Space::kReg;
  }

  MmaOperand Read(int operand, const Unit& unit) {
    MmaOperand o;
    o.transposed = job_.tile(operand).transposed;
    o.codes = InRegisters(operand) ? job_.ReadReg(operand, unit)
                                   : job_.ReadShared(operand);
    return o;
  }

  void One(const MmaSide& a, const MmaSide& b, const Unit& unit) {
    const ir::TileValue& tile = job_.tile(d_);
    Dense d = accumulate_ ? job_.ReadReg(d_, unit)
                          : Dense(tile.dtype, tile.rows(), tile.cols());
    Multiply(job_, a, b, d, accumulate_);
    job_.WriteReg(d_, d, unit, job_.MaskOf(d_, unit));
  }

  Job& job_;
  arith::Unit unit_;
  int d_, a_, b_;
  bool accumulate_;
};

}  // namespace

void Compute(ir::ops::WgmmaMmaAsync, Job& job) {
  using Op = ir::ops::WgmmaMmaAsync;
  RegisterMma(job, arith::Unit::kWgmma, Op::kD, Op::kA, Op::kB, Op::kAccumulate)
      .Run();
}

void Compute(ir::ops::MmaSync, Job& job) {
  using Op = ir::ops::MmaSync;
  RegisterMma(job, arith::Unit::kMmaSync, Op::kD, Op::kA, Op::kB,
              Op::kAccumulate)
      .Run();
}

}  // namespace tilesim::machine
