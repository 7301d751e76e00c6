// A `computes` expression in f64, for a box of its elements, with a bound on
// what tensor-core arithmetic may differ from it.
//
// Tensors are batches of matrices: all leading dimensions are one. A batch of
// one matrix fits any batch; where elements are combined, so do one row and one
// column.
//
// Errors: none; see ShapeOf for parts that do not fit each other.
#ifndef TILESIM_SIM_MACHINE_DATA_REFERENCE_H_
#define TILESIM_SIM_MACHINE_DATA_REFERENCE_H_

#include <cstdint>
#include <vector>

#include "ir/program.h"
#include "sim/machine/code.h"
#include "sim/machine/data/bounded.h"
#include "sim/machine/data/globals.h"

namespace tilesim::machine {

struct MatrixShape {
  int64_t batch = 1, rows = 1, cols = 1;
};

struct MatrixBox {
  int64_t batch = 0;
  int64_t row = 0, rows = 0;
  int64_t col = 0, cols = 0;
};

// Codes as numbers; floats, which are all f32 or narrower, the fast way.
void DecodeDoubles(ir::DType type, const void* codes, int64_t count,
                   double* out);

// May be asked by several threads at once.
class Reference {
 public:
  // Of kernel `kernel` of all that were launched.
  Reference(const std::vector<const Code*>& codes, size_t kernel,
            const Globals& globals);

  // Sizes of an expression; rows 0 when its parts do not fit each other.
  MatrixShape ShapeOf(const ir::TensorExpr& e) const;
  Bounded Eval(const ir::TensorExpr& e, const MatrixBox& box) const;
  double Number(const ir::Expr& e) const;

 private:
  Bounded Leaf(const ir::TensorExpr& e, const MatrixBox& box) const;
  Bounded Product(const ir::TensorExpr& e, const MatrixBox& box) const;
  void AddChunks(const Matrix& a, const Matrix& b, Bounded& out) const;
  Bounded Combined(const ir::TensorExpr& e, const MatrixBox& box) const;
  Bounded Fitted(const ir::TensorExpr& e, const MatrixBox& box) const;
  Bounded Scale(const ir::TensorExpr& e, const MatrixBox& box) const;
  Bounded Call(const ir::TensorExpr& e, const MatrixBox& box) const;
  Bounded Softmax(const ir::TensorExpr& e, const MatrixBox& box) const;
  Bounded BlockScale(const ir::TensorExpr& e, const MatrixBox& box) const;
  Matrix Factors(const ir::TensorExpr& scales, const MatrixBox& box) const;
  MatrixShape ShapeOfFactors(const ir::TensorExpr& scales) const;
  const ir::BoundDecl* Chunked(const ir::TensorExpr& scales) const;
  MatrixShape ShapeOfDecl(int decl) const;

  const Code& code_;
  int kernel_;
  const Globals& globals_;
  std::vector<bool> from_start_;  // by declaration
  double chunk_error_;  // of kChunk products, relative to the largest partial
};

}  // namespace tilesim::machine

#endif  // TILESIM_SIM_MACHINE_DATA_REFERENCE_H_
