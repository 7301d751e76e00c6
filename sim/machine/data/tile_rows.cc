// Row reductions of register tiles, in the order in which lowered code does
// them, and the causal mask.
#include <limits>

#include "sim/machine/data/compute.h"
#include "sim/machine/data/shape.h"
#include "sim/machine/data/tile_math.h"
#include "sim/machine/data/tile_values.h"

namespace tilesim::machine {
namespace {

using ir::DType;

// Which thread's partial result each column of row `row` goes into, numbered
// by first appearance. Threads of a row are neighbours, in ascending columns.
std::vector<int> PartialOf(const ir::FragmentLayout& layout, int32_t row,
                           int32_t first, int32_t cols) {
  std::vector<int> index(cols);
  std::vector<int32_t> threads;
  for (int32_t c = 0; c < cols; ++c) {
    int32_t thread = layout.Place(row, first + c).thread;
    size_t i = 0;
    while (i < threads.size() && threads[i] != thread) ++i;
    if (i == threads.size()) threads.push_back(thread);
    index[c] = static_cast<int>(i);
  }
  return index;
}

// 16-bit types round after every addition.
template <typename T>
T Rounded(DType type, T v) {
  if constexpr (std::is_same_v<T, double>)
    return values::Decode(type, values::Encode(type, v));
  return v;
}

template <typename T, typename F>
T ReduceRow(const T* row, const std::vector<int>& partial_of, DType type, F f) {
  std::vector<T> partial;
  for (size_t c = 0; c < partial_of.size(); ++c) {
    auto i = static_cast<size_t>(partial_of[c]);
    if (i == partial.size()) {
      partial.push_back(row[c]);
    } else {
      partial[i] = Rounded(type, f(partial[i], row[c], T{}));
    }
  }
  // Butterfly: neighbours, then pairs of neighbours ...
  for (size_t n = partial.size(); n > 1; n = (n + 1) / 2) {
    for (size_t i = 0; i < n; i += 2)
      partial[i / 2] = i + 1 < n
                           ? Rounded(type, f(partial[i], partial[i + 1], T{}))
                           : partial[i];
  }
  return partial[0];
}

template <typename T, typename F>
void ReduceUnit(Job& job, int dst, int src, const Unit& unit, F f) {
  const ir::TileValue& box = job.tile(src);
  DType type = job.tile(dst).dtype;
  Dense in = job.ReadReg(src, unit, job.MaskOf(src, unit));
  std::vector<T> numbers = NumbersOf<T>(in), out(in.rows);
  ir::FragmentLayout layout = job.decl(src).fragment;
  layout.threads = unit.threads;
  auto row0 = static_cast<int32_t>(box.rank < 2 ? 0 : box.start[0]);
  auto col0 = static_cast<int32_t>(box.start[box.rank - 1]);
  // In blocked tiles rows need not lie alike.
  bool alike = layout.fragment != ir::Fragment::kBlocked;
  std::vector<int> partial_of;
  for (int32_t r = 0; r < in.rows; ++r) {
    if (r == 0 || !alike)
      partial_of = PartialOf(layout, row0 + r, col0, box.cols());
    out[r] = ReduceRow(numbers.data() + r * in.cols, partial_of, type, f);
  }
  job.WriteReg(dst, CodesOf(type, in.rows, 1, out), unit,
               job.MaskOf(dst, unit));
}

template <typename F>
void Reduce(Job& job, int dst, int src, F f) {
  const ir::TileValue &to = job.tile(dst), &from = job.tile(src);
  if (to.rows() != from.rows() || to.cols() != 1) {
    return job.Fault("shape/mismatch",
                     ir::Cat("a row reduction of ", from.rows(),
                             " rows needs a tile of as many rows and one "
                             "column"));
  }
  for (const Unit& unit : job.UnitsOf(src)) {
    WithNumber(to.dtype, [&](auto* type) {
      ReduceUnit<std::remove_pointer_t<decltype(type)>>(job, dst, src, unit, f);
    });
  }
}

}  // namespace

void Compute(ir::ops::RowMax, Job& job) {
  Reduce(job, ir::ops::RowMax::kDst, ir::ops::RowMax::kSrc, MaxOp());
}

void Compute(ir::ops::RowSum, Job& job) {
  Reduce(job, ir::ops::RowSum::kDst, ir::ops::RowSum::kSrc, AddOp());
}

void Compute(ir::ops::MaskCausal, Job& job) {
  using Op = ir::ops::MaskCausal;
  int64_t past = job.op().number(Op::kCol) - job.op().number(Op::kRow);
  for (const Unit& unit : job.UnitsOf(Op::kDst)) {
    Mask mask = job.MaskOf(Op::kDst, unit);
    Dense box = job.ReadReg(Op::kDst, unit, mask);
    uint64_t out =
        values::Encode(box.type, -std::numeric_limits<double>::infinity());
    for (int64_t r = 0; r < box.rows; ++r) {
      for (int64_t c = std::max<int64_t>(0, r - past + 1); c < box.cols; ++c)
        values::StoreCode(box.type, box.Row(r), c, out);
    }
    job.WriteReg(Op::kDst, box, unit, mask);
  }
}

}  // namespace tilesim::machine
