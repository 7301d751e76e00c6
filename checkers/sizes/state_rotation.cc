#include "checkers/sizes/state_rotation.h"

#include <algorithm>
#include <tuple>

#include "checkers/run/pace.h"
#include "sim/machine/operands.h"
#include "sim/machine/targets.h"

namespace tilesim::checkers::sizes {
using run::BarrierTarget;
using run::IsBarrierUse;
using run::StrandsOf;

namespace {

using ir::EffectKind;
using machine::State;

int64_t FloorDiv(int64_t a, int64_t b) {
  int64_t q = a / b;
  return a % b < 0 ? q - 1 : q;
}

class States {
 public:
  States(const machine::Code& code, const State& a, const State& b,
         const Rotation& rotation)
      : code_(code), a_(a), b_(b), rotation_(rotation) {}

  bool Same() const {
    std::vector<int32_t> a = StrandsOf(a_), b = StrandsOf(b_);
    if (a.size() != b.size() || !SameGrids()) return false;
    for (size_t i = 0; i < a.size(); ++i) {
      if (!SameStrand(a_.strands[a[i]], b_.strands[b[i]])) return false;
    }
    for (size_t i = 0; i < a_.ctas.size(); ++i) {
      if (!SameCta(a_.ctas[i], b_.ctas[i])) return false;
    }
    return SameFlights();
  }

 private:
  // But for clusters that cluster launch control has handed out: how many that
  // were, a walk knows (answers.h).
  bool SameGrids() const {
    auto itself = [](machine::Grid g) {
      g.finished_ctas -= g.taken_over;
      g.untriggered += g.taken_over;
      g.taken_over = g.next_cluster = 0;
      return g;
    };
    return std::equal(
        a_.grids.begin(), a_.grids.end(), b_.grids.begin(), b_.grids.end(),
        [&](const auto& x, const auto& y) { return itself(x) == itself(y); });
  }

  bool SameStrand(const machine::Strand& a, const machine::Strand& b) const {
    bool same = a.status == b.status && a.role == b.role && a.cta == b.cta &&
                a.pc == b.pc && a.cluster_arrived == b.cluster_arrived &&
                a.threads == b.threads && a.frames == b.frames;
    if (!same) return false;
    if (a.status == machine::Strand::Status::kFree) return true;
    return RoundOf(a_, a) == RoundOf(b_, b) && SameGroups(a, b);
  }

  // Which rounds of hardware barriers it is in, counted from where they are.
  static std::tuple<int, int64_t, int64_t> RoundOf(const State& state,
                                                   const machine::Strand& s) {
    const machine::Cta& cta = state.ctas[s.cta];
    int64_t cluster = int64_t{state.clusters[cta.cluster].generation} -
                      int64_t{s.cluster_phase};
    if (!s.cluster_arrived) cluster = 0;
    if (s.status != machine::Strand::Status::kInNamed) return {-1, 0, cluster};
    int64_t named =
        int64_t{cta.named[s.waiting].generation} - int64_t{s.generation};
    return {s.waiting, named, cluster};
  }

  static bool SameGroups(const machine::Strand& a, const machine::Strand& b) {
    for (size_t g = 0; g < a.groups.size(); ++g) {
      const auto &x = a.groups[g], &y = b.groups[g];
      bool same = std::equal(x.groups.begin(), x.groups.end(), y.groups.begin(),
                             y.groups.end(), [&](const auto& p, const auto& q) {
                               return x.next - p.number == y.next - q.number &&
                                      p.unread == q.unread &&
                                      p.undone == q.undone;
                             });
      if (!same) return false;
    }
    return true;
  }

  int64_t Turned(int32_t decl, int32_t cta) const {
    return rotation_[RingOf(code_, decl, cta)].value_or(0);
  }

  bool SameCta(const machine::Cta& a, const machine::Cta& b) const {
    bool same =
        a.live == b.live && a.exited == b.exited &&
        a.relinquished == b.relinquished && a.triggered == b.triggered &&
        a.free_registers == b.free_registers && a.registers == b.registers &&
        a.tmem == b.tmem && a.live_threads == b.live_threads;
    if (!same) return false;
    for (size_t i = 0; i < a.named.size(); ++i) {
      if (a.named[i].expected != b.named[i].expected ||
          a.named[i].arrived != b.named[i].arrived)
        return false;
    }
    for (size_t i = 0; i < a.mbarriers.size(); ++i) {
      if (!SameBarrier(a, b, static_cast<int32_t>(i))) return false;
    }
    return SameCluster(a_.clusters[a.cluster], b_.clusters[b.cluster]);
  }

  static bool SameCluster(const machine::Cluster& a,
                          const machine::Cluster& b) {
    return a.live == b.live && a.arrived == b.arrived;
  }

  bool SameBarrier(const machine::Cta& a, const machine::Cta& b,
                   int32_t index) const {
    BarrierSlot x = SlotOf(code_, index);
    int64_t m = SlotsOf(code_, x.decl), to = x.slot + Turned(x.decl, a.rank);
    int64_t turns = FloorDiv(to, m);
    machine::Mbarrier was = a.mbarriers[index];
    const machine::Mbarrier& now = b.mbarriers[index - x.slot + to - turns * m];
    was.phase += static_cast<uint32_t>(turns);
    was.life = now.life;  // compared where it is used
    return was == now;
  }

  using Flights = std::vector<const machine::InFlight*>;

  static Flights InOrder(const State& s) {
    Flights out;
    for (const machine::InFlight& f : s.inflight) {
      if (f.live) out.push_back(&f);
    }
    std::sort(out.begin(), out.end(),
              [](auto* x, auto* y) { return x->order < y->order; });
    return out;
  }

  bool SameFlights() const {
    Flights a = InOrder(a_), b = InOrder(b_);
    return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                      [this](auto* x, auto* y) { return SameFlight(*x, *y); });
  }

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
    std::vector<int> ranks = Signalled(f);
    return x.decl == y.decl && a.cta == b.cta &&
           std::all_of(ranks.begin(), ranks.end(), [&](int rank) {
             return TurnedTo(x.decl, rank, x.slot, y.slot);
           });
  }

  bool TurnedTo(int32_t decl, int32_t cta, int64_t from, int64_t to) const {
    int64_t m = SlotsOf(code_, decl);
    int64_t now = from + Turned(decl, cta);
    return now - FloorDiv(now, m) * m == to;
  }

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

bool SameState(const machine::Code& code, const State& earlier,
               const State& later, const Rotation& rotation) {
  return States(code, earlier, later, rotation).Same();
}

}  // namespace tilesim::checkers::sizes
