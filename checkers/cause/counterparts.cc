#include "checkers/cause/counterparts.h"

#include <algorithm>
#include <functional>
#include <string>
#include <utility>

#include "checkers/cause/moved_text.h"
#include "ir/cat.h"
#include "ir/ops/bulk.h"
#include "ir/ops/mbarrier.h"
#include "ir/ops/sync.h"
#include "ir/ops/tcgen05.h"
#include "ir/walk.h"

namespace tilesim::checkers::cause {
using ir::Block;
using ir::Expr;
using ir::Span;
using ir::Stmt;
using ir::ops::BarArrive;
using ir::ops::BarSync;
using ir::ops::Tcgen05Commit;
using ir::ops::TmaLoad;

namespace {

// Each two statements of a kind that have one name and are not the same text.
void ForEachPair(const machine::Code& code, Stmt::Kind kind,
                 const std::function<bool(const Stmt&, const Stmt&)>& alike,
                 const std::function<void(const Stmt&, const Stmt&)>& fn) {
  std::vector<const Stmt*> all;
  ir::ForEachStmt(code.kernel().body, [&](const Stmt& s) {
    if (s.kind == kind) all.push_back(&s);
  });
  for (const Stmt* a : all) {
    for (const Stmt* b : all) {
      if (a != b && a->name == b->name && !alike(*a, *b)) fn(*a, *b);
    }
  }
}

std::string RangeOf(const Stmt& loop) {
  std::string out =
      ir::Cat(ir::ToString(loop.low), "..", ir::ToString(loop.high));
  if (loop.step) ir::Append(&out, " step ", ir::ToString(*loop.step));
  return out;
}

// The index by which a ref chooses an object of an array of one dimension;
// nullptr: it does not.
template <class RefT>
auto IndexOf(const ir::Kernel& kernel, RefT& ref)
    -> decltype(&ref.groups[0][0].start) {
  if (ref.decl < 0 || kernel.decls[ref.decl].array.size() != 1 ||
      ref.groups.empty() || ref.groups[0].empty() ||
      ref.groups[0][0].kind != ir::Subscript::Kind::kIndex)
    return nullptr;
  return &ref.groups[0][0].start;
}

// Indices by which the op, or those before it in its block, choose from arrays
// as long as that one.
std::vector<Expr> IndicesBeside(const ir::Kernel& kernel, const Block& block,
                                const Stmt& op, const ir::Decl& array) {
  std::vector<Expr> out;
  for (const Stmt& s : block) {
    if (s.op) {
      for (const ir::Operand& o : s.op->operands) {
        if (o.kind != ir::Operand::Kind::kRef) continue;
        const Expr* index = IndexOf(kernel, o.ref);
        if (index != nullptr && kernel.decls[o.ref.decl].array == array.array &&
            std::find(out.begin(), out.end(), *index) == out.end())
          out.push_back(*index);
      }
    }
    if (&s == &op) break;
  }
  return out;
}

// Which CTAs an op reaches; nullptr: its own.
const Expr* MaskOf(const Stmt& s) {
  if (!s.op) return nullptr;
  size_t operand = 0;
  if (s.op->info == &Tcgen05Commit::kInfo) {
    operand = Tcgen05Commit::kMulticast;
  } else if (s.op->info == &TmaLoad::kInfo) {
    operand = TmaLoad::kMulticast;
  } else {
    return nullptr;
  }
  const ir::Operand& mask = s.op->operands[operand];
  return mask.kind == ir::Operand::Kind::kExpr ? &mask.expr : nullptr;
}

// For how many threads a named barrier is entered; nullptr: for all.
const Expr* ThreadsAt(const Stmt& s) {
  static_assert(size_t{BarSync::kThreads} == size_t{BarArrive::kThreads});
  if (!s.op ||
      (s.op->info != &BarSync::kInfo && s.op->info != &BarArrive::kInfo))
    return nullptr;
  const ir::Operand& threads = s.op->operands[BarSync::kThreads];
  return threads.kind == ir::Operand::Kind::kExpr ? &threads.expr : nullptr;
}

class Indices {
 public:
  Indices(const machine::Code& code, const std::vector<Span>& places)
      : code_(code), kernel_(code.kernel()), places_(places) {}

  std::vector<Rewrite> All() {
    In(kernel_.body);
    return std::move(out_);
  }

 private:
  void In(const Block& block) {
    for (const Stmt& s : block) {
      In(s.body);
      In(s.orelse);
      const bool named =
          s.op && std::any_of(places_.begin(), places_.end(), [&](auto& p) {
            return SamePlace(p, s.op->span);
          });
      if (!named) continue;
      for (size_t i = 0; i < s.op->operands.size(); ++i) Of(block, s, i);
    }
  }

  void Of(const Block& block, const Stmt& s, size_t operand) {
    const ir::Operand& o = s.op->operands[operand];
    if (o.kind != ir::Operand::Kind::kRef) return;
    const Expr* index = IndexOf(kernel_, o.ref);
    if (index == nullptr) return;
    for (const Expr& other :
         IndicesBeside(kernel_, block, s, kernel_.decls[o.ref.decl])) {
      if (other == *index) continue;
      Change(
          code_, s.span,
          ir::Cat("`", o.ref.name, "[", ir::ToString(other), "]` instead of `",
                  o.ref.name, "[", ir::ToString(*index), "]` on line ",
                  s.op->span.text_line()),
          [&](Stmt& copy, const Names&) {
            if (!copy.op) return false;
            *IndexOf(kernel_, copy.op->operands[operand].ref) = other;
            return true;
          },
          out_);
    }
  }

  const machine::Code& code_;
  const ir::Kernel& kernel_;
  const std::vector<Span>& places_;
  std::vector<Rewrite> out_;
};

}  // namespace

std::vector<Rewrite> OtherIndices(const machine::Code& code,
                                  const std::vector<Span>& places) {
  return Indices(code, places).All();
}

std::vector<Rewrite> OtherMasks(const machine::Code& code) {
  std::vector<Expr> masks;
  auto add = [&](const Expr& mask) {
    if (std::find(masks.begin(), masks.end(), mask) == masks.end())
      masks.push_back(mask);
  };
  ir::ForEachStmt(code.kernel().body, [&](const Stmt& s) {
    const Expr* mask = MaskOf(s);
    if (mask != nullptr) add(*mask);
  });
  for (size_t i = 0, own = masks.size(); i < own; ++i) {
    for (size_t j = i + 1; j < own; ++j) {
      Expr both = Expr::Int(0, masks[i].span);
      both.kind = ir::ExprKind::kBinary;
      both.op = ir::ExprOp::kBitOr;
      both.args = {masks[i], masks[j]};
      add(both);
    }
  }
  std::vector<Rewrite> out;
  ir::ForEachStmt(code.kernel().body, [&](const Stmt& s) {
    const Expr* own = MaskOf(s);
    if (own == nullptr || s.op->info != &Tcgen05Commit::kInfo) return;
    for (const Expr& mask : masks) {
      if (mask == *own) continue;
      Change(
          code, s.span,
          ir::Cat("`", s.op->info->mnemonic,
                  "` with `multicast = ", ir::ToString(mask), "` instead of `",
                  ir::ToString(*own), "` on line ", s.op->span.text_line(),
                  ": the CTAs of one mask are not those that fill the stage"),
          [&](Stmt& copy, const Names& names) {
            Expr& to = copy.op->operands[Tcgen05Commit::kMulticast].expr;
            to = mask;
            return Move(to, code.kernel(), names);
          },
          out);
    }
  });
  return out;
}

std::vector<Rewrite> OtherCounts(const machine::Code& code,
                                 const std::vector<Span>& places) {
  std::vector<const Stmt*> all;
  ir::ForEachStmt(code.kernel().body, [&](const Stmt& s) {
    if (ThreadsAt(s) != nullptr) all.push_back(&s);
  });
  std::vector<Rewrite> out;
  for (const Stmt* s : all) {
    if (std::none_of(places.begin(), places.end(),
                     [&](const Span& p) { return SamePlace(p, s->op->span); }))
      continue;
    for (const Stmt* other : all) {
      const Expr &own = *ThreadsAt(*s), &threads = *ThreadsAt(*other);
      if (threads == own) continue;
      const size_t known = out.size();
      Change(
          code, s->span,
          ir::Cat("`", s->op->info->mnemonic, " ",
                  ir::ToString(s->op->operands[BarSync::kId].expr), ", ",
                  ir::ToString(threads), "` on line ", s->op->span.text_line(),
                  ", as on line ", other->op->span.text_line(),
                  ", instead of `", ir::ToString(own), "`"),
          [&](Stmt& copy, const Names& names) {
            Expr& to = copy.op->operands[BarSync::kThreads].expr;
            to = threads;
            return Move(to, code.kernel(), names);
          },
          out);
      if (out.size() > known) out.back().at = s->op->span;
    }
  }
  return out;
}

std::vector<Rewrite> OtherLets(const machine::Code& code) {
  std::vector<Rewrite> out;
  ForEachPair(
      code, Stmt::Kind::kLet,
      [](const Stmt& a, const Stmt& b) { return a.value == b.value; },
      [&](const Stmt& let, const Stmt& other) {
        Change(
            code, let.span,
            ir::Cat("`let ", let.name, " = ", ir::ToString(other.value),
                    "` on line ", let.span.text_line(), ", as on line ",
                    other.span.text_line(), ", instead of `",
                    ir::ToString(let.value), "`"),
            [&](Stmt& copy, const Names& names) {
              copy.value = other.value;
              return Move(copy.value, code.kernel(), names);
            },
            out);
      });
  return out;
}

std::vector<Rewrite> OtherRanges(const machine::Code& code) {
  std::vector<Rewrite> out;
  ForEachPair(
      code, Stmt::Kind::kFor,
      [](const Stmt& a, const Stmt& b) {
        return a.low == b.low && a.high == b.high && a.step == b.step;
      },
      [&](const Stmt& loop, const Stmt& other) {
        Change(
            code, loop.span,
            ir::Cat("`for ", loop.name, " in ", RangeOf(other), "` on line ",
                    loop.span.text_line(), ", as on line ",
                    other.span.text_line(), ", instead of `", RangeOf(loop),
                    "`"),
            [&](Stmt& copy, const Names& names) {
              copy.low = other.low;
              copy.high = other.high;
              copy.step = other.step;
              return Move(copy.low, code.kernel(), names) &&
                     Move(copy.high, code.kernel(), names) &&
                     (!copy.step || Move(*copy.step, code.kernel(), names));
            },
            out);
      });
  return out;
}

namespace {

// The factor of `t * N + k`, `k` being that name; nullptr: it is another
// expression.
template <class ExprT>
ExprT* FactorOf(ExprT& e, const std::string& k) {
  if (e.kind != ir::ExprKind::kBinary || e.op != ir::ExprOp::kAdd)
    return nullptr;
  for (size_t i : {0, 1}) {
    ExprT &product = e.args[i], &added = e.args[1 - i];
    if (added.kind == ir::ExprKind::kName && added.name == k &&
        product.kind == ir::ExprKind::kBinary && product.op == ir::ExprOp::kMul)
      return &product.args[1];
  }
  return nullptr;
}

}  // namespace

std::vector<Rewrite> FlatCounters(const machine::Code& code) {
  std::vector<Rewrite> out;
  ir::ForEachStmt(code.kernel().body, [&](const Stmt& loop) {
    if (loop.kind != Stmt::Kind::kFor || loop.step ||
        loop.low.kind != ir::ExprKind::kInt || loop.low.value != 0)
      return;
    for (const Stmt& let : loop.body) {
      const Expr* factor = let.kind == Stmt::Kind::kLet
                               ? FactorOf(let.value, loop.name)
                               : nullptr;
      if (factor == nullptr || *factor == loop.high) continue;
      Change(
          code, let.span,
          ir::Cat("`", ir::ToString(loop.high), "` instead of `",
                  ir::ToString(*factor), "` on line ", let.span.text_line(),
                  ": the loop on line ", loop.span.text_line(),
                  " has as many iterations"),
          [&](Stmt& copy, const Names&) {
            *FactorOf(copy.value, loop.name) = loop.high;
            return true;
          },
          out);
    }
  });
  return out;
}

namespace {

// `<=` of `<` and so on; kNone: it does not compare by size.
ir::ExprOp Beside(const Expr& e) {
  using ir::ExprOp;
  if (e.kind != ir::ExprKind::kBinary) return ExprOp::kNone;
  switch (e.op) {
    case ExprOp::kLt:
      return ExprOp::kLe;
    case ExprOp::kLe:
      return ExprOp::kLt;
    case ExprOp::kGt:
      return ExprOp::kGe;
    case ExprOp::kGe:
      return ExprOp::kGt;
    default:
      return ExprOp::kNone;
  }
}

}  // namespace

std::vector<Rewrite> OtherComparisons(const machine::Code& code) {
  std::vector<Rewrite> out;
  ir::ForEachStmt(code.kernel().body, [&](const Stmt& s) {
    if ((s.kind != Stmt::Kind::kIf && s.kind != Stmt::Kind::kWhile) ||
        Beside(s.value) == ir::ExprOp::kNone)
      return;
    Expr other = s.value;
    other.op = Beside(s.value);
    Change(
        code, s.span,
        ir::Cat("`", ir::ToString(other), "` instead of `",
                ir::ToString(s.value), "` on line ", s.span.text_line()),
        [&](Stmt& copy, const Names&) {
          copy.value = other;
          return true;
        },
        out);
  });
  return out;
}

std::vector<Rewrite> OtherEnds(const machine::Code& code) {
  const auto waits = [](const Stmt& s) {
    return s.op && s.op->info == &ir::ops::MbarrierWait::kInfo;
  };
  std::vector<Rewrite> out;
  ir::ForEachStmt(code.kernel().body, [&](const Stmt& loop) {
    if (loop.kind != Stmt::Kind::kFor || loop.step ||
        !ir::Contains(loop.body, waits))
      return;
    const Expr& end = loop.high;
    Expr further = end;
    if (ir::IsBinary(end, ir::ExprOp::kSub) && end.args[1].is_int(1)) {
      further = end.args[0];
    } else {
      further = Expr::Int(1, end.span);
      further.kind = ir::ExprKind::kBinary;
      further.op = ir::ExprOp::kAdd;
      further.args = {end, Expr::Int(1, end.span)};
    }
    const size_t known = out.size();
    Change(
        code, loop.span,
        ir::Cat("`for ", loop.name, " in ", ir::ToString(loop.low), "..",
                ir::ToString(further), "` instead of `", ir::ToString(loop.low),
                "..", ir::ToString(end), "` on line ", loop.span.text_line(),
                ": it does not wait for all that is issued"),
        [&](Stmt& copy, const Names&) {
          copy.high = further;
          return true;
        },
        out);
    if (out.size() > known) out.back().family = "exit";
  });
  return out;
}

}  // namespace tilesim::checkers::cause
