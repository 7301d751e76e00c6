#include "sim/machine/data/reference.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <vector>

#include "ir/eval.h"
#include "ir/reference_functions.h"
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
constexpr int64_t kPartOfK = 8 * kErrorChunk;

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

// Exact, and any box of it is made of as many elements of tensors.
bool ByElement(const ir::TensorExpr& e) {
  const bool itself =
      e.kind == Kind::kTensor || e.kind == Kind::kNumber ||
      e.kind == Kind::kScale ||
      (e.kind == Kind::kCall &&
       (e.name == "block_scale" ||
        ir::FindReferenceFunction(e.name)->result == ir::ResultShape::kTurned));
  return itself && std::all_of(e.args.begin(), e.args.end(), ByElement);
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

Reference::Reference(const std::vector<const Code*>& codes, size_t kernel,
                     const Globals& globals)
    : code_(*codes[kernel]),
      kernel_(static_cast<int>(kernel)),
      globals_(globals),
      chunk_error_(ChunkError(code_)) {
  for (size_t i = 0; i < code_.bound.decls.size(); ++i) {
    const GlobalTensor* tensor = globals.Get(kernel_, static_cast<int>(i));
    const Writers w = WritersOf(codes, kernel, code_.kernel().decls[i].name);
    // What this kernel or a later one writes was, when this one began, what it
    // was at first: if none wrote it before (LostSince).
    from_start_.push_back(tensor != nullptr &&
                          tensor->spec().start != Start::kPoison && !w.before &&
                          (w.itself || w.after));
  }
}

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
  ir::ResultShape result = ir::ResultShape::kBroadcast;
  if (e.kind == Kind::kCall) result = ir::FindReferenceFunction(e.name)->result;
  if (result == ir::ResultShape::kFirst) return a;
  if (result == ir::ResultShape::kTurned) return {a.batch, a.cols, a.rows};
  if (result == ir::ResultShape::kColumn) return {a.batch, a.rows, 1};
  MatrixShape b = ShapeOf(e.args[1]);
  int64_t batch = std::max(a.batch, b.batch);
  bool fit = a.batch == b.batch || a.batch == 1 || b.batch == 1;
  if (e.kind == Kind::kMatmul) {
    return fit && a.cols == b.rows ? MatrixShape{batch, a.rows, b.cols} : kNone;
  }
  MatrixShape out{batch, std::max(a.rows, b.rows), std::max(a.cols, b.cols)};
  for (const MatrixShape& s : {a, b}) {
    fit = fit && (s.rows == out.rows || s.rows == 1) &&
          (s.cols == out.cols || s.cols == 1);
  }
  return fit ? out : kNone;
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
      return Combined(e, box);
    case Kind::kScale:
      return Scale(e, box);
    case Kind::kCall:
      return Call(e, box);
  }
  return {};
}

Bounded Reference::Leaf(const ir::TensorExpr& e, const MatrixBox& box) const {
  const GlobalTensor& tensor = *globals_.Get(kernel_, e.decl);
  bool start = from_start_[e.decl];
  MatrixShape s = ShapeOfDecl(e.decl);
  int64_t batch = s.batch == 1 ? 0 : box.batch;
  Matrix out(box.rows, box.cols);
  for (int64_t r = 0; r < box.rows; ++r) {
    int64_t row = batch * s.rows + box.row + r;
    ReadRow(tensor, start, row * s.cols + box.col, box.cols, out.row(r).data());
  }
  return Exact(std::move(out));
}

// Operands of which a part costs what is in it are evaluated a part of K at a
// time, which stays in the cache; sums go in the same order either way.
Bounded Reference::Product(const ir::TensorExpr& e,
                           const MatrixBox& box) const {
  const int64_t k = ShapeOf(e.args[0]).cols;
  const bool parts = ByElement(e.args[0]) && ByElement(e.args[1]);
  const int64_t step = parts ? kPartOfK : std::max<int64_t>(k, 1);
  Bounded out = Exact(Matrix::Zero(box.rows, box.cols));
  if (chunk_error_ != 0) out.bound.setZero(box.rows, box.cols);
  for (int64_t at = 0; at < k; at += step) {
    const int64_t n = std::min(step, k - at);
    Bounded a = Eval(e.args[0], {box.batch, box.row, box.rows, at, n});
    Bounded b = Eval(e.args[1], {box.batch, at, n, box.col, box.cols});
    AddChunks(a.value, b.value, out);
    AddInherited(a, b, out);
  }
  return out;
}

void Reference::AddChunks(const Matrix& a, const Matrix& b,
                          Bounded& out) const {
  const int64_t k = a.cols(), cols = b.cols();
  for (int64_t at = 0; at < k; at += kErrorChunk) {
    const int64_t n = std::min<int64_t>(kErrorChunk, k - at);
    if (chunk_error_ != 0)
      AddChunkBound(chunk_error_, a.middleCols(at, n), b.middleRows(at, n),
                    out);
    AddProduct({a.rows(), cols, n, a.data() + at, k, b.data() + at * cols, cols,
                out.value.data(), cols});
  }
}

// An argument of one row or column, for all of the box.
Bounded Reference::Fitted(const ir::TensorExpr& e, const MatrixBox& box) const {
  MatrixShape shape = ShapeOf(e);
  MatrixBox from = box;
  if (shape.rows == 1) from.row = 0, from.rows = 1;
  if (shape.cols == 1) from.col = 0, from.cols = 1;
  Bounded out = Eval(e, from);
  AddRounding(out);
  Repeat(box.rows, box.cols, out);
  return out;
}

Bounded Reference::Combined(const ir::TensorExpr& e,
                            const MatrixBox& box) const {
  Bounded a = Fitted(e.args[0], box), b = Fitted(e.args[1], box);
  if (e.kind == Kind::kAdd) return Add(std::move(a), std::move(b));
  if (e.kind == Kind::kSub) return Subtract(std::move(a), std::move(b));
  return e.name == "div" ? Divide(a, b) : Multiply(a, b);
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
  const ir::TensorExpr& arg = e.args[0];
  switch (ir::FindReferenceFunction(e.name)->result) {
    case ir::ResultShape::kBroadcast:
      return Combined(e, box);
    case ir::ResultShape::kColumn:
      return ReduceRows(e.name, Eval(arg, {box.batch, box.row, box.rows, 0,
                                           ShapeOf(arg).cols}));
    case ir::ResultShape::kTurned: {
      Bounded out = Eval(arg, Turned(box));
      return {out.value.transpose(), out.bound.transpose()};
    }
    case ir::ResultShape::kFirst:
      break;
  }
  Bounded out = Eval(arg, box);
  if (e.name == "causal") {
    Causal(box, out);
  } else {
    AddRounding(out);
    ApplyFunction(e.name, out);
  }
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

// Factors that lie in the chunks that tcgen05.cp copies.
const ir::BoundDecl* Reference::Chunked(const ir::TensorExpr& scales) const {
  if (scales.kind != Kind::kTensor) return nullptr;
  const ir::BoundDecl& d = code_.bound.decls[scales.decl];
  bool chunks = ir::IsOfChunks({d.shape.data(), static_cast<size_t>(d.rank)});
  return chunks ? &d : nullptr;
}

MatrixShape Reference::ShapeOfFactors(const ir::TensorExpr& scales) const {
  if (const ir::BoundDecl* d = Chunked(scales))
    return {1, d->shape[0] * kChunkRows, d->shape[1] * kFactorsOfColumn};
  return ShapeOf(scales);
}

// A box of the matrix of factors. Of chunks the rows that it touches are read
// in pieces of kFactorsOfColumn.
Matrix Reference::Factors(const ir::TensorExpr& scales,
                          const MatrixBox& box) const {
  const ir::BoundDecl* d = Chunked(scales);
  if (d == nullptr) return Eval(scales, box).value;
  const GlobalTensor& tensor = *globals_.Get(kernel_, scales.decl);
  bool start = from_start_[scales.decl];
  Matrix out(box.rows, box.cols);
  std::array<double, kFactorsOfColumn> piece;
  for (int64_t r = 0; r < box.rows; ++r) {
    int64_t row = box.row + r, lane = row % kChunkRows;
    for (int64_t c = 0; c < box.cols;) {
      int64_t col = box.col + c, inside = col % kFactorsOfColumn;
      int64_t chunk = row / kChunkRows * d->shape[1] + col / kFactorsOfColumn;
      int64_t first = (chunk * kQuarterLanes + lane % kQuarterLanes) *
                          (kChunkRows / kQuarterLanes) +
                      lane / kQuarterLanes;
      int64_t n = std::min(kFactorsOfColumn - inside, box.cols - c);
      ReadRow(tensor, start, first * kFactorsOfColumn, kFactorsOfColumn,
              piece.data());
      std::copy_n(piece.data() + inside, n, out.row(r).data() + c);
      c += n;
    }
  }
  return out;
}

// s is [rows / a, cols / b]: each factor is for a block of a x b.
Bounded Reference::BlockScale(const ir::TensorExpr& e,
                              const MatrixBox& box) const {
  MatrixShape x = ShapeOf(e.args[0]), s = ShapeOfFactors(e.args[1]);
  Bounded out = Eval(e.args[0], box);
  if (out.value.size() == 0) return out;
  int64_t a = std::max<int64_t>(1, x.rows / std::max<int64_t>(1, s.rows));
  int64_t b = std::max<int64_t>(1, x.cols / std::max<int64_t>(1, s.cols));
  MatrixBox from{box.batch, box.row / a, 0, box.col / b, 0};
  from.rows = (box.row + box.rows - 1) / a - from.row + 1;
  from.cols = (box.col + box.cols - 1) / b - from.col + 1;
  const Matrix factors = Factors(e.args[1], from);
  for (int64_t r = 0; r < box.rows; ++r) {
    auto row = factors.row((box.row + r) / a - from.row);
    for (int64_t c = 0; c < box.cols;) {
      int64_t j = (box.col + c) / b;
      int64_t n = std::min((j + 1) * b - box.col - c, box.cols - c);
      double scale = row[j - from.col];
      out.value.row(r).segment(c, n) *= scale;
      if (!out.exact()) out.bound.row(r).segment(c, n) *= std::abs(scale);
      c += n;
    }
  }
  return out;
}

}  // namespace tilesim::machine
