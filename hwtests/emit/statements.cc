// Statements: loops stay loops.
#include <algorithm>
#include <set>

#include "hwtests/emit/counted.h"
#include "hwtests/emit/kernel_emitter.h"
#include "hwtests/emit/op_table.h"
#include "ir/cat.h"
#include "ir/ops/sync.h"

namespace tilesim::hwtests {
namespace {

using ir::Cat;
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

}  // namespace

KernelEmitter::KernelEmitter(const ir::BoundKernel& bound,
                             const EmitOptions& options, FileState& file,
                             ir::Diagnostics& diagnostics)
    : context_(bound, options, file, diagnostics),
      print_(context_),
      globals_(context_, print_),
      registers_(context_),
      functions_(context_, print_, globals_, registers_) {
  threads_.warps = ir::WarpsOf(bound.block);
}

std::string KernelEmitter::Run() {
  Within within(print_, &frame_);
  Writer body(2);
  out_ = &body;
  EmitBlock(kernel().body);
  std::string text = functions_.Kernel(body);
  Constants constants(context_, print_);
  const std::string& roles = functions_.roles();
  std::string code =
      Cat(constants.DefinedFor(Cat(roles, text)), "\n", roles, text);
  if (options().HasHostSide()) {
    HostSide side(context_, print_, globals_, functions_);
    HostCode host = side.Write(file().plan.kernels.back(), frame_);
    std::string before = constants.DefinedFor(host.text);
    host.text = Cat(before, before.empty() ? "" : "\n", host.text);
    file().hosts.push_back(std::move(host));
  }
  return code;
}

// A role as a function of its own, called from here.
void KernelEmitter::EmitRole(const ir::Stmt& stmt) {
  Frame frame;
  frame.parent = &print_.frame();
  Writer* outer = out_;
  Writer body(2);
  {
    Within within(print_, &frame);
    out_ = &body;
    EmitBlock(stmt.body);
    out_ = outer;
  }
  out_->Statement(functions_.AddRole(stmt.name, frame, body));
}

void KernelEmitter::EmitBlock(const ir::Block& block) {
  bool after = later_;
  const std::set<int32_t> open = print_.frame().open;
  for (size_t i = 0; i < block.size(); ++i) {
    EmitComments(block[i]);
    later_ = after || NeedsWholeWarps(block, i + 1);
    EmitStmt(block[i]);
  }
  later_ = after;
  print_.frame().open = open;
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
      std::string left = print_.ScalarText(stmt.slot);
      return out_->Statement(Cat(left, " = ", print_.Text(stmt.value), ";"));
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
  print_.frame().slots.insert(slot);
  if (is_var) print_.frame().vars.insert(slot);
}

void KernelEmitter::EmitDecl(const Stmt& stmt) {
  int32_t id = stmt.decl_id;
  const ir::BoundDecl& tile = bound().decls[id];
  print_.frame().decls.insert(id);
  print_.frame().open.insert(id);
  registers_.Declare(id, threads_);
  if (values::BitsOf(tile.dtype) > 32) {
    diagnostics().Error("lower/unsupported", stmt.span,
                        Cat("register tile `", stmt.decl->name, "` of ",
                            values::NameOf(tile.dtype)));
    return;
  }
  if (registers_.Words(id) == 0) {
    diagnostics().Error("lower/unsupported", stmt.span,
                        Cat("the threads that hold `", stmt.decl->name,
                            "` are no whole warps that follow from constants"));
    return;
  }
  std::string shape;
  for (const ir::Expr& e : stmt.decl->shape) AddTo(&shape, ir::ToString(e));
  out_->Statement(Cat(registers_.Type(id), " ", CppName(stmt.decl->name),
                      registers_.Extents(id), ";  // ",
                      values::NameOf(tile.dtype), "[", shape, "] fragment ",
                      ir::Name(tile.fragment.fragment)));
}

void KernelEmitter::EmitLet(const Stmt& stmt, bool is_var) {
  std::string value = print_.Text(stmt.value);
  Define(stmt.slot, is_var);
  std::string_view unused =
      facts().Uses(stmt.slot) == 0 ? "[[maybe_unused]] " : "";
  out_->Statement(Cat(unused, is_var ? "" : "const ",
                      print_.ScalarType(stmt.slot), " ", CppName(stmt.name),
                      " = ", value, ";"));
}

namespace {

// Whether the block sets a scalar that the expression names.
bool Sets(const ir::Block& block, const ir::Expr& e) {
  return std::any_of(block.begin(), block.end(), [&](const Stmt& s) {
    if (s.kind == Stmt::Kind::kAssign && NamesScalar(e, s.slot)) return true;
    for (size_t i = 0; s.op && i < s.op->operands.size(); ++i) {
      if ((s.op->info->operands[i].types & ir::kTakesVar) != 0 &&
          NamesScalar(e, s.op->operands[i].expr.slot))
        return true;
    }
    return Sets(s.body, e) || Sets(s.orelse, e);
  });
}

}  // namespace

// The bounds of a `for` are worked out once, those of C's in every iteration.
std::string KernelEmitter::HighOf(const Stmt& loop) {
  std::string high = print_.Compared(loop.high);
  if (!Sets(loop.body, loop.high)) return high;
  std::string name = context_.names.Fresh("end");
  out_->Statement(Cat("const ", facts().IsWide(loop.high) ? "int64_t " : "int ",
                      name, " = ", high, ";"));
  return name;
}

void KernelEmitter::EmitFor(const Stmt& stmt) {
  std::string low = print_.Text(stmt.low);
  std::string high = HighOf(stmt);
  std::string name = CppName(stmt.name);
  std::optional<int64_t> step =
      stmt.step ? facts().Constant(*stmt.step) : std::optional<int64_t>(1);
  std::string step_text = stmt.step ? print_.Text(*stmt.step) : "1";
  Define(stmt.slot, false);
  Writer* outer = out_;
  Writer body(outer->indent());
  out_ = &body;
  body.Open(Cat("for (", print_.ScalarType(stmt.slot), " ", name, " = ", low,
                "; ", name, " < ", high, "; ",
                step == 1 ? Cat("++", name) : Cat(name, " += ", step_text),
                ")"));
  EmitBody(stmt.body);
  body.Close();
  out_ = outer;
  if (registers_.IsUnrolled(stmt.slot)) {
    if (!facts().Constant(stmt.low) || !facts().Constant(stmt.high) || !step) {
      diagnostics().Error("lower/unsupported", stmt.span,
                          Cat("`", stmt.name,
                              "` picks a register, so that the "
                              "bounds of its loop must follow from constants"));
    }
    out_->Margin("#pragma unroll");
  }
  out_->Append(body);
}

void KernelEmitter::EmitWhile(const Stmt& stmt) {
  if (options().debug) {
    std::string watch = context_.names.Fresh("watch");
    out_->Line(Cat("const tile::Watch ", watch, ";"));
    out_->Open(Cat("while (", print_.Text(stmt.value), ")"));
    out_->Line(Cat(watch, ".check(tile::Site{-1, 0, ", role_, ", ",
                   stmt.span.line, "});"));
  } else {
    out_->Open(Cat("while (", print_.Text(stmt.value), ")"));
  }
  EmitBody(stmt.body);
  out_->Close();
}

void KernelEmitter::EmitIf(const Stmt& stmt) {
  if (std::optional<bool> taken = facts().Taken(stmt)) {
    const ir::Block& block = *taken ? stmt.body : stmt.orelse;
    if (block.empty()) return;
    out_->Block();
    EmitBlock(block);
    out_->Close();
    return;
  }
  out_->Open(Cat("if (", print_.Text(stmt.value), ")"));
  EmitBlock(stmt.body);
  if (!stmt.orelse.empty()) {
    out_->Else();
    EmitBlock(stmt.orelse);
  }
  out_->Close();
}

}  // namespace tilesim::hwtests
