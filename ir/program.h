// A parsed .tile file: parameters, memory, kernels and their statements.
// Immutable after the semantic check. Loops stay loops.
#ifndef TILESIM_IR_PROGRAM_H_
#define TILESIM_IR_PROGRAM_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ir/expr.h"
#include "ir/op.h"
#include "ir/span.h"
#include "ir/target.h"
#include "ir/types.h"

namespace tilesim::ir {

// What fmt keeps of the text and no meaning depends on: comments, blank lines.
// Texts include their `//`; in lists an empty string is a blank line.
struct Comments {
  std::vector<std::string> above;     // the lines before
  std::string after;                  // at the end of its last line
  std::string open;                   // after the `{` of its block
  std::vector<std::string> end;       // before the `}` of its block
  std::string else_open;              // after `else {`
  std::vector<std::string> else_end;  // before the `}` of else

  friend bool operator==(const Comments&, const Comments&) { return true; }
};

// The numbers of a parameter as they were written, for the printer. The
// numbers themselves are in Param.
struct ParamText {
  bool written = false;  // false: made by hand, there are only the numbers
  Expr low;
  std::optional<Expr> high;
  std::optional<Expr> step;
  Expr value;

  friend bool operator==(const ParamText&, const ParamText&) { return true; }
};

// param M : 128.. step 128 = 4096      a size the kernel is asked for
// param CAUSAL : 0..1 = 0
struct Param {
  std::string name;
  int64_t low = 0;
  std::optional<int64_t> high;  // absent: no upper bound
  int64_t step = 1;             // permitted values are low + n * step
  int64_t value = 0;            // the default
  int32_t slot = -1;
  ParamText text;
  Span span;

  friend bool operator==(const Param&, const Param&) = default;
};

// const BM = 128                        a compile-time choice; -D replaces it
// let TILES = K / BK                    derived from the others
struct Constant {
  std::string name;
  bool is_let = false;
  Expr value;
  int32_t slot = -1;
  Span span;

  friend bool operator==(const Constant&, const Constant&) = default;
};

// requires M % BM == 0
struct Requirement {
  Expr condition;
  Span span;

  friend bool operator==(const Requirement&, const Requirement&) = default;
};

// Where a declaration lies on top of another: `at a[1] + 1024`.
struct Placement {
  std::string base;
  std::vector<Expr> index;  // which stage of base; may be empty
  Expr offset;              // bytes (shared) or columns (tmem)
  int32_t decl = -1;
  Span span;

  friend bool operator==(const Placement& a, const Placement& b) {
    return a.base == b.base && a.index == b.index && a.offset == b.offset;
  }
};

// One declared object, or an array of them.
//   global A : f16[M, K]
//   shared a[STAGES] : f16[BM, BK] swizzle 128B
//   mbarrier full[STAGES]
//   tmem pool : columns 512 slot tmem_slot
//   tmem acc[2] : f32[BM, BN] at pool + 0
//   reg d : f32[64, BN] fragment wgmma
struct Decl {
  Space space = Space::kGlobal;
  std::string name;
  std::vector<Expr> array;  // extents of the array of objects; empty: one
  DType dtype = DType::kU64;
  std::vector<Expr> shape;
  std::vector<Expr> strides;  // global: in elements; empty: row-major
  Swizzle swizzle = Swizzle::kNone;
  Fragment fragment = Fragment::kNone;
  Expr fragment_arg;                // blocked(V): V
  std::optional<Expr> align;        // shared: bytes
  std::optional<Placement> at;      // explicit aliasing; tmem: always
  std::optional<Expr> columns;      // tmem: an allocation of this many
  std::string slot;                 // tmem: shared word for its address
  std::optional<Expr> domain_low;   // global integers: permitted values
  std::optional<Expr> domain_high;  //   low..high, both inclusive
  bool zero = false;                // global: starts as zeros, not seeded
  bool undefined = false;           // global: holds nothing until it is written
  Span span;

  friend bool operator==(const Decl&, const Decl&) = default;
};

// The reference result, as a small tensor expression evaluated in f64:
//   computes D = A * transpose(B)
// Sums and elementwise functions repeat dimensions of 1 (broadcast).
struct TensorExpr {
  // kMatmul and kScale are both written `*`; the check turns a product with a
  // number, on either side, into kScale.
  enum class Kind { kTensor, kNumber, kMatmul, kAdd, kSub, kScale, kCall };
  Kind kind = Kind::kTensor;
  std::string name;  // tensor, or function (ir/reference_functions.h)
  Expr number;       // kNumber: a literal, or the name of a constant
  std::vector<TensorExpr> args;
  int32_t decl = -1;
  Span span;

  friend bool operator==(const TensorExpr& a, const TensorExpr& b) {
    return a.kind == b.kind && a.name == b.name && a.number == b.number &&
           a.args == b.args;
  }
};

struct Computes {
  std::string target;
  TensorExpr value;
  std::optional<Expr> tolerance;  // `within 0.01`: relative, for what the
                                  // derived bound does not cover
  std::optional<Expr> when;       // `when CAUSAL`: only if this is not 0
  int32_t decl = -1;
  Span span;

  friend bool operator==(const Computes& a, const Computes& b) {
    return a.target == b.target && a.value == b.value &&
           a.tolerance == b.tolerance && a.when == b.when;
  }
};

struct Stmt;
using Block = std::vector<Stmt>;

// Which of the threads that reach it execute a block.
struct Scope {
  enum class Kind {
    kWarps,       // warp E, warps A..B
    kWarpgroups,  // warpgroup E, warpgroups A..B
    kThreads,     // thread E, threads A..B   (of the CTA)
    kLanes,       // lane E, lanes A..B       (of each warp)
    kElect,       // one lane of each warp (elect.sync picks lane 0)
  };
  Kind kind = Kind::kElect;
  bool range = false;
  // `| warp 2`: united with the one before it in the list, of warps as well.
  bool also = false;
  bool one = false;      // `elect one`: a lane of one warp only
  bool implied = false;  // the warp of the `elect one` behind it; not written
  Expr low;
  Expr high;  // exclusive; only when range
  Span span;

  friend bool operator==(const Scope&, const Scope&) = default;
};

// tile_at(tile, a[s]), let m, n = tile_at(tile), return m, n
struct Call {
  enum class Results : uint8_t { kNone, kLet, kVar, kAssign };
  Results how = Results::kNone;
  std::vector<std::string> names;  // of the results
  std::vector<Operand> args;       // of return: the results

  friend bool operator==(const Call&, const Call&) = default;
};

struct Stmt {
  enum class Kind {
    kDecl,    // decl                 a register tile
    kLet,     // let name = value
    kVar,     // var name = value
    kAssign,  // name = value
    kFor,     // for name in low..high step: body
    kWhile,   // while value: body
    kIf,      // if value: body else: orelse
    kBreak,
    kContinue,
    kScope,  // [role name =] scopes: body
    kOp,
    // Only where the grammar alone was read: calls are replaced by what they
    // call before anything else looks at a program.
    kCall,    // [let | var names =] name(args)
    kReturn,  // the last statement of a function
  };
  Kind kind = Kind::kOp;
  std::string name;
  int32_t slot = -1;
  Expr value;
  Expr low, high;
  std::optional<Expr> step;
  std::vector<Scope> scopes;
  Block body;
  Block orelse;
  std::optional<Decl> decl;
  int32_t decl_id = -1;
  bool joined = false;  // kDecl: shares the line and type of the one before
  std::optional<Op> op;
  std::optional<Call> call;  // kCall, kReturn
  Comments comments;
  Span span;

  friend bool operator==(const Stmt& a, const Stmt& b);
};

// A line of a kernel at its top level, so that the printer keeps the order in
// which declarations and statements were written. A kernel without items is
// printed in an order of the printer's own.
struct Item {
  enum class Kind {
    kParam,      // params[first]
    kConstants,  // constants[first, first + count), one `const` or `let` line
    kRequires,   // requirements[first]
    kDecls,      // decls[first, first + count), one line; no registers
    kComputes,   // computes[first]
    kGrid,
    kCluster,
    kBlock,
    kStmt,  // body[first], which has its own comments
  };
  Kind kind = Kind::kStmt;
  int32_t first = 0;
  int32_t count = 1;
  Comments comments;
};

struct Kernel {
  std::string name;
  Target target = Target::kSm90a;
  std::vector<Param> params;
  std::vector<Constant> constants;
  std::vector<Requirement> requirements;
  std::vector<Decl> decls;  // all of them, register tiles of roles included,
                            // in the order of the text: index is the DeclId
  std::vector<Computes> computes;
  std::vector<Expr> grid;     // 1 to 3
  std::vector<Expr> cluster;  // empty: 1
  Expr block;                 // threads of a CTA
  std::optional<Expr> regs;   // registers a thread has at launch
  bool programmatic = false;  // may start before the kernel above it has ended
  Block body;

  // Filled by the semantic check.
  int32_t slots = 0;                    // scalars: params first
  std::vector<std::string> slot_names;  // by slot
  std::vector<std::string> roles;       // in order of first appearance

  std::vector<Item> items;
  Comments comments;
  Span span;

  // Same program; items and what the check fills in do not count.
  friend bool operator==(const Kernel& a, const Kernel& b);
};

// A parameter of a function.
//   k                            a number
//   var x                        a var of the caller, which may be assigned
//   shared a : f16               memory; its type may be left out
//   reg acc : f32 fragment wgmma
struct FnParam {
  enum class Kind : uint8_t { kNumber, kVar, kMemory };
  Kind kind = Kind::kNumber;
  Space space = Space::kGlobal;  // kMemory
  std::string name;
  std::optional<DType> dtype;
  Fragment fragment = Fragment::kNone;
  Expr fragment_arg;
  Span span;

  friend bool operator==(const FnParam&, const FnParam&) = default;
};

// fn tile_at(tile, shared a) { ... return m, n }
struct Fn {
  std::string name;
  std::vector<FnParam> params;
  std::vector<Decl> decls;  // its register tiles
  Block body;
  Comments comments;
  Span span;

  friend bool operator==(const Fn&, const Fn&) = default;
};

// include "tiles.tile"
struct Include {
  std::string path;
  Comments comments;
  Span span;

  friend bool operator==(const Include&, const Include&) = default;
};

// A file: one kernel, or several launched one after another on one stream.
// Later kernels see the globals of earlier ones by name. Includes and functions
// are there when the grammar alone was read.
struct Program {
  std::vector<Include> includes;
  std::vector<Fn> functions;
  std::vector<Kernel> kernels;
  Comments comments;  // end: after the last kernel

  friend bool operator==(const Program&, const Program&) = default;
};

}  // namespace tilesim::ir

#endif  // TILESIM_IR_PROGRAM_H_
