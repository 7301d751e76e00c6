#include "checkers/pipeline/in_step.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "checkers/proof/condition.h"

namespace tilesim::checkers::pipeline {
using ir::EffectKind;
using ir::Stmt;
using proof::Condition;
using proof::IsJudged;
using run::Event;
using sizes::partition::EvenLoops;

namespace {

// Where an op stands: outside of all loops of the kind, in front of the inner
// one, in it, or behind it.
enum class LoopPart : uint8_t { kOutside, kFront, kInner, kBehind };

struct Place {
  LoopPart part = LoopPart::kOutside;
  int loop = -1;   // which of the outer ones
  int before = 0;  // kOutside: how many of them it stands behind
};

class Places {
 public:
  Places(const ir::Kernel& kernel, const EvenLoops& loops) : names_(loops) {
    Place at;
    for (const Stmt& s : kernel.body) Walk(s, at);
  }

  int loops() const { return loops_; }
  bool HasInner(int loop) const { return with_inner_.contains(loop); }
  const Place* Of(const ir::Op* op) const {
    const auto at = places_.find(op);
    return at == places_.end() ? nullptr : &at->second;
  }

 private:
  static bool IsUpTo(const Stmt& s, const std::string& name) {
    return s.kind == Stmt::Kind::kFor && s.high.kind == ir::ExprKind::kName &&
           s.high.name == name;
  }

  void Walk(const Stmt& s, Place& at) {
    if (s.op) places_[&*s.op] = at;
    if (IsUpTo(s, names_.outer)) {
      Place inside{LoopPart::kFront, loops_++};
      for (const Stmt& in : s.body) Walk(in, inside);
      at.before = loops_;
    } else if (IsUpTo(s, names_.inner)) {
      with_inner_.insert(at.loop);
      Place inside{LoopPart::kInner, at.loop};
      for (const Stmt& in : s.body) Walk(in, inside);
      at.part = LoopPart::kBehind;
    } else {
      for (const ir::Block* block : {&s.body, &s.orelse}) {
        for (const Stmt& in : *block) Walk(in, at);
      }
    }
  }

  const EvenLoops& names_;
  int loops_ = 0;
  std::set<int> with_inner_;
  std::map<const ir::Op*, Place> places_;
};

// The iteration of the outer loop, the part of it, that of the inner one.
using Position = std::tuple<int64_t, int, int64_t>;
constexpr Position kFirst{-1, 0, 0};
constexpr Position kLast{INT64_MAX, 0, 0};

class Steps {
 public:
  Steps(const run::Log& log, const EvenLoops& loops)
      : log_(log),
        places_(log.code->kernel(), loops),
        rounds_(NumberOf(loops.outer)),
        trips_(NumberOf(loops.inner)) {}

  bool Go() {
    if (!log_.finished || log_.faulted || log_.ctas != 1) return false;
    if (rounds_ == 0) return true;
    if (!Count()) return false;
    // Loops without an inner one lie in front of the others' or behind them.
    std::vector<int> free;
    for (int loop = 0; loop < places_.loops(); ++loop) {
      if (!places_.HasInner(loop)) free.push_back(loop);
    }
    constexpr size_t kMost = 4;
    if (free.size() > kMost) return false;
    for (uint32_t way = 0; way < (1U << free.size()); ++way) {
      behind_.clear();
      for (size_t i = 0; i < free.size(); ++i) {
        if ((way >> i & 1) != 0) behind_.insert(free[i]);
      }
      if (InOrder()) return true;
    }
    return false;
  }

 private:
  int64_t NumberOf(const std::string& param) const {
    for (const ir::Param& p : log_.code->kernel().params) {
      if (p.name == param) return log_.code->bound.slots[p.slot]->number;
    }
    return 0;
  }

  // --- how often -------------------------------------------------------------

  // An op, of a warp.
  using Who = std::pair<int32_t, int>;
  using Lanes = std::array<int64_t, ir::kWarpThreads>;
  template <typename F>
  static void EachWarp(const ir::ThreadSet& t, const F& f) {
    for (int w = t.first_warp; w < t.first_warp + t.warps; ++w) f(w);
  }
  template <typename F>
  static void EachLane(const ir::ThreadSet& t, const F& f) {
    for (int l = 0; l < ir::kWarpThreads; ++l) {
      if ((t.lanes >> l & 1) != 0) f(l);
    }
  }

  // False: a thread goes around two of the loops, or does in one what may not
  // be done there.
  bool Count() {
    bool alone = true;
    for (const Event& e : log_.events) {
      if (e.kind != Event::Kind::kOp) continue;
      const Place* place = places_.Of(log_.code->ops[e.op].op);
      if (place == nullptr) return false;
      if (place->loop < 0) continue;
      for (const ir::Effect& effect : e.effects()) {
        if (!MayBeInside(effect.kind) && IsJudged(Condition::kNothingBegins))
          return false;
      }
      const ir::ThreadSet& t = e.threads();
      EachWarp(t, [&](int w) {
        Lanes& times = times_[{e.op, w}];
        EachLane(t, [&](int l) { ++times[l]; });
        alone &= loop_of_.emplace(w, place->loop).first->second == place->loop;
      });
    }
    return alone || !IsJudged(Condition::kOnePair);
  }

  static bool MayBeInside(EffectKind kind) {
    switch (kind) {
      case EffectKind::kRead:
      case EffectKind::kWrite:
      case EffectKind::kArrive:
      case EffectKind::kExpectTx:
      case EffectKind::kCompleteTx:
      case EffectKind::kWait:
      case EffectKind::kCommit:
      case EffectKind::kWaitGroup:
      case EffectKind::kTrack:
      case EffectKind::kPendingIncrement:
      case EffectKind::kNamedArrive:
      case EffectKind::kNamedSync:
      case EffectKind::kWarpSync:
      case EffectKind::kFence:
        return true;
      default:
        return false;
    }
  }

  // --- in which order --------------------------------------------------------

  // Where an event lies among the iterations.
  struct At {
    Position position = kFirst;
    int64_t unit = -1;  // which iteration it is of all; -1: it is in none
    Who who;
    int64_t again = 0;  // how often they have executed it in that iteration
  };

  // By event, of each of its warps. False: an op is not executed equally often
  // in each iteration, or what was counted does not fit together.
  bool Locate() {
    std::map<Who, Lanes> before;
    std::map<std::pair<int, int>, Position> reached;  // by thread
    std::set<Position> registers_at;
    at_.assign(log_.events.size(), {});
    for (size_t i = 0; i < log_.events.size(); ++i) {
      const Event& e = log_.events[i];
      if (e.kind != Event::Kind::kOp || IsInRegisters(e)) continue;
      const Position outside = OutsideOf(e);
      if (TakesRegisters(e)) registers_at.insert(outside);
      bool known = true;
      EachWarp(e.threads(), [&](int w) {
        if (!known) return;
        const auto at = Of(e, w, outside, before);
        known = at && (at_[i].empty() || at_[i][0].position == at->position);
        if (!known) return;
        EachLane(e.threads(), [&](int l) {
          Position& last = reached.try_emplace({w, l}, kFirst).first->second;
          known &= last <= at->position || !IsJudged(Condition::kOnePair);
          last = at->position;
        });
        at_[i].push_back(*at);
      });
      if (!known) return false;
    }
    return registers_at.size() <= 1 || !IsJudged(Condition::kNotLater);
  }

  // Who asks for registers may wait for those that others give back.
  static bool TakesRegisters(const Event& e) {
    const std::span<const ir::Effect> effects = e.effects();
    return std::any_of(effects.begin(), effects.end(), [](const ir::Effect& f) {
      return f.kind == EffectKind::kRegisters;
    });
  }

  // It reads and changes registers and does nothing else, so nobody waits for
  // it: it may be done in some iterations alone.
  bool IsInRegisters(const Event& e) const {
    if (!e.uses.empty() || !e.issued.empty()) return false;
    const std::span<const ir::Effect> effects = e.effects();
    return std::all_of(
        effects.begin(), effects.end(), [&](const ir::Effect& effect) {
          if (effect.kind != EffectKind::kRead &&
              effect.kind != EffectKind::kWrite)
            return false;
          const int32_t decl = e.concrete().tile(effect.operand).decl;
          return log_.code->bound.decls[decl].space == ir::Space::kReg;
        });
  }

  // Where what stands outside of the loops is done: in front of that which its
  // threads go around, or behind it. Of threads that go around none the text
  // says whether it is in front of all.
  Position OutsideOf(const Event& e) const {
    const Place& place = *places_.Of(log_.code->ops[e.op].op);
    std::optional<Position> out;
    EachWarp(e.threads(), [&](int w) {
      const auto loop = loop_of_.find(w);
      if (loop == loop_of_.end()) return;
      const Position at = place.before <= loop->second ? kFirst : kLast;
      out = std::max(out.value_or(at), at);
    });
    return out.value_or(place.before == 0 ? kFirst : kLast);
  }

  std::optional<At> Of(const Event& e, int warp, Position outside,
                       std::map<Who, Lanes>& before) const {
    const Place& place = *places_.Of(log_.code->ops[e.op].op);
    At out;
    out.who = {e.op, warp};
    if (place.loop < 0) out.position = outside;
    if (place.loop < 0) return out;
    const Lanes& times = times_.at(out.who);
    Lanes& now = before[out.who];
    const int lane = e.threads().first_lane();
    const int64_t all = times[lane], nth = now[lane];
    bool alike = true;
    EachLane(e.threads(),
             [&](int l) { alike &= times[l] == all && now[l]++ == nth; });
    const bool inner = place.part == LoopPart::kInner;
    const int64_t units = inner ? rounds_ * trips_ : rounds_;
    if (!alike || units == 0 || all % units != 0) return std::nullopt;
    out.unit = nth / (all / units);
    out.again = nth % (all / units);
    const bool behind =
        place.part == LoopPart::kBehind || behind_.contains(place.loop);
    out.position = inner ? Position(out.unit / trips_, 1, out.unit % trips_)
                         : Position(out.unit, behind ? 2 : 0, 0);
    return out;
  }

  // What a phase consists of.
  struct Phase {
    std::vector<At> contribute;
    std::vector<At> ask;
  };
  using Phases = std::map<std::tuple<run::BarrierLife, int64_t>, Phase>;

  bool InOrder() {
    if (!Locate()) return false;
    Phases phases;
    std::map<std::pair<int64_t, int64_t>, Position> rounds;
    for (size_t i = 0; i < log_.events.size(); ++i) {
      const Event& e = log_.events[i];
      if (e.kind == Event::Kind::kBlocked) return false;
      const bool op = e.kind == Event::Kind::kOp;
      if (e.uses.empty() && !op) continue;
      const std::vector<At>& at =
          at_[op ? i : log_.operations[e.operation].issue];
      for (const machine::BarrierUse& use : e.uses) {
        Phase& phase = phases[{use.barrier, use.phase}];
        if (use.Is(ir::kContributes))
          phase.contribute.insert(phase.contribute.end(), at.begin(), at.end());
        else if (use.Is(ir::kAsks))
          phase.ask.insert(phase.ask.end(), at.begin(), at.end());
      }
      if (!op) continue;
      for (const ir::Effect& effect : e.effects()) {
        if (!effect.Is(ir::kEntersNamed)) continue;
        const std::pair<int64_t, int64_t> round(effect.value, e.generation);
        const auto known = rounds.try_emplace(round, at[0].position).first;
        if (known->second != at[0].position && IsJudged(Condition::kMeetInPart))
          return false;
      }
    }
    return AreAlike(phases);
  }

  // What does something, and what waits for it.
  using Pair = std::tuple<Who, int64_t, Who, int64_t>;
  struct Apart {
    int64_t by = 0;           // iterations
    std::set<int64_t> units;  // in which it waits for that
  };

  // Who waits, waits for what was done in the same iteration or an earlier one,
  // always as many before; and in each iteration that has so many before it.
  static bool AreAlike(const Phases& phases) {
    std::map<Pair, Apart> apart;
    std::map<std::pair<Who, int64_t>, std::set<int64_t>> asks;
    for (const auto& [which, phase] : phases) {
      for (const At& wait : phase.ask) {
        if (wait.unit >= 0) asks[{wait.who, wait.again}].insert(wait.unit);
        for (const At& done : phase.contribute) {
          if (wait.position < done.position && IsJudged(Condition::kNotLater))
            return false;
          if (wait.unit < 0 || done.unit < 0) continue;
          const int64_t n = wait.unit - done.unit;
          Apart& known =
              apart
                  .try_emplace({done.who, done.again, wait.who, wait.again},
                               Apart{n, {}})
                  .first->second;
          if (known.by != n && IsJudged(Condition::kSameDistance)) return false;
          known.units.insert(wait.unit);
        }
      }
    }
    if (!IsJudged(Condition::kNoneLacks)) return true;
    return std::all_of(apart.begin(), apart.end(), [&](const auto& item) {
      const auto& [done, done_again, wait, again] = item.first;
      const std::set<int64_t>& all = asks.at({wait, again});
      return std::all_of(all.begin(), all.end(), [&](int64_t unit) {
        return unit < item.second.by || item.second.units.contains(unit);
      });
    });
  }

  const run::Log& log_;
  const Places places_;
  const int64_t rounds_;
  const int64_t trips_;
  std::map<int, int> loop_of_;  // that the warp goes around
  std::map<Who, Lanes> times_;
  std::vector<std::vector<At>> at_;
  std::set<int> behind_;  // loops that lie behind the inner ones of others
};

}  // namespace

bool GoesInStep(const run::Log& log, const EvenLoops& loops) {
  return Steps(log, loops).Go();
}

}  // namespace tilesim::checkers::pipeline
