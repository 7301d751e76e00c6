#include "checkers/sizes/induction/dependence_window.h"

#include <algorithm>
#include <array>
#include <map>
#include <numeric>
#include <optional>
#include <set>
#include <tuple>
#include <utility>

#include "absl/container/flat_hash_map.h"

namespace tilesim::checkers::sizes::induction {
using run::BarrierLife;
using run::BarrierUse;
using run::Event;
using run::Log;
using state::BarrierSlot;
using state::DeclOf;
using state::RingOf;
using state::Rotation;
using state::SlotOf;
using state::SlotsOf;

namespace {

using ir::EffectKind;

bool IsWait(const BarrierUse& u) { return u.Is(ir::kAsks); }

class Dependences {
 public:
  Dependences(const Log& log, int32_t begin, const Rotation& rotation)
      : log_(log), rotation_(rotation), begin_(begin), first_(begin) {}

  void See(int32_t event) {
    const Event& e = log_.events[event];
    if (event >= begin_ && e.operation >= 0)
      first_ = std::min(first_, log_.operations[e.operation].issue);
    for (const BarrierUse& u : e.uses) {
      SeeLife(u, event);
      if (Turns(u)) SeeUse(u, event);
    }
    for (const ir::Effect& f : e.effects()) SeeRound(e, f, event);
  }
  int32_t first() const { return first_; }

 private:
  // Its life, and the one before, from their first event.
  void SeeLife(const BarrierUse& u, int32_t event) {
    int32_t now = lives_.try_emplace(u.barrier, event).first->second;
    if (event < begin_ || u.barrier.life == 0) return;
    BarrierLife last = u.barrier;
    --last.life;
    auto before = lives_.find(last);
    if (before == lives_.end()) return;
    bool begins = now >= begin_;
    if (begins) first_ = std::min(first_, before->second);
  }

  // A barrier that does not turn is used in one phase for ever.
  bool Turns(const BarrierUse& u) const {
    int32_t ring = RingOf(*log_.code, SlotOf(*log_.code, u.barrier.index).decl,
                          u.barrier.cta);
    return u.kind != EffectKind::kInit && rotation_[ring].value_or(0) != 0;
  }

  void SeeUse(const BarrierUse& u, int32_t event) {
    int32_t now =
        phases_.try_emplace({u.barrier, u.phase}, event).first->second;
    if (event >= begin_) {
      first_ = std::min(first_, now);
      auto waited = waits_.find(WaitOf(u, u.phase - 1, event));
      auto before = phases_.find({u.barrier, u.phase - 1});
      if (IsWait(u) && waited != waits_.end()) {
        first_ = std::min(first_, waited->second);
      } else if (before != phases_.end()) {
        first_ = std::min(first_, before->second);
      }
    }
    if (IsWait(u)) waits_[WaitOf(u, u.phase, event)] = event;
  }

  // By the same threads, for a phase.
  using Wait =
      std::tuple<BarrierLife, int64_t, int32_t, uint16_t, uint16_t, uint32_t>;
  Wait WaitOf(const BarrierUse& u, int64_t phase, int32_t event) const {
    const Event& e = log_.events[event];
    const ir::ThreadSet& t = e.threads();
    return {u.barrier, phase, e.cta, t.first_warp, t.warps, t.lanes};
  }
  void SeeRound(const Event& e, const ir::Effect& f, int32_t event) {
    bool named = f.Is(ir::kEntersNamed);
    bool cluster = f.kind == EffectKind::kClusterArrive ||
                   f.kind == EffectKind::kClusterWait;
    if (e.operation >= 0 || (!named && !cluster)) return;
    int32_t cta = named ? e.cta : 0;
    int64_t id = named ? f.value : -1;
    int32_t now =
        rounds_.try_emplace({cta, id, e.generation}, event).first->second;
    if (event < begin_) return;
    first_ = std::min(first_, now);
    auto before = rounds_.find({cta, id, e.generation - 1});
    if (before != rounds_.end()) first_ = std::min(first_, before->second);
  }

  const Log& log_;
  const Rotation& rotation_;
  int32_t begin_;
  int32_t first_;
  // The first event of each phase of a barrier, of each round.
  absl::flat_hash_map<std::pair<BarrierLife, int64_t>, int32_t> phases_;
  std::map<std::tuple<int32_t, int64_t, int64_t>, int32_t> rounds_;
  absl::flat_hash_map<Wait, int32_t> waits_;
  absl::flat_hash_map<BarrierLife, int32_t> lives_;  // their first event
};

// Ops of some threads, by what they work on: a barrier of a ring, or the same
// part of a tile of it; and the slots in which they do so in one iteration.
class Touches {
 public:
  Touches(const Log& log, const Rotation& rotation)
      : code_(*log.code), rotation_(rotation) {}

  void See(const Event& e) {
    for (const BarrierUse& u : e.uses) {
      BarrierSlot at = SlotOf(code_, u.barrier.index);
      ir::TileValue none;
      none.decl = static_cast<int16_t>(at.decl);
      See(e, RingOf(code_, at.decl, u.barrier.cta), none, at.slot);
    }
    for (const ir::OperandValue& o : e.concrete().operands) {
      if (o.kind == ir::OperandValue::Kind::kTile)
        See(e, RingOf(code_, o.tile.decl, 0), o.tile, o.tile.index);
    }
  }

  int64_t Return() const {
    int64_t out = 1;
    for (const auto& [touch, slots] : all_) {
      int64_t m = SlotsOf(code_, DeclOf(code_, touch.first));
      for (int64_t s = 0; s < m; ++s)
        out = std::max(out, Longest(slots, s, m, *rotation_[touch.first]));
    }
    return out;
  }

 private:
  using Slots = std::set<int64_t>;
  // The ring, and what else is the same.
  using Touch =
      std::pair<int32_t,
                std::tuple<int32_t, int32_t, Event::Kind, uint16_t, uint16_t,
                           uint32_t, int8_t, std::array<int64_t, ir::kMaxRank>,
                           std::array<int32_t, ir::kMaxRank>>>;

  void See(const Event& e, int32_t ring, const ir::TileValue& tile,
           int64_t slot) {
    int64_t m = SlotsOf(code_, DeclOf(code_, ring));
    if (rotation_[ring].value_or(0) % m == 0) return;
    const ir::ThreadSet& t = e.threads();
    all_[{ring,
          {e.op, e.cta, e.kind, t.first_warp, t.warps, t.lanes, tile.cta,
           tile.start, tile.extent}}]
        .insert(slot);
  }

  // The most iterations from one that touches slot `s` to the next.
  static int64_t Longest(const Slots& slots, int64_t s, int64_t m,
                         int64_t turned) {
    int64_t period = m / std::gcd(m, turned), longest = 0;
    std::optional<int64_t> last;
    for (int64_t i = 0; i < 2 * period; ++i) {
      int64_t then = ((s - i * turned) % m + m) % m;
      if (slots.count(then) == 0) continue;
      if (last) longest = std::max(longest, i - *last);
      last = i;
    }
    return longest;
  }

  const machine::Code& code_;
  const Rotation& rotation_;
  absl::flat_hash_map<Touch, Slots> all_;
};

}  // namespace

int32_t WindowBegin(const Log& log, int32_t begin, int32_t end,
                    const Rotation& rotation) {
  Dependences all(log, begin, rotation);
  for (int32_t i = 0; i < end; ++i) all.See(i);
  return all.first();
}

int64_t ReuseDistance(const Log& log, int32_t begin, int32_t end,
                      const Rotation& rotation) {
  Touches touches(log, rotation);
  for (int32_t i = begin; i < end; ++i) touches.See(log.events[i]);
  return touches.Return();
}

}  // namespace tilesim::checkers::sizes::induction
