#include "checkers/program/release_acquire.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "checkers/order/access.h"
#include "checkers/run/grid_rounds.h"
#include "checkers/run/locks.h"
#include "checkers/run/turns.h"

namespace tilesim::checkers::program {
using footprint::Footprints;
using footprint::Fragments;
using order::Access;
using order::AccessesOf;
using order::Agents;
using order::Clock;
using order::Knows;
using order::Mark;
using order::Order;
using run::Event;
using run::Flags;
using run::GlobalWord;
using run::GlobalWordAt;
using run::GlobalWords;
using run::Log;

namespace {

using ir::Effect;
using ir::EffectKind;
using ir::Sem;

// Whether an op's access or fence of that kind releases or acquires for other
// CTAs.
bool Has(const Event& e, EffectKind kind, Sem half) {
  return std::any_of(
      e.effects().begin(), e.effects().end(), [=](const Effect& f) {
        bool wide =
            f.scope == ir::MemScope::kGpu || f.scope == ir::MemScope::kSys;
        bool memory =
            kind != EffectKind::kFence || f.fence == ir::FenceKind::kMemory;
        return f.kind == kind && wide && memory &&
               (f.sem == half || f.sem == Sem::kAcqRel || f.sem == Sem::kSc);
      });
}

bool IsFenceSc(const Event& e) {
  return e.kind == Event::Kind::kOp &&
         std::any_of(
             e.effects().begin(), e.effects().end(), [](const Effect& f) {
               return f.kind == EffectKind::kFence &&
                      f.fence == ir::FenceKind::kMemory && f.sem == Sem::kSc &&
                      (f.scope == ir::MemScope::kGpu ||
                       f.scope == ir::MemScope::kSys);
             });
}

// What an event does to a word by which CTAs talk.
struct WordUse {
  GlobalWord word;
  bool writes = false;  // sets or counts
  bool reads = false;   // waits or counts
  bool flag = false;
  bool from_start = false;  // waits for what is there at first
  bool lock = false;        // takes it or puts it back
  bool round = false;       // of a barrier of the grid
};

// By event: uses of locks, what asks for a semaphore in vain, and words of
// barriers of the grid at their rounds.
struct LockUses {
  std::map<int32_t, run::LockUse> locks;
  std::set<int32_t> in_vain;
  std::map<int32_t, GlobalWord> rounds;
};

// Of a word of a semaphore, at which number. False: it asks in vain.
bool NameTurn(const Log& log, const Event& e, const Flags& f, WordUse& use) {
  const auto turn = run::TurnAt(*log.code, f, e.op, use.word);
  if (!turn) return false;
  use.word = run::AtTurn(use.word, *turn);
  use.from_start = use.reads && *turn == 0;
  return true;
}

std::optional<WordUse> WordUseIn(const Log& log, const LockUses& locks,
                                 const Event& e) {
  if (e.kind != Event::Kind::kOp) return std::nullopt;
  const auto at = static_cast<int32_t>(&e - log.events.data());
  if (locks.in_vain.contains(at)) return std::nullopt;
  if (auto use = locks.locks.find(at); use != locks.locks.end())
    return WordUse{use->second.word,
                   !use->second.takes,
                   use->second.takes,
                   false,
                   false,
                   true};
  if (log.ticket && e.op == log.ticket->op)
    return WordUse{log.ticket->word, true, true, false};
  for (const Flags& f : log.flags) {
    if (AreLocks(f)) continue;
    WordUse use{{}, f.sets.count(e.op) != 0, f.waits.count(e.op) != 0, true};
    if (!use.writes && !use.reads) continue;
    for (const Effect& effect : e.effects()) {
      const bool here = e.concrete().is_tile(effect.operand) &&
                        e.concrete().tile(effect.operand).decl == f.decl;
      if (!here) continue;
      auto word = GlobalWordAt(*log.code, f.decl,
                               e.concrete().tile(effect.operand).start);
      if (!word) continue;  // outside, as the machine says
      use.word = *word;
      if (AreInTurn(f) && !NameTurn(log, e, f, use)) return std::nullopt;
      use.round = run::AreInRounds(f);
      if (run::AreInRounds(f)) use.word = locks.rounds.at(at);
      return use;
    }
  }
  return std::nullopt;
}

// A word that these threads release or acquire.
struct Point {
  GlobalWord word;
  Agents::List who;
};

// Where they do, by event: at the one that writes or reads the word, or at a
// fence of theirs before or after.
struct Points {
  std::multimap<int32_t, Point> releases, acquires;
};

class Finder {
 public:
  Finder(const Log& log, const LockUses& locks, const Agents& agents)
      : log_(log), locks_(locks), agents_(agents) {}

  Points Find() {
    for (size_t i = 0; i < log_.events.size(); ++i) {
      auto at = static_cast<int32_t>(i);
      const Event& e = log_.events[i];
      std::optional<WordUse> use = WordUseIn(log_, locks_, e);
      if (!use) continue;
      Point point{use->word, agents_.Of(e)};
      int32_t release = use->writes ? ReleaseOf(at, point.who) : -1;
      int32_t acquire =
          use->reads && !use->from_start ? AcquireOf(at, point.who) : -1;
      if (release >= 0) out_.releases.emplace(release, point);
      if (acquire >= 0) out_.acquires.emplace(acquire, point);
    }
    return std::move(out_);
  }

 private:
  bool Fences(int32_t event, const Agents::List& who, Sem half) const {
    const Event& e = log_.events[event];
    if (e.kind != Event::Kind::kOp || !Has(e, EffectKind::kFence, half))
      return false;
    Agents::List all = agents_.Of(e);
    return std::all_of(who.begin(), who.end(), [&](int32_t agent) {
      return std::find(all.begin(), all.end(), agent) != all.end();
    });
  }

  int32_t ReleaseOf(int32_t at, const Agents::List& who) const {
    if (Has(log_.events[at], EffectKind::kWrite, Sem::kRelease)) return at;
    while (--at >= 0 && !Fences(at, who, Sem::kRelease)) {
    }
    return at;
  }

  int32_t AcquireOf(int32_t at, const Agents::List& who) const {
    if (Has(log_.events[at], EffectKind::kRead, Sem::kAcquire)) return at;
    auto end = static_cast<int32_t>(log_.events.size());
    while (++at < end && !Fences(at, who, Sem::kAcquire)) {
    }
    return at < end ? at : -1;
  }

  const Log& log_;
  const LockUses& locks_;
  const Agents& agents_;
  Points out_;
};

// Fences.sc of a run so far, by all threads.
class FencesSc {
 public:
  explicit FencesSc(const Order& order)
      : order_(order), of_(static_cast<size_t>(order.agents().size())) {}

  // `agent` has executed one.
  void Add(int32_t agent) {
    of_[static_cast<size_t>(agent)].push_back(
        {order_.mark(agent), order_.clock(agent)});
  }

  // What comes before one of them that comes before what `agent` does next.
  Clock Before(int32_t agent) const {
    Clock out;
    for (const std::vector<Fence>& all : of_) {
      auto last = std::find_if(all.rbegin(), all.rend(), [&](const Fence& f) {
        return order_.clock(agent).Knows(f.at);
      });
      if (last != all.rend()) out.Join(last->clock);
    }
    return out;
  }

 private:
  struct Fence {
    Mark at;
    Clock clock;
  };
  const Order& order_;
  std::vector<std::vector<Fence>> of_;  // by agent
};

class Collector {
 public:
  Collector(const Log& log, Order::Kind kind, Fragments& fragments)
      : log_(log),
        locks_{run::LockUsesIn(log), run::AskedInVain(log),
               run::RoundWordsIn(log)},
        agents_(log),
        warps_(log, Agents::Unit::kWarps),
        points_(Finder(log, locks_, agents_).Find()),
        order_(log, agents_, kind),
        enforced_(log, warps_, Order::Kind::kEnforced),
        fences_sc_(order_),
        footprints_(*log.code, fragments) {
    out_.released.resize(log.events.size());
    out_.acquired.resize(log.events.size());
    out_.released_fenced.resize(log.events.size());
    out_.acquired_fenced.resize(log.events.size());
    for (size_t i = 0; i < log.events.size(); ++i) {
      if (IsFenceSc(log.events[i])) fences_.insert(static_cast<int32_t>(i));
    }
    for (const auto& [event, point] : points_.acquires)
      times_[point.word].total += 1;
    std::erase_if(times_, [](const auto& t) { return t.second.total < 2; });
    if (!times_.empty()) out_.acquired_each_time.resize(log.events.size());
  }

  ReleaseAcquire Run() {
    for (size_t i = 0; i < log_.events.size(); ++i) {
      const Event& e = log_.events[i];
      auto at = static_cast<int32_t>(i);
      order_.Begin(e);
      enforced_.Begin(e);
      if (e.kind == Event::Kind::kOp) {
        out_.acquired[i] = Known(order_, acquired_, e);
        out_.acquired_fenced[i] = KnownAtFence(e);
        KnowEachTime(e, at);
      }
      if (std::optional<WordUse> use = WordUseIn(log_, locks_, e))
        Note(*use, at);
      order_.Finish(e);
      enforced_.Finish(e);
      Keep(at);
      Pass(at);
      EndLockUse(at);
      bool set = !out_.sets.empty() && out_.sets.back().event == at;
      if (!set) continue;
      FlagSet& flag = out_.sets.back();
      flag.acquired = before_[{flag.word, false}];
      flag.acquired_before_fence_sc = before_[{flag.word, true}];
    }
    for (LockSection& section : out_.sections) KeepForEver(section);
    return std::move(out_);
  }

 private:
  template <class Word>
  using MarksOf = std::map<Word, std::vector<Mark>>;
  using Marks = MarksOf<SyncWord>;

  // What each of an event's threads knows, before it.
  template <class Word>
  static std::set<Word> Known(const Order& order, const MarksOf<Word>& marks,
                              const Event& e) {
    std::set<Word> out;
    Agents::List who = order.agents().Of(e);
    for (const auto& [word, all] : marks) {
      auto knows = [&, all = &all](int32_t agent) {
        return std::any_of(all->begin(), all->end(),
                           [&](Mark m) { return order.clock(agent).Knows(m); });
      };
      if (std::all_of(who.begin(), who.end(), knows)) out.insert(word);
    }
    return out;
  }

  // Of a word that is acquired several times.
  struct Times {
    size_t total = 0;
    std::vector<std::vector<Mark>> so_far;  // by who did
  };

  void KnowEachTime(const Event& e, int32_t event) {
    for (const auto& [word, times] : times_) {
      const auto knows = [&, &times = times](int32_t agent) {
        return std::all_of(times.so_far.begin(), times.so_far.end(),
                           [&](const std::vector<Mark>& marks) {
                             return KnowsOne(order_.clock(agent), marks);
                           });
      };
      const Agents::List who = agents_.Of(e);
      if (times.so_far.size() == times.total &&
          std::all_of(who.begin(), who.end(), knows))
        out_.acquired_each_time[static_cast<size_t>(event)].insert(word);
    }
  }

  // What each of them knew at a proxy fence.
  SyncWords KnownAtFence(const Event& e) const {
    SyncWords out;
    const Agents::List who = agents_.Of(e);
    for (const auto& [word, marks] : acquired_) {
      const auto fenced = [&, &marks = marks](int32_t agent) {
        return std::any_of(std::begin(kGlobalFences), std::end(kGlobalFences),
                           [&](auto kind) {
                             const Clock* knew = order_.KnewAt(agent, kind);
                             return knew != nullptr && KnowsOne(*knew, marks);
                           });
      };
      if (std::all_of(who.begin(), who.end(), fenced)) out.insert(word);
    }
    return out;
  }

  static bool IsGlobalFence(ir::FenceKind kind) {
    return std::find(std::begin(kGlobalFences), std::end(kGlobalFences),
                     kind) != std::end(kGlobalFences);
  }

  // Whether a proxy fence stands between the access and what `clock` knows.
  bool Fenced(const Clock& clock, const Access& a) const {
    if (a.operation < 0)
      return std::all_of(a.marks.begin(), a.marks.end(), [&](Mark m) {
        const auto& fences = order_.fences(m.agent);
        return std::any_of(fences.begin(), fences.end(), [&](const auto& f) {
          return f.at.seq > m.seq && IsGlobalFence(f.kind) && clock.Knows(f.at);
        });
      });
    // Of each thread the last of its kind.
    for (int32_t agent = 0; agent < agents_.size(); ++agent) {
      const auto& fences = order_.fences(agent);
      for (ir::FenceKind kind : kGlobalFences) {
        const Clock* knew = order_.KnewAt(agent, kind);
        if (knew == nullptr || !Knows(order_, *knew, a)) continue;
        auto last = std::find_if(fences.rbegin(), fences.rend(),
                                 [&](const auto& f) { return f.kind == kind; });
        if (last != fences.rend() && clock.Knows(last->at)) return true;
      }
    }
    return false;
  }

  // Flags.
  void Note(const WordUse& use, int32_t event) {
    if (use.lock) NoteLock(use, event);
    if (!use.flag) return;
    const Event& e = log_.events[event];
    if (use.round && !InRound(use, e)) out_.out_of_round.insert(use.word);
    if (use.reads) {
      for (FlagSet& set : out_.sets)
        set.after_all &= !SameWord(set.word, use.word);
      out_.waits.emplace(use.word, event);
      waited_.push_back(use.word);
      return;
    }
    FlagSet set;
    set.word = use.word;
    set.event = event;
    set.alone = e.threads().threads() == 1;
    set.needs = Known(enforced_, passed_, e);
    const int32_t by = warps_.Of(e)[0];
    for (const auto& [word, marks] : passed_) {
      set.after_all &= !SameWord(set.word, word) ||
                       std::all_of(marks.begin(), marks.end(), [&](Mark m) {
                         return enforced_.clock(by).Knows(m);
                       });
    }
    out_.sets.push_back(std::move(set));
  }

  // Of a barrier of the grid (run/grid_rounds.h): who asks comes behind who has
  // added, and who adds behind all that have asked in the round before.
  bool InRound(const WordUse& use, const Event& e) const {
    auto knows = [&](int32_t warp, const MarksOf<GlobalWord>& of,
                     const GlobalWord& word) {
      const auto marks = of.find(word);
      return marks != of.end() &&
             std::all_of(
                 marks->second.begin(), marks->second.end(),
                 [&](Mark m) { return enforced_.clock(warp).Knows(m); });
    };
    const Agents::List who = warps_.Of(e);
    if (use.reads)
      return std::all_of(who.begin(), who.end(), [&](int32_t warp) {
        return knows(warp, added_, use.word);
      });
    return e.threads().threads() == 1 &&
           (run::TurnOf(use.word) == 1 ||
            knows(who[0], passed_, run::RoundBefore(use.word)));
  }

  // A lock, before the event.
  void NoteLock(const WordUse& use, int32_t event) {
    if (run::TurnOf(use.word) == run::kNoTurn) {
      out_.stray = event;
      return;
    }
    const Event& e = log_.events[event];
    const bool one = e.threads().threads() == 1;
    if (use.reads) {
      LockSection section{use.word, event};
      section.one_by_one = one;
      for (LockSection& other : out_.sections) {
        const bool over = other.put_back >= 0 && KnownTo(e, other.put_back);
        other.apart &= over;
        section.apart &= over;
      }
      out_.sections.push_back(section);
      return;
    }
    for (LockSection& section : out_.sections) {
      if (section.word != use.word) continue;
      section.put_back = event;
      section.one_by_one &= one && KnownTo(e, section.take);
    }
  }
  // Behind it.
  void EndLockUse(int32_t event) {
    if (!locks_.locks.contains(event)) return;
    for (int32_t agent : agents_.Of(log_.events[event]))
      lock_marks_[event].push_back(order_.mark(agent));
    for (LockSection& section : out_.sections) {
      const SyncWord word{section.word, false};
      if (section.put_back == event)
        section.hands_on = before_[word].contains(word);
    }
  }
  // One that never ends: no other section comes behind it.
  void KeepForEver(LockSection& section) {
    if (section.put_back >= 0) return;
    section.hands_on = true;
    auto keep = [](const SyncWord& word, const std::vector<SyncWords>& acquired,
                   std::vector<SyncWords>& released) {
      for (size_t i = 0; i < acquired.size(); ++i) {
        if (acquired[i].contains(word)) released[i].insert(word);
      }
    };
    for (bool by_fence_sc : {false, true}) {
      const SyncWord word{section.word, by_fence_sc};
      keep(word, out_.acquired, out_.released);
      keep(word, out_.acquired_fenced, out_.released_fenced);
    }
  }
  // Whether all of its threads know that the other is over.
  bool KnownTo(const Event& e, int32_t other) const {
    const std::vector<Mark>& marks = lock_marks_.at(other);
    const Agents::List who = agents_.Of(e);
    return std::all_of(who.begin(), who.end(), [&](int32_t agent) {
      return std::all_of(marks.begin(), marks.end(),
                         [&](Mark m) { return order_.clock(agent).Knows(m); });
    });
  }

  bool SameWord(const GlobalWord& a, const GlobalWord& b) const {
    return run::WaitInTurn(log_.flags) &&
           run::WithoutTurn(a) == run::WithoutTurn(b);
  }

  void Keep(int32_t event) {
    if (points_.releases.empty() && fences_.empty()) return;
    for (auto& [place, access] : AccessesOf(order_, event, footprints_)) {
      if (place.space == ir::Space::kGlobal)
        so_far_.push_back(std::move(access));
    }
  }

  void Pass(int32_t event) {
    const Event& e = log_.events[event];
    // A fence between a read and a write acquires what it then releases.
    auto [acquire, acquire_end] = points_.acquires.equal_range(event);
    for (; acquire != acquire_end; ++acquire) {
      const Point& point = acquire->second;
      std::vector<Mark> marks;
      for (int32_t agent : point.who) marks.push_back(order_.mark(agent));
      std::vector<Mark>& all = acquired_[{point.word, false}];
      all.insert(all.end(), marks.begin(), marks.end());
      if (auto times = times_.find(point.word); times != times_.end())
        times->second.so_far.push_back(std::move(marks));
    }
    auto [release, release_end] = points_.releases.equal_range(event);
    for (; release != release_end; ++release)
      Release({release->second.word, false},
              order_.clock(release->second.who[0]));
    PassFencesSc(event);
    for (const GlobalWord& word : waited_) {
      for (int32_t warp : warps_.Of(e))
        passed_[word].push_back(enforced_.mark(warp));
    }
    waited_.clear();
    if (const auto round = locks_.rounds.find(event);
        round != locks_.rounds.end() && !out_.sets.empty() &&
        out_.sets.back().event == event)
      added_[round->second] = {enforced_.mark(warps_.Of(e)[0])};
  }

  // The word that the event uses, by fences.sc that were there before or come
  // later.
  void PassFencesSc(int32_t event) {
    if (fences_.empty()) return;
    const Event& e = log_.events[event];
    const Agents::List who = agents_.Of(e);
    if (std::optional<WordUse> use = WordUseIn(log_, locks_, e)) {
      if (use->writes) Release({use->word, true}, fences_sc_.Before(who[0]));
      for (int32_t agent : who) {
        if (use->reads && !use->from_start) AddFirst(agent, read_[use->word]);
      }
    }
    if (fences_.count(event) == 0) return;
    for (int32_t agent : who) {
      fences_sc_.Add(agent);
      for (const auto& [word, reads] : read_) {
        if (KnowsOne(order_.clock(agent), reads))
          AddFirst(agent, acquired_[{word, true}]);
      }
    }
  }

  // Who knows of a later event of the agent knows of its first.
  void AddFirst(int32_t agent, std::vector<Mark>& marks) const {
    if (std::none_of(marks.begin(), marks.end(),
                     [=](Mark m) { return m.agent == agent; }))
      marks.push_back(order_.mark(agent));
  }

  static bool KnowsOne(const Clock& clock, const std::vector<Mark>& marks) {
    return std::any_of(marks.begin(), marks.end(),
                       [&](Mark m) { return clock.Knows(m); });
  }

  // What `clock` knows, the word hands over. An event has several accesses;
  // each must be over.
  void Release(const SyncWord& word, const Clock& clock) {
    SyncWords& before = before_[word];
    before.clear();
    for (const auto& [other, marks] : acquired_) {
      if (KnowsOne(clock, marks)) before.insert(other);
    }
    for (const Access& a : so_far_) {
      out_.released[a.event].insert(word);
      out_.released_fenced[a.event].insert(word);
    }
    for (const Access& a : so_far_) {
      const bool over = Knows(order_, clock, a);
      if (!over) out_.released[a.event].erase(word);
      if (!over || !Fenced(clock, a)) out_.released_fenced[a.event].erase(word);
    }
  }

  // About global memory, and whole.
  static constexpr ir::FenceKind kGlobalFences[] = {
      ir::FenceKind::kProxyAsync, ir::FenceKind::kProxyGlobal};

  const Log& log_;
  LockUses locks_;  // by event
  std::map<int32_t, std::vector<Mark>> lock_marks_;
  Agents agents_, warps_;
  Points points_;
  Order order_, enforced_;
  FencesSc fences_sc_;
  std::set<int32_t> fences_;  // events: fences.sc
  Footprints footprints_;
  std::vector<Access> so_far_;
  Marks acquired_;                        // by lanes
  std::map<GlobalWord, Times> times_;     // likewise
  std::map<SyncWord, SyncWords> before_;  // acquired before a release
  MarksOf<GlobalWord> read_;              // by lanes
  MarksOf<GlobalWord> passed_;      // by warps: flags they have waited for
  std::vector<GlobalWord> waited_;  // for, by this event
  MarksOf<GlobalWord> added_;       // by warps: rounds in which they have added
  ReleaseAcquire out_;
};

}  // namespace

ReleaseAcquire ReleaseAcquireIn(const Log& log, Order::Kind kind,
                                Fragments& fragments) {
  if (!log.ticket && log.flags.empty()) return {};
  return Collector(log, kind, fragments).Run();
}

}  // namespace tilesim::checkers::program
