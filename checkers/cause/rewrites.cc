#include "checkers/cause/rewrites.h"

#include <algorithm>
#include <functional>
#include <set>
#include <string>
#include <utility>

#include "checkers/cause/moved_text.h"
#include "ir/cat.h"
#include "ir/ops/cp_async.h"
#include "ir/ops/mbarrier.h"
#include "ir/ops/sync.h"
#include "ir/walk.h"

namespace tilesim::checkers::cause {
using ir::Block;
using ir::Scope;
using ir::Span;
using ir::Stmt;
using ir::ops::BarSync;
using ir::ops::CpAsyncMbarrierArrive;
using ir::ops::MbarrierArrive;
using ir::ops::MbarrierInit;
using ir::ops::MbarrierInval;
using ir::ops::MbarrierTestWait;
using ir::ops::MbarrierWait;

namespace {

// The innermost block of some threads that has the op.
Stmt* NarrowestAround(Block& block, const Span& op) {
  for (Stmt& s : block) {
    auto is_op = [&](const Stmt& t) {
      return t.op && SamePlace(t.op->span, op);
    };
    if (!ir::Contains(s.body, is_op) && !ir::Contains(s.orelse, is_op))
      continue;
    for (Block* inner : {&s.body, &s.orelse}) {
      if (Stmt* found = NarrowestAround(*inner, op)) return found;
    }
    return s.kind == Stmt::Kind::kScope ? &s : nullptr;
  }
  return nullptr;
}

// Whether an op of the text may bring a barrier of that declaration forward.
bool Advances(const ir::Kernel& kernel, int32_t decl) {
  return ir::Contains(kernel.body, [&](const Stmt& s) {
    if (!s.op || s.op->info == &MbarrierWait::kInfo ||
        s.op->info == &MbarrierTestWait::kInfo ||
        s.op->info == &MbarrierInit::kInfo ||
        s.op->info == &MbarrierInval::kInfo)
      return false;
    return std::any_of(
        s.op->operands.begin(), s.op->operands.end(), [&](const auto& o) {
          return o.kind == ir::Operand::Kind::kRef && o.ref.decl == decl;
        });
  });
}

void FlipParity(ir::Op& wait) {
  ir::Expr& e = wait.operands[MbarrierWait::kParity].expr;
  ir::Expr other = ir::Expr::Int(0, e.span);
  other.kind = ir::ExprKind::kBinary;
  other.op = ir::ExprOp::kBitXor;
  other.args = {e, ir::Expr::Int(1, e.span)};
  e = std::move(other);
}

std::string OtherParity(const ir::Op& wait) {
  return ir::Cat("the other parity, `(",
                 ir::ToString(wait.operands[MbarrierWait::kParity].expr),
                 ") ^ 1`, on line ", wait.span.text_line(),
                 ": parity 0 waits for the first phase, on a fresh barrier "
                 "parity 1 passes at once");
}

Scope WarpOf(int warp, const Span& span) {
  Scope out;
  out.kind = Scope::Kind::kWarps;
  out.low = ir::Expr::Int(warp, span);
  out.span = span;
  return out;
}

}  // namespace

const run::Event* OfSeveral(const run::Log& log,
                            const std::vector<Span>& places) {
  for (const run::Event& e : log.events) {
    if (e.kind != run::Event::Kind::kOp || e.threads().threads() == 1) continue;
    const ir::Op& op = *e.concrete().op;
    const bool of_one = e.instance->Has(ir::EffectKind::kTrack) ||
                        e.instance->Has(ir::EffectKind::kExpectTx) ||
                        !e.issued.empty();
    if (of_one && op.info->scope == ir::ExecScope::kThread &&
        std::any_of(places.begin(), places.end(),
                    [&](const Span& p) { return SamePlace(p, op.span); }))
      return &e;
  }
  return nullptr;
}

std::vector<Rewrite> ByOneThread(const machine::Code& code, const ir::Op& op,
                                 const ir::ThreadSet& threads) {
  std::vector<Rewrite> out;
  Rewrite& one = out.emplace_back();
  one.kernel = code.kernel();
  one.family = "arrival-count";
  Stmt* scope = NarrowestAround(one.kernel.body, op.span);
  if (scope == nullptr) return {};
  auto& scopes = scope->scopes;
  const bool elects =
      !scopes.empty() && scopes.back().kind == Scope::Kind::kElect;
  if (!elects) {
    Scope& elect = scopes.emplace_back();
    elect.kind = Scope::Kind::kElect;
    elect.span = scope->span;
  }
  scopes.insert(scopes.end() - 1, WarpOf(threads.first_warp, scope->span));
  one.help =
      ir::Cat(elects ? "elect is one lane of each warp that comes, and "
                     : "all threads of the block execute it, and ",
              threads.threads(), " do; one thread is `warp ",
              threads.first_warp, ", elect`", elects ? " or `elect one`" : "",
              " on line ", scope->span.text_line());
  return out;
}

std::vector<Rewrite> OtherWaits(const machine::Code& code,
                                const std::vector<Span>& places) {
  std::vector<Rewrite> out;
  const auto& decls = code.kernel().decls;
  auto change = [&](const Span& wait,
                    const std::function<void(ir::Op&)>& how) -> Rewrite& {
    Rewrite& r = out.emplace_back();
    r.kernel = code.kernel();
    r.family = "parity";
    ir::ForEachStmt(r.kernel.body, [&](Stmt& s) {
      if (s.op && SamePlace(s.op->span, wait)) how(*s.op);
    });
    return r;
  };
  ir::ForEachStmt(code.kernel().body, [&](const Stmt& s) {
    if (!s.op || s.op->info != &MbarrierWait::kInfo ||
        std::none_of(places.begin(), places.end(),
                     [&](const Span& p) { return SamePlace(p, s.op->span); }))
      return;
    const ir::Operand& barrier = s.op->operands[MbarrierWait::kBar];
    if (barrier.kind != ir::Operand::Kind::kRef ||
        s.op->operands[MbarrierWait::kParity].kind != ir::Operand::Kind::kExpr)
      return;
    // Where nobody arrives, a wait that passes at once waits for nothing.
    if (Advances(code.kernel(), barrier.ref.decl))
      change(s.op->span, FlipParity).help = OtherParity(*s.op);
    for (size_t d = 0; d < decls.size(); ++d) {
      const auto decl = static_cast<int32_t>(d);
      if (decls[d].space != ir::Space::kMbarrier || decl == barrier.ref.decl ||
          !(decls[d].array == decls[barrier.ref.decl].array))
        continue;
      Rewrite& other = change(s.op->span, [&](ir::Op& op) {
        op.operands[MbarrierWait::kBar].ref.decl = decl;
        op.operands[MbarrierWait::kBar].ref.name = decls[d].name;
      });
      other.help = ir::Cat("wait for `", decls[d].name, "` instead of `",
                           decls[barrier.ref.decl].name, "` on line ",
                           s.op->span.text_line());
    }
  });
  return out;
}

namespace {

bool Divides(const ir::Expr& e) {
  return e.op == ir::ExprOp::kDiv ||
         std::any_of(e.args.begin(), e.args.end(), Divides);
}

// Names of which a remainder is taken: `i` of `i % 4`.
void CountersIn(const ir::Expr& e, std::set<std::string>& out) {
  if (e.kind == ir::ExprKind::kBinary && e.op == ir::ExprOp::kRem &&
      e.args[0].kind == ir::ExprKind::kName)
    out.insert(e.args[0].name);
  for (const ir::Expr& arg : e.args) CountersIn(arg, out);
}

// What chooses slots of rings.
std::set<std::string> CountersOf(const ir::Kernel& kernel) {
  std::set<std::string> out;
  ir::ForEachStmt(kernel.body, [&](const Stmt& s) {
    CountersIn(s.value, out);
    if (!s.op) return;
    for (const ir::Operand& o : s.op->operands) {
      for (const auto& group : o.ref.groups) {
        for (const ir::Subscript& at : group) CountersIn(at.start, out);
      }
    }
  });
  return out;
}

// Each of those names in it divided by `slots`.
void Divide(const std::set<std::string>& names, const ir::Expr& slots,
            ir::Expr& e) {
  if (e.kind != ir::ExprKind::kName) {
    for (ir::Expr& arg : e.args) Divide(names, slots, arg);
    return;
  }
  if (!names.contains(e.name)) return;
  ir::Expr quotient = ir::Expr::Int(0, e.span);
  quotient.kind = ir::ExprKind::kBinary;
  quotient.op = ir::ExprOp::kDiv;
  quotient.args = {e, slots};
  e = std::move(quotient);
}

}  // namespace

std::vector<Rewrite> ParitiesOfRings(const machine::Code& code) {
  Rewrite r{code.kernel(), {}, "parity"};
  const auto& decls = code.kernel().decls;
  const std::set<std::string> counters = CountersOf(r.kernel);
  ir::ForEachStmt(r.kernel.body, [&](Stmt& s) {
    if (!s.op || s.op->info != &MbarrierWait::kInfo) return;
    const ir::Operand& barrier = s.op->operands[MbarrierWait::kBar];
    ir::Operand& parity = s.op->operands[MbarrierWait::kParity];
    if (barrier.kind != ir::Operand::Kind::kRef ||
        parity.kind != ir::Operand::Kind::kExpr || Divides(parity.expr))
      return;
    const std::vector<ir::Expr>& array = decls[barrier.ref.decl].array;
    if (array.size() != 1) return;
    const std::string before = ir::ToString(parity.expr);
    Divide(counters, array[0], parity.expr);
    std::string after = ir::ToString(parity.expr);
    if (after == before || !r.help.empty()) return;
    r.help = ir::Cat("`parity = ", after, "` on line ", s.op->span.text_line(),
                     ": of a ring of barriers each is used again once the "
                     "counter has gone around, with the other parity then");
  });
  if (r.help.empty()) return {};
  return {std::move(r)};
}

namespace {

// `text` with the op at that place changed.
Rewrite WithOp(const machine::Code& code, const Span& place,
               const std::function<void(ir::Op&)>& how, std::string_view family,
               std::string help) {
  Rewrite r{code.kernel(), std::move(help), family};
  ir::ForEachStmt(r.kernel.body, [&](Stmt& s) {
    if (s.op && SamePlace(s.op->span, place)) how(*s.op);
  });
  return r;
}

// An arrival at each other barrier of an array that is as long.
void ElsewhereThan(const machine::Code& code, const ir::Op& op,
                   std::vector<Rewrite>& out) {
  const auto& decls = code.kernel().decls;
  const ir::Decl& own = decls[op.operands[MbarrierArrive::kBar].ref.decl];
  for (size_t d = 0; d < decls.size(); ++d) {
    if (decls[d].space != ir::Space::kMbarrier || &decls[d] == &own ||
        !(decls[d].array == own.array))
      continue;
    auto how = [&](ir::Op& copy) {
      ir::Ref& ref = copy.operands[MbarrierArrive::kBar].ref;
      ref.decl = static_cast<int32_t>(d);
      ref.name = decls[d].name;
    };
    out.push_back(WithOp(code, op.span, how, "deadlock",
                         ir::Cat("arrive at `", decls[d].name, "` instead of `",
                                 own.name, "` on line ", op.span.text_line())));
  }
}

// An arrival in each other CTA of the cluster, where the text says which.
void InAnotherCta(const machine::Code& code, const ir::Op& op,
                  std::vector<Rewrite>& out) {
  const ir::Ref& ref = op.operands[MbarrierArrive::kBar].ref;
  if (ref.cta.empty() || ref.cta[0].kind != ir::ExprKind::kInt) return;
  for (int64_t cta = 0; cta < code.bound.cluster_size(); ++cta) {
    if (cta == ref.cta[0].value) continue;
    auto how = [&](ir::Op& copy) {
      ir::Expr& e = copy.operands[MbarrierArrive::kBar].ref.cta[0];
      e = ir::Expr::Int(cta, e.span);
    };
    out.push_back(WithOp(
        code, op.span, how, "deadlock",
        ir::Cat("arrive at `", ref.name, " @ cta ", cta, "` instead of `@ cta ",
                ref.cta[0].value, "` on line ", op.span.text_line())));
  }
}

}  // namespace

std::vector<Rewrite> OtherArrivals(const machine::Code& code) {
  std::vector<Rewrite> out;
  ir::ForEachStmt(code.kernel().body, [&](const Stmt& s) {
    if (!s.op || s.op->info != &MbarrierArrive::kInfo ||
        s.op->operands[MbarrierArrive::kBar].kind != ir::Operand::Kind::kRef)
      return;
    ElsewhereThan(code, *s.op, out);
    InAnotherCta(code, *s.op, out);
  });
  return out;
}

std::vector<Rewrite> WithoutIncrement(const machine::Code& code) {
  Rewrite r{code.kernel(), {}, "deadlock"};
  ir::ForEachStmt(r.kernel.body, [&](Stmt& s) {
    if (!s.op || s.op->info != &CpAsyncMbarrierArrive::kInfo ||
        s.op->choice<CpAsyncMbarrierArrive, ir::ops::Noinc>())
      return;
    s.op->mods = {1};  // the only one it has
    if (r.help.empty())
      r.help = ir::Cat("`cp.async.mbarrier.arrive.noinc` on line ",
                       s.op->span.text_line(),
                       ": without, the phase awaits one arrival more for each "
                       "thread, so that none of those that mbarrier.init "
                       "counts has come");
  });
  if (r.help.empty()) return {};
  return {std::move(r)};
}

std::vector<Rewrite> BarrierBehindSetup(const machine::Code& code) {
  std::vector<Rewrite> out;
  const Block& body = code.kernel().body;
  const auto initialises = [](const Stmt& s) {
    return s.op && s.op->info == &MbarrierInit::kInfo;
  };
  for (size_t i = 0;
       i < body.size() &&
       (body[i].name.empty() || ir::Contains(body[i].body, initialises));
       ++i) {
    if (body[i].kind != Stmt::Kind::kScope) continue;
    Stmt sync = OpStmt(&BarSync::kInfo, body[i].span);
    ir::Op& op = *sync.op;
    op.operands[BarSync::kId].kind = ir::Operand::Kind::kExpr;
    op.operands[BarSync::kId].expr = ir::Expr::Int(0, op.span);
    Rewrite r{code.kernel(), {}, "init"};
    r.kernel.body.insert(r.kernel.body.begin() + static_cast<int64_t>(i) + 1,
                         std::move(sync));
    r.help = ir::Cat("`bar.sync 0` of all threads behind the block on line ",
                     body[i].span.text_line(), ", before the first use");
    out.push_back(std::move(r));
  }
  return out;
}

std::vector<Rewrite> BarrierOfAll(const machine::Code& code,
                                  const Span& place) {
  std::vector<Rewrite> out;
  Rewrite r{code.kernel(), {}, "barrier"};
  bool changed = false;
  ir::ForEachStmt(r.kernel.body, [&](Stmt& s) {
    if (!s.op || s.op->info != &BarSync::kInfo || !SamePlace(s.op->span, place))
      return;
    ir::Operand& threads = s.op->operands[BarSync::kThreads];
    changed |= threads.kind != ir::Operand::Kind::kNone;
    threads = ir::Operand();
  });
  if (!changed) return out;
  r.help =
      "all threads of the CTA come to it: `bar.sync ID` without a number waits "
      "for all";
  out.push_back(std::move(r));
  return out;
}

}  // namespace tilesim::checkers::cause
