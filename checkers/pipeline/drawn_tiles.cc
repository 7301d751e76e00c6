#include "checkers/pipeline/drawn_tiles.h"

#include <algorithm>
#include <set>
#include <string>

#include "ir/op.h"
#include "ir/stored.h"
#include "ir/walk.h"

namespace tilesim::checkers::pipeline {
using ir::Block;
using ir::Builtin;
using ir::Expr;
using ir::ExprKind;
using ir::NameKind;
using ir::Operand;
using ir::Stmt;

namespace {

class OnlyPlaces {
 public:
  OnlyPlaces(const ir::Kernel& kernel, const Tiles& tiles)
      : kernel_(kernel), tiles_(tiles) {
    numbers_.insert(tiles.below.slot);
    for (const ir::Constant& c : kernel.constants) {
      if (!IsOfAll(c.value)) places_.insert(c.slot);
    }
  }

  bool Holds() {
    if (!IsOfLaunch(tiles_.below.end)) return false;
    for (size_t i = 0; i < kernel_.body.size(); ++i) {
      if (i != tiles_.at && !BeginsWithPlace(kernel_.body[i]))
        Look(kernel_.body[i]);
    }
    for (const Stmt& s : tiles_.draw) LookAtDraw(s);
    for (const Stmt& s : tiles_.work) Look(s);
    return good_;
  }

 private:
  bool Names(const Expr& e) const {
    return (e.kind == ExprKind::kName && numbers_.contains(ir::SlotOf(e))) ||
           std::any_of(e.args.begin(), e.args.end(),
                       [&](const Expr& arg) { return Names(arg); });
  }

  // Parameters and constants alone.
  bool IsOfLaunch(const Expr& e) const {
    if (e.kind == ExprKind::kName) {
      if (e.name_kind == NameKind::kParam || e.name_kind == NameKind::kConst)
        return true;
      for (const ir::Constant& c : kernel_.constants) {
        if (c.slot == ir::SlotOf(e)) return IsOfLaunch(c.value);
      }
      return false;
    }
    const bool other_call = e.kind == ExprKind::kCall && e.name != "cdiv";
    return e.kind != ExprKind::kFloat && !other_call &&
           std::all_of(e.args.begin(), e.args.end(),
                       [&](const Expr& arg) { return IsOfLaunch(arg); });
  }

  // The same for all CTAs of all grids.
  bool IsOfAll(const Expr& e) const {
    const bool place = e.kind == ExprKind::kName &&
                       e.name_kind == NameKind::kBuiltin &&
                       e.slot != static_cast<int32_t>(Builtin::kWarp) &&
                       e.slot != static_cast<int32_t>(Builtin::kWarpgroup);
    return !place && !places_.contains(ir::SlotOf(e)) &&
           std::all_of(e.args.begin(), e.args.end(),
                       [&](const Expr& arg) { return IsOfAll(arg); });
  }

  bool IsOther(const Expr& e) const { return IsOfAll(e) && !Names(e); }

  bool BeginsWithPlace(const Stmt& s) const {
    return tiles_.from_place && s.kind == Stmt::Kind::kVar &&
           s.slot == tiles_.below.slot;
  }
  // q + grid.x
  bool IsDrawn(const Expr& e) const {
    return tiles_.from_place && e.kind == ExprKind::kBinary &&
           std::any_of(e.args.begin(), e.args.end(), [&](const Expr& arg) {
             return ir::SlotOf(arg) == tiles_.drawn;
           });
  }

  void LookAtControl(const Stmt& s) {
    good_ &= IsOther(s.value) && IsOther(s.low) && IsOther(s.high) &&
             (!s.step || IsOther(*s.step));
    for (const ir::Scope& scope : s.scopes)
      good_ &= IsOther(scope.low) && (!scope.range || IsOther(scope.high));
    if (!s.decl) return;
    for (const Expr& e : s.decl->shape) good_ &= IsOther(e);
  }

  // The number is drawn, and loaded; global memory is not touched otherwise.
  void LookAtDraw(const Stmt& s) {
    LookAtControl(s);
    good_ &= !s.op || !s.op->info->mnemonic.starts_with("clc.");
    for (size_t i = 0; s.op && i < s.op->operands.size(); ++i) {
      const Operand& o = s.op->operands[i];
      if (o.kind == Operand::Kind::kRef) {
        good_ &= kernel_.decls[o.ref.decl].space != ir::Space::kGlobal ||
                 o.ref.decl == tiles_.counter;
        good_ &= SubscriptsAre(o.ref, false);
      } else {
        const bool number = ir::SlotOf(o.expr) == tiles_.below.slot;
        good_ &= number || IsDrawn(o.expr) || IsOther(o.expr);
      }
    }
    for (const Block* block : {&s.body, &s.orelse}) {
      for (const Stmt& inner : *block) LookAtDraw(inner);
    }
  }

  void Look(const Stmt& s) {
    if (s.kind == Stmt::Kind::kLet && Names(s.value)) {
      good_ &= IsOfAll(s.value);
      numbers_.insert(s.slot);
      return;
    }
    LookAtControl(s);
    if (s.op) Look(*s.op);
    for (const Block* block : {&s.body, &s.orelse}) {
      for (const Stmt& inner : *block) Look(inner);
    }
  }

  void Look(const ir::Op& op) {
    bool sets = false, names = false;
    for (size_t i = 0; i < op.operands.size(); ++i) {
      const Operand& o = op.operands[i];
      sets |= (op.info->operands[i].types & ir::kTakesVar) != 0 && op.has(i);
      if (o.kind == Operand::Kind::kRef) {
        const ir::Decl& d = kernel_.decls[o.ref.decl];
        const bool global = d.space == ir::Space::kGlobal;
        good_ &= SubscriptsAre(o.ref, global);
        names |= global && (NamesIn(o.ref) || stored_.contains(d.name));
      } else {
        good_ &= IsOther(o.expr);
      }
    }
    // Nor is an element loaded that is a tile's own, or that CTAs write, and
    // that might decide; nor is a cluster handed out.
    good_ &= !(sets && names) && !op.info->mnemonic.starts_with("clc.");
  }

  bool NamesIn(const ir::Ref& ref) const {
    bool out = false;
    for (const auto& group : ref.groups) {
      for (const ir::Subscript& s : group) out |= Names(s.start);
    }
    return out;
  }

  bool SubscriptsAre(const ir::Ref& ref, bool places) const {
    bool out = std::all_of(ref.cta.begin(), ref.cta.end(),
                           [&](const Expr& e) { return IsOther(e); });
    for (const auto& group : ref.groups) {
      for (const ir::Subscript& s : group)
        out &=
            (places ? IsOfAll(s.start) : IsOther(s.start)) && IsOther(s.extent);
    }
    return out;
  }

  const ir::Kernel& kernel_;
  const Tiles& tiles_;
  const std::set<std::string> stored_ = ir::StoredTensors(kernel_);
  std::set<int32_t> numbers_, places_;  // scalars
  bool good_ = true;
};

}  // namespace

bool OnlySayPlaces(const ir::Kernel& kernel, const Tiles& tiles) {
  return OnlyPlaces(kernel, tiles).Holds();
}

}  // namespace tilesim::checkers::pipeline
