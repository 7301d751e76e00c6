// The clock around the machine: discrete events over all SMs of one GPU.
//
//   Engine engine(machine, arch, options);
//   RunStats stats = engine.Run();
//
// Events at the same cycle happen in the order in which they were scheduled
// (a named policy: `TiePolicy`). Scheduling in the past aborts.
#ifndef TILESIM_SIM_TIMING_ENGINE_H_
#define TILESIM_SIM_TIMING_ENGINE_H_

#include <atomic>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "sim/arch/arch.h"
#include "sim/machine/machine.h"
#include "sim/timing/cost.h"
#include "sim/timing/event_queue.h"
#include "sim/timing/load.h"
#include "sim/timing/loads_ahead.h"
#include "sim/timing/observer.h"
#include "sim/timing/path.h"
#include "sim/timing/placer.h"
#include "sim/timing/pollers.h"
#include "sim/timing/power.h"
#include "sim/timing/stats.h"

namespace tilesim::timing {

// What L2 holds when a run begins: what the same launch leaves that went before
// it, or data that was read and is no tensor of it.
enum class L2State : uint8_t { kWarm, kCold };

struct EngineOptions {
  L2State l2 = L2State::kWarm;
  TiePolicy ties = TiePolicy::kFirstScheduledFirst;
  Observer* observer = nullptr;
  // Looked at now and then; true stops the run.
  const std::atomic<bool>* stop = nullptr;
  // The run stops when its clock has come that far; 0: never.
  Cycle max_cycles = 0;
  // Called as often, many times a second, with CTAs finished and in all.
  std::function<void(int64_t done, int64_t all)> progress;
};

class Engine {
 public:
  Engine(machine::Machine& machine, const arch::Arch& arch,
         EngineOptions options);

  // Where all that are left only poll what nobody changes any more, the
  // machine's findings say so.
  RunStats Run();

  // How far the modelled clock is, while Run goes on.
  Cycle now() const { return now_; }
  // After Run: the state as it ended, for deadlock reports.
  machine::State& state() { return state_; }

 private:
  // Registers that an op has yet to write.
  static constexpr int32_t kNoTile = -1;
  struct Coming {
    int32_t key;          // their tile, kNoTile, or -2 - op
    int32_t element = 0;  // which of an array of tiles
    Cycle at;
    Cycle first = at;  // of its words
    int32_t op;
    Cause cause;
    bool goes_on = false;      // Cost
    SubCores::Work work = {};  // likewise
    double late = 0;           // how late that was when last looked at
  };
  // Loads of an unrolled loop: how many of them have been made, and when the
  // first of those that are issued together is there.
  struct Ahead {
    int32_t op = -1;
    int32_t made = 0;
    Cycle first = 0;
    Cycle issue = 0;   // of one
    Cycle issued = 0;  // when the last of its block was
  };
  // A strand, seen by the clock.
  struct Clock {
    uint32_t version = 0;  // events of older versions are void
    bool blocked = false;
    machine::Signal signal;
    Cycle since = 0;   // blocked, or born
    Cycle asked = -1;  // blocked: when it had come to what it waits for
    Cycle born = 0;
    int16_t role = -1;
    int16_t counted = -2;  // the role in which its warps were counted
    int32_t cta = -1;
    int32_t at_op = -1;  // blocked: the op that waits
    Path path;
    absl::InlinedVector<Coming, 4> ready;
    Cycle all_ready = 0;   // the last of them
    bool working = false;  // others may put some of them off
    absl::InlinedVector<Ahead, 2> ahead;
  };
  struct Flight {  // an operation in flight, seen by the clock
    Cycle from = 0;
    Cycle done = 0;
    uint32_t version = 0;
    Path path;
    // Of a tensor load: what it asked of a port, which others may put off, and
    // how long after that it is done.
    FairPort* port = nullptr;
    int32_t request = 0;
    double after = 0;
    double read_before = 0;
  };
  struct Waiters {
    absl::InlinedVector<int32_t, 4> strands;
    // When a barrier last completed a phase, as waiters see it.
    std::optional<Cycle> completed;
  };
  struct WaitKey {
    int16_t kernel, role;
    machine::Signal::Kind kind;
    int32_t index;  // declaration of the barrier, id, group
    int32_t op;     // that waits; -1: none
    int16_t by_kernel;
    int32_t by_op;  // that ended it; -1: none
    friend bool operator==(const WaitKey&, const WaitKey&) = default;
    template <typename H>
    friend H AbslHashValue(H h, const WaitKey& k) {
      return H::combine(std::move(h), k.kernel, k.role, k.kind, k.index, k.op,
                        k.by_kernel, k.by_op);
    }
  };
  struct WaitSum {
    double cycles = 0;
    int64_t count = 0;
    int64_t for_ever = 0;  // of them, that had not ended when the run stopped
  };

  void Push(Cycle at, Event::Kind kind, int32_t id, uint32_t version);
  void TryLaunch();
  bool LaunchOne(int kernel);
  Cycle LaunchTime(int kernel);
  bool MayStart(int kernel) const;
  Cycle FirstStart(int kernel) const;
  std::vector<std::vector<uint64_t>> TensorKeys() const;
  L2Cache::Before InL2Before() const;
  // SM cycles at the clock of now.
  double Cycles(double ns) const {
    return ns * arch_.clock_mhz / 1000 * chip_.pace;
  }
  // By value: the path of a parent moves when its child gets a clock.
  void Adopt(int32_t strand, Cycle at, Path path);
  void Look();
  void SetPace();
  Load LoadBy(Cycle cycles) const;
  size_t RoleAt(int kernel, int role) const {
    return addresses_[kernel].size() + role;
  }
  // `here`: how many instructions the op has.
  double FetchCode(const CostContext& context, int32_t strand, int op,
                   double here);
  bool TooLong();
  void TellOpenWaits();
  void RunStrand(int32_t strand);
  // False: nothing is left but asking.
  bool GoesOn(int32_t strand, const machine::StepResult& r);
  void NoteRole(int32_t strand);
  bool AwaitsLoad(int32_t strand);
  bool AllReady(int32_t strand);
  void SpendOnResults(int32_t strand, Cycle ready);
  bool IsColumn(int32_t strand, int32_t tile) const;
  // The kernel and the op that costs are of.
  const ir::BoundKernel& PricedKernel(int kernel) const {
    return prices_[kernel] == nullptr ? machine_.code(kernel).bound
                                      : prices_[kernel]->kernel();
  }
  const ir::ConcreteOp& PricedOp(int kernel, int32_t op,
                                 const ir::ConcreteOp& executed) const {
    return prices_[kernel] == nullptr ? executed
                                      : prices_[kernel]->Of(op, executed);
  }
  // Threads that share a tile of the op: of compiled code, those that execute
  // it.
  int32_t GroupOf(int kernel, const machine::CompiledOp& op,
                  const ir::ConcreteOp& priced) const {
    return prices_[kernel] == nullptr ? op.group_threads
                                      : priced.threads.threads();
  }
  Cycle BehindControl(int32_t strand, const machine::StepResult& r);
  double ControlOf(const machine::StepResult& r) const;
  void NoteLoad(int32_t strand, const Coming& coming);
  void NoteResult(int32_t strand, int32_t op, const ir::TileValue* loaded,
                  Cycle end, const Cost& cost);
  Cycle LoadedAhead(int32_t strand, int32_t op, Cycle end, Cycle at);
  const Coming* LastArithmetic(int32_t strand) const;
  void NoteReady(int32_t strand, const machine::CompiledOp& op,
                 CostContext& context) const;
  void Executed(int32_t strand, const machine::StepResult& r);
  const Coming* LastOperand(int32_t strand, const machine::CompiledOp& op,
                            Cycle now) const;
  Schedule Issue(int32_t strand, const machine::CompiledOp& op,
                 const ir::ConcreteOp& concrete, int32_t inflight, Cycle begins,
                 const Schedule* earlier);
  void Block(int32_t strand, const machine::Signal& signal);
  void Wake(int32_t strand, Cycle at, const Path& path, const Source& source);
  // `seen`: how much later than now the others see it.
  void Dispatch(const Path& released_by, const Source& source, Cycle seen = 0) {
    if (machine_.has_signals()) DispatchAll(released_by, source, seen);
  }
  void DispatchAll(const Path& released_by, const Source& source, Cycle seen);
  static bool Waits(const machine::StepResult& r);
  Cycle EarliestPass(int32_t strand, const machine::StepResult& r,
                     bool woken) const;
  void TellPhases(const machine::BarrierUses& uses) {
    if (options_.observer != nullptr) TellObserver(uses);
  }
  void TellObserver(const machine::BarrierUses& uses);
  double WakeLatency(const machine::Signal& signal, int32_t strand) const;
  bool Polls(int32_t strand, int32_t op) const;
  Cycle WakesAt(int32_t strand, Cycle complete) const;
  void Reach(const Event& event);
  bool PutOff(const Event& event);
  void CtaExited(int32_t cta, const Path& path);
  void EndStrand(int32_t strand, Cycle at);
  SmUnits* PartnerOf(const machine::Cta& cta, const ir::ConcreteOp& op);
  CostContext ContextOf(const ir::ConcreteOp& op, int32_t cta,
                        int32_t group_threads, Cycle now);
  RunStats Summarise();
  void AddOpenWaits(Cycle end);
  void SummariseRoles(RunStats& stats) const;
  void SummariseKernels(RunStats& stats) const;
  void SummariseUnits(RunStats& stats) const;
  // Where a strand is on the way to: the next op, or the barrier it is in.
  int32_t OpOf(int32_t strand) const;
  Source SourceOf(int32_t strand, int32_t op) const;
  Source SourceOf(const Event& operation) const;
  // The strand's path goes on to `until`, in that op (-1: where it waits).
  void Spend(int32_t strand, int32_t op, Cause cause, Cycle until);
  RoleStats& RoleOf(int kernel, int role);
  WaitKey KeyOf(const Clock& clock, const machine::Signal& signal,
                const Source& by) const;
  std::string WaitName(const WaitKey& key) const;
  Cycle UnitTime(double t) const;

  machine::Machine& machine_;
  const arch::Arch& arch_;
  EngineOptions options_;
  machine::State state_;
  PathPool paths_;  // before all that hold one
  Placer placer_;
  ChipUnits chip_;
  std::vector<SmUnits> sms_;
  std::vector<GpcUnits> gpcs_;
  std::vector<uint64_t> slots_;  // of SMs: those that have a CTA, a bit each
  std::vector<std::vector<uint64_t>> tensors_;     // by kernel
  std::vector<std::optional<Cycle>> kernel_from_;  // may start CTAs
  std::vector<Seat> seats_;                        // of CTAs
  std::vector<bool> watched_;                      // CTAs the observer wants
  std::vector<int32_t> numbers_;                   // of CTAs: in ctas_run_
  std::vector<CtaRun> ctas_run_;
  // By number of the CTA and role: warps that were seen in it.
  absl::flat_hash_map<std::pair<int32_t, int16_t>, uint64_t> seen_;
  std::vector<std::vector<OpStats>> op_stats_;  // by kernel
  LoadLog load_;
  std::vector<Clock> clocks_;
  std::vector<Flight> flights_;
  absl::flat_hash_map<machine::Signal, Waiters> waiting_;
  EventQueue events_;
  std::vector<machine::Signal> signals_;
  std::vector<std::vector<RoleStats>> roles_;        // by kernel
  std::vector<std::vector<bool>> read_shows_;        // by kernel and op
  std::vector<std::vector<bool>> others_wait_;       // likewise, of .tile
  std::vector<std::vector<bool>> only_asks_;         // likewise
  std::vector<std::vector<int>> addresses_;          // likewise: CostContext
  std::vector<std::vector<LoadAhead>> loads_ahead_;  // likewise: loads_ahead.h
  std::vector<machine::Prices*> prices_;             // by kernel
  std::vector<size_t> code_from_;  // by kernel: its ops in SmUnits::code, and
                                   // behind them its roles
  std::vector<bool> long_code_;  // by kernel: more than is there with a launch
  Pollers pollers_;
  absl::flat_hash_map<WaitKey, WaitSum> waits_;
  Cycle now_ = 0;
  Cycle last_end_ = 0;
  Unit launches_;  // of all CTAs
  int64_t processed_ = 0;
  int64_t ops_ = 0;
  int64_t next_look_ = 0;
  int64_t next_pace_ = 0;
  bool first_wave_ = true;
  bool faulted_ = false;
  bool stopped_ = false;
  bool too_long_ = false;
  Path last_path_;
};

}  // namespace tilesim::timing

#endif  // TILESIM_SIM_TIMING_ENGINE_H_
