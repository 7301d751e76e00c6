#include "checkers/run/turns.h"

#include <algorithm>
#include <iterator>
#include <limits>
#include <map>

#include "checkers/run/locks.h"
#include "checkers/run/log.h"
#include "checkers/run/words_used.h"
#include "sim/machine/counting.h"
#include "sim/machine/guide.h"

namespace tilesim::checkers::run {

using machine::CountingOf;
namespace {

// It puts a number there, or adds to what is there, strongly.
bool SetsStrongly(const machine::Code& code, int32_t op) {
  const machine::CompiledOp& o = code.ops[op];
  return OnlyDoes(o, ir::EffectKind::kWrite) || CountsIn(o) >= 0 ||
         (CountingOf(code)->Puts(o) && AllStrong(o));
}

// ... or puts 0 there, and returns nothing.
bool Sets(const machine::Code& code, int32_t op) {
  const machine::CompiledOp& o = code.ops[op];
  return ScalarSetBy(o) < 0 &&
         (SetsStrongly(code, op) || CountingOf(code)->StoresZero(o));
}

// Elements are below; each number has as many.
constexpr int64_t kElements = int64_t{1} << 29;
// The largest flag.
constexpr int64_t kMostNumber = 1 << 20;
// Flags::value of semaphores: no cluster's yet; and with how many rounds in
// vain, and one more, if there are rounds.
constexpr int64_t kOfNone = std::numeric_limits<int64_t>::min();
constexpr int64_t kRounds = int64_t{1} << 36;

int64_t RoundsOf(const Flags& turns) {
  return (turns.value - kOfNone) / kRounds;
}

// The number that all ops put there.
std::optional<int64_t> OnlyNumber(const machine::Code& code,
                                  const std::set<int32_t>& sets) {
  std::optional<int64_t> out;
  for (int32_t op : sets) {
    const auto number = CountingOf(code)->Puts(code.ops[op]);
    if (!number || *number <= 0 || *number > kMostNumber ||
        (out && *number != *out))
      return std::nullopt;
    out = number;
  }
  return out;
}

}  // namespace

bool AllStrong(const machine::CompiledOp& op) {
  const std::vector<ir::Effect> all = EffectsIn(op);
  return !all.empty() && std::all_of(all.begin(), all.end(), StrongInGrid);
}

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

void SetCluster(int64_t cluster, Flags& flags) {
  if (AreInTurn(flags))
    flags.value = kOfNone + RoundsOf(flags) * kRounds + 1 + cluster;
}

std::optional<Flags> TurnsIn(const machine::Code& code, int32_t decl) {
  const machine::Counting* counting = CountingOf(code);
  if (counting == nullptr) return std::nullopt;
  Flags out;
  out.decl = decl;
  out.value = kOfNone;
  if (code.bound.decls[decl].object_bytes >= kElements) return std::nullopt;
  const std::vector<int32_t> users = UsersOf(code, decl);
  std::copy_if(users.begin(), users.end(),
               std::inserter(out.sets, out.sets.end()),
               [&](int32_t op) { return Sets(code, op); });
  const std::optional<int64_t> only = OnlyNumber(code, out.sets);
  bool rounds = false;
  for (int32_t op : users) {
    const machine::CompiledOp& o = code.ops[op];
    if (out.sets.contains(op)) continue;
    const auto asks = counting->AsksInTurn(o, only);
    if (!asks || !AllStrong(o)) return std::nullopt;
    rounds |= asks->rounds;
    out.waits.insert(op);
  }
  if (out.sets.empty() || out.waits.empty()) return std::nullopt;
  // How often each CTA of a cluster asks in vain is not run.
  if (rounds && code.bound.cluster_size() > 1) return std::nullopt;
  const bool elements = std::all_of(
      users.begin(), users.end(),
      [&](int32_t op) { return counting->IsOneElement(code.ops[op]); });
  if (!elements) return std::nullopt;
  if (rounds) out.value += kRounds;
  counting->TakeInTurn(decl, only);
  return out;
}

bool AskInRounds(const std::vector<Flags>& flags) {
  return std::any_of(flags.begin(), flags.end(), [](const Flags& f) {
    return AreInTurn(f) && RoundsOf(f) > 0;
  });
}

std::vector<int64_t> WaysToFind(const Flags& turns) {
  if (RoundsOf(turns) == 0) return {turns.value};
  std::vector<int64_t> out;
  for (int64_t n = 0; n <= kMostInVain; ++n)
    out.push_back(kOfNone + (n + 1) * kRounds);
  return out;
}

int64_t TurnsAtFirst(const Flags& turns) {
  const int64_t rounds = RoundsOf(turns);
  return rounds == 0 ? 0 : machine::Counting::InVain(rounds - 1);
}

std::set<int32_t> AskedInVain(const Log& log) {
  std::set<int32_t> out;
  if (!AskInRounds(log.flags)) return out;
  std::map<GlobalWord, int64_t> left;
  for (size_t i = 0; i < log.events.size(); ++i) {
    const Event& e = log.events[i];
    if (e.kind != Event::Kind::kOp) continue;
    for (const Flags& f : log.flags) {
      const bool asks = f.waits.contains(e.op);
      if (!AreInTurn(f) || RoundsOf(f) == 0 ||
          (!asks && !f.sets.contains(e.op)))
        continue;
      const auto word = WordIn(log, e, f.decl);
      if (!word) continue;  // outside, as the machine says
      int64_t& n = left.try_emplace(*word, RoundsOf(f) - 1).first->second;
      const auto turn = TurnAt(*log.code, f, e.op, *word);
      if (!asks || (turn && *turn == 0)) {
        n = 0;
      } else if (n > 0) {
        --n;
        out.insert(static_cast<int32_t>(i));
      }
    }
  }
  return out;
}

bool GoRoundInVain(const Log& log) {
  std::set<int32_t> loop, asks, meets;
  for (const Flags& f : log.flags) {
    if (!AreInTurn(f) || RoundsOf(f) == 0) continue;
    const std::optional<int64_t> only = OnlyNumber(*log.code, f.sets);
    for (int32_t op : f.waits) {
      const auto how =
          CountingOf(*log.code)->AsksInTurn(log.code->ops[op], only);
      loop.insert(how->loop.begin(), how->loop.end());
      meets.insert(how->meets.begin(), how->meets.end());
      asks.insert(op);
    }
  }
  // By warp: the op that it has asked by in vain.
  std::map<std::pair<int32_t, int32_t>, int32_t> in_vain;
  const std::set<int32_t> all = AskedInVain(log);
  for (size_t i = 0; i < log.events.size(); ++i) {
    const Event& e = log.events[i];
    if (e.kind != Event::Kind::kOp) continue;
    // Of several, each may get another answer.
    if (asks.contains(e.op) && e.threads().threads() != 1) return false;
    const std::pair<int32_t, int32_t> who{e.cta, e.threads().first_warp};
    if (auto at = in_vain.find(who); at != in_vain.end()) {
      const bool again = asks.contains(e.op);
      if (again ? e.op != at->second : !loop.contains(e.op)) return false;
      if (again) in_vain.erase(at);
    }
    if (all.contains(static_cast<int32_t>(i))) in_vain[who] = e.op;
  }
  return in_vain.empty() && MeetInside(log, meets);
}

std::optional<int64_t> TurnAt(const machine::Code& code, const Flags& flags,
                              int32_t op, const GlobalWord& word) {
  const std::optional<int64_t> is = CountingOf(code)->TurnOf(
      code.ops[op], (flags.value - kOfNone) % kRounds - 1, word.element);
  const bool sets = flags.sets.contains(op);
  if (!is) return sets ? std::optional(kNoTurn) : std::nullopt;
  if (*is < 0 || *is >= kPutBack) return kNoTurn;
  if (!sets) return *is;
  if (*is == 0) return kPutBack;
  // Weakly nothing but the end is told.
  return SetsStrongly(code, op) ? *is : kNoTurn;
}

}  // namespace tilesim::checkers::run
