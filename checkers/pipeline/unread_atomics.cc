#include "checkers/pipeline/unread_atomics.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include "checkers/pipeline/copied_block.h"
#include "checkers/pipeline/word_arrays.h"
#include "checkers/proof/condition.h"
#include "ir/concrete.h"
#include "ir/op.h"
#include "ir/values/dtype.h"
#include "ir/walk.h"

namespace tilesim::checkers::pipeline {
using ir::Block;
using ir::Builtin;
using ir::Expr;
using ir::ExprKind;
using ir::NameKind;
using ir::OpKind;
using ir::Stmt;

namespace {

// What is left of an order in an op that has no acquisition.
std::string_view WithoutAcquire(std::string_view order) {
  if (order == "acq_rel") return "release";
  return order == "acquire" ? "relaxed" : order;
}

}  // namespace

std::optional<ir::Op> InPlaceOf(OpKind kind, const ir::Op& op) {
  const ir::OpInfo& info = ir::InfoOf(kind);
  if (op.mods.size() != info.mods.size()) return std::nullopt;
  ir::Op out = op;
  out.info = &info;
  for (size_t i = 0; i < op.mods.size(); ++i) {
    const auto& choices = info.mods[i].choices;
    const auto at =
        std::find(choices.begin(), choices.end(),
                  WithoutAcquire(op.info->mods[i].choices[op.mods[i]]));
    if (at == choices.end()) return std::nullopt;
    out.mods[i] = static_cast<uint8_t>(at - choices.begin());
  }
  return out;
}

namespace {

class UnreadAtomics {
 public:
  UnreadAtomics(const ir::Program& program, ir::Kernel& kernel)
      : program_(program), kernel_(kernel) {
    ir::ForEachStmt(kernel.body, [&](const Stmt& s) {
      Stmt alone = s;
      alone.body.clear();
      alone.orelse.clear();
      ir::ForEachExpr(alone, [&](Expr& e) { CountNames(e); });
    });
  }

  bool Rewrite() {
    Reduce(kernel_.body);
    ir::ForEachStmt(kernel_.body, [&](const Stmt& s) {
      for (size_t i = 0; s.op && i < s.op->operands.size(); ++i) {
        const ir::Operand& o = s.op->operands[i];
        const bool loads = s.op->info->kind == OpKind::kLd && i == 1;
        if (o.kind == ir::Operand::Kind::kRef && !loads) ++writes_[o.ref.decl];
      }
    });
    Store(kernel_.body, OneThread(kernel_), false);
    return any_;
  }

 private:
  void CountNames(const Expr& e) {
    ++names_[ir::SlotOf(e)];
    for (const Expr& arg : e.args) CountNames(arg);
  }

  bool IsGlobal(const ir::Ref& ref) const {
    return ref.decl >= 0 && kernel_.decls[ref.decl].space == ir::Space::kGlobal;
  }

  void Reduce(Block& block) {
    for (Stmt& s : block) {
      Reduce(s.body);
      Reduce(s.orelse);
      if (!s.op) continue;
      const OpKind kind = s.op->info->kind;
      if (kind != OpKind::kAtomAdd && kind != OpKind::kAtomExch) continue;
      if (names_[ir::SlotOf(s.op->operands[0].expr)] != 1 ||
          !IsGlobal(s.op->operands[1].ref))
        continue;
      auto other = InPlaceOf(
          kind == OpKind::kAtomAdd ? OpKind::kRedAdd : OpKind::kSt, *s.op);
      if (!other) continue;
      other->operands.erase(other->operands.begin());
      s.op = std::move(other);
      any_ = true;
    }
  }

  // What one thread adds, once, to a word that is 0 and that nobody else
  // writes, it may as well store.
  void Store(Block& block, const OneThread& threads, bool looped) {
    for (Stmt& s : block) {
      const bool loops =
          s.kind == Stmt::Kind::kFor || s.kind == Stmt::Kind::kWhile;
      OneThread inside = threads;
      for (const ir::Scope& scope : s.scopes) inside.Enter(scope);
      Store(s.body, inside, looped || loops);
      Store(s.orelse, inside, looped || loops);
      if (!s.op || s.op->info->kind != OpKind::kRedAdd || looped ||
          !threads.is() || !IsOwn(s.op->operands[0].ref) ||
          s.op->operands[1].expr.kind != ExprKind::kInt)
        continue;
      auto store = InPlaceOf(OpKind::kSt, *s.op);
      if (!store) continue;
      s.op = std::move(store);
      any_ = true;
    }
  }

  // A word that no other CTA, and no other op, writes.
  bool IsOwn(const ir::Ref& ref) const {
    if (!IsGlobal(ref) || !kernel_.cluster.empty() || !ref.cta.empty() ||
        ref.groups.size() != 1 || ref.transposed)
      return false;
    const ir::Decl& d = kernel_.decls[ref.decl];
    const bool result =
        std::any_of(kernel_.computes.begin(), kernel_.computes.end(),
                    [&](const ir::Computes& c) { return c.target == d.name; });
    if (!d.zero || result || !d.array.empty() || !d.strides.empty() ||
        values::IsFloat(d.dtype) || !IsOfOne(program_, d.name))
      return false;
    return !proof::IsJudged(proof::Condition::kAddedOnce) ||
           (writes_.at(ref.decl) == 1 && NamesCta(ref));
  }

  // Whether the word is that of the CTA's place.
  bool NamesCta(const ir::Ref& ref) const {
    std::set<int32_t> named;
    for (const ir::Subscript& s : ref.groups[0]) {
      if (s.kind != ir::Subscript::Kind::kIndex) return false;
      if (s.start.kind == ExprKind::kName &&
          s.start.name_kind == NameKind::kBuiltin)
        named.insert(s.start.slot);
    }
    for (size_t dim = 0; dim < kernel_.grid.size(); ++dim) {
      if (!kernel_.grid[dim].is_int(1) &&
          !named.contains(static_cast<int32_t>(Builtin::kCtaX) +
                          static_cast<int32_t>(dim)))
        return false;
    }
    return true;
  }

  const ir::Program& program_;
  ir::Kernel& kernel_;
  std::map<int32_t, int> names_;   // how often scalars are named, by slot
  std::map<int32_t, int> writes_;  // ops of the text, by declaration
  bool any_ = false;
};

}  // namespace

std::optional<ir::Program> WithReductions(const ir::Program& program) {
  ir::Program out = program;
  bool any = false;
  for (ir::Kernel& kernel : out.kernels)
    any |= UnreadAtomics(program, kernel).Rewrite();
  if (!any) return std::nullopt;
  return out;
}

}  // namespace tilesim::checkers::pipeline
