// Expressions of the text as C++: names become parameters of the function that
// uses them.
#include "fmt/format.h"
#include "hwtests/emit/kernel_emitter.h"
#include "ir/cat.h"
#include "ir/values/check.h"

namespace tilesim::hwtests {
namespace {

using ir::Builtin;
using ir::Cat;
using ir::Expr;
using ir::ExprKind;
using ir::NameKind;

const ir::OpSpelling* Spelling(ir::ExprOp op) {
  for (const ir::OpSpelling& s : ir::kBinaryOps) {
    if (s.op == op) return &s;
  }
  return nullptr;
}

std::string Integer(int64_t value) {
  if (value == static_cast<int32_t>(value)) return Cat(value);
  return Cat(value, "ll");
}

constexpr int kSelectPrecedence = 1;

// Bit operators and shifts get parentheses around what they combine, as g++
// and readers want them.
bool WantsParentheses(ir::ExprOp op) {
  return op == ir::ExprOp::kBitAnd || op == ir::ExprOp::kBitOr ||
         op == ir::ExprOp::kBitXor || op == ir::ExprOp::kShl ||
         op == ir::ExprOp::kShr || op == ir::ExprOp::kOr;
}

}  // namespace

std::string KernelEmitter::Text(const Expr& expr) { return Print(expr, 0); }

std::string KernelEmitter::Factor(const Expr& expr) { return Print(expr, 13); }

std::string KernelEmitter::FloatText(const Expr& expr) {
  if (expr.kind == ExprKind::kName && facts_.IsConstant(expr)) {
    return Print(expr, 0);
  }
  std::optional<double> value = facts_.ConstantReal(expr);
  if (!value) return Cat("static_cast<float>(", Print(expr, 0), ")");
  std::string text = fmt::format("{}", static_cast<float>(*value));
  if (text == "inf") return "__uint_as_float(0x7f800000u)";
  if (text == "-inf") return "__uint_as_float(0xff800000u)";
  bool integral = text.find_first_not_of("-0123456789") == std::string::npos;
  return Cat(text, integral ? ".0f" : "f");
}

std::string KernelEmitter::Print(const Expr& e, int outer) {
  switch (e.kind) {
    case ExprKind::kInt:
      return e.value < 0 ? Cat("(", Integer(e.value), ")") : Integer(e.value);
    case ExprKind::kFloat:
      return FloatText(e);
    case ExprKind::kName:
      return NameText(e);
    case ExprKind::kCall:
      return CallText(e);
    case ExprKind::kUnary: {
      std::string_view sign = e.op == ir::ExprOp::kNeg   ? "-"
                              : e.op == ir::ExprOp::kNot ? "!"
                                                         : "~";
      return Cat(sign, Print(e.args[0], ir::kUnaryPrecedence));
    }
    case ExprKind::kSelect: {
      std::string text = Cat(Print(e.args[0], kSelectPrecedence + 1), " ? ",
                             Print(e.args[1], kSelectPrecedence), " : ",
                             Print(e.args[2], kSelectPrecedence));
      return kSelectPrecedence < outer ? Cat("(", text, ")") : text;
    }
    case ExprKind::kBinary:
      break;
  }
  const ir::OpSpelling* s = Spelling(e.op);
  values::Check(s != nullptr, "an operator without a spelling");
  bool both = WantsParentheses(e.op);
  int left =
      both && e.args[0].op != e.op ? ir::kUnaryPrecedence : s->precedence;
  int right = both ? ir::kUnaryPrecedence : s->precedence + 1;
  std::string text =
      Cat(IsIn64Bits(e) ? Cat("int64_t(", Print(e.args[0], 0), ")")
                        : Print(e.args[0], left),
          " ", s->text, " ", Print(e.args[1], right));
  return s->precedence < outer ? Cat("(", text, ")") : text;
}

// Whether an operand must be made wider so that the result has its bits.
bool KernelEmitter::IsIn64Bits(const Expr& e) const {
  bool wide = facts_.IsWide(e.args[0]) ||
              (e.op != ir::ExprOp::kShl && facts_.IsWide(e.args[1]));
  return !wide && facts_.LeavesInt(e);
}

std::string KernelEmitter::CallText(const Expr& e) {
  if (e.name == "bytes") {
    std::string_view of = e.args[0].name;
    for (size_t i = 0; i < kernel().decls.size(); ++i) {
      if (kernel().decls[i].name != of) continue;
      if (bound_.decls[i].space != ir::Space::kShared) break;
      used_offsets_.insert(static_cast<int32_t>(i));
      return Cat(CppName(of), "_bytes");
    }
    std::optional<int64_t> bytes = facts_.Bound(e);
    return bytes ? Integer(*bytes) : "0";
  }
  std::string a = Print(e.args[0], 0), b = Print(e.args[1], 0);
  if (e.name == "cdiv") {
    bool wide = facts_.IsWide(e);
    return wide ? Cat("tile::cdiv(", a, ", ", b, ")")
                : Cat("static_cast<int>(tile::cdiv(", a, ", ", b, "))");
  }
  // CUDA's min and max want two arguments of one type.
  if (facts_.IsWide(e))
    return Cat(e.name, "(int64_t(", a, "), int64_t(", b, "))");
  return Cat(e.name, "(", a, ", ", b, ")");
}

std::string KernelEmitter::BuiltinText(Builtin builtin) {
  switch (builtin) {
    case Builtin::kCtaX:
      return "int(blockIdx.x)";
    case Builtin::kCtaY:
      return "int(blockIdx.y)";
    case Builtin::kCtaZ:
      return "int(blockIdx.z)";
    case Builtin::kGridX:
      return "int(gridDim.x)";
    case Builtin::kGridY:
      return "int(gridDim.y)";
    case Builtin::kGridZ:
      return "int(gridDim.z)";
    case Builtin::kClusterRank:
      return "tile::cluster_rank()";
    case Builtin::kClusterSize:
      return "tile::cluster_size()";
    case Builtin::kClusterIdX:
      return "tile::cluster_x()";
    case Builtin::kClusterIdY:
      return "tile::cluster_y()";
    case Builtin::kWarp:
      return Warp();
    case Builtin::kWarpgroup:
      return Cat("(", Warpgroup(), ")");
    case Builtin::kSmCount:
      return Cat(bound_.sm_count, " /* sm.count */");
  }
  return "0";
}

std::string KernelEmitter::NameText(const Expr& e) {
  if (e.name_kind == NameKind::kBuiltin)
    return BuiltinText(static_cast<Builtin>(e.slot));
  values::Check(e.slot >= 0, "an unresolved name");
  UseScalar(e);
  return CppName(e.name);
}

void KernelEmitter::UseScalar(const Expr& e) {
  if (frame_->slots.contains(e.slot)) return;
  if (facts_.IsConstantSlot(e.slot)) {
    if (!used_constants_.insert(e.slot).second) return;
    // What its definition mentions must be there too.
    if (const ir::Constant* c = facts_.Definition(e.slot)) Print(c->value, 0);
    return;
  }
  if (facts_.ParamOf(e.slot) != nullptr) {
    Use({Capture::Kind::kParam, e.slot});
  } else if (const ir::Constant* let = facts_.Definition(e.slot)) {
    if (frame_->derived.insert(e.slot).second) Print(let->value, 0);
  } else {
    Use({facts_.IsVar(e.slot) ? Capture::Kind::kVar : Capture::Kind::kValue,
         e.slot});
  }
}

void KernelEmitter::Use(Capture capture) { frame_->captures.insert(capture); }

std::string KernelEmitter::Shared() {
  Use({Capture::Kind::kShared});
  return "smem";
}

std::string KernelEmitter::Warp() {
  Use({Capture::Kind::kWarp});
  return "warp";
}

std::string KernelEmitter::Warpgroup() {
  return Cat(Warp(), " / ", ir::kWarpgroupWarps);
}

std::string KernelEmitter::SharedName(int32_t decl) {
  used_offsets_.insert(decl);
  return CppName(kernel().decls[decl].name);
}

std::string KernelEmitter::RegName(int32_t decl) {
  if (!frame_->decls.contains(decl)) Use({Capture::Kind::kReg, decl});
  return CppName(kernel().decls[decl].name);
}

std::string KernelEmitter::GlobalName(int32_t decl) {
  Use({Capture::Kind::kGlobal, decl});
  return CppName(kernel().decls[decl].name);
}

std::string KernelEmitter::MapName(int32_t map) {
  Use({Capture::Kind::kMap, map});
  return file_.plan.maps[map].name;
}

std::string KernelEmitter::TmemName(int32_t pool) {
  Use({Capture::Kind::kShared});
  int32_t slot = bound_.decls[pool].slot;
  return Cat("tile::tmem_address(smem + ", SharedName(slot), ")");
}

std::string KernelEmitter::ScalarType(int32_t slot) const {
  return facts_.IsWide(slot) ? "int64_t" : "int";
}

}  // namespace tilesim::hwtests
