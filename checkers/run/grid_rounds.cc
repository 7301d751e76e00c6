#include "checkers/run/grid_rounds.h"

#include <algorithm>
#include <utility>

#include "checkers/run/log.h"
#include "checkers/run/turns.h"
#include "sim/machine/counting.h"
#include "sim/machine/guide.h"

namespace tilesim::checkers::run {

using machine::CountingOf;
namespace {

// Of larger grids what a word may be is not gone through.
constexpr int64_t kMostCtas = 4096;
// Flags::value of words that are set by all in rounds: so much more than CTAs.
constexpr int64_t kInRounds = int64_t{1} << 40;

}  // namespace

std::optional<Flags> GridRoundsIn(const machine::Code& code, int32_t decl) {
  const machine::Counting* counting = CountingOf(code);
  if (counting == nullptr || code.bound.cluster_size() > 1 ||
      code.bound.ctas() > kMostCtas)
    return std::nullopt;
  Flags out;
  out.decl = decl;
  out.by_all = true;
  out.value = kInRounds + code.bound.ctas();
  for (int32_t op : UsersOf(code, decl)) {
    const machine::CompiledOp& o = code.ops[op];
    if (!AllStrong(o) || !counting->IsOneElement(o)) return std::nullopt;
    if (counting->AsksForRound(o)) {
      out.waits.insert(op);
    } else if (counting->AddsToRound(o)) {
      out.sets.insert(op);
    } else {
      return std::nullopt;
    }
  }
  if (out.sets.empty() || out.waits.empty()) return std::nullopt;
  counting->CountsRounds(decl);
  return out;
}

bool AreInRounds(const Flags& flags) {
  return flags.by_all && flags.value >= kInRounds;
}

bool HaveRounds(const std::vector<Flags>& flags) {
  return std::any_of(flags.begin(), flags.end(), AreInRounds);
}

int64_t AddersOf(const Flags& flags) {
  return AreInRounds(flags) ? flags.value - kInRounds : flags.value;
}

bool RoundsHold(const machine::Code& code, const std::vector<Flags>& flags) {
  return std::all_of(flags.begin(), flags.end(), [&](const Flags& f) {
    return !AreInRounds(f) || CountingOf(code)->RoundsHold(f.decl);
  });
}

int64_t RoundsOver(int64_t times) {
  using machine::Counting;
  return Counting::RoundsOver(std::min(times, Counting::kMostRounds));
}
int64_t AllRoundsOver() { return RoundsOver(machine::Counting::kMostRounds); }

std::map<int32_t, GlobalWord> RoundWordsIn(const Log& log) {
  std::map<int32_t, GlobalWord> out;
  if (!HaveRounds(log.flags)) return out;
  std::map<std::pair<int32_t, GlobalWord>, int64_t> rounds;  // of each CTA
  for (size_t i = 0; i < log.events.size(); ++i) {
    const Event& e = log.events[i];
    if (e.kind != Event::Kind::kOp) continue;
    for (const Flags& f : log.flags) {
      const bool sets = f.sets.contains(e.op);
      if (!AreInRounds(f) || (!sets && !f.waits.contains(e.op))) continue;
      const ir::TileValue& at = e.concrete().tile(e.effects()[0].operand);
      const auto word = GlobalWordAt(*log.code, f.decl, at.start);
      if (!word) continue;  // outside, as the machine says
      int64_t& round = rounds[{e.cta, *word}];
      if (sets) round += e.threads().threads();
      out[static_cast<int32_t>(i)] = AtTurn(*word, round);
    }
  }
  return out;
}

GlobalWord RoundBefore(const GlobalWord& word) {
  return AtTurn(WithoutTurn(word), TurnOf(word) - 1);
}

}  // namespace tilesim::checkers::run
