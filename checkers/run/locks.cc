#include "checkers/run/locks.h"

#include <algorithm>
#include <limits>
#include <set>
#include <tuple>
#include <utility>

#include "checkers/run/log.h"
#include "checkers/run/runner.h"
#include "checkers/run/turns.h"
#include "checkers/run/words_used.h"
#include "ir/cat.h"
#include "sim/machine/counting.h"
#include "sim/machine/guide.h"

namespace tilesim::checkers::run {

using machine::CountingOf;
namespace {

using machine::Counting;

// Flags::value, apart from those of flags and semaphores (turns.cc): locks,
// and how often each is tried in vain; what guarded words are.
constexpr int64_t kOfLocks =
    std::numeric_limits<int64_t>::min() + (int64_t{1} << 41);
constexpr int64_t kOfGuarded =
    std::numeric_limits<int64_t>::min() + (int64_t{1} << 42);
constexpr int64_t kMost = int64_t{1} << 33;

// Tries of each lock in vain; these stand for more.
// Ways in which a CTA may find words.
constexpr size_t kMostStates = 32;

bool InRounds(const machine::Code& code, const Flags& locks) {
  return std::any_of(locks.waits.begin(), locks.waits.end(), [&](int32_t op) {
    const auto tries = CountingOf(code)->TriesLock(code.ops[op]);
    return tries && tries->rounds;
  });
}

bool StrongAll(const machine::CompiledOp& op) {
  const std::vector<ir::Effect> all = EffectsIn(op);
  return !all.empty() && std::all_of(all.begin(), all.end(), StrongInGrid);
}

}  // namespace

bool AreLocks(const Flags& flags) {
  return flags.value >= kOfLocks && flags.value < kOfLocks + kMost;
}

bool AreGuarded(const Flags& flags) {
  return flags.value >= kOfGuarded && flags.value < kOfGuarded + kMost;
}

bool HaveLocks(const std::vector<Flags>& flags) {
  return std::any_of(flags.begin(), flags.end(), AreLocks);
}

bool IsTriedFor(const machine::Code& code, int32_t decl) {
  const Counting* counting = CountingOf(code);
  if (counting == nullptr) return false;
  const std::vector<int32_t> users = UsersOf(code, decl);
  return std::any_of(users.begin(), users.end(), [&](int32_t op) {
    return counting->TriesLock(code.ops[op]).has_value();
  });
}

std::optional<Flags> LocksIn(const machine::Code& code, int32_t decl) {
  const Counting* counting = CountingOf(code);
  if (counting == nullptr || code.bound.cluster_size() > 1) return std::nullopt;
  Flags out;
  out.decl = decl;
  out.value = kOfLocks;
  std::set<int64_t> held;
  for (int32_t op : UsersOf(code, decl)) {
    const machine::CompiledOp& o = code.ops[op];
    if (!StrongAll(o)) return std::nullopt;
    if (const auto tries = counting->TriesLock(o)) {
      held.insert(tries->held);
      out.waits.insert(op);
    } else if (counting->FreesLock(o)) {
      out.sets.insert(op);
    } else {
      return std::nullopt;
    }
  }
  // One number says that it is taken. That nobody puts it back is told.
  if (held.size() != 1) return std::nullopt;
  // Elements are numbered by section (AtTurn).
  if (TurnOf({decl, code.bound.decls[decl].object_bytes}) != 0)
    return std::nullopt;
  counting->AreLocks(decl);
  return out;
}

Flags GuardedIn(int32_t decl) {
  Flags out;
  out.decl = decl;
  out.value = kOfGuarded;
  return out;
}

int64_t AtFirst(const Flags& flags) {
  if (AreGuarded(flags)) return flags.value - kOfGuarded;
  const int64_t in_vain = flags.value - kOfLocks;
  return in_vain == 0 ? 0 : Counting::HeldByOthers(in_vain);
}

bool FindsWordsLeft(const std::vector<Flags>& flags) {
  return std::any_of(flags.begin(), flags.end(), [](const Flags& f) {
    return AreGuarded(f) && AtFirst(f) != 0;
  });
}

namespace {

// Ways in which words may be found, with more numbers as runs put them there.
class States {
 public:
  States(const machine::Code& code, std::vector<Flags> flags)
      : code_(code), flags_(std::move(flags)) {
    for (const Flags& f : flags_) {
      if (AreLocks(f)) {
        const bool rounds = InRounds(code, f);
        for (int64_t n = 0; n <= (rounds ? kMostInVain : 0); ++n)
          values_[f.decl].insert(kOfLocks + n);
      } else if (AreInTurn(f)) {
        for (int64_t way : WaysToFind(f)) values_[f.decl].insert(way);
      } else {
        values_[f.decl].insert(f.value);
      }
    }
  }

  // nullopt: too many.
  std::optional<std::vector<std::vector<Flags>>> All() const {
    std::vector<std::vector<Flags>> out{{}};
    for (const Flags& f : flags_) {
      std::vector<std::vector<Flags>> more;
      for (const std::vector<Flags>& so_far : out) {
        for (int64_t value : values_.at(f.decl)) {
          more.push_back(so_far);
          more.back().push_back(f);
          more.back().back().value = value;
        }
      }
      out = std::move(more);
      if (out.size() > kMostStates) return std::nullopt;
    }
    return out;
  }

  // False: more than are kept, or not a number that a word is taken for.
  bool Grow(bool& grown) {
    for (const Flags& f : flags_) {
      if (!AreGuarded(f)) continue;
      const auto stored = CountingOf(code_)->Stored(f.decl);
      if (!stored) return false;
      for (int64_t value : *stored) {
        if (value < 0 || value >= kMost) return false;
        grown |= values_[f.decl].insert(kOfGuarded + value).second;
      }
    }
    return true;
  }

 private:
  const machine::Code& code_;
  std::vector<Flags> flags_;
  std::map<int32_t, std::set<int64_t>> values_;
};

}  // namespace

LockStates LockStatesOf(const machine::Code& code,
                        const std::vector<Flags>& flags,
                        const std::vector<int64_t>& clusters,
                        const Environment& draw, int64_t max_events) {
  States states(code, flags);
  LockStates out;
  const bool guarded = std::any_of(flags.begin(), flags.end(), AreGuarded);
  std::set<std::vector<int64_t>> ran;
  for (bool grown = true; grown;) {
    grown = false;
    auto all = states.All();
    if (!all) {
      out.open =
          "what CTAs leave in words that a lock guards is too many numbers";
      break;
    }
    out.each = *std::move(all);
    for (const std::vector<Flags>& state : out.each) {
      std::vector<int64_t> key;
      for (const Flags& f : state) key.push_back(f.value);
      if (!guarded || !ran.insert(key).second) continue;
      const Environment environment = WithFlags(state, code, draw);
      for (int64_t c : clusters) {
        RunOptions o;
        o.cluster = c;
        o.environment = &environment;
        o.max_events = max_events;
        RunCluster(code, o);
      }
      if (!states.Grow(grown)) {
        out.open =
            "what CTAs leave in words that a lock guards is too many numbers";
        return out;
      }
    }
  }
  return out;
}

std::map<int32_t, LockUse> LockUsesIn(const Log& log) {
  struct Word {
    int64_t in_vain = 0, sections = 0;
    bool held = false;
  };
  std::map<int32_t, LockUse> out;
  std::map<GlobalWord, Word> words;
  for (size_t i = 0; i < log.events.size(); ++i) {
    const Event& e = log.events[i];
    if (e.kind != Event::Kind::kOp) continue;
    for (const Flags& f : log.flags) {
      const bool takes = f.waits.contains(e.op);
      if (!AreLocks(f) || (!takes && !f.sets.contains(e.op))) continue;
      const auto at = WordIn(log, e, f.decl);
      if (!at) continue;  // outside, as the machine says
      auto [found, fresh] = words.try_emplace(*at);
      Word& word = found->second;
      if (fresh) word.in_vain = f.value - kOfLocks;
      if (takes && word.in_vain-- > 0) continue;
      // Tried again while it is held, in vain: who does is not followed.
      if (takes) ++word.sections;
      const bool known = takes ? !word.held : word.held;
      out[static_cast<int32_t>(i)] = {
          AtTurn(*at, known ? word.sections : kNoTurn), takes};
      word.held = takes;
      if (!takes) word.in_vain = f.value - kOfLocks;
    }
  }
  return out;
}

bool MeetInRounds(const Log& log) {
  std::set<int32_t> meets;
  for (const Flags& f : log.flags) {
    for (int32_t op : f.waits) {
      if (!AreLocks(f)) continue;
      if (const auto tries =
              CountingOf(*log.code)->TriesLock(log.code->ops[op]))
        meets.insert(tries->meets.begin(), tries->meets.end());
    }
  }
  return MeetInside(log, meets);
}

bool MeetInside(const Log& log, const std::set<int32_t>& meets) {
  if (meets.empty()) return true;
  // By CTA, barrier and round: who is inside, and who else.
  std::map<std::tuple<int32_t, int64_t, int64_t>, std::pair<bool, bool>> rounds;
  for (const Event& e : log.events) {
    if (e.kind != Event::Kind::kOp) continue;
    for (const ir::Effect& f : e.effects()) {
      if (f.kind != ir::EffectKind::kNamedArrive &&
          f.kind != ir::EffectKind::kNamedSync)
        continue;
      auto& [inside, others] = rounds[{e.cta, f.value, e.generation}];
      (meets.contains(e.op) ? inside : others) = true;
    }
  }
  return std::none_of(rounds.begin(), rounds.end(), [](const auto& round) {
    return round.second.first && round.second.second;
  });
}

std::string TextOfGuarded(const std::vector<Flags>& flags,
                          const ir::Kernel& kernel) {
  std::string out;
  for (const Flags& f : flags) {
    if (AreGuarded(f))
      ir::Append(&out, out.empty() ? "`" : ", `", kernel.decls[f.decl].name,
                 "` is ", AtFirst(f));
  }
  return out;
}

}  // namespace tilesim::checkers::run
