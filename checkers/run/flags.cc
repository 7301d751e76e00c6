#include "checkers/run/flags.h"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "checkers/run/grid_barrier.h"
#include "checkers/run/grid_rounds.h"
#include "checkers/run/locks.h"
#include "checkers/run/log.h"
#include "checkers/run/poll_loop.h"
#include "checkers/run/turns.h"
#include "checkers/run/words_used.h"
#include "sim/machine/guide.h"
#include "sim/machine/machine.h"

namespace tilesim::checkers::run {
namespace {

using ir::EffectKind;

// The number that it puts there.
std::optional<int64_t> SetTo(const machine::CompiledOp& op) {
  if (!OnlyDoes(op, EffectKind::kWrite)) return std::nullopt;
  for (const machine::CompiledOperand& o : op.operands) {
    bool number = o.kind == ir::OperandValue::Kind::kInt && o.expr.constant;
    if (number) return o.expr.value;
  }
  return std::nullopt;
}

// Whether the loop of a condition on one scalar goes on with 0, and ends with
// `value`.
bool WaitsFor(const machine::Code& code, const machine::CompiledExpr& condition,
              int32_t slot, int64_t value) {
  if (condition.constant) return false;
  for (int32_t i = condition.begin; i < condition.end; ++i) {
    const machine::ExprInstr& e = code.expr_code[i];
    using Kind = machine::ExprInstr::Kind;
    if (e.kind == Kind::kBuiltin || (e.kind == Kind::kSlot && e.index != slot))
      return false;
  }
  machine::Cta nowhere;  // is not asked for
  machine::Who nobody(code.bound, nowhere, 0);
  std::vector<int64_t> slots = code.initial_slots;
  auto holds = [&](int64_t with) {
    slots[slot] = with;
    auto is = machine::Evaluate(code, condition, slots.data(), nobody);
    return is.value_or(0) != 0;
  };
  return holds(0) && !holds(value);
}

// Whether the op is all that there is in a loop that waits for `value`.
bool IsWait(const machine::Code& code, int32_t op, int64_t value) {
  if (!OnlyDoes(code.ops[op], EffectKind::kRead)) return false;
  if (code.guide != nullptr) return code.guide->AsksUntil(code.ops[op], value);
  auto loop = PollLoopOf(code, op);
  return loop && WaitsFor(code, *loop->goes_on, loop->slot, value);
}

std::optional<Flags> FlagsIn(const machine::Code& code, int32_t decl) {
  Flags out;
  out.decl = decl;
  std::vector<int32_t> others;
  for (int32_t op : UsersOf(code, decl)) {
    std::optional<int64_t> value = SetTo(code.ops[op]);
    if (!value) {
      others.push_back(op);
      continue;
    }
    if (*value == 0 || (out.value != 0 && *value != out.value))
      return std::nullopt;
    out.value = *value;
    out.sets.insert(op);
  }
  out.waits.insert(others.begin(), others.end());
  bool all_wait = std::all_of(others.begin(), others.end(), [&](int32_t op) {
    return IsWait(code, op, out.value);
  });
  if (!all_wait || out.sets.empty()) return std::nullopt;
  if (code.guide == nullptr)
    out.steps = StepWordsOf(code.kernel(), decl, /*by_all=*/false);
  return out;
}

}  // namespace

std::vector<Flags> FlagsOf(const machine::Code& code) {
  std::vector<Flags> out;
  for (size_t i = 0; i < code.bound.decls.size(); ++i) {
    auto decl = static_cast<int32_t>(i);
    if (!ZeroAtFirst(code, decl)) continue;
    auto flags = FlagsIn(code, decl);
    if (!flags) flags = GridBarrierIn(code, decl);
    if (!flags) flags = TurnsIn(code, decl);
    if (!flags) flags = LocksIn(code, decl);
    if (!flags) flags = GridRoundsIn(code, decl);
    if (flags) out.push_back(std::move(*flags));
  }
  return out;
}

namespace {

// The word of each event that sets a flag, or waits for one.
template <typename F>
void ForEachWord(const Log& log, std::set<int32_t> Flags::*ops, F&& visit) {
  const std::map<int32_t, GlobalWord> rounds = RoundWordsIn(log);
  for (size_t i = 0; i < log.events.size(); ++i) {
    const Event& e = log.events[i];
    if (e.kind != Event::Kind::kOp) continue;
    for (const Flags& f : log.flags) {
      if ((f.*ops).count(e.op) == 0) continue;
      const ir::TileValue& tile = e.concrete().tile(e.effects()[0].operand);
      auto word = GlobalWordAt(*log.code, f.decl, tile.start);
      const auto round = rounds.find(static_cast<int32_t>(i));
      if (round != rounds.end()) word = round->second;
      if (word) visit(f, *word, e);
    }
  }
}

GlobalWords WordsOf(const Log& log, std::set<int32_t> Flags::*ops) {
  GlobalWords out;
  ForEachWord(log, ops,
              [&](const Flags&, const GlobalWord& word, const Event&) {
                out.insert(word);
              });
  return out;
}

}  // namespace

GlobalWords FlagsSetIn(const Log& log) { return WordsOf(log, &Flags::sets); }

GlobalWords FlagsWaitedForIn(const Log& log) {
  return WordsOf(log, &Flags::waits);
}

bool SetsOwnFirst(const Log& log) {
  std::map<GlobalWord, const Event*> set;
  ForEachWord(log, &Flags::sets,
              [&](const Flags& f, const GlobalWord& word, const Event& e) {
                if (!f.by_all) set.emplace(word, &e);
              });
  bool first = true;
  ForEachWord(log, &Flags::waits,
              [&](const Flags&, const GlobalWord& word, const Event& wait) {
                const auto own = set.find(word);
                if (own == set.end()) return;
                // Events lie in the order in which they were executed.
                first &= own->second < &wait &&
                         own->second->threads() == wait.threads();
              });
  return first;
}

}  // namespace tilesim::checkers::run
