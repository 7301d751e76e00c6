// Integer expressions over parameters, constants, scalars and the identity of
// the executing threads. Constants may be floats; arithmetic on them happens
// only where everything is known before the run.
//
// Meaning: 64-bit two's complement, overflow is an error (type/overflow);
// `/` and `%` floor towards zero as in C and their divisor must not be 0;
// comparisons give 0 or 1; `&&`, `||` and `?:` evaluate only what they need.
#ifndef TILESIM_IR_EXPR_H_
#define TILESIM_IR_EXPR_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "ir/span.h"

namespace tilesim::ir {

enum class ExprKind : uint8_t {
  kInt,     // value
  kFloat,   // number
  kName,    // name, resolved to slot
  kUnary,   // op, args[0]
  kBinary,  // op, args[0], args[1]
  kSelect,  // args[0] ? args[1] : args[2]
  kCall,    // name(args): min max cdiv bytes
};

enum class ExprOp : uint8_t {
  kNone,
  kNeg,
  kNot,
  kBitNot,
  kMul,
  kDiv,
  kRem,
  kAdd,
  kSub,
  kShl,
  kShr,
  kLt,
  kLe,
  kGt,
  kGe,
  kEq,
  kNe,
  kBitAnd,
  kBitXor,
  kBitOr,
  kAnd,
  kOr,
};

// What a name means, filled in by the semantic check.
enum class NameKind : uint8_t {
  kUnresolved,
  kParam,    // slot: index into the kernel's scalars, set at launch
  kConst,    // likewise; a compile-time choice
  kLet,      // likewise; immutable
  kVar,      // likewise; assignable
  kLoop,     // likewise; a loop counter
  kBuiltin,  // slot: a Builtin
};

// Who is executing, and where.
enum class Builtin : uint8_t {
  kCtaX,
  kCtaY,
  kCtaZ,  // position in the grid
  kGridX,
  kGridY,
  kGridZ,        // size of the grid
  kClusterRank,  // rank of this CTA in its cluster
  kClusterSize,
  kClusterIdX,
  kClusterIdY,  // position of the cluster in the grid
  kWarp,        // warp of the CTA; splits a strand by warp
  kWarpgroup,   // likewise by warpgroup
  kSmCount,     // SMs of the GPU
};

struct BuiltinInfo {
  std::string_view name;
  std::string_view doc;
};
inline constexpr BuiltinInfo kBuiltins[] = {
    {"cta.x", "x of this CTA in the grid (%ctaid.x)"},
    {"cta.y", "y of this CTA in the grid (%ctaid.y)"},
    {"cta.z", "z of this CTA in the grid (%ctaid.z)"},
    {"grid.x", "CTAs along x (%nctaid.x)"},
    {"grid.y", "CTAs along y (%nctaid.y)"},
    {"grid.z", "CTAs along z (%nctaid.z)"},
    {"cluster.rank", "rank of this CTA in its cluster (%cluster_ctarank)"},
    {"cluster.size", "CTAs in a cluster (%cluster_nctarank)"},
    {"cluster.x", "x of this cluster in the grid (%clusterid.x)"},
    {"cluster.y", "y of this cluster in the grid (%clusterid.y)"},
    {"warp", "index of the warp in its CTA; each warp sees its own"},
    {"warpgroup", "index of the warpgroup in its CTA; each sees its own"},
    {"sm.count", "SMs of the GPU (a persistent grid's size)"},
};

struct Expr {
  ExprKind kind = ExprKind::kInt;
  ExprOp op = ExprOp::kNone;
  NameKind name_kind = NameKind::kUnresolved;
  int32_t slot = -1;
  int64_t value = 0;
  double number = 0;
  std::string name;  // kName, kCall; of a number its spelling, if that is not
                     // the plain one: 0b11, 1_000, 1e-3
  std::vector<Expr> args;
  Span span;

  static Expr Int(int64_t value, Span span = {});

  bool is_int(int64_t v) const { return kind == ExprKind::kInt && value == v; }
  // Same text; resolution and place do not count.
  friend bool operator==(const Expr& a, const Expr& b) {
    return a.kind == b.kind && a.op == b.op && a.value == b.value &&
           a.number == b.number && a.name == b.name && a.args == b.args;
  }
};

struct OpSpelling {
  ExprOp op;
  std::string_view text;
  int precedence;  // larger binds tighter; unary is kUnaryPrecedence
};
inline constexpr int kUnaryPrecedence = 20;
inline constexpr OpSpelling kBinaryOps[] = {
    {ExprOp::kMul, "*", 12},   {ExprOp::kDiv, "/", 12},
    {ExprOp::kRem, "%", 12},   {ExprOp::kAdd, "+", 11},
    {ExprOp::kSub, "-", 11},   {ExprOp::kShl, "<<", 10},
    {ExprOp::kShr, ">>", 10},  {ExprOp::kLt, "<", 9},
    {ExprOp::kLe, "<=", 9},    {ExprOp::kGt, ">", 9},
    {ExprOp::kGe, ">=", 9},    {ExprOp::kEq, "==", 8},
    {ExprOp::kNe, "!=", 8},    {ExprOp::kBitAnd, "&", 7},
    {ExprOp::kBitXor, "^", 6}, {ExprOp::kBitOr, "|", 5},
    {ExprOp::kAnd, "&&", 4},   {ExprOp::kOr, "||", 3},
};

// The expression as text, with no more parentheses than it needs, except
// around what & | ^ << >> combine.
std::string ToString(const Expr& expr);

// Whether it is `a op b`.
inline bool IsBinary(const Expr& e, ExprOp op) {
  return e.kind == ExprKind::kBinary && e.op == op;
}
// Whether both have one text, and with that one value in one place.
inline bool SameText(const Expr& a, const Expr& b) {
  return ToString(a) == ToString(b);
}

}  // namespace tilesim::ir

#endif  // TILESIM_IR_EXPR_H_
