#include "ir/work.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "ir/reference_functions.h"

namespace tilesim::ir {
namespace {

struct Shape {
  std::array<double, kMaxRank> extent{};
  int rank = 0;
  int bits = 64;    // of the narrowest tensor in it
  double used = 1;  // share of its elements that are not masked

  double batch() const {
    double n = 1;
    for (int i = 0; i + 2 < rank; ++i) n *= extent[i];
    return n;
  }
  double rows() const { return rank >= 2 ? extent[rank - 2] : 1; }
  double cols() const { return rank >= 1 ? extent[rank - 1] : 1; }
};

// The share of a matrix that lies on and below its diagonal.
double CausalShare(const Shape& s) {
  double full = std::max(s.rows() - s.cols(), 0.0);  // rows below the square
  double edge = s.rows() - full;
  double kept = edge * (edge + 1) / 2 + full * s.cols();
  return kept / (s.rows() * s.cols());
}

class Counter {
 public:
  Counter(const BoundKernel& bound, Work& work) : bound_(bound), work_(work) {}

  // `wanted`: the share of the elements of `e` that is looked at.
  void Count(const TensorExpr& e, double wanted = 1) {
    if (IsCall(e, "causal")) wanted *= CausalShare(ShapeOf(e.args[0]));
    if (e.kind == TensorExpr::Kind::kMatmul) {
      CountProduct(ShapeOf(e.args[0]), ShapeOf(e.args[1]), wanted);
      wanted = 1;
    }
    for (const TensorExpr& arg : e.args) Count(arg, wanted);
  }

 private:
  static bool IsCall(const TensorExpr& e, std::string_view name) {
    return e.kind == TensorExpr::Kind::kCall && e.name == name;
  }

  void CountProduct(const Shape& a, const Shape& b, double wanted) {
    work_.flops += 2 * a.batch() * a.rows() * a.cols() * b.cols() * a.used *
                   b.used * wanted;
    int bits = std::min(a.bits, b.bits);
    work_.peak_factor = bits <= 4 ? 4 : bits <= 8 ? 2 : bits <= 16 ? 1 : 0.5;
  }

  Shape ShapeOf(const TensorExpr& e) const {
    if (e.kind == TensorExpr::Kind::kTensor) return OfTensor(e.decl);
    if (e.args.empty()) return {};
    Shape s = ShapeOf(e.args[0]);
    // A number times a tensor.
    if (s.rank == 0 && e.args.size() > 1) s = ShapeOf(e.args[1]);
    if (e.kind == TensorExpr::Kind::kMatmul) {
      Shape b = ShapeOf(e.args[1]);
      s.extent[s.rank - 1] = b.cols();
      // A chain of products is as fast as its inputs allow.
      s.bits = std::min(s.bits, b.bits);
      s.used = 1;
    }
    if (e.kind == TensorExpr::Kind::kCall) Call(e, s);
    if (e.kind == TensorExpr::Kind::kAdd || e.kind == TensorExpr::Kind::kSub)
      Repeat(ShapeOf(e.args[1]), s);
    return s;
  }

  // `s`: of the first argument, becomes that of the result.
  void Call(const TensorExpr& e, Shape& s) const {
    const ReferenceFunction* f = FindReferenceFunction(e.name);
    if (f == nullptr || s.rank == 0) return;
    if (f->result == ResultShape::kTurned) {
      if (s.rank == 1) s = {{1, s.extent[0]}, 2, s.bits, s.used};
      std::swap(s.extent[s.rank - 1], s.extent[s.rank - 2]);
    }
    if (f->result == ResultShape::kColumn) s.extent[s.rank - 1] = 1;
    if (f->result == ResultShape::kBroadcast) Repeat(ShapeOf(e.args[1]), s);
    if (e.name == "causal") s.used = CausalShare(s);
  }

  // Dimensions of 1 are repeated to those of `by`.
  static void Repeat(const Shape& by, Shape& s) {
    Shape out = s.rank >= by.rank ? s : by;
    int narrow = std::min(s.rank, by.rank);
    for (int i = 1; i <= narrow; ++i)
      out.extent[out.rank - i] =
          std::max(s.extent[s.rank - i], by.extent[by.rank - i]);
    out.bits = s.bits;
    out.used = s.used;
    s = out;
  }

  Shape OfTensor(int32_t decl) const {
    Shape s;
    if (decl < 0) return s;
    const BoundDecl& d = bound_.decls[decl];
    s.rank = d.rank;
    for (int i = 0; i < d.rank; ++i)
      s.extent[i] = static_cast<double>(d.shape[i]);
    s.bits = values::BitsOf(d.dtype);
    return s;
  }

  const BoundKernel& bound_;
  Work& work_;
};

}  // namespace

Work WorkOf(const std::vector<BoundKernel>& kernels) {
  Work work;
  for (const BoundKernel& bound : kernels) {
    Counter counter(bound, work);
    for (size_t i = 0; i < bound.computes.size(); ++i) {
      if (bound.computes[i]) counter.Count(bound.kernel->computes[i].value);
    }
  }
  return work;
}

}  // namespace tilesim::ir
