#include "checkers/pipeline/any_places.h"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "checkers/grid/text.h"
#include "checkers/grid/words.h"
#include "checkers/run/control_memory.h"
#include "checkers/run/places.h"
#include "checkers/run/words_used.h"
#include "ir/walk.h"
#include "sim/machine/control.h"
#include "sim/machine/data/domain.h"

namespace tilesim::checkers::pipeline {
using grid::Mentions;
using grid::Site;
using ir::Block;
using ir::Effect;
using ir::Expr;
using ir::Stmt;
using machine::CompiledOp;
using run::GlobalPlace;

namespace {

// --- conditions ------------------------------------------------------------

class Conditions {
 public:
  Conditions(const machine::Code& code, ir::Kernel& kernel)
      : code_(code), kernel_(kernel) {
    for (const CompiledOp& op : code.ops) {
      const bool only = OnlyReduces(op);
      auto [at, fresh] = reduces_.try_emplace(Site::Of(*op.op), only);
      at->second = at->second && only;
      for (size_t i = 0; i < op.operands.size(); ++i) {
        if (machine::TakesVar(op, i)) of_memory_.insert(SlotIn(*op.op, i));
      }
    }
    for (size_t before = 0; before != of_memory_.size();) {
      before = of_memory_.size();
      ir::ForEachStmt(kernel.body, [this](Stmt& s) { Follow(s); });
    }
  }

  bool Drop() {
    Drop(kernel_.body);
    if (dropped_) kernel_.items.clear();  // they count statements
    return dropped_;
  }

 private:
  static int32_t SlotIn(const ir::Op& op, size_t operand) {
    return ir::SlotOf(op.operands[operand].expr);
  }

  // Through scalars.
  void Follow(const Stmt& s) {
    const bool sets = s.kind == Stmt::Kind::kLet ||
                      s.kind == Stmt::Kind::kVar ||
                      s.kind == Stmt::Kind::kAssign;
    if (sets && Mentions(s.value, of_memory_)) of_memory_.insert(s.slot);
  }

  // It adds to global memory, in no order with anything, and nobody gets to
  // know what was there.
  bool OnlyReduces(const CompiledOp& op) const {
    const std::vector<Effect> all = run::EffectsIn(op);
    const bool adds = std::any_of(all.begin(), all.end(), [](const Effect& e) {
      return e.kind == ir::EffectKind::kWrite && e.adds;
    });
    return adds && run::ScalarSetBy(op) < 0 &&
           std::all_of(all.begin(), all.end(),
                       [&](const Effect& e) { return IsReduction(op, e); });
  }

  bool IsReduction(const CompiledOp& op, const Effect& e) const {
    if (!e.Is(ir::kAccesses) || e.sem != ir::Sem::kRelaxed) return false;
    const machine::CompiledOperand& o = op.operands[e.operand];
    if (o.kind != ir::OperandValue::Kind::kTile ||
        o.fixed.tile.space != ir::Space::kGlobal)
      return false;
    const ir::Decl& tensor = kernel_.decls[o.fixed.tile.decl];
    const bool result =
        std::any_of(kernel_.computes.begin(), kernel_.computes.end(),
                    [&](const auto& c) { return c.decl == o.fixed.tile.decl; });
    return !tensor.undefined && !result &&
           !code_.control_decl[o.fixed.tile.decl];
  }

  void Drop(Block& block) {
    Block out;
    for (Stmt& s : block) {
      Drop(s.body);
      Drop(s.orelse);
      const bool always =
          s.kind == Stmt::Kind::kIf && s.orelse.empty() &&
          Mentions(s.value, of_memory_) && HasAlwaysAValue(s.value) &&
          std::all_of(s.body.begin(), s.body.end(),
                      [this](const Stmt& inner) { return IsReduction(inner); });
      if (!always) {
        out.push_back(std::move(s));
        continue;
      }
      dropped_ = true;
      std::move(s.body.begin(), s.body.end(), std::back_inserter(out));
    }
    block = std::move(out);
  }

  // Where it is not evaluated, nothing is missing: comparisons, sums and what
  // is made of their truth.
  static bool HasAlwaysAValue(const Expr& e) {
    using ir::ExprKind;
    using enum ir::ExprOp;
    constexpr ir::ExprOp kDefined[] = {kAdd, kSub, kLt,  kLe, kGt, kGe,
                                       kEq,  kNe,  kAnd, kOr, kNot};
    const bool leaf = e.kind == ExprKind::kInt || e.kind == ExprKind::kName;
    return (leaf || std::find(std::begin(kDefined), std::end(kDefined), e.op) !=
                        std::end(kDefined)) &&
           e.kind != ExprKind::kCall &&
           std::all_of(e.args.begin(), e.args.end(), HasAlwaysAValue);
  }

  bool IsReduction(const Stmt& s) const {
    if (s.kind != Stmt::Kind::kOp || !s.op) return false;
    auto at = reduces_.find(Site::Of(*s.op));
    return at != reduces_.end() && at->second;
  }

  const machine::Code& code_;
  ir::Kernel& kernel_;
  std::map<Site, bool> reduces_;
  std::set<int32_t> of_memory_;  // scalars that an op sets
  bool dropped_ = false;
};

// --- places ----------------------------------------------------------------

// The same in all iterations, and at all sizes.
bool IsFixed(const Expr& e) {
  const bool other = e.kind == ir::ExprKind::kName &&
                     e.name_kind != ir::NameKind::kConst &&
                     e.name_kind != ir::NameKind::kBuiltin;
  return !other && std::all_of(e.args.begin(), e.args.end(), IsFixed);
}

class AnyPlaceNames {
 public:
  AnyPlaceNames(const machine::Code& code, ir::Kernel& kernel)
      : code_(code), kernel_(kernel) {}

  bool Name() {
    const std::vector<bool> written = run::AnyWrites(code_);
    for (int32_t decl : run::DrawnOf(code_)) {
      if (!written[decl]) Find(decl);
    }
    if (ranges_.empty()) return false;
    ir::ForEachStmt(kernel_.body, [this](Stmt& s) { Widen(s); });
    return true;
  }

 private:
  // Dimension of an operand, and its elements from .. on.
  struct Range {
    int32_t operand, dim;
    int64_t low, values;
  };

  // Where elements of the input name elements of shared memory, if they do
  // nothing but name places.
  void Find(int32_t decl) {
    const ir::Decl& text = kernel_.decls[decl];
    const bool fixed = text.domain_low && text.domain_high &&
                       grid::OfConstants(*text.domain_low) &&
                       grid::OfConstants(*text.domain_high);
    const auto range = machine::DomainOf(text, code_.bound);
    if (!fixed || !range || range->hi < range->lo) return;
    auto places = run::PlacesOf(code_, decl, range->lo, range->hi);
    if (!places ||
        !std::all_of(places->shared.begin(), places->shared.end(),
                     [this](const GlobalPlace& p) { return IsOfOneTile(p); }))
      return;
    for (const GlobalPlace& p : places->shared)
      ranges_[Site::Of(*code_.ops[p.op].op)].push_back(
          {p.operand, p.dim, range->lo, range->hi - range->lo + 1});
  }

  // Not of a ring that turns: which one does not depend on iterations.
  bool IsOfOneTile(const GlobalPlace& p) const {
    const ir::Ref& ref = code_.ops[p.op].op->operands[p.operand].ref;
    for (size_t g = 0; g + 1 < ref.groups.size(); ++g) {
      for (const ir::Subscript& s : ref.groups[g]) {
        if (s.kind != ir::Subscript::Kind::kIndex || !IsFixed(s.start))
          return false;
      }
    }
    const auto dim = static_cast<size_t>(p.dim);
    return !ref.groups.empty() && dim < ref.groups.back().size() &&
           ref.groups.back()[dim].kind == ir::Subscript::Kind::kIndex;
  }

  void Widen(Stmt& s) {
    if (!s.op) return;
    auto at = ranges_.find(Site::Of(*s.op));
    if (at == ranges_.end()) return;
    for (const Range& r : at->second) {
      ir::Subscript& is = s.op->operands[r.operand].ref.groups.back()[r.dim];
      const ir::Span span = is.start.span;
      is.kind = ir::Subscript::Kind::kSlice;
      is.start = Expr::Int(r.low, span);
      is.extent = Expr::Int(r.values, span);
    }
  }

  const machine::Code& code_;
  ir::Kernel& kernel_;
  std::map<Site, std::vector<Range>> ranges_;  // by op
};

}  // namespace

// docs/all_sizes.md 3.15.
bool ReduceAlways(const machine::Code& code, ir::Kernel& kernel) {
  return code.guide == nullptr && Conditions(code, kernel).Drop();
}

// docs/all_sizes.md 3.15.
bool NameAnyPlace(const machine::Code& code, ir::Kernel& kernel) {
  return code.guide == nullptr && AnyPlaceNames(code, kernel).Name();
}

}  // namespace tilesim::checkers::pipeline
