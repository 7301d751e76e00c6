#include "checkers/sizes/state/state_rotation.h"

#include <algorithm>
#include <tuple>

#include "checkers/run/pace.h"
#include "checkers/sizes/state/same_flights.h"

namespace tilesim::checkers::sizes::state {
using run::StrandsOf;

namespace {

using machine::State;

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
    return SameFlights(code_, a_, b_, rotation_);
  }

 private:
  // But for clusters that cluster launch control has handed out: how many that
  // were is an induction variable (protocol/answers.h).
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

  bool SameCta(const machine::Cta& a, const machine::Cta& b) const {
    bool same =
        a.live == b.live && a.exited == b.exited &&
        a.relinquished == b.relinquished && a.triggered == b.triggered &&
        a.free_registers == b.free_registers && a.registers == b.registers &&
        a.tmem == b.tmem && a.live_threads == b.live_threads;
    if (!same) return false;
    for (size_t i = 0; i < a.named.size(); ++i) {
      if (a.named[i].expected != b.named[i].expected ||
          a.named[i].arrived != b.named[i].arrived ||
          a.named[i].counted != b.named[i].counted)
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
    TurnedSlot to = Turned(code_, rotation_, x.decl, a.rank, x.slot);
    machine::Mbarrier was = a.mbarriers[index];
    const machine::Mbarrier& now = b.mbarriers[index - x.slot + to.slot];
    was.phase += static_cast<uint32_t>(to.rounds);
    was.life = now.life;  // compared where it is used
    return was == now;
  }

  const machine::Code& code_;
  const State &a_, &b_;
  const Rotation& rotation_;
};

}  // namespace

// State rotation, docs/all_sizes.md 3.1: what the machine does from the one
// state it does from the other, with every slot of a ring that much further.
bool SameState(const machine::Code& code, const State& earlier,
               const State& later, const Rotation& rotation) {
  return States(code, earlier, later, rotation).Same();
}

}  // namespace tilesim::checkers::sizes::state
