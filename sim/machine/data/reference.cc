#include "sim/machine/data/reference.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "ir/eval.h"
#include "ir/tmem.h"
#include "ir/values/convert.h"
#include "sim/machine/data/mma_error.h"
#include "sim/machine/data/product.h"

namespace tilesim::machine {
namespace {

using ir::kChunkRows;
using ir::kFactorsOfColumn;
using ir::kQuarterLanes;
using Kind = ir::TensorExpr::Kind;

constexpr double kF64Ulp = 0x1p-52;

// Row `r`, columns [first, first + count) of a tensor as numbers.
void ReadRow(const GlobalTensor& tensor, bool start, int64_t first,
             int64_t count, double* out) {
  bool shared_byte = values::BitsOf(tensor.type()) < 8 && first % 2 != 0;
  int64_t from = first - (shared_byte ? 1 : 0);
  int64_t n = first + count - from;
  std::vector<uint8_t> codes(values::BytesOf(tensor.type(), n) + 8);
  if (start) {
    tensor.ReadStart(from, n, codes.data());
  } else {
    tensor.Read(from, n, codes.data());
  }
  std::vector<double> numbers(n);
  DecodeDoubles(tensor.type(), codes.data(), n, numbers.data());
  std::copy(numbers.end() - count, numbers.end(), out);
}

Bounded Exact(Matrix value) { return {std::move(value), {}}; }

MatrixBox Turned(const MatrixBox& b) {
  return {b.batch, b.col, b.cols, b.row, b.rows};
}

// What is lost when operands are off by their own bounds.
void AddInherited(const Bounded& a, const Bounded& b, Bounded& out) {
  if (a.exact() && b.exact()) return;
  if (out.exact()) out.bound.setZero(out.value.rows(), out.value.cols());
  if (!a.exact()) out.bound += a.bound * b.value.cwiseAbs();
  if (!b.exact()) out.bound += a.value.cwiseAbs() * b.bound;
  if (!a.exact() && !b.exact()) out.bound += a.bound * b.bound;
}

void Exp2(Bounded& x) {
  auto exp2 = [](double v) { return std::exp2(v); };
  x.value = x.value.unaryExpr(exp2).eval();
  if (x.exact()) return;
  x.bound = (x.bound.unaryExpr(exp2).array() - 1) * x.value.array();
}

void Causal(const MatrixBox& box, Bounded& x) {
  constexpr double kInf = std::numeric_limits<double>::infinity();
  for (int64_t r = 0; r < box.rows; ++r) {
    int64_t kept = std::clamp<int64_t>(box.row + r + 1 - box.col, 0, box.cols);
    x.value.row(r).tail(box.cols - kept).setConstant(-kInf);
    if (!x.exact()) x.bound.row(r).tail(box.cols - kept).setZero();
  }
}

// No partial sum inside a chunk exceeds the one before it by more than the
// product of the norms (Cauchy, Schwarz), nor does a product.
template <typename X, typename Y>
void AddChunkBound(double error, const X& x, const Y& y, Bounded& out) {
  Eigen::VectorXd rows = x.rowwise().norm();
  Eigen::RowVectorXd cols = y.colwise().norm();
  error += kF64Ulp * kErrorChunk;
  for (int64_t r = 0; r < out.value.rows(); ++r) {
    out.bound.row(r).array() +=
        error * (out.value.row(r).array().abs() + rows[r] * cols.array());
  }
}

}  // namespace

void DecodeDoubles(ir::DType type, const void* codes, int64_t count,
                   double* out) {
  if (!values::IsFloat(type))
    return values::DecodeArray(type, codes, count, out);
  std::vector<float> narrow(count);
  values::DecodeArray(type, codes, count, narrow.data());
  std::copy(narrow.begin(), narrow.end(), out);
}

Reference::Reference(const Code& code, int kernel, const Globals& globals)
    : code_(code),
      kernel_(kernel),
      globals_(globals),
      chunk_error_(ChunkError(code)) {}

double Reference::Number(const ir::Expr& e) const {
  ir::EvalEnv env{code_.bound.slots, {}, {}};
  std::optional<ir::Value> v = ir::Evaluate(e, env, nullptr);
  return v ? v->real : std::numeric_limits<double>::quiet_NaN();
}

MatrixShape Reference::ShapeOfDecl(int decl) const {
  const ir::BoundDecl& d = code_.bound.decls[decl];
  MatrixShape s;
  if (d.rank > 0) s.cols = d.shape[d.rank - 1];
  if (d.rank > 1) s.rows = d.shape[d.rank - 2];
  for (int i = 0; i + 2 < d.rank; ++i) s.batch *= d.shape[i];
  return s;
}

MatrixShape Reference::ShapeOf(const ir::TensorExpr& e) const {
  constexpr MatrixShape kNone{1, 0, 0};
  if (e.kind == Kind::kTensor) return ShapeOfDecl(e.decl);
  if (e.kind == Kind::kNumber) return {};
  MatrixShape a = ShapeOf(e.args[0]);
  if (e.kind == Kind::kCall) {
    if (e.name == "transpose") std::swap(a.rows, a.cols);
    return a;
  }
  MatrixShape b = ShapeOf(e.args[1]);
  int64_t batch = std::max(a.batch, b.batch);
  bool batches = a.batch == b.batch || a.batch == 1 || b.batch == 1;
  if (e.kind == Kind::kMatmul) {
    return batches && a.cols == b.rows ? MatrixShape{batch, a.rows, b.cols}
                                       : kNone;
  }
  if (e.args[0].kind == Kind::kNumber) return b;
  if (e.args[1].kind == Kind::kNumber) return a;
  bool same = batches && a.rows == b.rows && a.cols == b.cols;
  return same ? MatrixShape{batch, a.rows, a.cols} : kNone;
}

Bounded Reference::Eval(const ir::TensorExpr& e, const MatrixBox& box) const {
  switch (e.kind) {
    case Kind::kTensor:
      return Leaf(e, box);
    case Kind::kNumber:
      return Exact(Matrix::Constant(box.rows, box.cols, Number(e.number)));
    case Kind::kMatmul:
      return Product(e, box);
    case Kind::kAdd:
    case Kind::kSub:
      return Sum(e, box);
    case Kind::kScale:
      return Scale(e, box);
    case Kind::kCall:
      return Call(e, box);
  }
  return {};
}

// A tensor that this kernel updates counts as it started.
Bounded Reference::Leaf(const ir::TensorExpr& e, const MatrixBox& box) const {
  const GlobalTensor& tensor = *globals_.Get(kernel_, e.decl);
  bool start =
      tensor.spec().start != Start::kPoison && UseOf(code_, e.decl).writes;
  MatrixShape s = ShapeOfDecl(e.decl);
  int64_t batch = s.batch == 1 ? 0 : box.batch;
  Matrix out(box.rows, box.cols);
  for (int64_t r = 0; r < box.rows; ++r) {
    int64_t row = batch * s.rows + box.row + r;
    ReadRow(tensor, start, row * s.cols + box.col, box.cols, out.row(r).data());
  }
  return Exact(std::move(out));
}

Bounded Reference::Product(const ir::TensorExpr& e,
                           const MatrixBox& box) const {
  int64_t k = ShapeOf(e.args[0]).cols;
  Bounded a = Eval(e.args[0], {box.batch, box.row, box.rows, 0, k});
  Bounded b = Eval(e.args[1], {box.batch, 0, k, box.col, box.cols});
  Bounded out = Exact(Matrix::Zero(box.rows, box.cols));
  if (chunk_error_ != 0) out.bound.setZero(box.rows, box.cols);
  for (int64_t at = 0; at < k; at += kErrorChunk) {
    int64_t n = std::min<int64_t>(kErrorChunk, k - at);
    if (chunk_error_ != 0)
      AddChunkBound(chunk_error_, a.value.middleCols(at, n),
                    b.value.middleRows(at, n), out);
    AddProduct({box.rows, box.cols, n, a.value.data() + at, k,
                b.value.data() + at * box.cols, box.cols, out.value.data(),
                box.cols});
  }
  AddInherited(a, b, out);
  return out;
}

Bounded Reference::Sum(const ir::TensorExpr& e, const MatrixBox& box) const {
  Bounded a = Eval(e.args[0], box), b = Eval(e.args[1], box);
  a.value += e.kind == Kind::kSub ? Matrix(-b.value) : b.value;
  if (a.exact()) {
    a.bound = std::move(b.bound);
  } else if (!b.exact()) {
    a.bound += b.bound;
  }
  return a;
}

Bounded Reference::Scale(const ir::TensorExpr& e, const MatrixBox& box) const {
  bool first = e.args[0].kind == Kind::kNumber;
  double by = Number(e.args[first ? 0 : 1].number);
  Bounded out = Eval(e.args[first ? 1 : 0], box);
  out.value *= by;
  out.bound *= std::abs(by);
  return out;
}

Bounded Reference::Call(const ir::TensorExpr& e, const MatrixBox& box) const {
  if (e.name == "softmax") return Softmax(e, box);
  if (e.name == "block_scale") return BlockScale(e, box);
  bool transpose = e.name == "transpose";
  Bounded out = Eval(e.args[0], transpose ? Turned(box) : box);
  if (transpose) return {out.value.transpose(), out.bound.transpose()};
  if (e.name == "relu") out.value = out.value.cwiseMax(0.0);
  if (e.name == "exp2") Exp2(out);
  if (e.name == "causal") Causal(box, out);
  return out;
}

// Each score off by at most d moves a weight by a factor of at most e^(2d).
Bounded Reference::Softmax(const ir::TensorExpr& e,
                           const MatrixBox& box) const {
  int64_t cols = ShapeOf(e.args[0]).cols;
  Bounded x = Eval(e.args[0], {box.batch, box.row, box.rows, 0, cols});
  Bounded out = Exact(Matrix(box.rows, box.cols));
  if (!x.exact()) out.bound.resize(box.rows, box.cols);
  for (int64_t r = 0; r < box.rows; ++r) {
    double top = x.value.row(r).maxCoeff();
    Eigen::ArrayXd w = (x.value.row(r).array() - top).exp().transpose().eval();
    out.value.row(r) = (w / w.sum()).segment(box.col, box.cols).transpose();
    if (x.exact()) continue;
    out.bound.row(r) =
        out.value.row(r) * std::expm1(2 * x.bound.row(r).maxCoeff());
  }
  return out;
}

// s is [rows / a, cols / b], or the chunks that tcgen05.cp copies.
Bounded Reference::BlockScale(const ir::TensorExpr& e,
                              const MatrixBox& box) const {
  MatrixShape x = ShapeOf(e.args[0]);
  const ir::TensorExpr& scales = e.args[1];
  Bounded out = Eval(e.args[0], box);
  const ir::BoundDecl* d =
      scales.kind == Kind::kTensor ? &code_.bound.decls[scales.decl] : nullptr;
  bool chunked = d != nullptr && ir::IsOfChunks({d->shape.data(),
                                                 static_cast<size_t>(d->rank)});
  MatrixShape s = ShapeOf(scales);
  if (chunked)
    s = {1, d->shape[0] * kChunkRows, d->shape[1] * kFactorsOfColumn};
  int64_t a = std::max<int64_t>(1, x.rows / std::max<int64_t>(1, s.rows));
  int64_t b = std::max<int64_t>(1, x.cols / std::max<int64_t>(1, s.cols));
  for (int64_t r = 0; r < box.rows; ++r) {
    for (int64_t c = 0; c < box.cols;) {
      int64_t i = (box.row + r) / a, j = (box.col + c) / b;
      int64_t n = std::min((j + 1) * b - box.col - c, box.cols - c);
      MatrixBox at{box.batch, i, 1, j, 1};
      if (chunked) {
        int64_t chunk = i / kChunkRows * d->shape[1] + j / kFactorsOfColumn;
        at = {chunk * kQuarterLanes + i % kQuarterLanes,
              i % kChunkRows / kQuarterLanes, 1, j % kFactorsOfColumn, 1};
      }
      double scale = Eval(scales, at).value(0, 0);
      out.value.row(r).segment(c, n) *= scale;
      if (!out.exact()) out.bound.row(r).segment(c, n) *= std::abs(scale);
      c += n;
    }
  }
  return out;
}

}  // namespace tilesim::machine
