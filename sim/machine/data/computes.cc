#include "sim/machine/data/computes.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "ir/values/compare.h"
#include "ir/values/convert.h"
#include "sim/machine/data/reference.h"

namespace tilesim::machine {
namespace {

constexpr int64_t kBlock = 512;  // rows and columns evaluated at once
// Rounding of a few f32 operations after the product.
constexpr double kEpilogue = 4 * 0x1p-24;

using Runs = std::vector<std::pair<int64_t, int64_t>>;  // column, count

class Comparer {
 public:
  Comparer(const Code& code, int kernel, const ir::Computes& computes,
           const Globals& globals, const std::atomic<bool>* stop,
           ComputesResult& result)
      : reference_(code, kernel, globals),
        computes_(computes),
        target_(*globals.Get(kernel, computes.decl)),
        stop_(stop),
        result_(result) {
    const ir::BoundDecl& d = code.bound.decls[computes.decl];
    if (d.rank > 0) cols_ = d.shape[d.rank - 1];
    if (d.rank > 1) rows_ = d.shape[d.rank - 2];
    if (computes.tolerance) within_ = reference_.Number(*computes.tolerance);
  }

  void Run() {
    const Bits& written = target_.written();
    result_.elements = target_.elements();
    if (written.size() == 0) {
      result_.first_unwritten = 0;
      return;
    }
    int64_t hole = written.Next(0, false);
    if (hole < written.size()) result_.first_unwritten = hole;
    MatrixShape shape = reference_.ShapeOf(computes_.value);
    if (shape.rows != rows_ || shape.cols != cols_) {
      result_.skipped = "the expression has another shape than the tensor";
      return;
    }
    // Neighbouring rows written in the same columns make boxes.
    int64_t rows = target_.elements() / cols_, first = 0;
    Runs runs;
    for (int64_t r = 0; r < rows; ++r) {
      Runs here = RunsOf(r);
      bool same = here == runs && r % rows_ != 0 && r - first < kBlock;
      if (same) continue;
      Compare(first, r - first, runs);
      first = r;
      runs = std::move(here);
    }
    Compare(first, rows - first, runs);
  }

 private:
  Runs RunsOf(int64_t row) const {
    const Bits& written = target_.written();
    Runs runs;
    int64_t end = (row + 1) * cols_;
    for (int64_t at = written.Next(row * cols_, true); at < end;) {
      int64_t stop = std::min(written.Next(at, false), end);
      for (; at < stop; at += kBlock)
        runs.emplace_back(at - row * cols_, std::min(kBlock, stop - at));
      at = written.Next(stop, true);
    }
    return runs;
  }

  void Compare(int64_t row, int64_t rows, const Runs& runs) {
    for (const auto& [col, cols] : runs) {
      if (stop_ != nullptr && *stop_) return;
      MatrixBox box{row / rows_, row % rows_, rows, col, cols};
      CompareBox(box, row);
    }
  }

  void CompareBox(const MatrixBox& box, int64_t row) {
    Bounded want = reference_.Eval(computes_.value, box);
    std::vector<double> bounds = BoundsOf(want);
    int64_t count = box.rows * box.cols;
    std::vector<uint8_t> got(count * values::WordBytes(target_.type()) + 8);
    std::vector<uint8_t> line(box.cols * 8 + 8);
    for (int64_t r = 0; r < box.rows; ++r) {
      int64_t first = (row + r) * cols_ + box.col;
      int64_t even = values::BitsOf(target_.type()) < 8 ? first % 2 : 0;
      target_.Read(first - even, box.cols + even, line.data());
      for (int64_t c = 0; c < box.cols; ++c)
        values::StoreCode(
            target_.type(), got.data(), r * box.cols + c,
            values::LoadCode(target_.type(), line.data(), c + even));
    }
    Note(values::CompareToExact(target_.type(), got.data(), want.value.data(),
                                count, bounds),
         box, row, got, want);
  }

  double Rms(const Matrix& m) const {
    double sum = 0;
    for (double v : m.reshaped()) sum += std::isfinite(v) ? v * v : 0;
    return std::sqrt(sum / static_cast<double>(m.size()));
  }

  std::vector<double> BoundsOf(const Bounded& want) {
    const values::DTypeInfo& info = values::Info(target_.type());
    bool floats = info.is_float();
    double relative =
        floats ? std::ldexp(1.0, -info.mantissa_bits - 1) + kEpilogue : 0;
    double tiny = floats ? std::ldexp(1.0, -info.bias - info.mantissa_bits) : 0;
    rms_ = Rms(want.value);
    std::vector<double> out(want.value.size());
    for (size_t i = 0; i < out.size(); ++i) {
      double v = std::abs(want.value.data()[i]);
      double b = want.exact() ? 0 : want.bound.data()[i];
      out[i] = b + relative * (v + b) + tiny + within_ * std::max(v, rms_);
      // Infinities must be met exactly.
      if (!std::isfinite(v)) out[i] = 0;
      result_.bound = std::max(result_.bound, out[i]);
    }
    return out;
  }

  void Note(const values::Comparison& c, const MatrixBox& box, int64_t row,
            const std::vector<uint8_t>& got, const Bounded& want) {
    std::vector<double> numbers(c.count);
    DecodeDoubles(target_.type(), got.data(), c.count, numbers.data());
    result_.checked += c.count;
    result_.failed += c.count - c.passed;
    result_.bit_equal += c.equal;
    result_.max_abs_error = std::max(result_.max_abs_error, c.max_abs_error);
    for (int64_t i = 0; i < c.count; ++i) {
      double w = want.value.data()[i];
      double scale = std::max(std::abs(w), rms_);
      double error = std::abs(numbers[i] - w);
      if (std::isfinite(error) && scale > 0)
        result_.max_rel_error = std::max(result_.max_rel_error, error / scale);
    }
    if (!c.first_failure || result_.first_mismatch) return;
    int64_t i = *c.first_failure;
    result_.first_mismatch =
        (row + i / box.cols) * cols_ + box.col + i % box.cols;
    result_.got = numbers[i];
    result_.want = want.value.data()[i];
  }

  Reference reference_;
  const ir::Computes& computes_;
  const GlobalTensor& target_;
  const std::atomic<bool>* stop_;
  ComputesResult& result_;
  int64_t rows_ = 1, cols_ = 1;
  double within_ = 0;
  double rms_ = 0;
};

}  // namespace

ComputesResult CheckComputes(const Code& code, int32_t kernel,
                             const ir::Computes& computes,
                             const Globals& globals, bool complete,
                             const std::atomic<bool>* stop) {
  ComputesResult result;
  result.target = computes.target;
  result.kernel = kernel;
  result.span = computes.span;
  result.complete = complete;
  Comparer(code, kernel, computes, globals, stop, result).Run();
  return result;
}

}  // namespace tilesim::machine
