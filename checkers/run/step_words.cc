#include "checkers/run/step_words.h"

#include <algorithm>
#include <string>
#include <vector>

#include "ir/walk.h"

namespace tilesim::checkers::run {
using ir::Block;
using ir::Builtin;
using ir::Expr;
using ir::ExprKind;
using ir::ExprOp;
using ir::NameKind;
using ir::OpKind;
using ir::Stmt;

namespace {

// Where an op of the words stands in the loop.
struct Use {
  const ir::Op* op = nullptr;
  bool sometimes = false;  // under an `if`
  bool in_loop = false;    // inside this one
  bool plain = true;       // only scopes of constants around it else
};

class Text {
 public:
  Text(const ir::Kernel& kernel, int32_t decl) : kernel_(kernel), decl_(decl) {
    for (const ir::Constant& c : kernel.constants) {
      if (!c.is_let || IsOfLaunch(c.value)) same_.insert(c.slot);
    }
    for (const Stmt& s : kernel.body) {
      if (s.kind == Stmt::Kind::kLet && IsOfLaunch(s.value))
        same_.insert(s.slot);
    }
  }

  // The only statement of the body that has ops of the words, if it is a loop
  // around which all CTAs go equally often.
  const Stmt* Loop() {
    const Stmt* out = nullptr;
    for (const Stmt& s : kernel_.body) {
      if (!Uses(s)) continue;
      if (out != nullptr || s.kind != Stmt::Kind::kFor) return nullptr;
      out = &s;
    }
    return out != nullptr && IsOfLaunch(out->low) && IsOfLaunch(out->high) &&
                   (!out->step || IsFrom1(*out->step)) && IsWhole(out->body)
               ? out
               : nullptr;
  }

  // Ops of the words, in the order of the text.
  std::vector<Use> UsesIn(const Stmt& loop) const {
    std::vector<Use> out;
    Walk(loop.body, {}, out);
    return out;
  }

  // t, or t + c: another number in each step, the same in all CTAs.
  bool IsStep(const Expr& e, const Stmt& loop) const {
    if (ir::SlotOf(e) == loop.slot) return true;
    if (e.kind != ExprKind::kBinary) return false;
    if (e.op == ExprOp::kAdd && IsOfLaunch(e.args[0]))
      return IsStep(e.args[1], loop);
    return (e.op == ExprOp::kAdd || e.op == ExprOp::kSub) &&
           IsOfLaunch(e.args[1]) && IsStep(e.args[0], loop);
  }

  // The same in all CTAs, at all times.
  bool IsOfLaunch(const Expr& e) const {
    if (e.kind == ExprKind::kName) {
      switch (e.name_kind) {
        case NameKind::kParam:
          return true;
        case NameKind::kConst:
        case NameKind::kLet:
          return same_.contains(e.slot);
        case NameKind::kBuiltin:
          return e.slot >= static_cast<int32_t>(Builtin::kGridX) &&
                 e.slot <= static_cast<int32_t>(Builtin::kGridZ);
        default:
          return false;
      }
    }
    return e.kind != ExprKind::kFloat &&
           std::all_of(e.args.begin(), e.args.end(),
                       [&](const Expr& arg) { return IsOfLaunch(arg); });
  }

 private:
  static bool IsFrom1(const Expr& e) {
    return e.kind == ExprKind::kInt && e.value >= 1;
  }

  // Every iteration is executed to its end. (A jump of a loop inside is taken
  // for one of this.)
  static bool IsWhole(const Block& body) {
    bool jumps = false;
    ir::ForEachStmt(body, [&](const Stmt& s) {
      jumps |= s.kind == Stmt::Kind::kBreak ||
               s.kind == Stmt::Kind::kContinue || s.kind == Stmt::Kind::kReturn;
    });
    return !jumps;
  }

  bool Has(const ir::Op& op) const {
    return std::any_of(
        op.operands.begin(), op.operands.end(), [&](const ir::Operand& o) {
          return o.kind == ir::Operand::Kind::kRef && o.ref.decl == decl_;
        });
  }

  bool Uses(const Stmt& s) const {
    const auto any = [&](const Block& block) {
      return std::any_of(block.begin(), block.end(),
                         [&](const Stmt& inner) { return Uses(inner); });
    };
    return (s.op && Has(*s.op)) || any(s.body) || any(s.orelse);
  }

  void Walk(const Block& block, const Use& around,
            std::vector<Use>& out) const {
    for (const Stmt& s : block) {
      Use inside = around;
      if (s.op && Has(*s.op)) {
        inside.op = &*s.op;
        out.push_back(inside);
      }
      inside.sometimes |= s.kind == Stmt::Kind::kIf;
      inside.in_loop |=
          s.kind == Stmt::Kind::kFor || s.kind == Stmt::Kind::kWhile;
      for (const ir::Scope& scope : s.scopes) inside.plain &= IsFixed(scope);
      Walk(s.body, inside, out);
      Walk(s.orelse, inside, out);
    }
  }

  // The same threads in every CTA and step.
  bool IsFixed(const ir::Scope& s) const {
    return s.kind == ir::Scope::Kind::kElect ||
           (IsNumber(s.low) && (!s.range || IsNumber(s.high)));
  }
  static bool IsNumber(const Expr& e) {
    if (e.kind == ExprKind::kName) return e.name_kind == NameKind::kConst;
    return std::all_of(e.args.begin(), e.args.end(), IsNumber);
  }

  const ir::Kernel& kernel_;
  const int32_t decl_;
  std::set<int32_t> same_;  // lets and constants, by slot
};

// The indices of the word; empty: it is no single one.
std::vector<const Expr*> IndicesIn(const ir::Op& op, int32_t decl) {
  std::vector<const Expr*> out;
  for (const ir::Operand& o : op.operands) {
    if (o.kind != ir::Operand::Kind::kRef || o.ref.decl != decl) continue;
    if (!out.empty()) return {};  // two words
    for (const auto& group : o.ref.groups) {
      for (const ir::Subscript& s : group) {
        if (s.kind != ir::Subscript::Kind::kIndex) return {};
        out.push_back(&s.start);
      }
    }
  }
  return out;
}

bool Sets(const ir::Op& op) {
  return op.info->kind == OpKind::kSt || op.info->kind == OpKind::kRedAdd;
}

}  // namespace

std::optional<StepWords> StepWordsOf(const ir::Kernel& kernel, int32_t decl,
                                     bool by_all) {
  Text text(kernel, decl);
  const Stmt* loop = text.Loop();
  if (loop == nullptr) return std::nullopt;
  const std::vector<Use> uses = text.UsesIn(*loop);
  // One op sets the word in each step, before any waits; the others wait.
  if (uses.empty() || uses[0].sometimes || uses[0].in_loop || !uses[0].plain)
    return std::nullopt;
  const auto set = IndicesIn(*uses[0].op, decl);
  StepWords out{loop->span.line, loop->span.column, {}};
  for (size_t d = 0; d < set.size(); ++d) {
    if (text.IsStep(*set[d], *loop))
      out.dims.insert(d);
    else if (by_all && !text.IsOfLaunch(*set[d]))
      return std::nullopt;
  }
  for (size_t i = 0; i < uses.size(); ++i) {
    if (Sets(*uses[i].op) != (i == 0)) return std::nullopt;
    const auto index = IndicesIn(*uses[i].op, decl);
    if (index.size() != set.size()) return std::nullopt;
    for (size_t d = 0; d < set.size(); ++d) {
      const bool step = out.dims.contains(d);
      if (!by_all && !step) continue;
      const bool same =
          ir::ToString(*index[d]) == ir::ToString(*set[d]) &&
          (step ? text.IsStep(*index[d], *loop) : text.IsOfLaunch(*index[d]));
      if (!same) return std::nullopt;
    }
  }
  return out.dims.empty() ? std::nullopt : std::optional(std::move(out));
}

const Stmt* LoopOf(const ir::Kernel& kernel, const StepWords& words) {
  for (const Stmt& s : kernel.body) {
    if (s.kind == Stmt::Kind::kFor && s.span.line == words.line &&
        s.span.column == words.column)
      return &s;
  }
  return nullptr;
}

}  // namespace tilesim::checkers::run
