#include "checkers/cause/rewrites.h"

#include <algorithm>
#include <functional>
#include <set>
#include <utility>

#include "ir/cat.h"
#include "ir/ops/mbarrier.h"
#include "ir/ops/sync.h"
#include "ir/walk.h"

namespace tilesim::checkers::cause {
using ir::Block;
using ir::Scope;
using ir::Span;
using ir::Stmt;
using ir::ops::BarSync;
using ir::ops::MbarrierArrive;
using ir::ops::MbarrierWait;

namespace {

bool SamePlace(const Span& a, const Span& b) {
  return a.line == b.line && a.column == b.column;
}

bool Contains(const Block& block, const std::function<bool(const Stmt&)>& is) {
  bool found = false;
  ir::ForEachStmt(block, [&](const Stmt& s) { found |= is(s); });
  return found;
}

// The innermost block of some threads that has the op.
Stmt* NarrowestAround(Block& block, const Span& op) {
  for (Stmt& s : block) {
    auto is_op = [&](const Stmt& t) {
      return t.op && SamePlace(t.op->span, op);
    };
    if (!Contains(s.body, is_op) && !Contains(s.orelse, is_op)) continue;
    for (Block* inner : {&s.body, &s.orelse}) {
      if (Stmt* found = NarrowestAround(*inner, op)) return found;
    }
    return s.kind == Stmt::Kind::kScope ? &s : nullptr;
  }
  return nullptr;
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
    Rewrite& parity = change(s.op->span, [&](ir::Op& op) {
      ir::Expr& e = op.operands[MbarrierWait::kParity].expr;
      ir::Expr other = ir::Expr::Int(0, e.span);
      other.kind = ir::ExprKind::kBinary;
      other.op = ir::ExprOp::kBitXor;
      other.args = {e, ir::Expr::Int(1, e.span)};
      e = std::move(other);
    });
    parity.help = ir::Cat(
        "the other parity, `(",
        ir::ToString(s.op->operands[MbarrierWait::kParity].expr),
        ") ^ 1`, on line ", s.op->span.text_line(),
        ": parity 0 waits for the first phase, on a fresh barrier parity 1 "
        "passes at once");
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

std::vector<Rewrite> OtherArrivals(const machine::Code& code) {
  std::vector<Rewrite> out;
  const auto& decls = code.kernel().decls;
  ir::ForEachStmt(code.kernel().body, [&](const Stmt& s) {
    if (!s.op || s.op->info != &MbarrierArrive::kInfo) return;
    const ir::Operand& barrier = s.op->operands[MbarrierArrive::kBar];
    if (barrier.kind != ir::Operand::Kind::kRef) return;
    const ir::Decl& own = decls[barrier.ref.decl];
    for (size_t d = 0; d < decls.size(); ++d) {
      const auto decl = static_cast<int32_t>(d);
      if (decls[d].space != ir::Space::kMbarrier || decl == barrier.ref.decl ||
          !(decls[d].array == own.array))
        continue;
      Rewrite& r = out.emplace_back();
      r.kernel = code.kernel();
      r.family = "deadlock";
      ir::ForEachStmt(r.kernel.body, [&](Stmt& t) {
        if (!t.op || !SamePlace(t.op->span, s.op->span)) return;
        ir::Ref& ref = t.op->operands[MbarrierArrive::kBar].ref;
        ref.decl = decl;
        ref.name = decls[d].name;
      });
      r.help = ir::Cat("arrive at `", decls[d].name, "` instead of `", own.name,
                       "` on line ", s.op->span.text_line());
    }
  });
  return out;
}

namespace {

bool IsLoop(const Stmt& s) {
  return s.kind == Stmt::Kind::kFor || s.kind == Stmt::Kind::kWhile;
}

bool Names(const ir::Expr& e, int32_t slot) {
  return (e.kind == ir::ExprKind::kName && e.name_kind == ir::NameKind::kVar &&
          e.slot == slot) ||
         std::any_of(e.args.begin(), e.args.end(),
                     [&](const ir::Expr& arg) { return Names(arg, slot); });
}

// Of a variable that goes on from what it was in the loop.
bool StartsACounter(const Stmt& s, const Stmt& loop) {
  return (s.kind == Stmt::Kind::kVar || s.kind == Stmt::Kind::kAssign) &&
         s.value.kind == ir::ExprKind::kInt &&
         Contains(loop.body, [&](const Stmt& other) {
           return other.kind == Stmt::Kind::kAssign && other.slot == s.slot &&
                  Names(other.value, s.slot);
         });
}

bool NamesABarrier(const Stmt& s) {
  return s.op && s.op->info == &MbarrierWait::kInfo;
}

// Takes what starts counters out of the loop at `at`, and sets them before it.
void StartOnce(Block& block, size_t at) {
  Block once;
  const Stmt loop = block[at];
  std::erase_if(block[at].body, [&](Stmt& s) {
    if (!StartsACounter(s, loop)) return false;
    if (s.kind == Stmt::Kind::kVar) once.push_back(s);
    return true;
  });
  block.insert(block.begin() + static_cast<int64_t>(at), once.begin(),
               once.end());
}

// Does it to the loop with that span.
bool StartOnce(Block& block, const Span& loop) {
  for (size_t i = 0; i < block.size(); ++i) {
    if (IsLoop(block[i]) && SamePlace(block[i].span, loop)) {
      StartOnce(block, i);
      return true;
    }
    if (StartOnce(block[i].body, loop) || StartOnce(block[i].orelse, loop))
      return true;
  }
  return false;
}

}  // namespace

std::vector<Rewrite> CountersGoOn(const machine::Code& code) {
  std::vector<Rewrite> out;
  ir::ForEachStmt(code.kernel().body, [&](const Stmt& loop) {
    if (!IsLoop(loop) || !Contains(loop.body, NamesABarrier)) return;
    std::string names, lines;
    for (const Stmt& s : loop.body) {
      if (!StartsACounter(s, loop)) continue;
      ir::Append(&names, names.empty() ? "`" : ", `", s.name, "`");
      if (lines.empty()) ir::Append(&lines, s.span.text_line());
    }
    if (names.empty()) return;
    Rewrite r{code.kernel(), {}, "parity"};
    if (!StartOnce(r.kernel.body, loop.span)) return;
    r.help = ir::Cat(names, " on line ", lines,
                     " starts again with each turn of the loop on line ",
                     loop.span.text_line(),
                     "; the phases of a barrier go on: set it once, before "
                     "that loop");
    out.push_back(std::move(r));
  });
  return out;
}

std::vector<Rewrite> BarrierBehindSetup(const machine::Code& code) {
  std::vector<Rewrite> out;
  const Block& body = code.kernel().body;
  for (size_t i = 0; i < body.size() && body[i].name.empty(); ++i) {
    if (body[i].kind != Stmt::Kind::kScope) continue;
    Stmt sync;
    sync.kind = Stmt::Kind::kOp;
    sync.span = body[i].span;
    ir::Op& op = sync.op.emplace();
    op.info = &BarSync::kInfo;
    op.mods.assign(op.info->mods.size(), 0);
    op.operands.resize(op.info->operands.size());
    op.span = sync.span;
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
