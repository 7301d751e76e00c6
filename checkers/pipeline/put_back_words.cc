#include "checkers/pipeline/put_back_words.h"

#include <algorithm>
#include <set>
#include <vector>

#include "ir/op.h"
#include "ir/values/dtype.h"
#include "ir/walk.h"

namespace tilesim::checkers::pipeline {
using ir::Block;
using ir::Expr;
using ir::ExprOp;
using ir::Operand;
using ir::OpKind;
using ir::Stmt;

namespace {

constexpr int kCounterBits = 32;

class PutBack {
 public:
  PutBack(const ir::Kernel& kernel, int32_t decl)
      : kernel_(kernel), decl_(decl) {}

  bool Is() {
    ir::ForEachStmt(kernel_.body, [&](const Stmt& s) { FindDraw(s); });
    if (draws_ != 1 || numbers_.empty()) return false;
    // A word of shared memory that hands the number on, and who loads it.
    ir::ForEachStmt(kernel_.body, [&](const Stmt& s) { FindWord(s); });
    ir::ForEachStmt(kernel_.body, [&](const Stmt& s) { FindLoad(s); });
    Look(kernel_.body, false);
    return good_ && puts_back_ == 1;
  }

 private:
  bool IsRef(const Operand& o) const {
    return o.kind == Operand::Kind::kRef && o.ref.decl == decl_;
  }
  bool Uses(const Stmt& s) const {
    return s.op && std::any_of(s.op->operands.begin(), s.op->operands.end(),
                               [&](const Operand& o) { return IsRef(o); });
  }
  static bool Is(const Stmt& s, OpKind kind) {
    return s.op && s.op->info->kind == kind;
  }

  void FindDraw(const Stmt& s) {
    if (!Is(s, OpKind::kAtomAdd) || !Uses(s)) return;
    ++draws_;
    const int32_t drawn = ir::SlotOf(s.op->operands[0].expr);
    if (drawn >= 0 && s.op->operands[2].expr.is_int(1)) numbers_.insert(drawn);
  }
  bool IsShared(const Operand& o) const {
    return o.kind == Operand::Kind::kRef &&
           kernel_.decls[o.ref.decl].space == ir::Space::kShared;
  }
  void FindWord(const Stmt& s) {
    if (Is(s, OpKind::kSt) && IsShared(s.op->operands[0]) &&
        numbers_.contains(ir::SlotOf(s.op->operands[1].expr)))
      words_.insert(s.op->operands[0].ref.decl);
  }
  void FindLoad(const Stmt& s) {
    if (Is(s, OpKind::kLd) && IsShared(s.op->operands[1]) &&
        words_.contains(s.op->operands[1].ref.decl))
      numbers_.insert(ir::SlotOf(s.op->operands[0].expr));
  }

  // n == E
  bool AsksForNumber(const Expr& e) const {
    return IsBinary(e, ExprOp::kEq) &&
           std::any_of(e.args.begin(), e.args.end(), [&](const Expr& side) {
             return numbers_.contains(ir::SlotOf(side));
           });
  }

  void Look(const Block& block, bool asked) {
    for (const Stmt& s : block) {
      good_ &= s.kind != Stmt::Kind::kAssign || !numbers_.contains(s.slot);
      if (Uses(s) && !Is(s, OpKind::kAtomAdd)) {
        good_ &= asked && Is(s, OpKind::kSt) && IsRef(s.op->operands[0]) &&
                 s.op->operands[1].kind == Operand::Kind::kExpr &&
                 s.op->operands[1].expr.is_int(0);
        ++puts_back_;
      }
      const bool asks = s.kind == Stmt::Kind::kIf && AsksForNumber(s.value);
      Look(s.body, asked || asks);
      Look(s.orelse, asked);
    }
  }

  const ir::Kernel& kernel_;
  const int32_t decl_;
  int draws_ = 0, puts_back_ = 0;
  bool good_ = true;
  std::set<int32_t> numbers_, words_;  // scalars, declarations
};

}  // namespace

bool CountsAndPutsBack(const ir::Kernel& kernel, int32_t decl) {
  const ir::Decl& d = kernel.decls[decl];
  return d.zero && !values::IsFloat(d.dtype) &&
         values::BitsOf(d.dtype) >= kCounterBits && PutBack(kernel, decl).Is();
}

}  // namespace tilesim::checkers::pipeline
