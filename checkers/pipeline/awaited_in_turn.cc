#include "checkers/pipeline/awaited_in_turn.h"

#include <algorithm>
#include <utility>

#include "checkers/grid/text.h"
#include "ir/eval.h"

namespace tilesim::checkers::pipeline {
using grid::Site;
using ir::Expr;
using ir::ExprKind;
using ir::NameKind;
using ir::Stmt;

namespace {

// The same in all threads, whenever it is evaluated.
bool IsOfCta(const Expr& e) {
  const bool of_cta = e.kind != ExprKind::kName ||
                      e.name_kind == NameKind::kConst ||
                      e.name_kind == NameKind::kParam ||
                      (e.name_kind == NameKind::kBuiltin &&
                       e.slot <= static_cast<int32_t>(ir::Builtin::kGridZ));
  return of_cta && std::all_of(e.args.begin(), e.args.end(), IsOfCta);
}

bool IsOfCta(const ir::Scope& scope) {
  return IsOfCta(scope.low) && (!scope.range || IsOfCta(scope.high));
}

// A loop that does nothing but ask, at least once: what it waits for is not 0,
// and that is what the scalar was set to just before.
bool Polls(const Stmt& s, const Stmt* before) {
  const bool set = before != nullptr &&
                   (before->kind == Stmt::Kind::kVar ||
                    before->kind == Stmt::Kind::kAssign) &&
                   before->value.is_int(0);
  return s.kind == Stmt::Kind::kWhile && set && s.body.size() == 1 &&
         s.body[0].op && grid::Mentions(s.value, {before->slot});
}

// Every iteration is executed whole, by whoever comes to the loop.
bool IsWhole(const Stmt& loop) {
  return IsOfCta(loop.low) && (!loop.step || IsOfCta(*loop.step)) &&
         !grid::Jumps(loop.body, Stmt::Kind::kBreak) &&
         !grid::Jumps(loop.body, Stmt::Kind::kContinue) &&
         !grid::Jumps(loop.body, Stmt::Kind::kReturn);
}

}  // namespace

AwaitedInTurn::AwaitedInTurn(const ir::Kernel& kernel) {
  Walk(kernel.body, {}, false);
}

void AwaitedInTurn::Walk(const ir::Block& block, const Place& in,
                         bool in_loop) {
  const Stmt* before = nullptr;
  for (const Stmt& s : block) {
    const Stmt* last = std::exchange(before, &s);
    if (s.op) {
      // Of a function that is called several times nothing is known.
      auto [at, fresh] = places_.try_emplace(Site::Of(*s.op), in);
      if (!fresh) at->second = {};
      continue;
    }
    Place inside;
    if (s.kind == Stmt::Kind::kFor && !in_loop && IsWhole(s)) {
      inside.loop = &s;
    } else if (s.kind == Stmt::Kind::kScope &&
               std::all_of(
                   s.scopes.begin(), s.scopes.end(),
                   [](const ir::Scope& scope) { return IsOfCta(scope); })) {
      inside = in;
    } else if (Polls(s, last) && !in.polls) {
      inside = {in.loop, true};
    }
    const bool loops =
        s.kind == Stmt::Kind::kFor || s.kind == Stmt::Kind::kWhile;
    Walk(s.body, inside, in_loop || loops);
    Walk(s.orelse, {}, in_loop);
  }
}

bool AwaitedInTurn::SameIteration(const ir::Op& op, const ir::Op& wait) const {
  auto in = places_.find(Site::Of(op)), waits = places_.find(Site::Of(wait));
  return in != places_.end() && waits != places_.end() &&
         in->second.loop != nullptr && !in->second.polls &&
         waits->second.polls && in->second.loop == waits->second.loop;
}

}  // namespace tilesim::checkers::pipeline
