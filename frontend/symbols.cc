#include "frontend/symbols.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "frontend/elsewhere.h"
#include "frontend/suggest.h"
#include "frontend/token.h"
#include "ir/cat.h"

namespace tilesim::frontend {
namespace {

constexpr std::string_view kSpaceNouns[] = {"a global tensor", "a shared tile",
                                            "tensor memory", "a register tile",
                                            "an mbarrier"};

bool HasFloats(ir::ExprOp op) {
  return op == ir::ExprOp::kNeg || op == ir::ExprOp::kAdd ||
         op == ir::ExprOp::kSub || op == ir::ExprOp::kMul ||
         op == ir::ExprOp::kDiv || op == ir::ExprOp::kNone;
}

}  // namespace

std::string_view Noun(const Symbol& symbol) {
  switch (symbol.kind) {
    case ir::NameKind::kUnresolved:
      return kSpaceNouns[static_cast<int>(symbol.space)];
    case ir::NameKind::kParam:
      return "a param";
    case ir::NameKind::kConst:
      return "a const";
    case ir::NameKind::kLet:
      return "a let";
    case ir::NameKind::kVar:
      return "a var";
    case ir::NameKind::kLoop:
      return "a loop counter";
    case ir::NameKind::kBuiltin:
      return "a word of the language";
  }
  return "a name";
}

void Symbols::Declare(const std::string& name, Symbol symbol) {
  auto [it, inserted] = table_.emplace(name, symbol);
  if (inserted) {
    order_.push_back(name);
    return;
  }
  ir::Diagnostic& d = diagnostics_.Error(
      "name/duplicate", symbol.span,
      ir::Cat(Quoted(name), " is already ", Noun(it->second)));
  d.labels.push_back({it->second.span, "declared here"});
}

void Symbols::Leave() {
  for (; order_.size() > marks_.back(); order_.pop_back())
    table_.erase(order_.back());
  marks_.pop_back();
}

const Symbol* Symbols::Find(std::string_view name) const {
  auto it = table_.find(name);
  return it == table_.end() ? nullptr : &it->second;
}

void Symbols::Unknown(std::string_view name, ir::Span span,
                      std::string otherwise) {
  ir::Diagnostic& d = diagnostics_.Error(
      "name/unknown", span, ir::Cat("there is no ", Quoted(name), " here"));
  if (auto it = announced_.find(name); it != announced_.end()) {
    d.labels.push_back({it->second, "declared only here"});
    d.help = "a name is known from its declaration on: declare it above";
    return;
  }
  d.help = CalledHere(name);
  if (!d.help.empty()) return;
  std::vector<std::string_view> known;
  for (const auto& [text, symbol] : table_) known.push_back(text);
  for (const ir::BuiltinInfo& b : ir::kBuiltins) known.push_back(b.name);
  d.help = DidYouMean(name, known);
  if (d.help.empty()) d.help = std::move(otherwise);
}

ExprType ExprChecker::Check(ir::Expr& e) {
  switch (e.kind) {
    case ir::ExprKind::kInt:
      return {};
    case ir::ExprKind::kFloat:
      return {Known::kAlways, true, true};
    case ir::ExprKind::kName:
      return Name(e);
    case ir::ExprKind::kUnary:
    case ir::ExprKind::kBinary:
    case ir::ExprKind::kSelect:
      return Operator(e);
    case ir::ExprKind::kCall:
      return Call(e);
  }
  return {};
}

ExprType ExprChecker::Name(ir::Expr& e) {
  const Symbol* s = symbols_.Find(e.name);
  if (s == nullptr) return Builtin(e);
  if (s->is_decl()) {
    ir::Diagnostic& d = diagnostics_.Error(
        "type/operand", e.span,
        ir::Cat(Quoted(e.name), " is ", Noun(*s), ", not a number"));
    d.labels.push_back({s->span, "declared here"});
    return {Known::kRun, false, false};
  }
  e.name_kind = s->kind;
  e.slot = s->slot;
  return {s->known, s->is_float, true};
}

ExprType ExprChecker::Builtin(ir::Expr& e) {
  auto it =
      std::find_if(std::begin(ir::kBuiltins), std::end(ir::kBuiltins),
                   [&](const ir::BuiltinInfo& b) { return b.name == e.name; });
  if (it == std::end(ir::kBuiltins)) {
    reporter_.Unknown(e.name, e.span);
    return {Known::kAlways, false, false};
  }
  e.name_kind = ir::NameKind::kBuiltin;
  e.slot = static_cast<int32_t>(it - std::begin(ir::kBuiltins));
  bool launch = e.slot == static_cast<int32_t>(ir::Builtin::kSmCount);
  return {launch ? Known::kLaunch : Known::kRun, false, true};
}

ExprType ExprChecker::Operator(ir::Expr& e) {
  ExprType out;
  for (ir::Expr& arg : e.args) {
    ExprType t = Check(arg);
    out.known = std::max(out.known, t.known);
    out.is_float |= t.is_float;
    out.ok &= t.ok;
  }
  if (!out.is_float || HasFloats(e.op) || !out.ok) return out;
  diagnostics_.Error("type/float", e.span,
                     ir::Cat("`", ir::ToString(e),
                             "`: floats have only + - "
                             "* and /"));
  out.ok = false;
  return out;
}

ExprType ExprChecker::Call(ir::Expr& e) {
  if (e.name != "bytes") {
    ExprType out = Operator(e);
    if (!out.is_float || !out.ok) return out;
    diagnostics_.Error("type/float", e.span,
                       ir::Cat("`", e.name, "` takes integers"));
    return {out.known, false, false};
  }
  ir::Expr& name = e.args[0];
  const Symbol* s = symbols_.Find(name.name);
  if (s == nullptr) {
    reporter_.Unknown(name.name, name.span);
    return {Known::kAlways, false, false};
  }
  if (s->is_decl()) {
    Known known =
        s->space == ir::Space::kGlobal ? Known::kLaunch : Known::kAlways;
    return {known, false, true};
  }
  diagnostics_.Error("type/operand", name.span,
                     ir::Cat("`bytes` takes a declaration; ", Quoted(name.name),
                             " is ", Noun(*s)));
  return {Known::kAlways, false, false};
}

bool ExprChecker::InTime(const ir::Expr& e, ExprType type, Known limit) {
  if (type.known <= limit) return true;
  bool constant = limit == Known::kAlways;
  ir::Diagnostic& d = diagnostics_.Error(
      "type/not-constant", e.span,
      ir::Cat("`", ir::ToString(e), "` is not known ",
              constant ? "from constants alone" : "before the run"));
  if (constant && type.known == Known::kLaunch)
    d.help = "it depends on a param; use a const";
  return false;
}

bool ExprChecker::Int(ir::Expr& e, Known limit) {
  ExprType type = Check(e);
  if (!type.ok) return false;
  if (type.is_float) {
    diagnostics_.Error("type/float", e.span,
                       ir::Cat("`", ir::ToString(e),
                               "` is a float where an integer is needed"));
    return false;
  }
  return InTime(e, type, limit);
}

bool ExprChecker::Number(ir::Expr& e, Known limit) {
  ExprType type = Check(e);
  return type.ok && InTime(e, type, limit);
}

}  // namespace tilesim::frontend
