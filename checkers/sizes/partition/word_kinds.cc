#include "checkers/sizes/partition/word_kinds.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <set>

#include "checkers/proof/condition.h"
#include "checkers/sizes/partition/element_load.h"
#include "checkers/sizes/partition/known_numbers.h"
#include "checkers/sizes/partition/launch_values.h"
#include "checkers/sizes/partition/register_updates.h"
#include "ir/walk.h"

namespace tilesim::checkers::sizes::partition {
using ir::Block;
using ir::Expr;
using ir::ExprKind;
using ir::NameKind;
using ir::Operand;
using ir::OperandSpec;
using ir::Space;
using ir::Stmt;
using proof::Condition;
using proof::IsJudged;

namespace {

// Of what a number is a function, besides of what is the same all through a
// launch in its thread: a set.
using Kind = uint8_t;
constexpr Kind kFixed = 0;
constexpr Kind kInnerSoFar = 1;  // how many iterations inner loops had so far
constexpr Kind kOuterSoFar = 2;  // likewise the outer loop
constexpr Kind kInThis = 4;      // the inner loop in this one of the outer
constexpr Kind kAnything = 8;

enum class Where : uint8_t { kOutside, kOuter, kInner };

class Kinds {
 public:
  Kinds(const ir::Overrides& defines, const std::set<int32_t>& inputs,
        const EvenLoops& loops, const ir::Kernel& kernel)
      : numbers_(defines, kernel),
        inputs_(inputs),
        loops_(loops),
        kernel_(kernel) {
    for (const ir::Param& p : kernel.params) kinds_[p.slot] = kFixed;
    for (const ir::Constant& c : kernel.constants) kinds_[c.slot] = kFixed;
  }

  bool Hold() {
    const bool several = std::any_of(
        kernel_.cluster.begin(), kernel_.cluster.end(),
        [&](const Expr& e) { return numbers_.Of(e) != std::optional(1); });
    const bool over_another = std::any_of(
        kernel_.decls.begin(), kernel_.decls.end(),
        [](const ir::Decl& d) { return d.at && d.space != Space::kTmem; });
    if (several || over_another) return false;
    Count(kernel_.body, {});
    if (!AreRight(kernel_.body, {})) return false;
    if (barriers_behind_.size() > 1 && IsJudged(Condition::kOneBehind))
      return false;
    return std::all_of(used_.begin(), used_.end(), [&](const auto& used) {
      return IsRight(kernel_.decls[used.first].space, used.second);
    });
  }

 private:
  struct At {
    Where where = Where::kOutside;
    bool always = true;  // once in each iteration, or as often in each
    bool quiet = false;  // only in some iterations
    bool again = false;  // in some loop
  };

  // --- counters ------------------------------------------------------------

  // What variables count: those that one statement of all changes, by as much
  // in every iteration.
  void Count(const Block& block, At at) {
    Changes(block, at);
    for (const auto& [slot, change] : changes_)
      kinds_[slot] = change.times == 1 ? change.kind : kAnything;
  }

  struct Change {
    int times = 0;
    Kind kind = kAnything;
  };

  void Changes(const Block& block, At at) {
    for (const Stmt& s : block) {
      if (s.kind == Stmt::Kind::kVar) Begin(s, at);
      if (s.kind == Stmt::Kind::kAssign) Change_(s, at);
      if (s.op) ChangedBy(*s.op);
      Changes(s.body, Inside(s, at));
      Changes(s.orelse, Inside(s, at));
    }
  }

  void Begin(const Stmt& s, At at) {
    Change& c = changes_[s.slot];
    const bool fixed = numbers_.Of(s.value).has_value();
    if (at.where != Where::kOutside || !fixed) c.times = 2;
    if (c.times == 0) c.kind = kFixed, c.times = 1, begun_.insert(s.slot);
  }

  void Change_(const Stmt& s, At at) {
    Change& c = changes_[s.slot];
    const Expr& e = s.value;
    const bool counts =
        e.kind == ExprKind::kBinary && e.op == ir::ExprOp::kAdd &&
        ir::SlotOf(e.args[0]) == s.slot && numbers_.Of(e.args[1]) && at.always;
    const bool first = begun_.erase(s.slot) > 0;
    if (!counts || !first || at.where == Where::kOutside)
      c.times = 2;
    else
      c.kind = at.where == Where::kInner ? kInnerSoFar : kOuterSoFar;
  }

  void ChangedBy(const ir::Op& op) {
    for (size_t i = 0; i < op.operands.size(); ++i) {
      const bool sets =
          (op.info->operands[i].types & ir::kTakesVar) != 0 && op.has(i);
      if (sets) changes_[ir::SlotOf(op.operands[i].expr)].times = 2;
    }
  }

  At Inside(const Stmt& s, At at) const {
    if (s.kind == Stmt::Kind::kFor && IsUpTo(s, loops_.outer))
      at = {Where::kOuter, true, at.quiet, true};
    else if (s.kind == Stmt::Kind::kFor && IsUpTo(s, loops_.inner))
      at.where = Where::kInner;
    else if (s.kind != Stmt::Kind::kFor)
      at.always = false;
    at.again |= s.kind == Stmt::Kind::kFor;
    return at;
  }

  static bool IsUpTo(const Stmt& s, const std::string& name) {
    return s.high.kind == ExprKind::kName &&
           s.high.name_kind == NameKind::kParam && s.high.name == name;
  }

  // --- statements ------------------------------------------------------------

  Kind Of(const Expr& e) const {
    if (e.kind == ExprKind::kCall && e.name == "bytes") return kFixed;
    if (e.kind == ExprKind::kName) {
      if (e.name_kind == NameKind::kBuiltin) return kFixed;
      const auto known = kinds_.find(ir::SlotOf(e));
      return known == kinds_.end() ? kAnything : known->second;
    }
    Kind out = kFixed;
    for (const Expr& arg : e.args) out |= Of(arg);
    return out;
  }

  bool AreRight(const Block& block, At at) {
    return std::all_of(block.begin(), block.end(),
                       [&](const Stmt& s) { return IsRight(s, at); });
  }

  bool IsRight(const Stmt& s, At at) {
    switch (s.kind) {
      case Stmt::Kind::kDecl:  // another tile in each iteration
      case Stmt::Kind::kLet:
        kinds_[s.slot] = OfLet(s.value, at);
        return true;
      case Stmt::Kind::kVar:
      case Stmt::Kind::kAssign:
        return true;
      case Stmt::Kind::kFor:
        return LoopIsRight(s, at);
      case Stmt::Kind::kIf:
        return ConditionIsRight(Of(s.value), at) && AreRight(s.body, at) &&
               AreRight(s.orelse, at);
      case Stmt::Kind::kScope:
        return std::all_of(s.scopes.begin(), s.scopes.end(),
                           [&](const ir::Scope& scope) {
                             return Of(scope.low) == kFixed &&
                                    Of(scope.high) == kFixed;
                           }) &&
               AreRight(s.body, at);
      case Stmt::Kind::kOp: {
        const bool right = at.where == Where::kOutside ? IsRightOutside(*s.op)
                                                       : IsRight(*s.op, at);
        if (const auto own = own_.find(&s); own != own_.end())
          kinds_[own->second] = Of(ElementLoadOf(s)->from->groups);
        return right;
      }
      default:
        return false;  // loops that nobody counts, and are left
    }
  }

  // Variables of an iteration that one op of it sets, to an element of an
  // input: behind it they are what its index says.
  void FindOwnElements(const Block& iteration) {
    std::set<int32_t> begun;
    for (const Stmt& s : iteration) {
      if (s.kind == Stmt::Kind::kVar) begun.insert(s.slot);
      const auto load = ElementLoadOf(s);
      if (!load || !inputs_.contains(load->from->decl)) continue;
      const int32_t slot = ir::SlotOf(*load->to);
      const auto sets = std::count_if(
          iteration.begin(), iteration.end(),
          [&](const Stmt& other) { return Assigns(other, slot); });
      const bool own = begun.contains(slot) && sets == 2;
      if (own || !IsJudged(Condition::kElementOfTile)) own_[&s] = slot;
    }
  }

  // What was kept in front of the inner loop is not how many there were when it
  // is used there.
  Kind OfLet(const Expr& e, At at) const {
    const Kind kind = Of(e);
    const bool older = at.where == Where::kOuter && (kind & kInnerSoFar) != 0;
    return older && IsJudged(Condition::kCountNow) ? kAnything : kind;
  }

  // Under others than those that are the same in each iteration, only what
  // changes registers in place is done.
  bool ConditionIsRight(Kind kind, At& at) const {
    if (kind == kFixed || !IsJudged(Condition::kAlways)) return true;
    at.quiet = true;
    const bool asks_for_tile =
        at.where == Where::kInner && (kind & kOuterSoFar) != 0;
    return at.where != Where::kOutside && IsOfIteration(kind, at) &&
           !(asks_for_tile && loops_.may_be_0);
  }

  bool LoopIsRight(const Stmt& s, At at) {
    const bool outer = IsUpTo(s, loops_.outer), inner = IsUpTo(s, loops_.inner);
    if (outer && (at.again || at.where != Where::kOutside)) return false;
    if (inner && at.where != Where::kOuter) return false;
    if ((outer || inner) && at.quiet) return false;
    if (outer) kinds_[s.slot] = kOuterSoFar;
    if (outer) FindOwnElements(s.body);
    if (inner) kinds_[s.slot] = kInThis;
    if (!outer && !inner) {
      const Kind ends =
          Of(s.low) | Of(s.high) | (s.step ? Of(*s.step) : kFixed);
      const bool counted = at.where != Where::kOutside || numbers_.Of(s.high);
      if (ends != kFixed || !counted) return false;
      kinds_[s.slot] = kFixed;
    }
    return AreRight(s.body, Inside(s, at));
  }

  // --- ops -------------------------------------------------------------------

  // Which iteration of the outer loop it is, and which of the inner one in
  // that, or which of all inner ones: one in which all iterations are alike has
  // it.
  static bool IsOfIteration(Kind kind, At at) {
    const bool inner = at.where == Where::kInner;
    return kind == kFixed || kind == kOuterSoFar ||
           (inner && (kind == kInThis || kind == (kInThis | kOuterSoFar) ||
                      kind == kInnerSoFar));
  }

  // Its numbers say which barrier it is, or how many groups are left pending.
  static bool IsOfOneNumber(const ir::Op& op) {
    switch (op.info->kind) {
      case ir::OpKind::kBarSync:
      case ir::OpKind::kBarArrive:
      case ir::OpKind::kBulkWaitGroup:
      case ir::OpKind::kCpAsyncWaitGroup:
      case ir::OpKind::kWgmmaWaitGroup:
        return true;
      default:
        return false;
    }
  }

  bool IsRight(const ir::Op& op, At at) {
    if (IsInRegisters(op))
      return (!at.quiet || IsUpdate(op)) && NamesOneTile(op);
    if (at.quiet) return false;
    const std::optional<Kind> told = Told(op, at);
    if (!told || !IsOne(*told, at)) return false;
    if (!NumberIsFixed(op, *told)) return false;
    for (const Operand& o : op.operands) {
      if (o.kind != Operand::Kind::kRef) continue;
      const Space space = kernel_.decls[o.ref.decl].space;
      Kind of = Of(o.ref);
      // That it lies inside, an iteration of those that are alike shows.
      if (space == Space::kGlobal && !IsOfIteration(of, at) &&
          IsJudged(Condition::kOfIteration))
        return false;
      if (space == Space::kGlobal) continue;
      if (space == Space::kMbarrier) of |= *told;
      if (!IsOne(of, at) || !o.ref.cta.empty()) return false;
      used_[o.ref.decl].kinds.insert(of);
      used_[o.ref.decl].where.insert(at.where);
    }
    return true;
  }

  // Which registers it is about, all iterations say alike.
  bool NamesOneTile(const ir::Op& op) const {
    return !IsJudged(Condition::kFixedRegisters) ||
           std::all_of(
               op.operands.begin(), op.operands.end(), [&](const Operand& o) {
                 return o.kind != Operand::Kind::kRef || Of(o.ref) == kFixed;
               });
  }

  static bool NumberIsFixed(const ir::Op& op, Kind told) {
    return !IsOfOneNumber(op) || told == kFixed ||
           !IsJudged(Condition::kFixedNumbers);
  }

  bool IsOne(Kind kind, At at) const {
    const bool inner = at.where == Where::kInner;
    if (kind == kInnerSoFar) return inner;
    if (kind == kOuterSoFar)
      return !inner || !loops_.may_be_0 || !IsJudged(Condition::kNoneMissing);
    return kind == kFixed || !IsJudged(Condition::kOneCount);
  }

  // Numbers that are not where something lies. nullopt: nobody knows them.
  std::optional<Kind> Told(const ir::Op& op, At at) const {
    Kind out = kFixed;
    for (size_t i = 0; i < op.operands.size(); ++i) {
      const OperandSpec& spec = op.info->operands[i];
      if (op.operands[i].kind != Operand::Kind::kExpr ||
          (spec.types & ir::kTakesVar) != 0)
        continue;
      const Kind kind = Of(op.operands[i].expr);
      if ((kind & kAnything) != 0) return std::nullopt;
      // Sums that begin anew are written as others are; the first of all begins
      // as it does where iterations are alike.
      if (spec.name != "accumulate")
        out |= kind;
      else if (kind != kInThis && !IsOne(kind, at) &&
               IsJudged(Condition::kSumsBegin))
        return std::nullopt;
    }
    return out;
  }

  Kind Of(const ir::Ref& ref) const { return Of(ref.groups); }
  Kind Of(const std::vector<std::vector<ir::Subscript>>& groups) const {
    Kind out = kFixed;
    for (const auto& group : groups) {
      for (const ir::Subscript& s : group) {
        if (s.kind != ir::Subscript::Kind::kAll) out |= Of(s.start);
        if (s.kind == ir::Subscript::Kind::kSlice) out |= Of(s.extent);
      }
    }
    return out;
  }

  // Behind the loops, or in front of them.
  bool IsRightOutside(const ir::Op& op) {
    Kind told = kFixed;
    for (const Operand& o : op.operands) {
      if (o.kind == Operand::Kind::kExpr) told |= Of(o.expr);
    }
    if (!IsCount(told) || !NumberIsFixed(op, told)) return false;
    for (const Operand& o : op.operands) {
      if (o.kind != Operand::Kind::kRef) continue;
      Kind of = Of(o.ref);
      const Space space = kernel_.decls[o.ref.decl].space;
      if (space == Space::kMbarrier) of |= told;
      if (!IsCount(of)) return false;
      if (of == kFixed) continue;
      if (space != Space::kGlobal) used_[o.ref.decl].behind.insert(of);
      if (space == Space::kMbarrier) barriers_behind_.insert(of);
    }
    return true;
  }

  static bool IsCount(Kind kind) {
    return kind == kFixed || kind == kInnerSoFar || kind == kOuterSoFar;
  }

  // In which ways an object is named in the loops.
  struct Used {
    std::set<Kind> kinds;
    std::set<Where> where;
    std::set<Kind> behind;  // outside of the loops, by a count
  };

  bool IsRight(Space space, const Used& used) const {
    std::set<Kind> counts = used.behind;
    for (Kind kind : used.kinds) {
      if (kind != kFixed) counts.insert(kind);
    }
    const bool judged = IsJudged(Condition::kOneForAll);
    if (counts.size() > 1 && judged) return false;
    if (used.kinds.empty()) return true;  // outside alone
    if (space == Space::kReg)
      return used.kinds == std::set<Kind>{kFixed} ||
             !IsJudged(Condition::kFixedRegisters);
    const bool inner = used.kinds.contains(kInnerSoFar);
    const bool outer = used.kinds.contains(kOuterSoFar);
    if (space == Space::kMbarrier)
      return !IsJudged(Condition::kOwnBarriers) ||
             (used.where.size() == 1 &&
              !(used.where.contains(Where::kInner) ? outer : inner));
    if (space == Space::kTmem && inner) return false;  // some lie on others
    return used.kinds.size() == 1 || !judged;
  }

  KnownNumbers numbers_;
  const std::set<int32_t>& inputs_;
  const EvenLoops& loops_;
  const ir::Kernel& kernel_;
  std::map<int32_t, Kind> kinds_;  // of scalars, by slot
  std::map<int32_t, Change> changes_;
  std::map<const Stmt*, int32_t> own_;  // ops, and the variables they set
  std::set<int32_t> begun_;             // that nothing has changed yet
  std::map<int32_t, Used> used_;
  std::set<Kind> barriers_behind_;  // counts that mbarriers go by there
};

}  // namespace

bool DependOnOneCount(const ir::Overrides& defines,
                      const std::set<int32_t>& inputs, const EvenLoops& loops,
                      const ir::Kernel& kernel) {
  return Kinds(defines, inputs, loops, kernel).Hold();
}

}  // namespace tilesim::checkers::sizes::partition
