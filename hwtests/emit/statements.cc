// Statements: loops stay loops, scopes become conditions.
#include <algorithm>

#include "hwtests/emit/kernel_emitter.h"
#include "hwtests/emit/op_table.h"
#include "ir/cat.h"
#include "ir/ops/sync.h"

namespace tilesim::hwtests {
namespace {

using ir::Cat;
using ir::kWarpgroupWarps;
using ir::kWarpThreads;
using ir::Scope;
using ir::Stmt;

bool OfWholeWarps(const ir::Op& op) {
  // With a mask, lanes that are apart come together in it.
  if (op.info->kind == ir::OpKind::kBarWarpSync &&
      op.has(ir::ops::BarWarpSync::kMask))
    return false;
  return op.info->scope == ir::ExecScope::kWarp ||
         op.info->scope == ir::ExecScope::kWarpgroup;
}

// True if an op of `block` from statement `from` on needs whole warps, so that
// lanes must have come together before it.
bool NeedsWholeWarps(const ir::Block& block, size_t from) {
  for (size_t i = from; i < block.size(); ++i) {
    const Stmt& stmt = block[i];
    if (stmt.op && OfWholeWarps(*stmt.op)) return true;
    for (const Scope& scope : stmt.scopes) {
      if (scope.kind == Scope::Kind::kElect) return true;
    }
    if (NeedsWholeWarps(stmt.body, 0) || NeedsWholeWarps(stmt.orelse, 0))
      return true;
  }
  return false;
}

// A condition of several terms beside `||`.
std::string Grouped(const std::string& condition) {
  bool terms = condition.find("&&") != std::string::npos;
  return terms ? Cat("(", condition, ")") : condition;
}

bool NarrowsLanes(const std::vector<Scope>& scopes) {
  for (const Scope& scope : scopes) {
    if (scope.kind == Scope::Kind::kElect ||
        scope.kind == Scope::Kind::kLanes ||
        scope.kind == Scope::Kind::kThreads)
      return true;
  }
  return false;
}

// break or continue of a loop outside `block`.
bool LeavesLoop(const ir::Block& block) {
  for (const Stmt& stmt : block) {
    if (stmt.kind == Stmt::Kind::kBreak || stmt.kind == Stmt::Kind::kContinue)
      return true;
    if (stmt.kind == Stmt::Kind::kFor || stmt.kind == Stmt::Kind::kWhile)
      continue;
    if (LeavesLoop(stmt.body) || LeavesLoop(stmt.orelse)) return true;
  }
  return false;
}

}  // namespace

void KernelEmitter::EmitBlock(const ir::Block& block) {
  bool after = later_;
  for (size_t i = 0; i < block.size(); ++i) {
    EmitComments(block[i]);
    later_ = after || NeedsWholeWarps(block, i + 1);
    EmitStmt(block[i]);
  }
  later_ = after;
}

void KernelEmitter::EmitBody(const ir::Block& block) {
  bool after = later_;
  later_ = after || NeedsWholeWarps(block, 0);  // the next time round
  EmitBlock(block);
  later_ = after;
}

void KernelEmitter::EmitComments(const Stmt& stmt) {
  for (const std::string& comment : stmt.comments.above) {
    // What the test runner reads stays in the text.
    if (!comment.starts_with("//!")) out_->Line(comment);
  }
}

void KernelEmitter::EmitStmt(const Stmt& stmt) {
  switch (stmt.kind) {
    case Stmt::Kind::kDecl:
      return EmitDecl(stmt);
    case Stmt::Kind::kLet:
    case Stmt::Kind::kVar:
      return EmitLet(stmt, stmt.kind == Stmt::Kind::kVar);
    case Stmt::Kind::kAssign: {
      ir::Expr target;
      target.kind = ir::ExprKind::kName;
      target.name_kind = ir::NameKind::kVar;
      target.name = stmt.name;
      target.slot = stmt.slot;
      std::string left = Text(target);
      return out_->Statement(Cat(left, " = ", Text(stmt.value), ";"));
    }
    case Stmt::Kind::kFor:
      return EmitFor(stmt);
    case Stmt::Kind::kWhile:
      return EmitWhile(stmt);
    case Stmt::Kind::kIf:
      return EmitIf(stmt);
    case Stmt::Kind::kBreak:
      return out_->Line("break;");
    case Stmt::Kind::kContinue:
      return out_->Line("continue;");
    case Stmt::Kind::kOp:
      return EmitOp(*stmt.op);
    case Stmt::Kind::kScope:
      return EmitScope(stmt);
    case Stmt::Kind::kCall:
    case Stmt::Kind::kReturn:
      return;
  }
}

void KernelEmitter::Define(int32_t slot, bool is_var) {
  frame_->slots.insert(slot);
  if (is_var) frame_->vars.insert(slot);
}

void KernelEmitter::EmitDecl(const Stmt& stmt) {
  int32_t id = stmt.decl_id;
  const ir::BoundDecl& bound = bound_.decls[id];
  frame_->decls.insert(id);
  decl_threads_[id] = threads_;
  ir::FragmentLayout f = bound.fragment;
  if (f.threads == 0) f.threads = static_cast<int32_t>(threads_.threads());
  int bits = values::BitsOf(bound.dtype);
  if (bits > 32) {
    diagnostics_.Error("lower/unsupported", stmt.span,
                       Cat("register tile `", stmt.decl->name, "` of ",
                           values::NameOf(bound.dtype)));
    return;
  }
  if (f.threads == 0) {
    diagnostics_.Error("lower/unsupported", stmt.span,
                       Cat("the threads that hold `", stmt.decl->name,
                           "` are no whole warps that follow from constants"));
    return;
  }
  std::string text = Cat(WordType(bound.dtype), " ", CppName(stmt.decl->name));
  for (int d = 0; d < bound.array_rank; ++d)
    ir::Append(&text, "[", bound.array[d], "]");
  int64_t words = (static_cast<int64_t>(f.per_thread()) * bits + 31) / 32;
  std::string shape;
  for (const ir::Expr& e : stmt.decl->shape)
    ir::Append(&shape, shape.empty() ? "" : ", ", ir::ToString(e));
  out_->Statement(Cat(text, "[", words, "];  // ", values::NameOf(bound.dtype),
                      "[", shape, "] fragment ", ir::Name(f.fragment)));
}

void KernelEmitter::EmitLet(const Stmt& stmt, bool is_var) {
  std::string value = Text(stmt.value);
  Define(stmt.slot, is_var);
  std::string_view unused =
      facts_.Uses(stmt.slot) == 0 ? "[[maybe_unused]] " : "";
  out_->Statement(Cat(unused, is_var ? "" : "const ", ScalarType(stmt.slot),
                      " ", CppName(stmt.name), " = ", value, ";"));
}

void KernelEmitter::EmitFor(const Stmt& stmt) {
  std::string low = Text(stmt.low), high = Text(stmt.high);
  std::string name = CppName(stmt.name);
  std::optional<int64_t> step =
      stmt.step ? facts_.Constant(*stmt.step) : std::optional<int64_t>(1);
  std::string step_text = stmt.step ? Text(*stmt.step) : "1";
  Define(stmt.slot, false);
  Writer* outer = out_;
  Writer body(outer->indent());
  out_ = &body;
  body.Open(Cat("for (", ScalarType(stmt.slot), " ", name, " = ", low, "; ",
                name, " < ", high, "; ",
                step == 1 ? Cat("++", name) : Cat(name, " += ", step_text),
                ")"));
  EmitBody(stmt.body);
  body.Close();
  out_ = outer;
  if (unrolled_.contains(stmt.slot)) {
    if (!facts_.Constant(stmt.low) || !facts_.Constant(stmt.high) || !step) {
      diagnostics_.Error("lower/unsupported", stmt.span,
                         Cat("`", stmt.name,
                             "` picks a register, so that the "
                             "bounds of its loop must follow from constants"));
    }
    out_->Margin("#pragma unroll");
  }
  out_->Append(body);
}

void KernelEmitter::EmitWhile(const Stmt& stmt) {
  if (options_.debug) {
    std::string watch = Fresh("watch");
    out_->Line(Cat("const tile::Watch ", watch, ";"));
    out_->Open(Cat("while (", Text(stmt.value), ")"));
    out_->Line(Cat(watch, ".check(tile::Site{-1, 0, ", role_, ", ",
                   stmt.span.line, "});"));
  } else {
    out_->Open(Cat("while (", Text(stmt.value), ")"));
  }
  EmitBody(stmt.body);
  out_->Close();
}

void KernelEmitter::EmitIf(const Stmt& stmt) {
  if (std::optional<bool> taken = facts_.Taken(stmt)) {
    const ir::Block& block = *taken ? stmt.body : stmt.orelse;
    if (block.empty()) return;
    out_->Block();
    EmitBlock(block);
    out_->Close();
    return;
  }
  out_->Open(Cat("if (", Text(stmt.value), ")"));
  EmitBlock(stmt.body);
  if (!stmt.orelse.empty()) {
    out_->Else();
    EmitBlock(stmt.orelse);
  }
  out_->Close();
}

std::string KernelEmitter::RangeCondition(const std::string& what,
                                          const Scope& scope) {
  std::string low = Term(scope.low);
  if (!scope.range) return Cat(what, " == ", low);
  std::string below = Cat(what, " < ", Term(scope.high));
  if (facts_.Constant(scope.low) == 0) return below;
  return Cat(what, " >= ", low, " && ", below);
}

std::string KernelEmitter::ScopeCondition(const std::vector<Scope>& scopes) {
  // The warp of an `elect one` is one of those that are named before it.
  size_t named = scopes.size();
  while (named > 0 && !scopes[named - 1].implied) --named;
  std::string text;
  for (size_t k = 0; k < scopes.size();) {
    std::string condition = OneCondition(scopes[k]);
    ThreadsHere before = threads_;
    Narrow(scopes[k]);
    bool warps = scopes[k].kind == Scope::Kind::kWarps ||
                 scopes[k].kind == Scope::Kind::kWarpgroups;
    bool said = warps && k + 1 < named;
    size_t united = k;
    for (; ++k < scopes.size() && scopes[k].also;) {
      std::string one = OneCondition(scopes[k]);
      ThreadsHere all = threads_;
      threads_ = before;
      Narrow(scopes[k]);
      Unite(all);
      condition = united + 1 == k
                      ? Cat(Grouped(condition), " || ", Grouped(one))
                      : Cat(condition, " || ", Grouped(one));
    }
    if (said) continue;
    bool alone = k == scopes.size() && text.empty();
    if (k > united + 1 && !alone) condition = Cat("(", condition, ")");
    ir::Append(&text, text.empty() ? "" : " && ", condition);
  }
  return text;
}

std::string KernelEmitter::OneCondition(const Scope& scope) {
  switch (scope.kind) {
    case Scope::Kind::kWarps:
      return RangeCondition(Warp(), scope);
    case Scope::Kind::kWarpgroups:
      return RangeCondition(Warpgroup(), scope);
    case Scope::Kind::kThreads:
      return RangeCondition("int(threadIdx.x)", scope);
    case Scope::Kind::kLanes:
      return RangeCondition("tile::lane_index()", scope);
    case Scope::Kind::kElect:
      break;
  }
  // Lanes that are apart already cannot elect: the first one stands.
  if (threads_.whole_warps()) return "tile::elect_one()";
  if (threads_.lanes == 0) {
    diagnostics_.Error("lower/unsupported", scope.span,
                       "`elect` among lanes that do not follow from constants");
  }
  return Cat("tile::lane_index() == ", threads_.first_lane);
}

// Warps of both, where no other is between them.
void KernelEmitter::Unite(const ThreadsHere& other) {
  ThreadsHere& t = threads_;
  int64_t first = std::min(t.first_warp, other.first_warp);
  int64_t end =
      std::max(t.first_warp + t.warps, other.first_warp + other.warps);
  bool gap = t.first_warp > other.first_warp + other.warps ||
             other.first_warp > t.first_warp + t.warps;
  bool known = t.warps > 0 && other.warps > 0 && !gap;
  t.first_warp = known ? first : 0;
  t.warps = known ? end - first : 0;
}

void KernelEmitter::Narrow(const Scope& scope) {
  std::optional<int64_t> low = facts_.Constant(scope.low);
  std::optional<int64_t> high =
      scope.range ? facts_.Constant(scope.high)
                  : (low ? std::optional<int64_t>(*low + 1) : std::nullopt);
  ThreadsHere& t = threads_;
  if (scope.kind == Scope::Kind::kElect) {
    t.lanes = 1;
    return;
  }
  bool lanes = scope.kind == Scope::Kind::kLanes;
  if (!low || !high) {
    (lanes ? t.lanes : t.warps) = lanes ? 0 : (scope.range ? 0 : 1);
    if (!lanes && scope.kind == Scope::Kind::kWarpgroups && !scope.range)
      t.warps = kWarpgroupWarps;
    return;
  }
  int64_t a = *low, b = *high;
  if (lanes) {
    t.first_lane = a;
    t.lanes = b - a;
  } else if (scope.kind == Scope::Kind::kThreads) {
    t.first_warp = a / kWarpThreads;
    t.warps = ir::WarpsOf(b) - t.first_warp;
    if (a % kWarpThreads != 0 || b % kWarpThreads != 0) {
      t.first_lane = t.warps == 1 ? a % kWarpThreads : 0;
      t.lanes = t.warps == 1 ? b - a : 0;
    }
  } else {
    int64_t warps =
        scope.kind == Scope::Kind::kWarpgroups ? kWarpgroupWarps : 1;
    t.first_warp = a * warps;
    t.warps = (b - a) * warps;
  }
}

void KernelEmitter::EmitScope(const Stmt& stmt) {
  ThreadsHere before = threads_;
  int32_t role_before = role_;
  out_->Open(Cat("if (", ScopeCondition(stmt.scopes), ")"));
  if (!stmt.name.empty()) {
    auto& roles = file_.plan.roles;
    roles.push_back(stmt.name);
    role_ = static_cast<int32_t>(roles.size()) - 1;
  }
  if (!stmt.name.empty() && !LeavesLoop(stmt.body)) {
    EmitRole(stmt);
  } else {
    EmitBlock(stmt.body);
  }
  out_->Close();
  threads_ = before;
  role_ = role_before;
  // What follows needs the warp together again.
  if (NarrowsLanes(stmt.scopes) && threads_.whole_warps() && later_)
    out_->Line("__syncwarp();");
}

}  // namespace tilesim::hwtests
