#include "checkers/run/turns.h"

#include <algorithm>
#include <limits>

#include "checkers/run/words_used.h"
#include "sim/machine/counting.h"
#include "sim/machine/guide.h"

namespace tilesim::checkers::run {
namespace {

const machine::Counting* CountingOf(const machine::Code& code) {
  return dynamic_cast<const machine::Counting*>(code.guide.get());
}

// It puts a number there, or adds 1, and returns nothing.
bool Sets(const machine::Code& code, int32_t op) {
  const machine::CompiledOp& o = code.ops[op];
  if (ScalarSetBy(o) >= 0) return false;
  return OnlyDoes(o, ir::EffectKind::kWrite) || CountsIn(o) >= 0 ||
         CountingOf(code)->StoresZero(o);
}

// Elements are below; each number has as many.
constexpr int64_t kElements = int64_t{1} << 29;
// Flags::value of semaphores: no CTA's yet.
constexpr int64_t kOfNone = std::numeric_limits<int64_t>::min();

}  // namespace

GlobalWord AtTurn(const GlobalWord& word, int64_t turn) {
  const bool known = turn >= 0 && turn <= kNoTurn;
  return {word.decl, word.element + kElements * (known ? turn : kNoTurn)};
}

int64_t TurnOf(const GlobalWord& word) { return word.element / kElements; }

GlobalWord WithoutTurn(const GlobalWord& word) {
  return {word.decl, word.element % kElements};
}

bool AreInTurn(const Flags& flags) {
  constexpr int64_t kMostCtas = int64_t{1} << 40;
  return flags.value < kOfNone + kMostCtas;
}

bool WaitInTurn(const std::vector<Flags>& flags) {
  return std::any_of(flags.begin(), flags.end(), AreInTurn);
}

void SetCta(int64_t cta, Flags& flags) {
  if (AreInTurn(flags)) flags.value = kOfNone + 1 + cta;
}

std::optional<Flags> TurnsIn(const machine::Code& code, int32_t decl) {
  const machine::Counting* counting = CountingOf(code);
  if (counting == nullptr || code.bound.cluster_size() > 1) return std::nullopt;
  Flags out;
  out.decl = decl;
  out.value = kOfNone;
  if (code.bound.decls[decl].object_bytes >= kElements) return std::nullopt;
  for (int32_t op : UsersOf(code, decl)) {
    const machine::CompiledOp& o = code.ops[op];
    if (Sets(code, op)) {
      out.sets.insert(op);
    } else if (OnlyDoes(o, ir::EffectKind::kRead) && counting->AsksInTurn(o)) {
      out.waits.insert(op);
    } else {
      return std::nullopt;
    }
  }
  if (out.sets.empty() || out.waits.empty()) return std::nullopt;
  counting->TakeInTurn(decl);
  return out;
}

std::optional<int64_t> TurnAt(const machine::Code& code, const Flags& flags,
                              int32_t op, const GlobalWord& word) {
  const std::optional<int64_t> is = CountingOf(code)->TurnOf(
      code.ops[op], flags.value - kOfNone - 1, word.element);
  const bool sets = flags.sets.contains(op);
  if (!is) return sets ? std::optional(kNoTurn) : std::nullopt;
  if (*is < 0 || *is >= kPutBack) return kNoTurn;
  if (!sets) return *is;
  if (*is == 0) return kPutBack;
  // Weakly nothing but the end is told.
  const bool strong = OnlyDoes(code.ops[op], ir::EffectKind::kWrite) ||
                      CountsIn(code.ops[op]) >= 0;
  return strong ? *is : kNoTurn;
}

}  // namespace tilesim::checkers::run
