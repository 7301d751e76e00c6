#include "sim/machine/data/computes.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <set>
#include <string>
#include <thread>
#include <utility>

#include "ir/cat.h"
#include "ir/values/compare.h"
#include "ir/values/convert.h"
#include "sim/machine/data/reference.h"

namespace tilesim::machine {
namespace {

constexpr int64_t kBlock = 512;  // rows and columns evaluated at once
// Rounding of a few f32 operations after the product.
constexpr double kEpilogue = 4 * 0x1p-24;

using Runs = std::vector<std::pair<int64_t, int64_t>>;  // column, count

// What a tensor should hold.
struct Wanted {
  std::function<Bounded(const MatrixBox& box)> in;
  double within = 0;     // relative
  bool rounded = false;  // these numbers, in the type of the tensor
};

class Comparer {
 public:
  Comparer(const ir::BoundDecl& d, const GlobalTensor& target, Wanted wanted,
           const Comparing& how, ComputesResult& result)
      : wanted_(std::move(wanted)),
        target_(target),
        stop_(how.stop),
        threads_(how.threads),
        result_(result) {
    if (d.rank > 0) cols_ = d.shape[d.rank - 1];
    if (d.rank > 1) rows_ = d.shape[d.rank - 2];
  }

  void Run() {
    const Bits& written = target_.written();
    result_.shape = target_.spec().shape;
    result_.elements = target_.elements();
    if (written.size() == 0) {
      result_.first_unwritten = 0;
      return;
    }
    int64_t hole = written.Next(0, false);
    if (hole < written.size()) result_.first_unwritten = hole;
    // Neighbouring rows written in the same columns make boxes.
    int64_t rows = target_.elements() / cols_, first = 0;
    Runs runs;
    for (int64_t r = 0; r < rows; ++r) {
      Runs here = RunsOf(r);
      bool same = here == runs && r % rows_ != 0 && r - first < kBlock;
      if (same) continue;
      Add(first, r - first, runs);
      first = r;
      runs = std::move(here);
    }
    Add(first, rows - first, runs);
    CompareBoxes();
  }

 private:
  Runs RunsOf(int64_t row) const {
    const Bits& written = target_.written();
    Runs runs;
    int64_t end = (row + 1) * cols_;
    for (int64_t at = written.Next(row * cols_, end, true); at < end;) {
      int64_t stop = written.Next(at, end, false);
      for (; at < stop; at += kBlock)
        runs.emplace_back(at - row * cols_, std::min(kBlock, stop - at));
      at = written.Next(stop, end, true);
    }
    return runs;
  }

  // A box of what was written, and its comparison.
  struct Box {
    MatrixBox at;
    int64_t row = 0;  // of the tensor, batches of rows one behind the other
    std::vector<uint8_t> got;
    Bounded want;
    double rms = 0;
    std::vector<double> bounds;
    values::Comparison found;
  };

  void Add(int64_t row, int64_t rows, const Runs& runs) {
    for (const auto& [col, cols] : runs) {
      Box& box = boxes_.emplace_back();
      box.at = {row / rows_, row % rows_, rows, col, cols};
      box.row = row;
      if (static_cast<int>(boxes_.size()) >= threads_) CompareBoxes();
    }
  }

  // As many at a time as there are threads; noted in order, so that their
  // number changes nothing.
  void CompareBoxes() {
    if (stop_ == nullptr || !*stop_) {
      std::vector<std::thread> others;
      for (size_t i = 1; i < boxes_.size(); ++i)
        others.emplace_back([this, i] { CompareBox(boxes_[i]); });
      if (!boxes_.empty()) CompareBox(boxes_[0]);
      for (std::thread& t : others) t.join();
      for (const Box& box : boxes_) Note(box);
    }
    boxes_.clear();
  }

  void CompareBox(Box& box) const {
    box.want = wanted_.in(box.at);
    box.rms = Rms(box.want.value);
    box.bounds = BoundsOf(box);
    int64_t count = box.at.rows * box.at.cols;
    box.got.resize(count * values::WordBytes(target_.type()) + 8);
    std::vector<uint8_t> line(box.at.cols * 8 + 8);
    for (int64_t r = 0; r < box.at.rows; ++r) {
      int64_t first = (box.row + r) * cols_ + box.at.col;
      int64_t even = values::BitsOf(target_.type()) < 8 ? first % 2 : 0;
      target_.Read(first - even, box.at.cols + even, line.data());
      for (int64_t c = 0; c < box.at.cols; ++c)
        values::StoreCode(
            target_.type(), box.got.data(), r * box.at.cols + c,
            values::LoadCode(target_.type(), line.data(), c + even));
    }
    box.found =
        values::CompareToExact(target_.type(), box.got.data(),
                               box.want.value.data(), count, box.bounds);
  }

  double Rms(const Matrix& m) const {
    double sum = 0;
    for (double v : m.reshaped()) sum += std::isfinite(v) ? v * v : 0;
    return std::sqrt(sum / static_cast<double>(m.size()));
  }

  std::vector<double> BoundsOf(const Box& box) const {
    const values::DTypeInfo& info = values::Info(target_.type());
    bool rounds = info.is_float() && !wanted_.rounded;
    double relative =
        rounds ? std::ldexp(1.0, -info.mantissa_bits - 1) + kEpilogue : 0;
    double tiny = rounds ? std::ldexp(1.0, -info.bias - info.mantissa_bits) : 0;
    std::vector<double> out(box.want.value.size());
    for (size_t i = 0; i < out.size(); ++i) {
      double v = std::abs(box.want.value.data()[i]);
      double b = box.want.exact() ? 0 : box.want.bound.data()[i];
      out[i] =
          b + relative * (v + b) + tiny + wanted_.within * std::max(v, box.rms);
      // Infinities must be met exactly.
      if (!std::isfinite(v)) out[i] = 0;
    }
    return out;
  }

  void Note(const Box& box) {
    const values::Comparison& c = box.found;
    std::vector<double> numbers(c.count);
    DecodeDoubles(target_.type(), box.got.data(), c.count, numbers.data());
    result_.checked += c.count;
    result_.failed += c.count - c.passed;
    result_.bit_equal += c.equal;
    result_.nan += c.nan_mismatch;
    result_.max_abs_error = std::max(result_.max_abs_error, c.max_abs_error);
    for (int64_t i = 0; i < c.count; ++i) {
      double w = box.want.value.data()[i];
      double scale = std::max(std::abs(w), box.rms);
      double error = numbers[i] == w ? 0 : std::abs(numbers[i] - w);
      if (std::isinf(error))
        result_.max_rel_error = error;
      else if (std::isfinite(error) && scale > 0)
        result_.max_rel_error = std::max(result_.max_rel_error, error / scale);
      result_.bound = std::max(result_.bound, box.bounds[i]);
    }
    if (!c.first_failure || result_.first_mismatch) return;
    int64_t i = *c.first_failure;
    result_.first_mismatch =
        (box.row + i / box.at.cols) * cols_ + box.at.col + i % box.at.cols;
    result_.got = numbers[i];
    result_.want = box.want.value.data()[i];
  }

  Wanted wanted_;
  const GlobalTensor& target_;
  const std::atomic<bool>* stop_;
  int threads_;
  ComputesResult& result_;
  std::vector<Box> boxes_;
  int64_t rows_ = 1, cols_ = 1;
};

}  // namespace

ComputesResult CheckComputes(const std::vector<const Code*>& codes, size_t k,
                             const ir::Computes& computes,
                             const Globals& globals, bool complete,
                             const Comparing& how) {
  const auto kernel = static_cast<int32_t>(k);
  ComputesResult result;
  result.target = computes.target;
  result.kernel = kernel;
  result.span = computes.span;
  result.complete = complete;
  const ir::BoundDecl& d = codes[k]->bound.decls[computes.decl];
  Reference reference(codes, k, globals);
  MatrixShape shape = reference.ShapeOf(computes.value);
  if (shape.rows != (d.rank > 1 ? d.shape[d.rank - 2] : 1) ||
      shape.cols != (d.rank > 0 ? d.shape[d.rank - 1] : 1)) {
    result.skipped = "the expression has another shape than the tensor";
    return result;
  }
  Wanted wanted{[&](const MatrixBox& box) {
    return reference.Eval(computes.value, box);
  }};
  if (computes.tolerance) wanted.within = reference.Number(*computes.tolerance);
  Comparer(d, *globals.Get(kernel, computes.decl), std::move(wanted), how,
           result)
      .Run();
  return result;
}

namespace {

void AddNames(const ir::Kernel& kernel, const ir::TensorExpr& e,
              std::set<std::string>& out) {
  if (e.kind == ir::TensorExpr::Kind::kTensor)
    out.insert(kernel.decls[e.decl].name);
  for (const ir::TensorExpr& arg : e.args) AddNames(kernel, arg, out);
}

// The other results of the kernel that it names, and that are no inputs of
// their own lines: what it computes of them, not what they held before.
bool NamesResult(const ir::Kernel& kernel, const ir::Computes& computes,
                 std::string& name) {
  std::set<std::string> names;
  AddNames(kernel, computes.value, names);
  for (const ir::Computes& other : kernel.computes) {
    if (other.target == computes.target || !names.contains(other.target))
      continue;
    std::set<std::string> inputs;
    AddNames(kernel, other.value, inputs);
    if (inputs.contains(other.target)) continue;
    name = other.target;
    return true;
  }
  return false;
}

}  // namespace

std::string LostSince(const std::vector<const Code*>& codes, size_t k,
                      const ir::Computes& computes) {
  // What a tensor was at first is kept, and what it is in the end.
  const auto lost = [&](const std::string& name, bool result) -> std::string {
    const Writers w = WritersOf(codes, k, name);
    const bool is_lost =
        result ? w.after.has_value() : w.before && (w.itself || w.after);
    if (!is_lost) return "";
    return ir::Cat("kernel `",
                   codes[w.after ? *w.after : *w.before]->kernel().name,
                   "` writes `", name, "` too, and what it held ",
                   w.after ? "before" : "in between", " was not kept");
  };
  std::string why = lost(computes.target, true);
  if (std::string of;
      why.empty() && NamesResult(codes[k]->kernel(), computes, of))
    why = ir::Cat("it is of `", of,
                  "`, which the same kernel computes; write out what that is");
  std::set<std::string> names;
  AddNames(codes[k]->kernel(), computes.value, names);
  for (const std::string& name : names) {
    if (why.empty()) why = lost(name, false);
  }
  return why;
}

ComputesResult CompareWith(const ir::BoundDecl& decl,
                           const GlobalTensor& target,
                           const std::vector<double>& want, double within,
                           const Comparing& how) {
  ComputesResult result;
  int64_t cols = decl.rank > 0 ? decl.shape[decl.rank - 1] : 1;
  int64_t rows = decl.rank > 1 ? decl.shape[decl.rank - 2] : 1;
  Wanted wanted{[&](const MatrixBox& box) {
                  Bounded part{Matrix(box.rows, box.cols), {}};
                  for (int64_t r = 0; r < box.rows; ++r) {
                    int64_t row = box.batch * rows + box.row + r;
                    std::copy_n(want.begin() + row * cols + box.col, box.cols,
                                part.value.row(r).data());
                  }
                  return part;
                },
                within, true};
  Comparer(decl, target, std::move(wanted), how, result).Run();
  return result;
}

}  // namespace tilesim::machine
