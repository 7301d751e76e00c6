// Elementwise arithmetic on register tiles.
#include <type_traits>

#include "ir/cat.h"
#include "sim/machine/data/compute.h"
#include "sim/machine/data/integers.h"
#include "sim/machine/data/shape.h"
#include "sim/machine/data/tile_math.h"
#include "sim/machine/data/tile_values.h"

namespace tilesim::machine {
namespace {

using ir::DType;

constexpr int kDst = 0;  // of every op here

// An operand for every element of the result: a tile, a tile of one column, or
// a number.
template <typename T>
class Source {
 public:
  Source() : numbers_(1) {}
  Source(Job& job, int operand, const Unit& unit) {
    const ir::TileValue& dst = job.tile(kDst);
    if (!job.op().is_tile(operand)) {
      SetNumber(job.op(), operand, dst.dtype);
      return;
    }
    numbers_ =
        NumbersOf<T>(job.ReadReg(operand, unit, job.MaskOf(operand, unit)));
    bool column = job.tile(operand).cols() == 1;
    row_step_ = column ? 1 : dst.cols();
    col_step_ = column ? 0 : 1;
  }

  T At(int64_t row, int64_t col) const {
    return numbers_[row * row_step_ + col * col_step_];
  }

 private:
  void SetNumber(const ir::ConcreteOp& op, int operand, DType type) {
    if constexpr (std::is_same_v<T, int64_t>) {
      numbers_ = {IntegerOf(type, static_cast<uint64_t>(op.number(operand)))};
    } else {
      double v = op.real(operand);
      numbers_ = {
          static_cast<T>(values::Decode(type, values::Encode(type, v)))};
    }
  }

  std::vector<T> numbers_;
  int64_t row_step_ = 0;
  int64_t col_step_ = 0;
};

// Whether operand `i` is a number or a tile that fits the result.
bool FitsResult(Job& job, int i) {
  const ir::TileValue& dst = job.tile(kDst);
  if (!job.op().is_tile(i)) return true;
  const ir::TileValue& t = job.tile(i);
  bool fits =
      t.rows() == dst.rows() && (t.cols() == dst.cols() || t.cols() == 1);
  if (!fits) {
    job.Fault("shape/mismatch",
              ir::Cat("`", job.name(i), "` is ", t.rows(), " x ", t.cols(),
                      " for a result of ", dst.rows(), " x ", dst.cols()));
  }
  return fits;
}

bool AllFit(Job& job) {
  int operands = static_cast<int>(job.op().info().operands.size());
  for (int i = 1; i < operands; ++i) {
    if (!FitsResult(job, i)) return false;
  }
  return true;
}

template <typename T, typename F>
void Apply(Job& job, const Unit& unit, F f) {
  const ir::TileValue& dst = job.tile(kDst);
  int operands = static_cast<int>(job.op().info().operands.size());
  Source<T> in[3];
  for (int i = 1; i < operands; ++i) in[i - 1] = Source<T>(job, i, unit);
  int64_t rows = dst.rows(), cols = dst.cols();
  std::vector<T> out(rows * cols);
  for (int64_t r = 0; r < rows; ++r) {
    for (int64_t c = 0; c < cols; ++c)
      out[r * cols + c] = f(in[0].At(r, c), in[1].At(r, c), in[2].At(r, c));
  }
  job.WriteReg(kDst, CodesOf(dst.dtype, rows, cols, out), unit,
               job.MaskOf(kDst, unit));
}

template <typename F>
void Elementwise(Job& job, F f) {
  if (!AllFit(job)) return;
  for (const Unit& unit : job.UnitsOf(kDst)) {
    WithNumber(job.tile(kDst).dtype, [&](auto* type) {
      Apply<std::remove_pointer_t<decltype(type)>>(job, unit, f);
    });
  }
}

struct First {
  template <typename T>
  T operator()(T a, T, T) const {
    return a;
  }
};

values::EncodeOptions CvtOptions(const ir::ConcreteOp& op) {
  values::EncodeOptions options;
  using ir::ops::CvtRound;
  CvtRound::Value round = op.choice<ir::ops::Cvt, CvtRound>();
  if (round == CvtRound::kTruncate) options.rounding = values::Rounding::kRz;
  if (round == CvtRound::kSatfinite)
    options.overflow = values::Overflow::kSatfinite;
  return options;
}

Dense Converted(const Dense& in, DType to, values::EncodeOptions options) {
  bool integers = values::IsInteger(in.type) && values::IsInteger(to);
  if (integers) return CodesOf(to, in.rows, in.cols, NumbersOf<int64_t>(in));
  // f32 and narrower formats are floats exactly, and faster so.
  if (values::IsFloat(in.type))
    return CodesOf(to, in.rows, in.cols, NumbersOf<float>(in), options);
  return CodesOf(to, in.rows, in.cols, NumbersOf<double>(in), options);
}

}  // namespace

void Compute(ir::ops::Mov, Job& job) {
  constexpr int kSrc = ir::ops::Mov::kSrc;
  bool copy = job.op().is_tile(kSrc) &&
              job.tile(kSrc).dtype == job.tile(kDst).dtype &&
              job.tile(kSrc).cols() == job.tile(kDst).cols();
  if (!copy) return Elementwise(job, First());
  if (!AllFit(job)) return;
  for (const Unit& unit : job.UnitsOf(kDst)) {
    Mask mask = job.MaskOf(kDst, unit);
    job.WriteReg(kDst, job.ReadReg(kSrc, unit, mask), unit, mask);
  }
}

void Compute(ir::ops::Cvt, Job& job) {
  constexpr int kSrc = ir::ops::Cvt::kSrc;
  const ir::TileValue &dst = job.tile(kDst), &src = job.tile(kSrc);
  if (!FitsResult(job, kSrc) || dst.cols() != src.cols()) return;
  for (const Unit& unit : job.UnitsOf(kDst)) {
    Mask mask = job.MaskOf(kDst, unit);
    Dense in = job.ReadReg(kSrc, unit, mask);
    job.WriteReg(kDst, Converted(in, dst.dtype, CvtOptions(job.op())), unit,
                 mask);
  }
}

void Compute(ir::ops::Neg, Job& job) { Elementwise(job, NegOp()); }
void Compute(ir::ops::Add, Job& job) { Elementwise(job, AddOp()); }
void Compute(ir::ops::Sub, Job& job) { Elementwise(job, SubOp()); }
void Compute(ir::ops::Mul, Job& job) { Elementwise(job, MulOp()); }
void Compute(ir::ops::Fma, Job& job) { Elementwise(job, FmaOp()); }
void Compute(ir::ops::Max, Job& job) { Elementwise(job, MaxOp()); }
void Compute(ir::ops::Min, Job& job) { Elementwise(job, MinOp()); }
void Compute(ir::ops::Ex2, Job& job) { Elementwise(job, Ex2Op()); }
void Compute(ir::ops::Lg2, Job& job) { Elementwise(job, Lg2Op()); }
void Compute(ir::ops::Rcp, Job& job) { Elementwise(job, RcpOp()); }

}  // namespace tilesim::machine
