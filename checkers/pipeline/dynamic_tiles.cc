#include "checkers/pipeline/dynamic_tiles.h"

#include <algorithm>
#include <cstdint>
#include <string_view>
#include <utility>

#include "checkers/pipeline/copied_block.h"
#include "checkers/pipeline/drawn_tiles.h"
#include "checkers/pipeline/text_ends.h"
#include "checkers/pipeline/word_arrays.h"
#include "checkers/sizes/partition/expressions.h"
#include "checkers/sizes/partition/known_numbers.h"
#include "ir/effect.h"
#include "ir/op.h"
#include "ir/ops/modifiers.h"
#include "ir/walk.h"

namespace tilesim::checkers::pipeline {
using ir::Block;
using ir::Builtin;
using ir::Expr;
using ir::ExprKind;
using ir::ExprOp;
using ir::NameKind;
using ir::Operand;
using ir::OpKind;
using ir::Stmt;
using sizes::partition::Binary;
using sizes::partition::KnownNumbers;
using sizes::partition::NameOf;

namespace {

constexpr std::string_view kCtas = "CTAs", kTiles = "Tiles";  // parameters

bool IsOp(const Stmt& s, OpKind kind) {
  return s.kind == Stmt::Kind::kOp && s.op && s.op->info->kind == kind;
}

int NamesIn(const Expr& e, int32_t slot) {
  int out = ir::SlotOf(e) == slot ? 1 : 0;
  for (const Expr& arg : e.args) out += NamesIn(arg, slot);
  return out;
}

int NamesIn(const Block& block, int32_t slot) {
  int out = 0;
  Block copy = block;
  ir::ForEachStmt(copy, [&](Stmt& s) {
    Stmt one = s;
    one.body.clear();
    one.orelse.clear();
    out += s.kind == Stmt::Kind::kAssign && s.slot == slot ? 1 : 0;
    ir::ForEachExpr(one, [&](Expr& e) { out += NamesIn(e, slot); });
  });
  return out;
}

// The only element that constants name.
bool IsOneWord(const ir::Ref& ref) {
  return ref.cta.empty() &&
         std::all_of(ref.groups.begin(), ref.groups.end(), [](const auto& g) {
           return std::all_of(g.begin(), g.end(), [](const ir::Subscript& s) {
             return s.kind == ir::Subscript::Kind::kIndex &&
                    s.start.kind == ExprKind::kInt;
           });
         });
}

bool SameWord(const ir::Ref& a, const ir::Ref& b) {
  return a.decl == b.decl && a.groups == b.groups;
}

bool IsBuiltin(const Expr& e, Builtin which) {
  return e.kind == ExprKind::kName && e.name_kind == NameKind::kBuiltin &&
         e.slot == static_cast<int32_t>(which);
}

std::optional<Below> BelowIn(const Expr& e, bool holds) {
  if (e.kind != ExprKind::kBinary) return std::nullopt;
  const bool plain = e.op == (holds ? ExprOp::kLt : ExprOp::kGe);
  const bool turned = e.op == (holds ? ExprOp::kGt : ExprOp::kLe);
  if (!plain && !turned) return std::nullopt;
  const Expr& n = e.args[plain ? 0 : 1];
  if (n.kind != ExprKind::kName || n.name_kind != NameKind::kVar)
    return std::nullopt;
  return Below{ir::SlotOf(n), e.args[plain ? 1 : 0]};
}

class Finder {
 public:
  Finder(const ir::Kernel& kernel, int32_t counter)
      : kernel_(kernel), counter_(counter) {}

  std::optional<Tiles> Find() {
    for (size_t i = 0; i < kernel_.body.size(); ++i) {
      auto found = At(i);
      if (found) return found;
    }
    return std::nullopt;
  }

 private:
  std::optional<Tiles> At(size_t at) const {
    const Stmt& loop = kernel_.body[at];
    if (loop.kind != Stmt::Kind::kWhile || loop.body.empty())
      return std::nullopt;
    Tiles out;
    out.at = at;
    out.counter = counter_;
    const bool divides = Divide(at, out) || DivideFromPlace(at, out);
    if (!divides || !HasOneDraw(out) || !LoadsWhatWasDrawn(out) || Changes(out))
      return std::nullopt;
    if (!loop.value.is_int(1) && !out.from_place && !AsksFirst(loop, out))
      return std::nullopt;
    return out;
  }

  // What draws, and what is done with a number below the end.
  bool Divide(size_t at, Tiles& out) const {
    const Stmt& loop = kernel_.body[at];
    auto last = loop.body.end() - 1;
    while (last != loop.body.begin() && CountsRounds(at, *last)) --last;
    auto below = last->kind == Stmt::Kind::kIf && last->orelse.empty()
                     ? BelowIn(last->value, true)
                     : std::nullopt;
    if (below && !loop.value.is_int(1)) {
      out.below = *below;
      out.draw.assign(loop.body.begin(), last);
      out.work = last->body;
      out.work.insert(out.work.end(), last + 1, loop.body.end());
      return true;
    }
    for (size_t i = 0; i < loop.body.size(); ++i) {
      const Stmt& s = loop.body[i];
      if (s.kind != Stmt::Kind::kIf || s.body.size() != 1 ||
          s.body[0].kind != Stmt::Kind::kBreak || !s.orelse.empty())
        continue;
      below = BelowIn(s.value, false);
      if (!below) return false;
      out.below = *below;
      out.draw.assign(loop.body.begin(), loop.body.begin() + i);
      out.work.assign(loop.body.begin() + i + 1, loop.body.end());
      return true;
    }
    return false;
  }

  // `t = t + 1` behind the work, where nobody asks behind the loop for what
  // its last round, which has no tile, makes of it.
  bool CountsRounds(size_t at, const Stmt& s) const {
    if (s.kind != Stmt::Kind::kAssign || !IsPlainSum(s.value)) return false;
    for (size_t i = at + 1; i < kernel_.body.size(); ++i) {
      if (NamesIn({kernel_.body[i]}, s.slot) != 0) return false;
    }
    return true;
  }

  // Has a value whatever its names stand for.
  static bool IsPlainSum(const Expr& e) {
    if (e.kind == ExprKind::kInt || e.kind == ExprKind::kName) return true;
    const bool plain = IsBinary(e, ExprOp::kAdd) || IsBinary(e, ExprOp::kSub) ||
                       IsBinary(e, ExprOp::kBitXor);
    const bool by_number = IsBinary(e, ExprOp::kRem) &&
                           e.args[1].kind == ExprKind::kInt &&
                           e.args[1].value > 0;
    return (plain || by_number) && IsPlainSum(e.args[0]) &&
           IsPlainSum(e.args[1]);
  }

  // `var n = cta.x while n < TILES { work, then draw }`, in a grid along x:
  // numbers that are drawn count from grid.x on.
  bool DivideFromPlace(size_t at, Tiles& out) const {
    const Stmt& loop = kernel_.body[at];
    const auto below = BelowIn(loop.value, true);
    if (!below || kernel_.grid.size() != 1) return false;
    int begun = 0, named = 0;
    for (size_t i = 0; i < at; ++i) {
      const Stmt& s = kernel_.body[i];
      const bool begins = s.kind == Stmt::Kind::kVar && s.slot == below->slot &&
                          IsBuiltin(s.value, Builtin::kCtaX);
      begun += begins ? 1 : 0;
      named += NamesIn({s}, below->slot);
    }
    size_t draw = 0;
    while (draw < loop.body.size() && !NamesGlobal(loop.body[draw], counter_))
      ++draw;
    if (begun != 1 || named != 0 || draw == loop.body.size()) return false;
    out.below = *below;
    out.from_place = true;
    out.work.assign(loop.body.begin(), loop.body.begin() + draw);
    out.draw.assign(loop.body.begin() + draw, loop.body.end());
    return true;
  }

  static bool NamesGlobal(const Stmt& s, int32_t decl) {
    return UsesOf({s}, decl) != 0;
  }

  // Whether the loop is left early, or the number is another's as well.
  bool Changes(const Tiles& t) const {
    bool out = false;
    ir::ForEachStmt(t.work, [&](const Stmt& s) {
      out |= s.kind == Stmt::Kind::kBreak || s.kind == Stmt::Kind::kContinue ||
             (s.kind == Stmt::Kind::kAssign && s.slot == t.below.slot);
    });
    for (size_t i = t.at + 1; i < kernel_.body.size(); ++i)
      out |= NamesIn({kernel_.body[i]}, t.below.slot) != 0;
    return out;
  }

  // `var n = 0 while n < TILES`.
  bool AsksFirst(const Stmt& loop, Tiles& out) const {
    const auto asks = BelowIn(loop.value, true);
    if (!asks || asks->slot != out.below.slot || !(asks->end == out.below.end))
      return false;
    for (size_t i = 0; i < out.at; ++i) {
      const Stmt& s = kernel_.body[i];
      if (s.kind == Stmt::Kind::kVar && s.slot == out.below.slot &&
          s.value.kind == ExprKind::kInt)
        out.first = s.value.value;
      else if (NamesIn({s}, out.below.slot) != 0)
        return false;
    }
    return out.first.has_value();
  }

  // By one thread of each CTA, which stores it.
  bool HasOneDraw(Tiles& out) const {
    for (size_t i = 0; i < out.draw.size(); ++i) {
      OneThread threads(kernel_);
      const Block* block = &out.draw[i].body;
      const Stmt* scope = &out.draw[i];
      while (scope->kind == Stmt::Kind::kScope) {
        for (const ir::Scope& s : scope->scopes) threads.Enter(s);
        block = &scope->body;
        if (block->size() != 1) break;
        scope = &block->front();
      }
      if (out.draw[i].kind != Stmt::Kind::kScope || !threads.is() ||
          !threads.always() || !Draws(*block, out))
        continue;
      out.scope = i;
      return true;
    }
    return false;
  }

  // var q = 0; atom.add q, Next[0], 1; st tile[0], q, and what there is before
  // that, such as a wait for what was stored from there
  bool Draws(const Block& block, Tiles& out) const {
    if (block.size() < 3) return false;
    const Stmt* of = &block[block.size() - 3];
    const bool plain = std::all_of(block.data(), of, [](const Stmt& s) {
      return s.kind == Stmt::Kind::kOp;
    });
    if (!plain || of[0].kind != Stmt::Kind::kVar ||
        !IsOp(of[1], OpKind::kAtomAdd) || !IsOp(of[2], OpKind::kSt))
      return false;
    const ir::Op &draw = *of[1].op, &store = *of[2].op;
    const auto scope = draw.FindChoice<ir::ops::AtomScope>();
    const bool wide = scope && (!*scope || **scope == ir::MemScope::kGpu ||
                                **scope == ir::MemScope::kSys);
    out.drawn = of[0].slot;
    out.word = store.operands[0].ref.decl;
    return wide && ir::SlotOf(draw.operands[0].expr) == out.drawn &&
           draw.operands[1].ref.decl == counter_ &&
           IsOneWord(draw.operands[1].ref) && draw.operands[2].expr.is_int(1) &&
           IsDrawn(store.operands[1].expr, out) &&
           NamesIn(kernel_.body, out.drawn) == 2 && out.word >= 0 &&
           kernel_.decls[out.word].space == ir::Space::kShared &&
           Counts(kernel_.decls[out.word]) && Counts(kernel_.decls[counter_]) &&
           IsOneWord(store.operands[0].ref);
  }

  // q, or q + grid.x
  static bool IsDrawn(const Expr& e, const Tiles& t) {
    if (!t.from_place) return ir::SlotOf(e) == t.drawn;
    if (e.kind != ExprKind::kBinary || e.op != ExprOp::kAdd) return false;
    const bool first = ir::SlotOf(e.args[0]) == t.drawn;
    return ir::SlotOf(e.args[first ? 0 : 1]) == t.drawn &&
           IsBuiltin(e.args[first ? 1 : 0], Builtin::kGridX);
  }

  // With room for the end, below 2^31, and as many draws as there are CTAs.
  static bool Counts(const ir::Decl& d) {
    return d.dtype == ir::DType::kU32 || d.dtype == ir::DType::kU64;
  }

  // By all threads, behind a barrier of all; nobody else stores to the word.
  bool LoadsWhatWasDrawn(const Tiles& t) const {
    const ir::Ref& word = WordOf(t.draw[t.scope]);
    bool met = false, loaded = false;
    for (size_t i = t.scope + 1; i < t.draw.size(); ++i) {
      const Stmt& s = t.draw[i];
      if (!IsOp(s, OpKind::kLd)) {
        met |= IsOp(s, OpKind::kBarSync) && !s.op->has(1);
        continue;
      }
      const ir::Op& op = *s.op;
      if (ir::SlotOf(op.operands[0].expr) != t.below.slot) continue;
      if (!met || loaded || !SameWord(op.operands[1].ref, word)) return false;
      loaded = true;
    }
    return loaded && UsesOf(kernel_.body, t.word) == 2 &&
           UsesOf(kernel_.body, t.counter) == 1 &&
           NamesIn(t.draw, t.below.slot) == 1 &&
           std::all_of(t.draw.begin(), t.draw.end(), IsPlain);
  }

  // Nothing that leaves the loop, or decides for it.
  static bool IsPlain(const Stmt& s) {
    return s.kind == Stmt::Kind::kOp || s.kind == Stmt::Kind::kScope ||
           s.kind == Stmt::Kind::kVar;
  }

  static const ir::Ref& WordOf(const Stmt& scope) {
    const Stmt* s = &scope;
    while (s->kind == Stmt::Kind::kScope) s = &s->body.back();
    return s->op->operands[0].ref;
  }

  static int UsesOf(const Block& body, int32_t decl) {
    int out = 0;
    ir::ForEachStmt(body, [&](const Stmt& s) {
      for (size_t i = 0; s.op && i < s.op->operands.size(); ++i) {
        const Operand& o = s.op->operands[i];
        out += o.kind == Operand::Kind::kRef && o.ref.decl == decl ? 1 : 0;
      }
    });
    return out;
  }

  const ir::Kernel& kernel_;
  const int32_t counter_;
};

// The statement that draws a number sets it to `to`.
void PutInstead(int32_t counter, const Expr& to, Block& block) {
  ir::ForEachStmt(block, [&](Stmt& s) {
    if (!IsOp(s, OpKind::kAtomAdd) || s.op->operands[1].ref.decl != counter)
      return;
    const Expr drawn = s.op->operands[0].expr;
    s.kind = Stmt::Kind::kAssign;
    s.name = drawn.name;
    s.slot = drawn.slot;
    s.value = to;
    s.op.reset();
  });
}

// Any number, `low` or more.
Expr AnyNumber(std::string_view name, int64_t low, ir::Span span,
               ir::Kernel& kernel) {
  ir::Param p;
  p.name = name;
  p.low = low;
  p.value = low + 1;
  p.slot = kernel.slots++;
  p.span = span;
  kernel.slot_names.push_back(p.name);
  kernel.params.push_back(p);
  return NameOf(NameKind::kParam, p.name, p.slot, span);
}

// Any number of tiles up to that.
Expr FewerThan(const Expr& end, ir::Kernel& kernel) {
  Expr out = AnyNumber(kTiles, 0, end.span, kernel);
  ir::Requirement fewer;
  fewer.condition = Binary(ExprOp::kLe, out, end);
  kernel.requirements.push_back(std::move(fewer));
  kernel.computes.clear();  // not all of it is
  return out;
}

void Write(const Tiles& t, bool fewer, ir::Kernel& kernel) {
  const ir::Span span = kernel.body[t.at].span;
  kernel.grid = {AnyNumber(kCtas, 1, span, kernel)};
  const auto builtin = [&](Builtin which, const char* name) {
    return NameOf(NameKind::kBuiltin, name, static_cast<int32_t>(which), span);
  };
  Stmt loop;
  loop.kind = Stmt::Kind::kFor;
  loop.name = "tile#";
  loop.slot = kernel.slots++;
  loop.span = span;
  kernel.slot_names.push_back(loop.name);
  loop.low = builtin(Builtin::kCtaX, "cta.x");
  loop.high = fewer ? FewerThan(t.below.end, kernel) : t.below.end;
  loop.step = builtin(Builtin::kGridX, "grid.x");
  const Expr tile = NameOf(NameKind::kLoop, loop.name, loop.slot, span);
  Block work = t.work, last = CopyOf(t.draw, 1, kernel);
  Replace(t.below.slot, tile, work);
  loop.body = t.draw;
  PutInstead(t.counter, tile, loop.body);
  PutInstead(t.counter, t.below.end, last);
  const auto where = t.from_place ? loop.body.begin() : loop.body.end();
  loop.body.insert(where, work.begin(), work.end());
  Block all{std::move(loop)};
  if (!t.from_place)
    std::move(last.begin(), last.end(), std::back_inserter(all));
  if (t.first) {  // without a tile the loop is passed by
    Stmt some;
    some.kind = Stmt::Kind::kIf;
    some.span = span;
    some.value = Binary(ExprOp::kLt, Expr::Int(*t.first, span), t.below.end);
    some.body = std::move(all);
    all = {std::move(some)};
  }
  kernel.body.erase(kernel.body.begin() + t.at);
  kernel.body.insert(kernel.body.begin() + t.at, all.begin(), all.end());
  kernel.items.clear();  // they count statements
}

// The loop of the kernel, if it has one.
std::optional<Tiles> TilesOf(const ir::Program& program,
                             const ir::Overrides& defines,
                             const ir::Kernel& kernel, DynamicTiles& out) {
  const bool named = std::any_of(
      kernel.params.begin(), kernel.params.end(),
      [](const auto& p) { return p.name == kCtas || p.name == kTiles; });
  if (!kernel.cluster.empty() || kernel.programmatic || named)
    return std::nullopt;
  const auto decls = static_cast<int32_t>(kernel.decls.size());
  for (int32_t decl = 0; decl < decls; ++decl) {
    const ir::Decl& d = kernel.decls[decl];
    if (d.space != ir::Space::kGlobal || !d.zero || !IsOfOne(program, d.name))
      continue;
    auto tiles = Finder(kernel, decl).Find();
    if (!tiles || !OnlySayPlaces(kernel, *tiles)) continue;
    const KnownNumbers known(defines, kernel);
    const TextEnds room(kernel, known);
    // They, and a draw of each CTA behind them, are counted in 32 bits.
    if (!room.MostOf(tiles->below.end, true))
      out.few_tiles = true;
    else
      out.small_sizes |= !room.MostOf(tiles->below.end, false);
    // There is a tile: nobody passes the loop by.
    const auto least = room.LeastOf(tiles->below.end);
    if (least && tiles->first && *least > *tiles->first) tiles->first.reset();
    return tiles;
  }
  return std::nullopt;
}

}  // namespace

DynamicTiles WithTilesInTurn(const ir::Program& program,
                             const ir::Overrides& defines) {
  DynamicTiles out;
  ir::Program all = program, fewer = program;
  bool any = false;
  for (size_t i = 0; i < program.kernels.size(); ++i) {
    const auto tiles = TilesOf(program, defines, program.kernels[i], out);
    if (!tiles) continue;
    any = true;
    Write(*tiles, false, all.kernels[i]);
    Write(*tiles, true, fewer.kernels[i]);
  }
  if (!any) return out;
  out.program = std::move(all);
  out.fewer = std::move(fewer);
  return out;
}

}  // namespace tilesim::checkers::pipeline
