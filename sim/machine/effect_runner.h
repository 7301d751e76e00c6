// Executes the effects of one op on the state: the whole control meaning of
// the machine, one small function an effect.
#ifndef TILESIM_SIM_MACHINE_EFFECT_RUNNER_H_
#define TILESIM_SIM_MACHINE_EFFECT_RUNNER_H_

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ir/effect.h"
#include "sim/machine/machine.h"
#include "sim/machine/targets.h"

namespace tilesim::machine {

class EffectRunner {
 public:
  // `strand` is -1 for the milestones of an operation whose issuer has ended.
  // What is done to mbarriers is added to `uses`.
  EffectRunner(Machine& machine, State& state, int32_t strand, int32_t cta,
               const CompiledOp& op, const ir::ConcreteOp& concrete,
               const std::vector<ir::Effect>& effects, BarrierUses& uses)
      : machine_(machine),
        state_(state),
        strand_(strand),
        cta_(cta),
        op_(op),
        concrete_(concrete),
        effects_(effects),
        uses_(uses) {}

  // Whether every blocking effect would pass; else `signal` is what to wait
  // for.
  bool Ready(Signal& signal);
  // For ops of a warpgroup: gathers its warps into one strand first.
  bool CollectiveReady(Signal& signal);
  bool SetsRegistersToo(const Strand& other) const;
  // Executes the issue-time effects. True: the strand now stays inside a named
  // barrier.
  bool Apply();
  // Agents that arrive when earlier operations are done (kTrack).
  void IssueTracks(absl::InlinedVector<int32_t, 4>& issued);
  bool faulted() const { return faulted_; }
  // Of a named or cluster barrier, that it has entered.
  const std::optional<BarrierRound>& round() const { return round_; }
  // Adds the phases that waits are for to the uses.
  void AddAwaited();
  // Strands that ended inside this one to form a warpgroup.
  const absl::InlinedVector<int32_t, 4>& absorbed() const { return absorbed_; }

  static int32_t NewInFlight(State& state, int32_t strand, const CompiledOp& op,
                             const ir::ConcreteOp& concrete, int32_t index);
  // One for each CTA that a multicast serves: what each does there is done by
  // itself, and that one is over says nothing of another. `ranks` 0: one.
  static void NewInFlights(State& state, int32_t strand, const CompiledOp& op,
                           const ir::ConcreteOp& concrete, int32_t index,
                           uint32_t ranks,
                           absl::InlinedVector<int32_t, 4>& issued);
  // The effects of an operation in flight up to a milestone.
  static BarrierUses Reach(Machine& machine, State& state, int32_t inflight,
                           ir::Milestone milestone);
  // What a CTA must not leave behind.
  static void CheckCtaExit(Machine& machine, State& state, int32_t cta);

 private:
  struct Target {
    int32_t cta;
    int32_t index;
  };

  // Calls f(Target) for each of the barriers that an effect means.
  template <typename F>
  void EachBarrier(const ir::Effect& e, int only_rank, F f) const {
    const auto& ctas = state_.clusters[state_.ctas[cta_].cluster].ctas;
    int32_t index = concrete_.barrier(e.operand).index;
    auto size = static_cast<int>(ctas.size());
    for (int rank : RanksMeant(e, concrete_, size, only_rank))
      f(Target{ctas[rank], index});
  }
  // Initialised, waited for and invalidated is what is the CTA's own
  // (cluster/remote).
  Target OwnBarrier(const ir::Effect& e) const {
    return {cta_, concrete_.barrier(e.operand).index};
  }
  int threads() const { return concrete_.threads.threads(); }
  int warp_threads() const {
    return concrete_.threads.warps * ir::kWarpThreads;
  }
  // How often a per-thread effect happens.
  int64_t times() const;
  // Of a register tile, by the executing threads.
  int64_t BytesHeld(int operand) const;

  bool Passes(const ir::Effect& e, Signal& signal);
  bool GroupPasses(const ir::Effect& e, Signal& signal);
  bool RegistersPass(const ir::Effect& e, Signal& signal);
  bool TmemPasses(const ir::Effect& e, Signal& signal);
  bool ClusterPasses(const ir::Effect& e, Signal& signal);
  bool NamedFits(const ir::Effect& e, Signal& signal);
  bool GivesTheSame(const Strand& other) const;

  void ApplyOne(const ir::Effect& e, int only_rank);
  void ReachOne(const InFlight& f, ir::Milestone milestone);
  void Init(const ir::Effect& e);
  void Inval(const ir::Effect& e);
  void Count(const ir::Effect& e, Target target);
  void Increment(Target target, int64_t n);
  // What `use` counts.
  std::string HelpToElect() const;
  void Arrive(Target target, BarrierUse& use);
  void AddBytes(Target target, int64_t bytes, BarrierUse& use);
  void MaybeComplete(Target target, BarrierUse& use);
  void Wait(const ir::Effect& e);
  void Test(const ir::Effect& e);
  void Commit(const ir::Effect& e);
  void Named(const ir::Effect& e);
  // Whether it may: it has come in this round already.
  bool ComesAgain(const ir::Effect& e);
  void ClusterArrive();
  void ClusterWait();
  void Registers(const ir::Effect& e);
  void Tmem(const ir::Effect& e);
  void Trigger();
  void ClcCancel();
  void ClcQuery(const ir::Effect& e);
  void CheckTmem(const ir::Effect& e);
  // A barrier that is alive where the effect touches shared memory.
  void CheckBarriers(const ir::Effect& e, int only_rank);
  void CheckOthers(Target t);
  void Clobbers(Target t);
  // Barriers of a CTA that live and of which `touches(index, bytes)` holds.
  template <typename F>
  void EachLive(int32_t cta, F touches);
  bool Live(Target target);
  int32_t LineOfInit(Target target) const;
  void Report(ir::Code code, std::string message, std::string help = "",
              bool warning = false);
  // What nobody can go on after.
  void Fault(ir::Code code, std::string message, std::string help = "") {
    Report(code, std::move(message), std::move(help));
    faulted_ = true;
  }

  Mbarrier& bar(Target t) { return state_.ctas[t.cta].mbarriers[t.index]; }
  // Adds a use, in the phase that is open now.
  BarrierUse& AddUse(const ir::Effect& e, Target target, int64_t value = 0);
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
  BarrierUses& uses_;
  absl::InlinedVector<int32_t, 4> absorbed_;
  std::optional<BarrierRound> round_;
  bool stays_ = false;
  bool faulted_ = false;
};

}  // namespace tilesim::machine

#endif  // TILESIM_SIM_MACHINE_EFFECT_RUNNER_H_
