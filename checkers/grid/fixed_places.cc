#include "checkers/grid/fixed_places.h"

#include <algorithm>
#include <map>
#include <vector>

#include "checkers/grid/meetings.h"
#include "checkers/grid/question.h"
#include "checkers/grid/text.h"
#include "checkers/proof/condition.h"
#include "ir/walk.h"

namespace tilesim::checkers::grid {
using ir::Builtin;
using ir::Expr;
using ir::ExprKind;
using ir::NameKind;
using ir::Stmt;

namespace {

// What constants and the thread's warp decide, in a text.
class Decided {
 public:
  explicit Decided(const ir::Kernel& kernel) {
    for (const ir::Constant& c : kernel.constants) {
      if (c.is_let && !Is(c.value)) others_.insert(c.slot);
    }
    size_t before = 0;
    do {
      before = others_.size();
      ops_.clear();
      Walk(kernel.body, true);
    } while (others_.size() != before);
  }

  bool Is(const Expr& e) const {
    if (e.kind == ExprKind::kFloat) return false;
    if (e.kind == ExprKind::kCall && e.name == "bytes") return false;
    if (e.kind == ExprKind::kName) return IsName(e);
    return std::all_of(e.args.begin(), e.args.end(),
                       [&](const Expr& arg) { return Is(arg); });
  }

  // Whether it is executed, and how often.
  bool Executes(const ir::Op* op) const { return ops_.contains(op); }

 private:
  bool IsName(const Expr& e) const {
    switch (e.name_kind) {
      case NameKind::kConst:
        return true;
      case NameKind::kLet:
      case NameKind::kVar:
      case NameKind::kLoop:
        return !others_.contains(e.slot);
      case NameKind::kBuiltin:
        return e.slot == static_cast<int32_t>(Builtin::kWarp) ||
               e.slot == static_cast<int32_t>(Builtin::kWarpgroup);
      default:
        return false;
    }
  }

  bool Is(const ir::Scope& s) const {
    return s.kind == ir::Scope::Kind::kElect ||
           (Is(s.low) && (!s.range || Is(s.high)));
  }

  void Walk(const ir::Block& block, bool decided) {
    for (const Stmt& s : block) One(s, decided);
  }

  void One(const Stmt& s, bool decided) {
    bool inside = decided;
    switch (s.kind) {
      case Stmt::Kind::kLet:
      case Stmt::Kind::kVar:
      case Stmt::Kind::kAssign:
        if (!decided || !Is(s.value)) others_.insert(s.slot);
        break;
      case Stmt::Kind::kFor: {
        const bool bounds = Is(s.low) && Is(s.high) && (!s.step || Is(*s.step));
        inside = decided && bounds && !JumpsIn(s.body);
        if (!inside) others_.insert(s.slot);
        break;
      }
      case Stmt::Kind::kWhile:
        inside = decided && Is(s.value) && !JumpsIn(s.body);
        break;
      case Stmt::Kind::kIf:
        inside = decided && Is(s.value);
        break;
      case Stmt::Kind::kScope:
        inside = decided && std::all_of(s.scopes.begin(), s.scopes.end(),
                                        [&](auto& scope) { return Is(scope); });
        if (Elects(s)) others_.merge(SetIn(s.body));
        break;
      case Stmt::Kind::kOp:
        if (decided) ops_.insert(&*s.op);
        for (size_t i = 0; i < s.op->operands.size(); ++i) {
          if (IsVariable(*s.op, i)) others_.insert(s.op->operands[i].expr.slot);
        }
        break;
      default:
        break;
    }
    Walk(s.body, inside);
    Walk(s.orelse, inside);
  }

  // Any lane.
  static bool Elects(const Stmt& s) {
    return std::any_of(s.scopes.begin(), s.scopes.end(), [](const auto& scope) {
      return scope.kind == ir::Scope::Kind::kElect;
    });
  }

  static bool JumpsIn(const ir::Block& body) {
    return Jumps(body, Stmt::Kind::kBreak) ||
           Jumps(body, Stmt::Kind::kContinue);
  }

  std::set<int32_t> others_;  // slots
  std::set<const ir::Op*> ops_;
};

class Places {
 public:
  Places(const machine::Code& code, const Accesses& accesses)
      : kernel_(code.kernel()), accesses_(accesses), decided_(kernel_) {}

  // Both executed by constants alone; in each dimension both begin and end
  // where constants say, or at one place wherever the CTA lies, which is there:
  // nobody touches what lies behind the tensor.
  bool Fixed(const Access& a, const Access& b) const {
    if (!decided_.Executes(a.op) || !decided_.Executes(b.op)) return false;
    const bool judged = proof::IsJudged(proof::Condition::kFixedPlaces);
    for (size_t d = 0; judged && d < a.start.size(); ++d) {
      const bool fixed = (ByConstants(a, d) && ByConstants(b, d)) ||
                         (OfCta(a.start[d]) && OfCta(a.extent[d]) &&
                          a.start[d] == b.start[d] &&
                          a.extent[d] == b.extent[d] && IsThere(a, d));
      if (!fixed) return false;
    }
    return true;
  }

 private:
  bool OfCta(const Linear& l) const {
    const auto& terms = l.terms();
    return std::all_of(terms.begin(), terms.end(), [&](const auto& term) {
      const Linear v = Linear::Of(term.first);
      const auto& cta = accesses_.cta;
      return accesses_.terms.OfLaunch(v) ||
             std::find(cta.begin(), cta.end(), v) != cta.end();
    });
  }

  // All of it, in every CTA.
  bool IsThere(const Access& a, size_t d) const {
    if (!kernel_.decls[a.decl].array.empty()) return false;
    const Linear& shape = accesses_.tensors.at(a.decl).shape[d];
    Question q(accesses_.terms);
    q.Require(accesses_.launch, Question::Cta::kFirst);
    q.Require(
        solver::Any({solver::Lt(a.start[d], 0), solver::Lt(a.extent[d], 1),
                     solver::Gt(a.start[d] + a.extent[d], shape)}),
        Question::Cta::kFirst);
    return q.Answer({}).answer == solver::Answer::kNone;
  }

  // The tensor too ends there, so that all of the box is in it, or the same.
  bool ByConstants(const Access& a, size_t d) const {
    const ir::Decl& decl = kernel_.decls[a.decl];
    std::vector<const Expr*> extents;
    for (const auto* list : {&decl.array, &decl.shape}) {
      for (const Expr& e : *list) extents.push_back(&e);
    }
    std::vector<const ir::Subscript*> subs;
    for (const auto& group : a.op->operands[a.operand].ref.groups) {
      for (const ir::Subscript& s : group) subs.push_back(&s);
    }
    if (d >= extents.size() || !decided_.Is(*extents[d])) return false;
    if (d >= subs.size() || subs[d]->kind == ir::Subscript::Kind::kAll)
      return true;
    return decided_.Is(subs[d]->start) &&
           (subs[d]->kind == ir::Subscript::Kind::kIndex ||
            decided_.Is(subs[d]->extent));
  }

  const ir::Kernel& kernel_;
  const Accesses& accesses_;
  const Decided decided_;
};

}  // namespace

std::set<SitePair> OfFixedPlaces(const machine::Code& code,
                                 const Accesses& accesses) {
  std::set<SitePair> out, others;
  if (code.bound.cluster_size() > 1) return out;
  const Places places(code, accesses);
  const std::vector<Access>& all = accesses.all;
  for (size_t i = 0; i < all.size(); ++i) {
    for (size_t k = i; k < all.size(); ++k) {
      if (all[i].decl != all[k].decl) continue;
      const bool fixed = places.Fixed(all[i], all[k]);
      (fixed ? out : others).insert(SitesOf({&all[i], &all[k]}));
    }
  }
  for (const SitePair& pair : others) out.erase(pair);
  return out;
}

}  // namespace tilesim::checkers::grid
