#include "checkers/pipeline/in_step.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace tilesim::checkers::pipeline {
using ir::EffectKind;
using ir::Stmt;
using run::Event;
using sizes::partition::EvenLoops;

namespace {

// Where an op stands: before all loops of the kind or somewhere else outside
// of them, in front of the inner one, in it, or behind it.
enum class Part : uint8_t { kBefore, kFront, kInner, kBehind, kElsewhere };

struct Place {
  Part part = Part::kElsewhere;
  int loop = -1;  // which of the outer ones
};

class Places {
 public:
  Places(const ir::Kernel& kernel, const EvenLoops& loops) : names_(loops) {
    Place at{Part::kBefore, -1};
    for (const Stmt& s : kernel.body) {
      Walk(s, at);
      if (loops_ > 0) at.part = Part::kElsewhere;
    }
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
      Place inside{Part::kFront, loops_++};
      for (const Stmt& in : s.body) Walk(in, inside);
      at.part = Part::kElsewhere;
    } else if (IsUpTo(s, names_.inner)) {
      with_inner_.insert(at.loop);
      Place inside{Part::kInner, at.loop};
      for (const Stmt& in : s.body) Walk(in, inside);
      at.part = Part::kBehind;
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

  // --- how often
  // --------------------------------------------------------------

  // An op of certain threads.
  using Who = std::tuple<int32_t, int, int, uint32_t>;
  static Who WhoOf(const Event& e) {
    const ir::ThreadSet& t = e.threads();
    return {e.op, t.first_warp, t.warps, t.lanes};
  }

  // False: a thread goes around two of the loops, or does in one what may not
  // be done there.
  bool Count() {
    std::map<int, int> loop_of;  // by warp
    for (const Event& e : log_.events) {
      if (e.kind != Event::Kind::kOp) continue;
      const Place* place = places_.Of(log_.code->ops[e.op].op);
      if (place == nullptr) return false;
      if (place->loop < 0) continue;
      for (const ir::Effect& effect : e.effects()) {
        if (!MayBeInside(effect.kind)) return false;
      }
      int64_t& times = times_[WhoOf(e)];
      times = std::max(times, e.nth + 1);
      const ir::ThreadSet& t = e.threads();
      for (int w = t.first_warp; w < t.first_warp + t.warps; ++w) {
        if (loop_of.emplace(w, place->loop).first->second != place->loop)
          return false;
      }
    }
    return true;
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

  // --- in which order
  // ---------------------------------------------------------

  // Where an event lies among the iterations.
  struct At {
    Position position = kFirst;
    int64_t unit = -1;  // which iteration it is of all; -1: it is in none
    Who who;
    int64_t again = 0;  // how often they have executed it in that iteration
  };

  // nullopt: it is not executed equally often in each iteration.
  std::optional<At> Of(const Event& e) const {
    const Place& place = *places_.Of(log_.code->ops[e.op].op);
    At out;
    out.who = WhoOf(e);
    if (place.part == Part::kElsewhere) out.position = kLast;
    if (place.loop < 0) return out;
    const int64_t times = times_.at(out.who);
    const bool inner = place.part == Part::kInner;
    const int64_t units = inner ? rounds_ * trips_ : rounds_;
    if (units == 0 || times % units != 0) return std::nullopt;
    out.unit = e.nth / (times / units);
    out.again = e.nth % (times / units);
    const bool behind =
        place.part == Part::kBehind || behind_.contains(place.loop);
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

  bool InOrder() const {
    Phases phases;
    std::map<std::pair<int64_t, int64_t>, Position> rounds;
    std::map<int, Position> reached;  // by warp
    for (const Event& e : log_.events) {
      const bool issued = e.kind != Event::Kind::kOp;
      if (e.kind == Event::Kind::kBlocked) return false;
      if (e.uses.empty() && issued) continue;
      const auto at = Of(issued ? log_.issue_of(e.operation) : e);
      if (!at || (!issued && !GoesOn(e, at->position, reached))) return false;
      for (const machine::BarrierUse& use : e.uses) {
        Phase& phase = phases[{use.barrier, use.phase}];
        if (use.Is(ir::kContributes))
          phase.contribute.push_back(*at);
        else if (use.Is(ir::kAsks) && use.phase >= 0)
          phase.ask.push_back(*at);
      }
      if (issued) continue;
      for (const ir::Effect& effect : e.effects()) {
        if (!effect.Is(ir::kEntersNamed)) continue;
        const std::pair<int64_t, int64_t> round(effect.value, e.generation);
        const auto known = rounds.try_emplace(round, at->position).first;
        if (known->second != at->position) return false;
      }
    }
    return AreAlike(phases);
  }

  // Who waits, waits for what was done in the same iteration or an earlier one,
  // always as many before.
  static bool AreAlike(const Phases& phases) {
    std::map<std::tuple<Who, int64_t, Who, int64_t>, int64_t> apart;
    for (const auto& [which, phase] : phases) {
      for (const At& wait : phase.ask) {
        for (const At& done : phase.contribute) {
          if (wait.position < done.position) return false;
          if (wait.unit < 0 || done.unit < 0) continue;
          const int64_t n = wait.unit - done.unit;
          const auto known = apart.try_emplace(
              {done.who, done.again, wait.who, wait.again}, n);
          if (known.first->second != n) return false;
        }
      }
    }
    return true;
  }

  // What was counted of its ops fits together.
  static bool GoesOn(const Event& e, const Position& at,
                     std::map<int, Position>& reached) {
    const ir::ThreadSet& t = e.threads();
    for (int w = t.first_warp; w < t.first_warp + t.warps; ++w) {
      Position& last = reached.try_emplace(w, kFirst).first->second;
      if (at < last) return false;
      last = at;
    }
    return true;
  }

  const run::Log& log_;
  const Places places_;
  const int64_t rounds_;
  const int64_t trips_;
  std::map<Who, int64_t> times_;
  std::set<int> behind_;  // loops that lie behind the inner ones of others
};

}  // namespace

bool GoesInStep(const run::Log& log, const EvenLoops& loops) {
  return Steps(log, loops).Go();
}

}  // namespace tilesim::checkers::pipeline
