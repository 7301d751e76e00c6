#include "frontend/check_computes.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "ir/cat.h"
#include "ir/printer.h"
#include "ir/reference_functions.h"
#include "ir/tmem.h"

namespace tilesim::frontend {
namespace {

using Shape = std::vector<int64_t>;

std::string Text(const Shape& shape) {
  std::string out;
  for (int64_t n : shape) ir::Append(&out, out.empty() ? "" : "x", n);
  return out;
}

// Without leading ones: a vector is a matrix of one row.
Shape Core(const Shape& s) {
  auto first =
      std::find_if(s.begin(), s.end(), [](int64_t n) { return n != 1; });
  return Shape(first, s.end());
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
      if (!found || Core(*found) == Core(wanted)) continue;
      Fail(c.value, ir::Cat("this is ", Text(*found), " and `", c.target,
                            "` is ", Text(wanted)));
    }
  }

 private:
  std::optional<Shape> Fail(const ir::TensorExpr& e, std::string message,
                            std::string help = "") {
    diagnostics_.Error("shape/computes", e.span, std::move(message)).help =
        std::move(help);
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
        return Broadcast(e, args);
      case Kind::kScale:
        return args[0];
      case Kind::kCall:
        return Call(e, args);
      case Kind::kNumber:
        break;
    }
    return Fail(e, "a number is no tensor");
  }

  // Rows and columns of 1 are repeated; leading dimensions all together.
  std::optional<Shape> Broadcast(const ir::TensorExpr& e,
                                 const std::vector<Shape>& args) {
    if (args.size() < 2) return args[0];  // the other one is a number
    Shape a = args[0], b = args[1];
    size_t rank = std::max(a.size(), b.size());
    a.insert(a.begin(), rank - a.size(), 1);
    b.insert(b.begin(), rank - b.size(), 1);
    Shape out(rank);
    bool fit = Repeats(a, b, rank);
    for (size_t i = 0; i < rank; ++i) {
      out[i] = std::max(a[i], b[i]);
      fit = fit && (i + 2 < rank || a[i] == b[i] || std::min(a[i], b[i]) == 1);
    }
    if (fit) return out;
    return Fail(e, ir::Cat("`", ir::ToString(e), "` combines ", Text(args[0]),
                           " and ", Text(args[1])));
  }

  // Whether all leading dimensions are alike, or those of one are 1.
  static bool Repeats(const Shape& a, const Shape& b, size_t rank) {
    size_t leading = rank - std::min<size_t>(rank, 2);
    auto ones = [&](const Shape& s) {
      return std::all_of(s.begin(), s.begin() + leading,
                         [](int64_t n) { return n == 1; });
    };
    return ones(a) || ones(b) ||
           std::equal(a.begin(), a.begin() + leading, b.begin());
  }

  // [..., m, k] * [..., k, n]
  std::optional<Shape> Matmul(const ir::TensorExpr& e, const Shape& a,
                              const Shape& b) {
    size_t n = a.size();
    bool fit = n >= 2 && b.size() == n && a[n - 1] == b[n - 2] &&
               std::equal(a.begin(), a.end() - 2, b.begin());
    if (!fit) {
      return Fail(
          e,
          ir::Cat("`", ir::ToString(e), "` multiplies ", Text(a), " by ",
                  Text(b)),
          n >= 2 && b.size() == n && a[n - 1] == b[n - 1]
              ? "`*` is the matrix product: the columns of one are the "
                "rows of the other, as in `A * transpose(B)`"
              : "`*` is the matrix product; `mul(x, y)` is elementwise, "
                "and repeats a row or a column");
    }
    Shape out = a;
    out[n - 1] = b[n - 1];
    return out;
  }

  std::optional<Shape> Call(const ir::TensorExpr& e,
                            const std::vector<Shape>& args) {
    Shape x = args[0];
    if (x.empty()) return Fail(e, "this tensor has no dimension");
    switch (ir::FindReferenceFunction(e.name)->result) {
      case ir::ResultShape::kFirst:
        break;
      case ir::ResultShape::kTurned:
        if (x.size() == 1) x.insert(x.begin(), 1);
        std::swap(x[x.size() - 1], x[x.size() - 2]);
        return x;
      case ir::ResultShape::kColumn:
        x.back() = 1;
        return x;
      case ir::ResultShape::kBroadcast:
        return Broadcast(e, args);
    }
    if (e.name == "causal" && x.size() < 2)
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
