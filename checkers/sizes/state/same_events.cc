#include "checkers/sizes/state/same_events.h"

#include <algorithm>

namespace tilesim::checkers::sizes::state {
using run::BarrierUse;
using run::Event;
using run::Log;

namespace {

using ir::EffectKind;

bool Agree(std::optional<int64_t>& known, int64_t now) {
  if (!known) known = now;
  return *known == now;
}

class Events {
 public:
  Events(const Log& log, Rotation& rotation)
      : log_(log),
        code_(*log.code),
        rotation_(rotation),
        lives_(rotation.size()) {}

  bool Same(int32_t at, int32_t later) {
    const Event &a = log_.events[at], &b = log_.events[later];
    bool same = a.kind == b.kind && a.op == b.op && a.cta == b.cta &&
                a.threads() == b.threads() &&
                a.issued.size() == b.issued.size() &&
                a.uses.size() == b.uses.size() && SameEffects(a, b);
    if (!same) return false;
    if (a.operation >= 0 && later - log_.operations[b.operation].issue !=
                                at - log_.operations[a.operation].issue)
      return false;
    for (size_t i = 0; i < a.uses.size(); ++i) {
      if (!SameUse(a.uses[i], b.uses[i])) return false;
    }
    for (int i = 0; i < ir::kMaxOperands; ++i) {
      if (!SameOperand(a.concrete().operands[i], b.concrete().operands[i]))
        return false;
    }
    return true;
  }

 private:
  // A parity is compared as the phase that it observes.
  static bool SameEffects(const Event& a, const Event& b) {
    auto same = [](const ir::Effect& x, const ir::Effect& y) {
      bool waits = x.Is(ir::kAsks);
      return x.kind == y.kind && x.at == y.at && x.proxy == y.proxy &&
             x.sem == y.sem && x.scope == y.scope && x.group == y.group &&
             x.fence == y.fence && x.reads_only == y.reads_only &&
             x.operand == y.operand && x.ranks == y.ranks &&
             x.count == y.count && (waits || x.value == y.value);
    };
    return std::equal(a.effects().begin(), a.effects().end(),
                      b.effects().begin(), b.effects().end(), same);
  }

  bool SameUse(const BarrierUse& a, const BarrierUse& b) {
    BarrierSlot x = SlotOf(code_, a.barrier.index);
    BarrierSlot y = SlotOf(code_, b.barrier.index);
    bool same = x.decl == y.decl && a.barrier.cta == b.barrier.cta &&
                a.kind == b.kind && a.sem == b.sem &&
                a.completes == b.completes;
    bool waits = a.Is(ir::kAsks);
    if (!same || (!waits && a.value != b.value)) return false;
    int64_t m = SlotsOf(code_, x.decl);
    int64_t turned = (b.phase - a.phase) * m + y.slot - x.slot;
    int32_t ring = RingOf(code_, x.decl, a.barrier.cta);
    return Agree(rotation_[ring], turned) &&
           Agree(lives_[ring], b.barrier.life - a.barrier.life);
  }

  bool SameOperand(const ir::OperandValue& a, const ir::OperandValue& b) {
    using Kind = ir::OperandValue::Kind;
    if (a.kind != b.kind) return false;
    if (a.kind == Kind::kTile) return SameTile(a.tile, b.tile);
    // Which one it is, SameUse compares.
    if (a.kind == Kind::kBarrier)
      return a.barrier.decl == b.barrier.decl && a.barrier.cta == b.barrier.cta;
    return a.slot == b.slot;
  }

  bool SameTile(const ir::TileValue& a, const ir::TileValue& b) {
    bool same = a.decl == b.decl && a.extent == b.extent && a.cta == b.cta &&
                (a.space == ir::Space::kGlobal || a.start == b.start);
    if (!same || a.space == ir::Space::kGlobal) return same;
    int64_t m = SlotsOf(code_, a.decl);
    return Agree(rotation_[RingOf(code_, a.decl, 0)],
                 (b.index - a.index + m) % m);
  }

  const Log& log_;
  const machine::Code& code_;
  Rotation& rotation_;
  // Of the barriers of a ring, how many have begun from one to the other.
  std::vector<std::optional<int64_t>> lives_;
};

}  // namespace

bool SameEvents(const Log& log, int32_t earlier, int32_t later, int32_t count,
                Rotation& rotation) {
  Events events(log, rotation);
  for (int32_t i = 0; i < count; ++i) {
    if (!events.Same(earlier + i, later + i)) return false;
  }
  return true;
}

}  // namespace tilesim::checkers::sizes::state
