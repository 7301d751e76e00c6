#include "frontend/check_computes.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "ir/cat.h"
#include "ir/printer.h"
#include "ir/tmem.h"

namespace tilesim::frontend {
namespace {

using Shape = std::vector<int64_t>;

std::string Text(const Shape& shape) {
  std::string out;
  for (int64_t n : shape) ir::Append(&out, out.empty() ? "" : "x", n);
  return out;
}

class ShapeChecker {
 public:
  ShapeChecker(const ir::BoundKernel& bound, ir::Diagnostics& diagnostics)
      : bound_(bound), diagnostics_(diagnostics) {}

  void Run() {
    for (size_t i = 0; i < bound_.kernel->computes.size(); ++i) {
      if (!bound_.computes[i]) continue;  // not for these parameters
      const ir::Computes& c = bound_.kernel->computes[i];
      std::optional<Shape> found = Of(c.value);
      Shape wanted = ShapeOf(c.decl);
      if (!found || *found == wanted) continue;
      Fail(c.value, ir::Cat("this is ", Text(*found), " and `", c.target,
                            "` is ", Text(wanted)));
    }
  }

 private:
  std::optional<Shape> Fail(const ir::TensorExpr& e, std::string message) {
    diagnostics_.Error("shape/computes", e.span, std::move(message));
    return std::nullopt;
  }

  Shape ShapeOf(int32_t decl) const {
    const ir::BoundDecl& d = bound_.decls[decl];
    return Shape(d.shape.begin(), d.shape.begin() + d.rank);
  }

  std::optional<Shape> Of(const ir::TensorExpr& e) {
    using Kind = ir::TensorExpr::Kind;
    std::vector<Shape> args;
    for (const ir::TensorExpr& arg : e.args) {
      if (arg.kind == Kind::kNumber) continue;
      std::optional<Shape> s = Of(arg);
      if (!s) return std::nullopt;
      args.push_back(std::move(*s));
    }
    switch (e.kind) {
      case Kind::kTensor:
        return ShapeOf(e.decl);
      case Kind::kMatmul:
        return Matmul(e, args[0], args[1]);
      case Kind::kAdd:
      case Kind::kSub:
        return Same(e, args[0], args[1]);
      case Kind::kScale:
        return args[0];
      case Kind::kCall:
        return Call(e, args);
      case Kind::kNumber:
        break;
    }
    return Fail(e, "a number is no tensor");
  }

  std::optional<Shape> Same(const ir::TensorExpr& e, const Shape& a,
                            const Shape& b) {
    if (a == b) return a;
    return Fail(e, ir::Cat("`", ir::ToString(e), "` combines ", Text(a),
                           " and ", Text(b)));
  }

  // [..., m, k] * [..., k, n]
  std::optional<Shape> Matmul(const ir::TensorExpr& e, const Shape& a,
                              const Shape& b) {
    size_t n = a.size();
    bool fit = n >= 2 && b.size() == n && a[n - 1] == b[n - 2] &&
               std::equal(a.begin(), a.end() - 2, b.begin());
    if (!fit) {
      return Fail(e, ir::Cat("`", ir::ToString(e), "` multiplies ", Text(a),
                             " by ", Text(b)));
    }
    Shape out = a;
    out[n - 1] = b[n - 1];
    return out;
  }

  std::optional<Shape> Call(const ir::TensorExpr& e,
                            const std::vector<Shape>& args) {
    Shape x = args[0];
    bool matrix = x.size() >= 2;
    if (e.name == "transpose") {
      if (!matrix) return Fail(e, "`transpose` takes a matrix");
      std::swap(x[x.size() - 1], x[x.size() - 2]);
    }
    if (e.name == "causal" && !matrix)
      return Fail(e, "`causal` takes a matrix");
    if (e.name == "block_scale" && !Divides(args[1], x)) {
      return Fail(
          e, ir::Cat("factors of ", Text(args[1]), " do not divide ", Text(x)));
    }
    return x;
  }

  // Factors as a matrix, or as the chunks that tcgen05.cp copies.
  static bool Divides(Shape scale, const Shape& x) {
    if (ir::IsOfChunks(scale))
      scale = {scale[0] * ir::kChunkRows, scale[1] * ir::kFactorsOfColumn};
    if (scale.size() != x.size()) return false;
    for (size_t i = 0; i < x.size(); ++i) {
      if (x[i] % scale[i] != 0) return false;
    }
    return true;
  }

  const ir::BoundKernel& bound_;
  ir::Diagnostics& diagnostics_;
};

}  // namespace

void CheckComputes(const ir::BoundKernel& bound, ir::Diagnostics& diagnostics) {
  ShapeChecker(bound, diagnostics).Run();
}

}  // namespace tilesim::frontend
