#include "checkers/run/grid_barrier.h"

#include <algorithm>
#include <map>
#include <utility>

#include "checkers/run/grid_rounds.h"
#include "checkers/run/grid_scalars.h"
#include "checkers/run/log.h"
#include "checkers/run/poll_loop.h"
#include "checkers/run/ticket.h"
#include "checkers/run/words_used.h"
#include "sim/machine/counting.h"
#include "sim/machine/guide.h"
#include "sim/machine/machine.h"

namespace tilesim::checkers::run {
namespace {

using ExprKind = machine::ExprInstr::Kind;
using ir::Builtin;

// Numbers that are the same for every CTA of the grid.
class SameForAll {
 public:
  explicit SameForAll(const machine::Code& code)
      : code_(code), scalars_(code), same_(code.initial_slots.size()) {
    for (const ir::Param& p : code.kernel().params) same_[p.slot] = true;
    for (const machine::Instr* set : scalars_.sets())
      same_[set->a] = Is(set->expr);
  }

  bool Is(const machine::CompiledExpr& expr) const {
    if (expr.constant) return true;
    return scalars_.Fix(expr) &&
           std::all_of(code_.expr_code.begin() + expr.begin,
                       code_.expr_code.begin() + expr.end,
                       [&](const machine::ExprInstr& e) { return Is(e); });
  }

  std::optional<int64_t> Of(const machine::CompiledExpr& expr) const {
    machine::Cta nowhere;  // is not asked for
    machine::Who nobody(code_.bound, nowhere, 0);
    std::vector<int64_t> slots = code_.initial_slots;
    for (const machine::Instr* set : scalars_.sets()) {
      if (!same_[set->a]) continue;
      auto value = machine::Evaluate(code_, set->expr, slots.data(), nobody);
      if (!value) return std::nullopt;
      slots[set->a] = *value;
    }
    return machine::Evaluate(code_, expr, slots.data(), nobody);
  }

 private:
  bool Is(const machine::ExprInstr& e) const {
    if (e.kind == ExprKind::kSlot) return same_[e.index];
    if (e.kind != ExprKind::kBuiltin) return true;
    const auto which = static_cast<Builtin>(e.index);
    return which == Builtin::kGridX || which == Builtin::kGridY ||
           which == Builtin::kGridZ || which == Builtin::kSmCount;
  }

  const machine::Code& code_;
  const GridScalars scalars_;
  std::vector<bool> same_;  // by slot
};

// Whether instructions leave one number, of nothing that was there before.
bool IsWhole(const machine::Code& code, int32_t begin, int32_t end) {
  int numbers = 0;
  for (int32_t i = begin; i < end; ++i) {
    switch (code.expr_code[i].kind) {
      case ExprKind::kPush:
      case ExprKind::kSlot:
      case ExprKind::kBuiltin:
        ++numbers;
        break;
      case ExprKind::kUnary:
      case ExprKind::kBinaryWith:
        if (numbers < 1) return false;
        break;
      case ExprKind::kBinary:
        if (--numbers < 1) return false;
        break;
      default:
        return false;  // `?:` and functions are not looked into
    }
  }
  return numbers == 1;
}

// The right side of the loop's condition, if its left side is the scalar.
//
// Both comparisons hold of every number below, so that the loop goes on until
// the word has grown to it.
std::optional<machine::CompiledExpr> BoundOf(const machine::Code& code,
                                             const PollLoop& loop) {
  const machine::CompiledExpr& e = *loop.goes_on;
  if (e.constant || e.end - e.begin < 2) return std::nullopt;
  const machine::ExprInstr &left = code.expr_code[e.begin],
                           &compares = code.expr_code[e.end - 1];
  const bool form =
      left.kind == ExprKind::kSlot && left.index == loop.slot &&
      (compares.op == ir::ExprOp::kLt || compares.op == ir::ExprOp::kNe);
  if (!form) return std::nullopt;
  machine::CompiledExpr out = e;
  if (compares.kind == ExprKind::kBinaryWith && e.end - e.begin == 2) {
    out.constant = true;
    out.value = compares.value;
    return out;
  }
  ++out.begin;
  --out.end;
  const bool whole =
      compares.kind == ExprKind::kBinary && IsWhole(code, out.begin, out.end);
  return whole ? std::optional(out) : std::nullopt;
}

}  // namespace

std::optional<machine::CompiledExpr> AwaitedCount(const machine::Code& code,
                                                  int32_t op) {
  if (!OnlyDoes(code.ops[op], ir::EffectKind::kRead)) return std::nullopt;
  auto loop = PollLoopOf(code, op);
  auto bound = loop ? BoundOf(code, *loop) : std::nullopt;
  return bound && SameForAll(code).Is(*bound) ? bound : std::nullopt;
}

namespace {

bool WaitsForAll(const machine::Code& code, int32_t op, int64_t ctas) {
  if (!OnlyDoes(code.ops[op], ir::EffectKind::kRead)) return false;
  if (code.guide != nullptr) {
    const auto* counting =
        dynamic_cast<const machine::Counting*>(code.guide.get());
    return counting != nullptr && counting->AsksUntilGrown(code.ops[op], ctas);
  }
  auto count = AwaitedCount(code, op);
  return count && SameForAll(code).Of(*count) == ctas;
}

// Whether the text names an element by more than numbers, at whatever sizes.
bool NamesSome(const machine::CompiledOp& op, int32_t decl) {
  return std::any_of(
      op.op->operands.begin(), op.op->operands.end(),
      [&](const ir::Operand& o) {
        if (o.kind != ir::Operand::Kind::kRef || o.ref.decl != decl)
          return false;
        return std::any_of(
            o.ref.groups.begin(), o.ref.groups.end(), [](const auto& group) {
              return std::any_of(group.begin(), group.end(),
                                 [](const ir::Subscript& s) {
                                   return s.start.kind != ir::ExprKind::kInt;
                                 });
            });
      });
}

// How many CTAs add to the word of each, which is the one that it waits for.
std::optional<int64_t> AddersOfEach(const machine::Code& code, int32_t decl) {
  std::optional<std::vector<GlobalWord>> words;
  for (int32_t op : UsersOf(code, decl)) {
    const machine::CompiledOp& o = code.ops[op];
    const std::vector<ir::Effect> effects = EffectsIn(o);
    if (effects.empty()) return std::nullopt;
    auto here = WordsByCta(code, o, effects[0].operand);
    if (!here || (words && *words != *here)) return std::nullopt;
    words = std::move(here);
  }
  if (!words) return std::nullopt;
  std::map<GlobalWord, int64_t> adders;
  for (const GlobalWord& word : *words) ++adders[word];
  const int64_t each = adders.begin()->second;
  const bool alike =
      std::all_of(adders.begin(), adders.end(),
                  [=](const auto& word) { return word.second == each; });
  return alike ? std::optional(each) : std::nullopt;
}

}  // namespace

std::optional<Flags> GridBarrierIn(const machine::Code& code, int32_t decl) {
  const ir::BoundDecl& d = code.bound.decls[decl];
  const bool one_word = std::all_of(d.shape.begin(), d.shape.begin() + d.rank,
                                    [](int64_t extent) { return extent == 1; });
  if (code.bound.cluster_size() > 1) return std::nullopt;
  Flags out;
  if (code.guide == nullptr)
    out.steps = StepWordsOf(code.kernel(), decl, /*by_all=*/true);
  out.decl = decl;
  out.by_all = true;
  out.value = code.bound.ctas();
  const std::vector<int32_t> users = UsersOf(code, decl);
  out.of_some = code.guide == nullptr && !out.steps &&
                std::any_of(users.begin(), users.end(), [&](int32_t op) {
                  return NamesSome(code.ops[op], decl);
                });
  if (!one_word && !out.steps && !out.of_some) return std::nullopt;
  if (out.of_some) {
    const auto adders = AddersOfEach(code, decl);
    if (!adders) return std::nullopt;
    out.value = *adders;
  }
  for (int32_t op : users) {
    if (CountsIn(code.ops[op]) >= 0 && ScalarSetBy(code.ops[op]) < 0) {
      out.sets.insert(op);
      continue;
    }
    if (!WaitsForAll(code, op, out.value)) return std::nullopt;
    out.waits.insert(op);
  }
  return out.sets.empty() ? std::nullopt : std::optional(std::move(out));
}

bool CountsAtBarriers(const Log& log) {
  for (const Flags& f : log.flags) {
    if (!f.by_all || AreInRounds(f)) continue;
    std::map<int64_t, int64_t> added;  // by element
    for (const Event& e : log.events) {
      const bool sets = f.sets.contains(e.op);
      if (e.kind != Event::Kind::kOp || (!sets && !f.waits.contains(e.op)))
        continue;
      const ir::TileValue& at = e.concrete().tile(e.effects()[0].operand);
      const auto word = GlobalWordAt(*log.code, f.decl, at.start);
      if (!word) return false;
      int64_t& here = added[word->element];
      if (sets) here += e.threads().threads();
      if (!sets && here == 0) return false;
    }
    if (!f.steps && added.empty()) return false;
    for (const auto& [element, times] : added) {
      if (times != 1) return false;
    }
  }
  return true;
}

}  // namespace tilesim::checkers::run
