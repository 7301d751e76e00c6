#include "cli/work.h"

#include <algorithm>
#include <array>

namespace tilesim::cli {
namespace {

using ir::TensorExpr;

struct Shape {
  std::array<double, ir::kMaxRank> extent{};
  int rank = 0;
  int bits = 64;  // of the narrowest tensor in it

  double batch() const {
    double n = 1;
    for (int i = 0; i + 2 < rank; ++i) n *= extent[i];
    return n;
  }
  double rows() const { return rank >= 2 ? extent[rank - 2] : 1; }
  double cols() const { return rank >= 1 ? extent[rank - 1] : 1; }
};

class Counter {
 public:
  Counter(const ir::BoundKernel& bound, Work& work)
      : bound_(bound), work_(work) {}

  Shape Count(const TensorExpr& e) {
    if (e.kind == TensorExpr::Kind::kTensor) return OfTensor(e.decl);
    Shape first;
    for (size_t i = 0; i < e.args.size(); ++i) {
      Shape s = Count(e.args[i]);
      if (i == 0 || first.rank == 0) {
        first = s;
      } else if (e.kind == TensorExpr::Kind::kMatmul) {
        first = Multiply(first, s);
      }
    }
    if (e.kind == TensorExpr::Kind::kCall && e.name == "transpose" &&
        first.rank >= 2)
      std::swap(first.extent[first.rank - 1], first.extent[first.rank - 2]);
    return first;
  }

 private:
  Shape OfTensor(int32_t decl) const {
    Shape s;
    if (decl < 0) return s;
    const ir::BoundDecl& d = bound_.decls[decl];
    s.rank = d.rank;
    for (int i = 0; i < d.rank; ++i)
      s.extent[i] = static_cast<double>(d.shape[i]);
    s.bits = values::BitsOf(d.dtype);
    return s;
  }

  Shape Multiply(const Shape& a, const Shape& b) {
    if (b.rank == 0) return a;
    work_.flops += 2 * a.batch() * a.rows() * a.cols() * b.cols();
    int bits = std::min(a.bits, b.bits);
    work_.peak_factor = bits <= 4 ? 4 : bits <= 8 ? 2 : bits <= 16 ? 1 : 0.5;
    Shape out = a;
    out.extent[out.rank - 1] = b.cols();
    out.bits = 64;
    // A chain of products is as fast as its inputs allow.
    out.bits = bits;
    return out;
  }

  const ir::BoundKernel& bound_;
  Work& work_;
};

}  // namespace

Work WorkOf(const std::vector<machine::Code>& codes) {
  Work work;
  for (const machine::Code& code : codes) {
    Counter counter(code.bound, work);
    for (size_t i = 0; i < code.bound.computes.size(); ++i) {
      if (code.bound.computes[i])
        counter.Count(code.kernel().computes[i].value);
    }
  }
  return work;
}

}  // namespace tilesim::cli
