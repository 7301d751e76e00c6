// What a legality rule sees of an op: its operands with the numbers they have
// for the default parameters, and how to report.
//
// A rule is a function of an OpCheck that the op's CheckOp calls (rules.h). It
// names the source of what it enforces in a comment and in Error.
#ifndef TILESIM_FRONTEND_LEGALITY_OP_CHECK_H_
#define TILESIM_FRONTEND_LEGALITY_OP_CHECK_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "frontend/threads.h"
#include "ir/bind.h"
#include "ir/diagnostic.h"
#include "ir/eval.h"
#include "ir/program.h"

namespace tilesim::frontend {

// A box of a declared object.
struct Tile {
  struct Dim {
    int64_t extent = 1;
    int64_t size = 1;              // of the object
    std::optional<int64_t> start;  // if it is a constant
  };
  const ir::Decl* decl = nullptr;
  const ir::BoundDecl* bound = nullptr;
  std::vector<Dim> dims;
  bool transposed = false;

  ir::Space space() const { return decl->space; }
  ir::DType dtype() const { return decl->dtype; }
  int bits() const { return values::BitsOf(decl->dtype); }
  int64_t elements() const;
  int64_t bytes() const { return (elements() * bits() + 7) / 8; }
  // The matrix: columns are the last dimension, everything before it is rows.
  // As written, transpose not applied.
  int64_t cols() const { return dims.empty() ? 1 : dims.back().extent; }
  int64_t rows() const;
  // The matrix as the op uses it.
  int64_t used_rows() const { return transposed ? cols() : rows(); }
  int64_t used_cols() const { return transposed ? rows() : cols(); }
  std::optional<int64_t> first_row() const;  // when known
  std::optional<int64_t> first_col() const;
  int64_t row_bytes() const { return cols() * bits() / 8; }
  // Extents above 1.
  std::vector<int64_t> Squeezed() const;
  std::string Shape() const;  // "128x64"
};

// Kernels are checked for the parameters they have by default.
struct KernelCheck {
  const ir::Kernel& kernel;
  const ir::BoundKernel& bound;
  ir::EvalEnv env;
  ir::Diagnostics& diagnostics;
};

// "wgmma", "blocked(4)"
std::string FragmentOf(const Tile& tile);

class OpCheck {
 public:
  OpCheck(const KernelCheck& kernel, const ir::Op& op, const Threads& threads)
      : kernel_(kernel), op_(op), threads_(threads) {}

  const ir::Op& op() const { return op_; }
  const ir::Kernel& kernel() const { return kernel_.kernel; }
  const ir::BoundKernel& bound() const { return kernel_.bound; }
  const Threads& threads() const { return threads_; }
  std::string_view mnemonic() const { return op_.info->mnemonic; }

  bool has(int operand) const { return op_.has(operand); }
  bool is_ref(int operand) const;
  const ir::Ref& ref(int operand) const { return op_.operands[operand].ref; }
  // Of an operand that is a tile (or a barrier, an allocation: no dimensions).
  Tile tile(int operand) const;
  // Of an operand that is a number, when it is a constant.
  std::optional<int64_t> number(int operand) const;
  std::optional<int64_t> Evaluate(const ir::Expr& e) const;
  std::string Text(int operand) const;  // as written
  // Bytes that an instruction of the op takes of the operand at a time.
  int64_t Vector(int operand) const;

  // `operand` < 0: the whole op. `source` becomes a note.
  ir::Diagnostic& Error(ir::Code code, int operand, std::string message,
                        std::string_view source = "");

  // --- rules that many ops share; each reports and returns false -----------

  // Same extents, whatever dimensions of 1 stand between.
  bool SameShape(int a, int b);
  bool SameType(int a, int b);
  bool SameFragment(int a, int b);
  // The operand's element type is one of these.
  bool TypeIn(int operand, std::vector<ir::DType> types,
              std::string_view source);
  // Not `@ cta`.
  void OwnCta(int operand, std::string_view source);
  // A constant in [low, high], a multiple of `step` from `low`.
  void InRange(int operand, int64_t low, int64_t high, int64_t step,
               ir::Code code, std::string_view source);
  // A constant mask of CTAs of the cluster.
  void ClusterMask(int operand);

 private:
  ir::Span SpanOf(int operand) const;

  const KernelCheck& kernel_;
  const ir::Op& op_;
  const Threads& threads_;
};

}  // namespace tilesim::frontend

#endif  // TILESIM_FRONTEND_LEGALITY_OP_CHECK_H_
