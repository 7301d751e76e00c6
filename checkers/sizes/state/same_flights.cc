#include "checkers/sizes/state/same_flights.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "sim/machine/operands.h"
#include "sim/machine/targets.h"

namespace tilesim::checkers::sizes::state {

namespace {

using ir::EffectKind;
using machine::State;

using List = std::vector<const machine::InFlight*>;

List InOrder(const State& s) {
  List out;
  for (const machine::InFlight& f : s.inflight) {
    if (f.live) out.push_back(&f);
  }
  std::sort(out.begin(), out.end(),
            [](auto* x, auto* y) { return x->order < y->order; });
  return out;
}

class Flights {
 public:
  Flights(const machine::Code& code, const State& a, const State& b,
          const Rotation& rotation)
      : code_(code), a_(a), b_(b), rotation_(rotation) {}

  bool Same() const {
    List a = InOrder(a_), b = InOrder(b_);
    return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                      [this](auto* x, auto* y) { return SameFlight(*x, *y); });
  }

 private:
  bool SameFlight(const machine::InFlight& a,
                  const machine::InFlight& b) const {
    bool same = a.read == b.read && a.cta == b.cta && a.op == b.op &&
                a.destination == b.destination && a.group == b.group &&
                a.tracks == b.tracks && a.is_track == b.is_track &&
                a.threads == b.threads && SameOwners(a, b) &&
                Age(a_, a) == Age(b_, b);
    if (!same) return false;
    // Also those that do not vary: a fixed slot stays where a ring turns on.
    ir::ConcreteOp x = Operation(a_, a), y = Operation(b_, b);
    for (int i = 0; i < ir::kMaxOperands; ++i) {
      if (!SameOperand(a, x.operands[i], y.operands[i])) return false;
    }
    return true;
  }

  ir::ConcreteOp Operation(const State& s, const machine::InFlight& f) const {
    return machine::ConcreteOf(code_.ops[f.op], f, s.ctas[f.cta].rank);
  }

  bool SameOwners(const machine::InFlight& a,
                  const machine::InFlight& b) const {
    auto who = [](const State& s, const machine::InFlight& f) {
      std::vector<std::pair<int32_t, int>> out;
      for (int32_t i : f.owners)
        out.emplace_back(s.strands[i].cta, s.strands[i].threads.first_warp);
      std::sort(out.begin(), out.end());
      return out;
    };
    return who(a_, a) == who(b_, b);
  }

  static uint32_t Age(const State& s, const machine::InFlight& f) {
    if (f.owners.empty() || f.group == ir::GroupKind::kNone) return 0;
    const auto& q = s.strands[f.owners[0]].groups[static_cast<int>(f.group)];
    return q.next - f.number;
  }

  bool SameOperand(const machine::InFlight& f, const ir::OperandValue& a,
                   const ir::OperandValue& b) const {
    using Kind = ir::OperandValue::Kind;
    if (a.kind != b.kind) return false;
    if (a.kind == Kind::kBarrier) return SameBarriers(f, a.barrier, b.barrier);
    if (a.kind != Kind::kTile) return true;
    bool global = a.tile.space == ir::Space::kGlobal;
    return a.tile.decl == b.tile.decl && a.tile.extent == b.tile.extent &&
           a.tile.cta == b.tile.cta &&
           (global || (a.tile.start == b.tile.start &&
                       TurnedTo(a.tile.decl, 0, a.tile.index, b.tile.index)));
  }

  // In each CTA whose barrier the operation will signal.
  bool SameBarriers(const machine::InFlight& f, const ir::BarrierValue& a,
                    const ir::BarrierValue& b) const {
    BarrierSlot x = SlotOf(code_, a.index), y = SlotOf(code_, b.index);
    std::vector<int32_t> ranks = Signalled(f);
    return x.decl == y.decl && a.cta == b.cta &&
           std::all_of(ranks.begin(), ranks.end(), [&](int32_t rank) {
             return TurnedTo(x.decl, rank, x.slot, y.slot);
           });
  }

  bool TurnedTo(int32_t decl, int32_t cta, int64_t from, int64_t to) const {
    return Turned(code_, rotation_, decl, cta, from).slot == to;
  }

  // Ranks whose mbarriers it uses.
  std::vector<int> Signalled(const machine::InFlight& f) const {
    ir::ConcreteOp op = Operation(a_, f);
    ir::EffectSink sink;
    ir::EffectsOf(op, sink);
    auto size = static_cast<int>(code_.bound.cluster_size());
    std::vector<int> out;
    for (const ir::Effect& e : sink.effects()) {
      bool signals = e.operand >= 0 && op.operands[e.operand].kind ==
                                           ir::OperandValue::Kind::kBarrier;
      if (!signals) continue;
      for (int rank : machine::RanksMeant(e, op, size, f.destination))
        out.push_back(rank);
    }
    return out;
  }

  const machine::Code& code_;
  const State &a_, &b_;
  const Rotation& rotation_;
};

}  // namespace

bool SameFlights(const machine::Code& code, const State& earlier,
                 const State& later, const Rotation& rotation) {
  return Flights(code, earlier, later, rotation).Same();
}

}  // namespace tilesim::checkers::sizes::state
