// Executes the effects of one op on the state: the whole control meaning of
// the machine, one small function an effect.
#ifndef TILESIM_SIM_MACHINE_EFFECT_RUNNER_H_
#define TILESIM_SIM_MACHINE_EFFECT_RUNNER_H_

#include <string_view>
#include <vector>

#include "ir/effect.h"
#include "sim/machine/machine.h"

namespace tilesim::machine {

class EffectRunner {
 public:
  // `strand` is -1 for the milestones of an operation whose issuer has ended.
  EffectRunner(Machine& machine, State& state, int32_t strand, int32_t cta,
               const CompiledOp& op, const ir::ConcreteOp& concrete,
               const std::vector<ir::Effect>& effects)
      : machine_(machine),
        state_(state),
        strand_(strand),
        cta_(cta),
        op_(op),
        concrete_(concrete),
        effects_(effects) {}

  // Whether every blocking effect would pass; else `signal` is what to wait
  // for.
  bool Ready(Signal& signal);
  // For ops of a warpgroup: gathers its warps into one strand first.
  bool CollectiveReady(Signal& signal);
  // Executes the issue-time effects. True: the strand now stays inside a named
  // barrier.
  bool Apply();
  // Agents that arrive when earlier operations are done (kTrack).
  void IssueTracks(absl::InlinedVector<int32_t, 4>& issued);
  bool faulted() const { return faulted_; }
  // Strands that ended inside this one to form a warpgroup.
  const absl::InlinedVector<int32_t, 4>& absorbed() const { return absorbed_; }

  static int32_t NewInFlight(State& state, int32_t strand,
                             const CompiledOp& op,
                             const ir::ConcreteOp& concrete, int32_t index);
  // The effects of an operation in flight up to a milestone.
  static void Reach(Machine& machine, State& state, int32_t inflight,
                    ir::Milestone milestone);
  // What a CTA must not leave behind.
  static void CheckCtaExit(Machine& machine, State& state, int32_t cta);

 private:
  struct Target {
    int32_t cta;
    int32_t index;
  };
  using Targets = absl::InlinedVector<Target, 4>;

  // The barriers an effect means: the operand's own, or one a rank.
  Targets BarriersOf(const ir::Effect& e, int only_rank) const;
  int32_t PeerCta(int rank) const;
  int threads() const { return concrete_.threads.threads(); }
  int warp_threads() const { return concrete_.threads.warps * ir::kWarpThreads; }
  // How often a per-thread effect happens.
  int64_t times() const;

  bool Passes(const ir::Effect& e, Signal& signal);
  bool GroupPasses(const ir::Effect& e, Signal& signal);
  bool RegistersPass(const ir::Effect& e, Signal& signal);
  bool ClusterPasses(const ir::Effect& e, Signal& signal);
  bool NamedFits(const ir::Effect& e, Signal& signal);

  void ApplyOne(const ir::Effect& e, int only_rank);
  void ReachOne(const InFlight& f, ir::Milestone milestone);
  void Init(const ir::Effect& e);
  void Inval(const ir::Effect& e);
  void Count(const ir::Effect& e, Target target);
  void Arrive(Target target, int64_t count);
  void AddBytes(Target target, int64_t bytes);
  void MaybeComplete(Target target);
  void Test(const ir::Effect& e);
  void Commit(const ir::Effect& e);
  void Named(const ir::Effect& e);
  void ClusterArrive();
  void ClusterWait();
  void Registers(const ir::Effect& e);
  void Tmem(const ir::Effect& e);
  void Trigger();
  void ClcCancel(const ir::Effect& e);
  void CheckTmem(const ir::Effect& e);
  bool Live(Target target);
  void Report(ir::Code code, std::string message, std::string help = "");

  Mbarrier& bar(Target t) { return state_.ctas[t.cta].mbarriers[t.index]; }
  std::string NameOf(Target t) const {
    return machine_.BarrierName(state_.ctas[t.cta], t.index);
  }

  Machine& machine_;
  State& state_;
  int32_t strand_;
  int32_t cta_;
  const CompiledOp& op_;
  const ir::ConcreteOp& concrete_;
  const std::vector<ir::Effect>& effects_;
  absl::InlinedVector<int32_t, 4> absorbed_;
  bool stays_ = false;
  bool faulted_ = false;
};

}  // namespace tilesim::machine

#endif  // TILESIM_SIM_MACHINE_EFFECT_RUNNER_H_
