#include "ir/print_parts.h"

#include <string_view>

#include "ir/cat.h"
#include "ir/printer.h"

namespace tilesim::ir {
namespace {

std::string List(const std::vector<Expr>& exprs) {
  std::string out;
  for (const Expr& e : exprs)
    Append(&out, out.empty() ? "" : ", ", ToString(e));
  return out;
}

// `[n, ...]`, nothing when empty.
std::string Brackets(const std::vector<Expr>& exprs) {
  return exprs.empty() ? "" : Cat("[", List(exprs), "]");
}

// --- declarations ----------------------------------------------------------

std::string TextOf(const Param& p) {
  bool written = p.text.written;
  std::string out = Cat("param ", p.name, " : ");
  Append(&out, written ? ToString(p.text.low) : Cat(p.low), "..");
  if (written) {
    if (p.text.high) Append(&out, ToString(*p.text.high));
    if (p.text.step) Append(&out, " step ", ToString(*p.text.step));
  } else {
    if (p.high) Append(&out, *p.high);
    if (p.step != 1) Append(&out, " step ", p.step);
  }
  Append(&out, " = ", written ? ToString(p.text.value) : Cat(p.value));
  return out;
}

std::string ConstantsText(const Kernel& kernel, const Item& item) {
  const Constant& first = kernel.constants[item.first];
  std::string out = first.is_let ? "let " : "const ";
  for (int32_t i = 0; i < item.count; ++i) {
    const Constant& c = kernel.constants[item.first + i];
    Append(&out, i == 0 ? "" : ", ", c.name, " = ", ToString(c.value));
  }
  return out;
}

std::string DeclsText(const Kernel& kernel, const Item& item) {
  std::vector<const Decl*> decls;
  for (int32_t i = 0; i < item.count; ++i)
    decls.push_back(&kernel.decls[item.first + i]);
  return ToString(decls);
}

std::string AtText(const Placement& at) {
  std::string out = Cat(" at ", at.base, Brackets(at.index));
  if (!(at.offset == Expr())) Append(&out, " + ", ToString(at.offset));
  return out;
}

std::string FragmentText(const Decl& d) {
  std::string out = Cat(" fragment ", Name(d.fragment));
  if (d.fragment == Fragment::kBlocked)
    Append(&out, "(", ToString(d.fragment_arg), ")");
  return out;
}

std::string TypeText(const Decl& d) {
  std::string out =
      Cat(" : ", values::NameOf(d.dtype), "[", List(d.shape), "]");
  if (!d.strides.empty()) Append(&out, " stride (", List(d.strides), ")");
  if (d.domain_low) {
    Append(&out, " in ", ToString(*d.domain_low), "..",
           ToString(*d.domain_high));
  }
  if (d.zero) Append(&out, " zero");
  if (d.undefined) Append(&out, " undefined");
  if (d.swizzle != Swizzle::kNone) Append(&out, " swizzle ", Name(d.swizzle));
  if (d.align) Append(&out, " align ", ToString(*d.align));
  if (d.at) Append(&out, AtText(*d.at));
  if (d.space == Space::kReg) Append(&out, FragmentText(d));
  return out;
}

std::string ComputesText(const Computes& c) {
  std::string out = Cat("computes ", c.target, " = ", ToString(c.value));
  if (c.tolerance) Append(&out, " within ", ToString(*c.tolerance));
  if (c.when) Append(&out, " when ", ToString(*c.when));
  return out;
}

std::string BlockText(const Kernel& kernel) {
  std::string out = Cat("block ", ToString(kernel.block));
  if (kernel.regs) Append(&out, " regs ", ToString(*kernel.regs));
  return out;
}

// --- operands --------------------------------------------------------------

std::string SubscriptText(const Subscript& s) {
  switch (s.kind) {
    case Subscript::Kind::kIndex:
      return ToString(s.start);
    case Subscript::Kind::kSlice:
      return Cat(ToString(s.start), " :+ ", ToString(s.extent));
    case Subscript::Kind::kAll:
      break;
  }
  return ":";
}

std::string OperandText(const Operand& o) {
  return o.kind == Operand::Kind::kRef ? ToString(o.ref) : ToString(o.expr);
}

// --- tensor expressions ----------------------------------------------------

constexpr int kSumPrecedence = 1;
constexpr int kProductPrecedence = 2;

std::string TensorText(const TensorExpr& e, int outer);

std::string TensorBinary(const TensorExpr& e, std::string_view op,
                         int precedence, int outer) {
  std::string text = Cat(TensorText(e.args[0], precedence), " ", op, " ",
                         TensorText(e.args[1], precedence + 1));
  return precedence < outer ? Cat("(", text, ")") : text;
}

std::string TensorText(const TensorExpr& e, int outer) {
  using Kind = TensorExpr::Kind;
  switch (e.kind) {
    case Kind::kTensor:
      return e.name;
    case Kind::kNumber:
      return ToString(e.number);
    case Kind::kAdd:
      return TensorBinary(e, "+", kSumPrecedence, outer);
    case Kind::kSub:
      return TensorBinary(e, "-", kSumPrecedence, outer);
    case Kind::kMatmul:
    case Kind::kScale:
      return TensorBinary(e, "*", kProductPrecedence, outer);
    case Kind::kCall:
      break;
  }
  std::string args;
  for (const TensorExpr& arg : e.args)
    Append(&args, args.empty() ? "" : ", ", TensorText(arg, 0));
  return Cat(e.name, "(", args, ")");
}

// --- statements ------------------------------------------------------------

std::string_view ScopeWord(const Scope& s) {
  switch (s.kind) {
    case Scope::Kind::kWarps:
      return s.range ? "warps" : "warp";
    case Scope::Kind::kWarpgroups:
      return s.range ? "warpgroups" : "warpgroup";
    case Scope::Kind::kThreads:
      return s.range ? "threads" : "thread";
    case Scope::Kind::kLanes:
      return s.range ? "lanes" : "lane";
    case Scope::Kind::kElect:
      break;
  }
  return s.one ? "elect one" : "elect";
}

std::string ScopeText(const Scope& s) {
  std::string out(ScopeWord(s));
  if (s.kind == Scope::Kind::kElect) return out;
  Append(&out, " ", ToString(s.low));
  if (s.range) Append(&out, "..", ToString(s.high));
  return out;
}

std::string ForText(const Stmt& s) {
  std::string out =
      Cat("for ", s.name, " in ", ToString(s.low), "..", ToString(s.high));
  if (s.step) Append(&out, " step ", ToString(*s.step));
  return out;
}

// --- functions -------------------------------------------------------------

std::string Operands(const std::vector<Operand>& operands) {
  std::string out;
  for (const Operand& o : operands)
    Append(&out, out.empty() ? "" : ", ", OperandText(o));
  return out;
}

std::string CallText(const Stmt& s) {
  using Results = Call::Results;
  std::string out;
  for (const std::string& name : s.call->names)
    Append(&out, out.empty() ? "" : ", ", name);
  if (!out.empty()) out += " = ";
  std::string_view word = s.call->how == Results::kLet   ? "let "
                          : s.call->how == Results::kVar ? "var "
                                                         : "";
  return Cat(word, out, s.name, "(", Operands(s.call->args), ")");
}

std::string FnParamText(const FnParam& p) {
  if (p.kind == FnParam::Kind::kNumber) return p.name;
  if (p.kind == FnParam::Kind::kVar) return Cat("var ", p.name);
  std::string out = Cat(Name(p.space), " ", p.name);
  if (p.dtype) Append(&out, " : ", values::NameOf(*p.dtype));
  if (p.fragment == Fragment::kNone) return out;
  Append(&out, " fragment ", Name(p.fragment));
  if (p.fragment == Fragment::kBlocked)
    Append(&out, "(", ToString(p.fragment_arg), ")");
  return out;
}

}  // namespace

std::string ItemText(const Kernel& kernel, const Item& item) {
  switch (item.kind) {
    case Item::Kind::kParam:
      return TextOf(kernel.params[item.first]);
    case Item::Kind::kConstants:
      return ConstantsText(kernel, item);
    case Item::Kind::kRequires:
      return Cat("requires ",
                 ToString(kernel.requirements[item.first].condition));
    case Item::Kind::kDecls:
      return DeclsText(kernel, item);
    case Item::Kind::kComputes:
      return ComputesText(kernel.computes[item.first]);
    case Item::Kind::kGrid:
      return Cat("grid (", List(kernel.grid), ")");
    case Item::Kind::kCluster:
      return Cat("cluster (", List(kernel.cluster), ")");
    case Item::Kind::kBlock:
      return BlockText(kernel);
    case Item::Kind::kStmt:
      break;
  }
  return "";
}

bool HasBody(const Stmt& s) {
  return s.kind == Stmt::Kind::kFor || s.kind == Stmt::Kind::kWhile ||
         s.kind == Stmt::Kind::kIf || s.kind == Stmt::Kind::kScope;
}

std::string StmtText(const Stmt& s) {
  switch (s.kind) {
    case Stmt::Kind::kDecl:
      return ToString(*s.decl);
    case Stmt::Kind::kLet:
      return Cat("let ", s.name, " = ", ToString(s.value));
    case Stmt::Kind::kVar:
      return Cat("var ", s.name, " = ", ToString(s.value));
    case Stmt::Kind::kAssign:
      return Cat(s.name, " = ", ToString(s.value));
    case Stmt::Kind::kFor:
      return ForText(s);
    case Stmt::Kind::kWhile:
      return Cat("while ", ToString(s.value));
    case Stmt::Kind::kIf:
      return Cat("if ", ToString(s.value));
    case Stmt::Kind::kBreak:
      return "break";
    case Stmt::Kind::kContinue:
      return "continue";
    case Stmt::Kind::kScope:
      return Cat(s.name.empty() ? "" : Cat("role ", s.name, " = "),
                 ToString(s.scopes));
    case Stmt::Kind::kOp:
      return ToString(*s.op);
    case Stmt::Kind::kCall:
      return CallText(s);
    case Stmt::Kind::kReturn:
      return Cat("return ", Operands(s.call->args));
  }
  return "";
}

std::string HeadOf(const Fn& function) {
  std::string params;
  for (const FnParam& p : function.params)
    Append(&params, params.empty() ? "" : ", ", FnParamText(p));
  return Cat("fn ", function.name, "(", params, ")");
}

std::string Mnemonic(const Op& op) {
  std::string out(op.info->mnemonic);
  for (size_t i = 0; i < op.mods.size(); ++i) {
    if (op.mods[i] != 0)
      Append(&out, ".", op.info->mods[i].choices[op.mods[i]]);
  }
  return out;
}

std::string ToString(const Op& op) {
  std::string out = Mnemonic(op);
  std::string_view separator = " ";
  for (bool keywords : {false, true}) {
    for (size_t i = 0; i < op.operands.size(); ++i) {
      const OperandSpec& spec = op.info->operands[i];
      if (spec.keyword != keywords || !op.has(i)) continue;
      Append(&out, separator, keywords ? Cat(spec.name, " = ") : "",
             OperandText(op.operands[i]));
      separator = ", ";
    }
  }
  return out;
}

std::string ToString(const Ref& ref) {
  std::string out = ref.name;
  for (const auto& group : ref.groups) {
    std::string subs;
    for (const Subscript& s : group)
      Append(&subs, subs.empty() ? "" : ", ", SubscriptText(s));
    Append(&out, "[", subs, "]");
  }
  if (!ref.cta.empty()) Append(&out, " @ cta ", ToString(ref.cta[0]));
  return ref.transposed ? Cat("transpose(", out, ")") : out;
}

std::string ToString(const Decl& decl) {
  return ToString(std::vector<const Decl*>{&decl});
}

std::string ToString(const std::vector<const Decl*>& decls) {
  const Decl& d = *decls[0];
  std::string out(Name(d.space));
  for (const Decl* each : decls) {
    Append(&out, each == &d ? " " : ", ", each->name, Brackets(each->array));
    if (d.space == Space::kMbarrier && each->at)
      Append(&out, AtText(*each->at));
  }
  if (d.space == Space::kMbarrier) return out;
  if (d.columns) {
    return Cat(out, " : columns ", ToString(*d.columns), " slot ", d.slot);
  }
  return out + TypeText(d);
}

std::string ToString(const TensorExpr& expr) { return TensorText(expr, 0); }

std::string ToString(const std::vector<Scope>& scopes) {
  std::string out;
  for (const Scope& s : scopes) {
    if (s.implied) continue;
    Append(&out, out.empty() ? "" : s.also ? " | " : ", ", ScopeText(s));
  }
  return out;
}

}  // namespace tilesim::ir
