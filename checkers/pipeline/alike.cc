#include "checkers/pipeline/alike.h"

#include <algorithm>
#include <array>
#include <limits>
#include <optional>
#include <set>
#include <tuple>

#include "checkers/program/global_uses.h"
#include "checkers/run/control_memory.h"
#include "checkers/run/environment.h"
#include "checkers/run/words_used.h"

namespace tilesim::checkers::pipeline {
using footprint::Footprints;
using footprint::Interval;
using footprint::IntervalSet;
using run::Event;
using run::Log;

namespace {

constexpr size_t kMaxKinds = 16;

// The two of different owners that reach furthest, of what begins before.
class Reach {
 public:
  void Add(int64_t who, int64_t end) {
    if (who == first_.who) {
      first_.end = std::max(first_.end, end);
    } else if (end > first_.end) {
      second_ = first_;
      first_ = {who, end};
    } else if (end > second_.end) {
      second_ = {who, end};
    }
  }
  // Somebody else whose bytes go past `begin`.
  std::optional<int64_t> Other(int64_t who, int64_t begin) const {
    const One& other = first_.who == who ? second_ : first_;
    if (other.end <= begin) return std::nullopt;
    return other.who;
  }

 private:
  struct One {
    int64_t who = -1;
    int64_t end = std::numeric_limits<int64_t>::min();
  };
  One first_, second_;
};

GridBytes::Use UseOf(const Event& e, const ir::Effect& f) {
  switch (ir::AtomicInGrid(e.effects(), f.operand)) {
    case ir::Atomic::kGenericProxy:
      return GridBytes::Use::kAtomic;
    case ir::Atomic::kAsyncProxy:
      return GridBytes::Use::kAsyncAtomic;
    case ir::Atomic::kNot:
      break;
  }
  return f.kind == ir::EffectKind::kWrite ? GridBytes::Use::kWrite
                                          : GridBytes::Use::kRead;
}

// Then it is compared what each cluster reads with what all have written.
bool AnyUndefined(const machine::Code& code) {
  const auto& decls = code.kernel().decls;
  return std::any_of(decls.begin(), decls.end(),
                     [](const ir::Decl& d) { return d.undefined; });
}

template <typename F>
void ForGlobal(const Log& log, F f) {
  for (size_t i = 0; i < log.events.size(); ++i) {
    const Event& e = log.events[i];
    if (e.kind != Event::Kind::kOp) continue;
    for (const ir::Effect& effect : e.effects()) {
      if (program::TouchesGlobal(e, effect)) f(i, e, effect);
    }
  }
}

}  // namespace

void GridBytes::Add(int32_t decl, int64_t who, Use use,
                    const IntervalSet& bytes) {
  std::vector<Item>& all = items_[decl];
  for (const Interval& i : bytes.intervals()) all.push_back({i, who, use});
}

std::vector<std::pair<int64_t, int64_t>> GridBytes::Meetings() const {
  std::vector<std::pair<int64_t, int64_t>> out;
  for (const auto& [decl, items] : items_) {
    std::vector<Item> sorted = items;
    std::sort(sorted.begin(), sorted.end(), [](const Item& a, const Item& b) {
      return a.bytes.begin < b.bytes.begin;
    });
    std::array<Reach, kUses> reach;  // by use
    for (const Item& item : sorted) {
      for (size_t k = 0; k < kUses; ++k) {
        const auto use = static_cast<Use>(k);
        const bool harmless = use == item.use && use != Use::kWrite;
        auto other = reach[k].Other(item.who, item.bytes.begin);
        if (harmless || !other) continue;
        out.emplace_back(*other, item.who);
        break;
      }
      reach[static_cast<size_t>(item.use)].Add(item.who, item.bytes.end);
      constexpr size_t kEnough = 16;
      if (out.size() >= kEnough) return out;
    }
  }
  return out;
}

AlikeClusters::AlikeClusters(const machine::Code& code,
                             footprint::Fragments& fragments)
    : code_(code),
      fragments_(fragments),
      possible_(code.guide != nullptr && !run::Requests(code) &&
                run::WrittenOf(code).empty() && !AnyUndefined(code)),
      written_(code.bound.decls.size()),
      touched_(code.bound.decls.size()) {}

// What an op does, but for where in global memory: there, too, the shape of the
// bytes of each thread is part of it.
int32_t AlikeClusters::WhatIs(const ir::ConcreteOp& op) {
  std::vector<int64_t> what;
  what.reserve(64);
  const ir::ThreadSet& t = op.threads;
  what.insert(what.end(),
              {t.first_warp, t.warps, t.lanes, t.electors, op.cluster_rank});
  for (size_t i = 0; i < op.info().operands.size(); ++i) {
    const ir::OperandValue& o = op.operands[i];
    what.insert(what.end(), {static_cast<int64_t>(o.kind), o.number,
                             o.barrier.index, o.barrier.cta});
    if (o.kind != ir::OperandValue::Kind::kTile) continue;
    const ir::TileValue& v = o.tile;
    const bool global = v.space == ir::Space::kGlobal;
    what.insert(what.end(),
                {static_cast<int64_t>(v.space), v.decl, v.index, v.cta,
                 static_cast<int64_t>(v.dtype), v.rank, v.transposed});
    for (int d = 0; d < ir::kMaxRank; ++d) {
      what.push_back(global && d == 0 ? 0 : v.start[d]);
      what.push_back(v.extent[d]);
    }
  }
  return whats_
      .try_emplace(std::move(what), static_cast<int32_t>(whats_.size()))
      .first->second;
}

AlikeClusters::Kind AlikeClusters::KindOf(const Log& log) {
  std::vector<int32_t> whats;  // by instance
  Kind out;
  out.actions.reserve(log.events.size());
  for (const Event& e : log.events) {
    const auto number = static_cast<size_t>(e.instance->number);
    if (whats.size() <= number) whats.resize(number + 1, -1);
    if (whats[number] < 0) whats[number] = WhatIs(e.concrete());
    out.actions.push_back(
        {e.kind, e.cta, e.op, e.operation, whats[number], e.generation});
  }
  ForGlobal(log, [&](size_t, const Event& e, const ir::Effect& f) {
    const ir::TileValue& t = e.concrete().tile(f.operand);
    if (written_[t.decl]) out.places.emplace_back(t.decl, t.start[0]);
  });
  return out;
}

bool AlikeClusters::AddBytes(int64_t cluster, const Log& log) {
  Footprints footprints(code_, fragments_);
  bool fine = true;
  ForGlobal(log, [&](size_t, const Event& e, const ir::Effect& f) {
    const int32_t decl = e.concrete().tile(f.operand).decl;
    const bool writes = f.kind == ir::EffectKind::kWrite;
    if (!written_[decl]) {
      fine &= !writes;
      return;
    }
    // Whether it was written by then is for a verdict to say.
    fine &= writes || !code_.kernel().decls[decl].undefined;
    bytes_.Add(decl, cluster, UseOf(e, f),
               footprints.Memory(e, f.operand, e.threads()).bytes);
  });
  return fine;
}

namespace {

// By declaration: how far all places in it are from those of the other; absent:
// they are not all as far.
std::map<int32_t, int64_t> ShiftsOf(
    const std::vector<std::pair<int32_t, int64_t>>& places,
    const std::vector<std::pair<int32_t, int64_t>>& others) {
  std::map<int32_t, int64_t> out;
  std::set<int32_t> bent;
  for (size_t i = 0; i < places.size() && i < others.size(); ++i) {
    const auto& [decl, start] = places[i];
    if (others[i].first != decl) return {};
    const int64_t shift = start - others[i].second;
    if (out.try_emplace(decl, shift).first->second != shift) bent.insert(decl);
  }
  if (places.size() != others.size()) return {};
  for (int32_t decl : bent) out.erase(decl);
  return out;
}

bool Several(const ir::ThreadSet& t) {
  return t.warps > 1 || (t.lanes & (t.lanes - 1)) != 0;
}

// Whether each thread has bytes of its own.
bool EachItsOwn(const Event& e, int operand, Footprints& footprints) {
  const auto size = [](const IntervalSet& bytes) {
    int64_t sum = 0;
    for (const Interval& i : bytes.intervals()) sum += i.end - i.begin;
    return sum;
  };
  int64_t sum = 0;
  ir::ThreadSet one = e.threads();
  one.warps = 1;
  for (int w = 0; w < e.threads().warps; ++w) {
    one.first_warp = static_cast<uint16_t>(e.threads().first_warp + w);
    for (int lane = 0; lane < ir::kWarpThreads; ++lane) {
      one.lanes = e.threads().lanes & 1u << lane;
      if (one.lanes != 0) sum += size(footprints.Memory(e, operand, one).bytes);
    }
  }
  return sum == size(footprints.Memory(e, operand, e.threads()).bytes);
}

}  // namespace

// A thread, or an operation in flight. Several threads are in order with
// themselves where each has the same bytes again, which are its own: where an
// access of the same shape begins at the same place.
class AlikeClusters::Agents {
 public:
  Agents(AlikeClusters& all, Footprints& footprints)
      : all_(all), footprints_(footprints) {}

  Agent Of(const Event& e, size_t event, int operand) {
    const ir::ThreadSet& t = e.threads();
    bool alone = e.concrete().info().async != ir::AsyncUnit::kNone;
    const bool several = Several(t);
    int32_t what = -1;
    if (several && !alone) {
      what = all_.WhatIs(e.concrete());
      auto [own, fresh] = own_.try_emplace({what, operand});
      if (fresh) own->second = EachItsOwn(e, operand, footprints_);
      alone = !own->second;
    }
    const int64_t number =
        numbers_
            .try_emplace({e.cta, t.first_warp, t.warps, t.lanes,
                          alone ? static_cast<int64_t>(event) : -1, what,
                          several && !alone ? operand : -1},
                         static_cast<int64_t>(numbers_.size()))
            .first->second;
    return {number, several && !alone};
  }

 private:
  AlikeClusters& all_;
  Footprints& footprints_;
  std::map<std::tuple<int32_t, int, int, uint32_t, int64_t, int32_t, int>,
           int64_t>
      numbers_;
  std::map<std::pair<int32_t, int>, bool> own_;
};

// Numbers of agents, those of one place each.
class AlikeClusters::Placed {
 public:
  int64_t Of(const Agent& agent, int64_t place) {
    if (!agent.by_place) return agent.number;
    const auto next = static_cast<int64_t>(numbers_.size());
    return -2 - numbers_.try_emplace({agent.number, place}, next).first->second;
  }

 private:
  std::map<std::pair<int64_t, int64_t>, int64_t> numbers_;
};

bool AlikeClusters::Apart(const Log& log, const Kind& own, const Kind& kind) {
  const std::map<int32_t, int64_t> shifts = ShiftsOf(own.places, kind.places);
  Footprints footprints(code_, fragments_);
  GridBytes bytes;
  Agents agents(*this, footprints);
  Placed placed;
  ForGlobal(log, [&](size_t i, const Event& e, const ir::Effect& f) {
    const ir::TileValue& t = e.concrete().tile(f.operand);
    const int32_t decl = t.decl;
    if (!written_[decl] || shifts.contains(decl)) return;
    bytes.Add(decl, placed.Of(agents.Of(e, i, f.operand), t.start[0]),
              f.kind == ir::EffectKind::kWrite ? GridBytes::Use::kWrite
                                               : GridBytes::Use::kRead,
              footprints.Memory(e, f.operand, e.threads()).bytes);
  });
  return bytes.Meetings().empty();
}

void AlikeClusters::Judged(int64_t cluster, const Log& log, bool holds,
                           bool right) {
  possible_ = possible_ && holds;
  if (!possible_) return;
  // Of what clusters before have read, and none has written, nothing is kept.
  // Those that are like one of them touch the same declarations.
  std::vector<bool> now = written_, touched = touched_;
  ForGlobal(log, [&](size_t, const Event& e, const ir::Effect& f) {
    const int32_t decl = e.concrete().tile(f.operand).decl;
    touched[decl] = true;
    if (f.kind != ir::EffectKind::kWrite) return;
    if (!written_[decl] && touched_[decl]) possible_ = false;
    now[decl] = true;
  });
  written_ = std::move(now);
  touched_ = std::move(touched);
  if (!AddBytes(cluster, log)) possible_ = false;
  right_ = right;
  if (kinds_.size() >= kMaxKinds) return;
  (right ? kinds_ : wrong_).push_back(KindOf(log));
}

namespace {

bool IsSound(const Log& log) {
  return log.finished && !log.faulted && log.undetermined.empty() &&
         log.limits.empty();
}

}  // namespace

bool AlikeClusters::IsAlike(int64_t cluster, const Log& log) {
  if (!possible_ || (kinds_.empty() && wrong_.empty()) || !IsSound(log))
    return false;
  const Kind own = KindOf(log);
  auto in = [&](const std::vector<Kind>& kinds) -> const Kind* {
    auto at = std::find_if(kinds.begin(), kinds.end(), [&](const Kind& k) {
      return k.actions == own.actions;
    });
    return at == kinds.end() ? nullptr : &*at;
  };
  // What is wrong with one of those is, with this one: it is told already.
  const Kind* kind = in(wrong_);
  if (kind == nullptr && !log.erred()) kind = in(kinds_);
  if (kind == nullptr || !Apart(log, own, *kind)) return false;
  return AddBytes(cluster, log) || (possible_ = false);
}

// --- clusters that are not run ----------------------------------------------

void AlikeClusters::Watched(int64_t cluster, const Log& log,
                            std::unique_ptr<machine::WatchedRun> run) {
  if (!possible_ || run == nullptr || !IsSound(log)) return;
  const std::vector<Kind>& kinds = right_ ? kinds_ : wrong_;
  if (kinds.empty() || kinds.back().actions != KindOf(log).actions) return;
  WatchedKind kind;
  kind.run = std::move(run);
  Footprints footprints(code_, fragments_);
  Agents agents(*this, footprints);
  std::vector<int64_t> executed(log.events.size());
  int64_t count = 0;
  for (size_t i = 0; i < log.events.size(); ++i)
    executed[i] = log.events[i].kind == Event::Kind::kOp ? count++ : -1;
  std::map<std::pair<int32_t, GridBytes::Use>, footprint::IntervalPile> piles;
  ForGlobal(log, [&](size_t i, const Event& e, const ir::Effect& f) {
    const ir::TileValue& t = e.concrete().tile(f.operand);
    if (!written_[t.decl]) return;
    Touch touch{t.decl, UseOf(e, f), agents.Of(e, i, f.operand), t.start[0],
                footprints.Memory(e, f.operand, e.threads()).bytes};
    kind.by_operand[{executed[i], f.operand}].push_back(kind.touches.size());
    piles[{touch.decl, touch.use}].Add(touch.bytes);
    kind.touches.push_back(std::move(touch));
  });
  for (auto& [key, pile] : piles) kind.all[key] = pile.Take();
  // It must tell of itself what is so.
  std::vector<int64_t> shifts;
  if (!ShiftsIn(kind, cluster, shifts) ||
      std::any_of(shifts.begin(), shifts.end(),
                  [](int64_t shift) { return shift != 0; }))
    return;
  watched_.push_back(std::move(kind));
}

bool AlikeClusters::ShiftsIn(WatchedKind& kind, int64_t cluster,
                             std::vector<int64_t>& out) {
  std::vector<machine::WatchedRun::Start> starts;
  if (!kind.run->SameIn(cluster, starts)) return false;
  out.assign(kind.touches.size(), 0);
  for (const auto& start : starts) {
    auto at = kind.by_operand.find({start.nth, start.operand});
    if (at == kind.by_operand.end()) continue;
    for (size_t i : at->second) out[i] = start.first - kind.touches[i].first;
  }
  return true;
}

// False: some of its own accesses meet, in a buffer in which they do not all
// lie as far from those that were judged.
bool AlikeClusters::AddShifted(const WatchedKind& kind, int64_t cluster,
                               const std::vector<int64_t>& shifts) {
  std::map<int32_t, int64_t> first;
  std::set<int32_t> bent;
  for (size_t i = 0; i < shifts.size(); ++i) {
    const int32_t decl = kind.touches[i].decl;
    if (first.try_emplace(decl, shifts[i]).first->second != shifts[i])
      bent.insert(decl);
  }
  GridBytes inside;
  Placed placed;
  std::map<std::pair<int32_t, GridBytes::Use>, footprint::IntervalPile> piles;
  for (size_t i = 0; i < shifts.size(); ++i) {
    const Touch& t = kind.touches[i];
    if (!bent.contains(t.decl)) continue;
    const IntervalSet bytes = t.bytes.Shifted(shifts[i]);
    piles[{t.decl, t.use}].Add(bytes);
    inside.Add(t.decl, placed.Of(t.agent, t.first + shifts[i]),
               t.use == GridBytes::Use::kWrite ? GridBytes::Use::kWrite
                                               : GridBytes::Use::kRead,
               bytes);
  }
  if (!inside.Meetings().empty()) return false;
  for (const auto& [key, bytes] : kind.all) {
    if (!bent.contains(key.first))
      bytes_.Add(key.first, cluster, key.second,
                 bytes.Shifted(first.at(key.first)));
  }
  for (auto& [key, pile] : piles)
    bytes_.Add(key.first, cluster, key.second, pile.Take());
  return true;
}

bool AlikeClusters::IsAlike(int64_t cluster) {
  std::vector<int64_t> shifts;
  return possible_ &&
         std::any_of(watched_.begin(), watched_.end(), [&](WatchedKind& k) {
           return ShiftsIn(k, cluster, shifts) &&
                  AddShifted(k, cluster, shifts);
         });
}

}  // namespace tilesim::checkers::pipeline
