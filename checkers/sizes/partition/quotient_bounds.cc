#include "checkers/sizes/partition/quotient_bounds.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>

#include "checkers/sizes/algebra/symbolic.h"
#include "checkers/sizes/partition/expressions.h"
#include "checkers/sizes/partition/positive.h"
#include "ir/named.h"
#include "ir/walk.h"

namespace tilesim::checkers::sizes::partition {
using ir::Block;
using ir::Builtin;
using ir::Expr;
using ir::ExprKind;
using ir::ExprOp;
using ir::NameKind;
using ir::Stmt;

namespace {

// of / by, rounded up, and `plus`.
struct Quotient {
  Expr of, by;
  int64_t plus = 0;
};

// What, divided by `by` and rounded up, is of / by rounded towards 0.
Expr Below(const Expr& of, const Expr& by) {
  Expr out;
  out.kind = ExprKind::kSelect;
  out.span = of.span;
  out.args = {Binary(ExprOp::kGe, of, 0),
              Binary(ExprOp::kSub, of, Binary(ExprOp::kSub, by, 1)), of};
  return out;
}

class Rewriter {
 public:
  Rewriter(const ir::Overrides& defines, ir::Kernel& kernel)
      : kernel_(kernel), positive_(defines, kernel) {}

  bool Rewrite() {
    Loops(kernel_.body);
    ir::ForEachStmt(kernel_.body, [&](Stmt& s) {
      ir::ForEachExpr(s, [&](Expr& e) { Comparisons(e); });
    });
    if (changed_) kernel_.items.clear();  // they count statements
    return changed_;
  }

 private:
  // --- quotients -----------------------------------------------------------

  // By a number that varies, and is at least 1; of what is the same wherever
  // the name of it is known.
  std::optional<Quotient> QuotientOf(const Expr& e) const {
    if (const Expr* let = positive_.LetOf(e)) return QuotientOf(*let);
    const bool up = e.kind == ExprKind::kCall && e.name == "cdiv";
    const bool down = e.kind == ExprKind::kBinary && e.op == ExprOp::kDiv;
    if (up || down) {
      const Expr &of = e.args[0], &by = e.args[1];
      if (positive_.known().Of(by) || !positive_.Is(by) || !Stays(of) ||
          !Stays(by))
        return std::nullopt;
      if (up) return Quotient{of, by, 0};
      return Quotient{Below(of, by), by, 0};
    }
    if (e.kind != ExprKind::kBinary) return std::nullopt;
    const bool adds = e.op == ExprOp::kAdd, takes = e.op == ExprOp::kSub;
    auto number =
        adds || takes ? positive_.known().Of(e.args[1]) : std::nullopt;
    auto more = number ? QuotientOf(e.args[0]) : std::nullopt;
    if (more) more->plus += adds ? *number : -*number;
    return more;
  }

  static bool NamesThreads(const Expr& e) {
    const bool threads = e.kind == ExprKind::kName &&
                         e.name_kind == NameKind::kBuiltin &&
                         (e.slot == static_cast<int32_t>(Builtin::kWarp) ||
                          e.slot == static_cast<int32_t>(Builtin::kWarpgroup));
    return threads || std::any_of(e.args.begin(), e.args.end(), NamesThreads);
  }
  // No variable, that may have another value by now, and the same for all
  // threads of a CTA.
  static bool Stays(const Expr& e) {
    return !ir::NamesAVariable(e) && !NamesThreads(e);
  }

  // --- comparisons ---------------------------------------------------------

  // docs/all_sizes.md 3.10: a < ceil(n / d) + c where (a - c) d < n, for d > 0.
  static Expr Less(const Expr& a, int64_t more, const Quotient& q) {
    return Binary(
        ExprOp::kLt,
        Binary(ExprOp::kMul, Binary(ExprOp::kSub, a, q.plus - more), q.by),
        q.of);
  }
  static Expr AtMost(const Expr& a, const Quotient& q) {
    return Less(a, -1, q);
  }

  static std::optional<Expr> Compared(ExprOp op, const Expr& a,
                                      const Quotient& q) {
    switch (op) {
      case ExprOp::kLt:
        return Less(a, 0, q);
      case ExprOp::kLe:
        return AtMost(a, q);
      case ExprOp::kGt:
        return Unary(ExprOp::kNot, AtMost(a, q));
      case ExprOp::kGe:
        return Unary(ExprOp::kNot, Less(a, 0, q));
      case ExprOp::kEq:
        return Binary(ExprOp::kAnd, AtMost(a, q),
                      Unary(ExprOp::kNot, Less(a, 0, q)));
      case ExprOp::kNe:
        return Binary(ExprOp::kOr, Unary(ExprOp::kNot, AtMost(a, q)),
                      Less(a, 0, q));
      default:
        return std::nullopt;
    }
  }

  void Comparisons(Expr& e) {
    if (e.kind == ExprKind::kBinary) {
      auto right = QuotientOf(e.args[1]), left = QuotientOf(e.args[0]);
      auto compared = right ? Compared(e.op, e.args[0], *right)
                      : left
                          ? Compared(algebra::Mirrored(e.op), e.args[1], *left)
                          : std::nullopt;
      if (compared) {
        changed_ = true;
        e = *std::move(compared);
        return;
      }
    }
    for (Expr& arg : e.args) Comparisons(arg);
  }

  // --- loops ---------------------------------------------------------------

  // `for` that ends at a quotient is a `while`: its end is no number.
  void Loops(Block& block) {
    Block out;
    for (Stmt& s : block) {
      Loops(s.body);
      Loops(s.orelse);
      auto end = s.kind == Stmt::Kind::kFor && !Continues(s.body)
                     ? QuotientOf(s.high)
                     : std::nullopt;
      if (!end) {
        out.push_back(std::move(s));
        continue;
      }
      changed_ = true;
      Stmt begin = Set(Stmt::Kind::kVar, s, s.low);
      const Expr counter = Counter(s);
      s.body.push_back(
          Set(Stmt::Kind::kAssign, s,
              Binary(ExprOp::kAdd, counter, s.step ? *s.step : Expr::Int(1))));
      s.kind = Stmt::Kind::kWhile;
      s.value = Less(counter, 0, *end);
      out.push_back(std::move(begin));
      out.push_back(std::move(s));
    }
    block = std::move(out);
  }

  static Stmt Set(Stmt::Kind kind, const Stmt& loop, Expr value) {
    Stmt out;
    out.kind = kind;
    out.span = loop.span;
    out.name = loop.name;
    out.slot = loop.slot;
    out.value = std::move(value);
    return out;
  }
  static Expr Counter(const Stmt& loop) {
    return NameOf(NameKind::kVar, loop.name, loop.slot, loop.span);
  }

  ir::Kernel& kernel_;
  Positive positive_;
  bool changed_ = false;
};

}  // namespace

bool CompareProducts(const ir::Overrides& defines, ir::Kernel& kernel) {
  return Rewriter(defines, kernel).Rewrite();
}

}  // namespace tilesim::checkers::sizes::partition
