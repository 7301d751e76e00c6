#include "hwtests/emit/expression_printer.h"

#include "ir/cat.h"
#include "ir/values/check.h"
#include "ir/values/convert.h"

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

std::string ExpressionPrinter::FloatText(const Expr& expr, ir::DType type) {
  const bool narrow = values::BitsOf(type) < 32;
  std::optional<double> value = context_.facts.ConstantReal(expr);
  if (!value)
    return narrow ? Cat("tile::as_", values::NameOf(type), "(", Print(expr, 0),
                        ")")
                  : Cat("static_cast<float>(", Print(expr, 0), ")");
  // Numbers of the elements' type are numbers of f32.
  const double exact =
      narrow ? values::Decode(type, values::Encode(type, *value)) : *value;
  if (expr.kind == ExprKind::kName &&
      static_cast<float>(exact) == static_cast<float>(*value))
    return Print(expr, 0);
  std::string text = Cat(static_cast<float>(exact));
  if (text == "inf") return "__uint_as_float(0x7f800000u)";
  if (text == "-inf") return "__uint_as_float(0xff800000u)";
  bool integral = text.find_first_not_of("-0123456789") == std::string::npos;
  return Cat(text, integral ? ".0f" : "f");
}

std::string ExpressionPrinter::Print(const Expr& e, int outer) {
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
      const std::string operand = Print(e.args[0], ir::kUnaryPrecedence);
      // Two signs together are C's decrement.
      return sign == "-" && operand[0] == '-' ? Cat(sign, "(", operand, ")")
                                              : Cat(sign, operand);
    }
    case ExprKind::kSelect: {
      std::string text = Cat(Print(e.args[0], kSelectPrecedence + 1), " ? ",
                             Print(e.args[1], kSelectPrecedence), " : ",
                             Print(e.args[2], kSelectPrecedence));
      return kSelectPrecedence < outer ? Cat("(", text, ")") : text;
    }
    case ExprKind::kBinary:
      return BinaryText(e, outer);
  }
  return "";
}

std::string ExpressionPrinter::BinaryText(const Expr& e, int outer) {
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
bool ExpressionPrinter::IsIn64Bits(const Expr& e) const {
  bool wide = context_.facts.IsWide(e.args[0]) ||
              (e.op != ir::ExprOp::kShl && e.op != ir::ExprOp::kShr &&
               context_.facts.IsWide(e.args[1]));
  return !wide && (context_.facts.LeavesInt(e) || context_.facts.ShiftsFar(e));
}

// Of a shared tile the name of a constant, which is the distance between
// stages: where those are padded, its own bytes are fewer.
std::string ExpressionPrinter::BytesText(const Expr& call) {
  std::string_view of = call.args[0].name;
  const auto& decls = context_.kernel().decls;
  for (size_t i = 0; i < decls.size(); ++i) {
    if (decls[i].name != of) continue;
    const ir::BoundDecl& d = context_.bound.decls[i];
    if (d.space != ir::Space::kShared) break;
    if (d.layout.bytes() != d.object_bytes) return Integer(d.layout.bytes());
    offsets_.insert(static_cast<int32_t>(i));
    return Cat(CppName(of), "_bytes");
  }
  std::optional<int64_t> bytes = context_.facts.Bound(call);
  return bytes ? Integer(*bytes) : "0";
}

std::string ExpressionPrinter::CallText(const Expr& e) {
  if (e.name == "bytes") return BytesText(e);
  std::string a = Print(e.args[0], 0), b = Print(e.args[1], 0);
  if (e.name == "cdiv") {
    bool wide = context_.facts.IsWide(e);
    const bool both = context_.facts.NeverNegative(e.args[0]) &&
                      context_.facts.NeverNegative(e.args[1]);
    const std::string_view function = both ? "cdiv" : "cdiv_signed";
    return wide ? Cat("tile::", function, "(", a, ", ", b, ")")
                : Cat("static_cast<int>(tile::", function, "(", a, ", ", b,
                      "))");
  }
  // CUDA's min and max want two arguments of one type.
  if (context_.facts.IsWide(e))
    return Cat(e.name, "(int64_t(", a, "), int64_t(", b, "))");
  return Cat(e.name, "(", a, ", ", b, ")");
}

std::string ExpressionPrinter::BuiltinText(Builtin builtin) {
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
      return Cat(context_.bound.sm_count, " /* sm.count */");
  }
  return "0";
}

std::string ExpressionPrinter::NameText(const Expr& e) {
  if (e.name_kind == NameKind::kBuiltin)
    return BuiltinText(static_cast<Builtin>(e.slot));
  values::Check(e.slot >= 0, "an unresolved name");
  UseScalar(e.slot);
  return CppName(e.name);
}

void ExpressionPrinter::UseScalar(int32_t slot) {
  if (frame_->slots.contains(slot)) return;
  if (context_.facts.IsConstantSlot(slot)) {
    if (!constants_.insert(slot).second) return;
    // What its definition mentions must be there too.
    if (const ir::Constant* c = context_.facts.Definition(slot))
      Print(c->value, 0);
    return;
  }
  if (context_.facts.ParamOf(slot) != nullptr) {
    Use({Capture::Kind::kParam, slot});
  } else if (const ir::Constant* let = context_.facts.Definition(slot)) {
    if (frame_->derived.insert(slot).second) Print(let->value, 0);
  } else {
    Use({context_.facts.IsVar(slot) ? Capture::Kind::kVar
                                    : Capture::Kind::kValue,
         slot});
  }
}

std::string ExpressionPrinter::Shared() {
  Use({Capture::Kind::kShared});
  return "smem";
}

std::string ExpressionPrinter::Warp() {
  Use({Capture::Kind::kWarp});
  return "warp";
}

std::string ExpressionPrinter::Warpgroup() {
  return Cat(Warp(), " / ", ir::kWarpgroupWarps);
}

std::string ExpressionPrinter::SharedName(int32_t decl) {
  offsets_.insert(decl);
  return CppName(context_.decl(decl).name);
}

std::string ExpressionPrinter::RegName(int32_t decl) {
  if (!frame_->decls.contains(decl)) Use({Capture::Kind::kReg, decl});
  return CppName(context_.decl(decl).name);
}

std::string ExpressionPrinter::GlobalName(int32_t decl) {
  Use({Capture::Kind::kGlobal, decl});
  return CppName(context_.decl(decl).name);
}

std::string ExpressionPrinter::MapName(int32_t map) {
  Use({Capture::Kind::kMap, map});
  return context_.file.plan.maps[map].name;
}

std::string ExpressionPrinter::TmemName(int32_t pool) {
  Use({Capture::Kind::kShared});
  int32_t slot = context_.bound.decls[pool].slot;
  return Cat("tile::tmem_address(smem + ", SharedName(slot), ")");
}

std::string ExpressionPrinter::ScalarText(int32_t slot) {
  UseScalar(slot);
  return CppName(context_.kernel().slot_names[slot]);
}

std::string ExpressionPrinter::ScalarType(int32_t slot) const {
  return context_.facts.IsWide(slot) ? "int64_t" : "int";
}

}  // namespace tilesim::hwtests
