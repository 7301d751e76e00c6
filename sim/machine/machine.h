// The untimed meaning of every op. A machine is the code of the kernels; all
// that changes is in a State. Somebody else decides what happens next: the
// clock (sim/timing), or a search (checkers/explore).
//
//   Machine m(codes, policy);  State s = m.Start();
//   m.Launch(s, kernel, cluster);            CTAs of one cluster start
//   StepResult r = m.Step(s, strand);        up to and including one op
//   m.Reach(s, inflight, Milestone::kDone);  an asynchronous operation moves on
//
// An op's control meaning is its effects (ir/effect.h): the machine executes
// those and knows no op by name. Payload moves through `DataPort`, absent when
// only time or order is wanted.
#ifndef TILESIM_SIM_MACHINE_MACHINE_H_
#define TILESIM_SIM_MACHINE_MACHINE_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "ir/diagnostic.h"
#include "ir/effect.h"
#include "sim/machine/barrier_use.h"
#include "sim/machine/code.h"
#include "sim/machine/guide.h"
#include "sim/machine/state.h"

namespace tilesim::machine {

// What a blocked strand waits for, or what just changed for those that do.
struct Signal {
  enum class Kind : uint8_t {
    kMbarrier,    // index: barrier of the CTA
    kNamed,       // index: id
    kCluster,     // id is a cluster
    kGroup,       // id is a strand; index: GroupKind
    kRegisters,   // the CTA's pool
    kTmem,        // columns of the SM
    kCollective,  // the other warps of the warpgroup
    kGrid,        // an earlier kernel
    kExit,        // a CTA has ended and left its SM
    kPoll,        // a value in memory may have changed
  };
  Kind kind = Kind::kMbarrier;
  int32_t id = -1;  // CTA unless the kind says otherwise
  int32_t index = 0;

  friend bool operator==(const Signal&, const Signal&) = default;
  template <typename H>
  friend H AbslHashValue(H h, const Signal& s) {
    return H::combine(std::move(h), s.kind, s.id, s.index);
  }
};

// Moves payload. `destination` is the rank a multicast agent serves, or -1.
class DataPort {
 public:
  virtual ~DataPort() = default;
  // Performs the data side of an op at its data milestone. `slots`, when not
  // null, are the executing strand's scalars, which ld, atom and queries set.
  virtual void Move(const State& state, const Cta& cta, int32_t cta_index,
                    const CompiledOp& op, const ir::ConcreteOp& concrete,
                    int destination, int64_t* slots) = 0;
  virtual void OnLaunch(const State& state, int32_t cta_index) = 0;
  virtual void OnExit(const State& state, int32_t cta_index) = 0;
  // The bits of an element of a global, for a guide that follows values itself.
  virtual uint64_t Element(int kernel, int32_t decl, int64_t element) = 0;
  virtual void SetElement(int kernel, int32_t decl, int64_t element,
                          uint64_t bits) = 0;
  // The answer of a cluster launch control request.
  virtual void ClcResponse(const State& state, int32_t cta_index,
                           const ir::ConcreteOp& concrete, bool canceled,
                           const std::array<int32_t, 3>& first_cta) = 0;
};

// Is told how scalars come about, to follow them in another domain.
class ScalarObserver {
 public:
  virtual ~ScalarObserver() = default;
  // The strand is about to execute a control instruction.
  virtual void Control(const State& state, int32_t strand, const Instr& instr,
                       const Who& who) = 0;
  // `other` has split off from `strand`, or ended inside it.
  virtual void Divided(int32_t strand, int32_t other) = 0;
  virtual void Absorbed(int32_t strand, int32_t other) = 0;
};

// Instructions of compiled code on the way to an op that are none themselves,
// of one thread, by what executes them.
struct Passed {
  float integer = 0, fp32 = 0, half_rate = 0, special = 0;
  float products = 0;              // mma.sync
  float shuffles = 0, rounds = 0;  // and how many follow each other
  float branches = 0, divisions = 0;

  Passed& operator+=(const Passed& p) {
    integer += p.integer;
    fp32 += p.fp32;
    half_rate += p.half_rate;
    special += p.special;
    products += p.products;
    shuffles += p.shuffles;
    rounds += p.rounds;
    branches += p.branches;
    divisions += p.divisions;
    return *this;
  }
  friend bool operator==(const Passed&, const Passed&) = default;
};

struct StepResult {
  enum class Kind : uint8_t {
    kExecuted,  // an op was executed; `op` says which
    kBlocked,   // `signal` must come first; nothing changed but scalars
    kExited,    // the strand has ended
    kFault,     // a finding stops this strand for good
  };
  Kind kind = Kind::kExecuted;
  int32_t op = -1;
  int32_t control = 0;    // control instructions executed on the way
  int32_t tests = 0;      // of them branches on what is not known beforehand
  int32_t divisions = 0;  // made on the way
  // Of compiled code: what it passed, and the ops whose loads it needs there.
  Passed passed;
  absl::InlinedVector<int32_t, 4> awaits;
  Signal signal;
  absl::InlinedVector<int32_t, 4> issued;    // operations now in flight
  absl::InlinedVector<int32_t, 4> strands;   // strands that split off, ready
  absl::InlinedVector<int32_t, 4> absorbed;  // strands that ended in this one
  bool merged = false;  // this strand ended inside one that waits beside it
  // What was executed is a part of an instruction by which lanes contribute to
  // mbarriers, and other lanes of it come next. Who steps the strand lets
  // nobody in between: hardware has not been seen to part them.
  bool parts_left = false;
  // What an executed op did at its issue.
  BarrierUses uses;
  std::optional<BarrierRound> round;
};

// Whether warps that have done the same are one strand, which the clock wants
// for speed, or never are, so that a search sees every order of them.
enum class Grouping : uint8_t { kTogether, kWarps };

class Machine {
 public:
  // `codes` must outlive the machine, one a kernel in launch order.
  explicit Machine(std::vector<const Code*> codes, DataPort* data = nullptr,
                   Grouping grouping = Grouping::kTogether);
  Machine(const Machine&) = delete;
  Machine& operator=(const Machine&) = delete;

  State Start() const;

  // Starts every CTA of the grid's `cluster`-th cluster; returns their slots.
  // The caller has made sure that they fit.
  absl::InlinedVector<int32_t, 8> Launch(State& state, int kernel,
                                         int64_t cluster);

  StepResult Step(State& state, int32_t strand);

  // Brings a strand to its next op, out of a named barrier that is over and
  // through control code, or to its end. Nobody else can notice, but those that
  // waited for nobody else in a barrier. kBlocked: it is in a named barrier.
  StepResult Settle(State& state, int32_t strand);
  void SettleAll(State& state);

  // Moves an operation on, and says what that did to mbarriers, or would have
  // done if it had been permitted. kDone implies kRead.
  BarrierUses Reach(State& state, int32_t inflight, ir::Milestone milestone);

  // Whether a tracking agent (kTrack) waits for an earlier operation.
  bool Follows(const State& state, const InFlight& track,
               const InFlight& earlier) const;
  // Whether an operation may be done now: for those that arrive after others.
  bool MayFinish(const State& state, int32_t inflight) const;

  // Signals raised since the last call, appended to `out`.
  void TakeSignals(std::vector<Signal>& out);
  bool has_signals() const { return !signals_.empty(); }

  // The op that the last Step executed, with its operands. Whatever the machine
  // is asked to do next may overwrite it.
  const ir::ConcreteOp& last_concrete() const { return *last_; }
  // What the program did that no program may do, once for each code and op.
  const std::vector<ir::Diagnostic>& findings() const { return findings_; }
  void ForgetFindings();
  // What of the program was not followed, each once.
  const std::vector<std::string>& limits() const { return limits_; }
  // Where lanes of a warp went two ways, which were executed in one order.
  const std::vector<std::string>& ways() const { return ways_; }
  // Why some strand was not followed to its end.
  const std::vector<std::string>& not_followed() const { return not_followed_; }
  // `observer` must outlive the machine; null: nobody.
  void Observe(ScalarObserver* observer) { observer_ = observer; }
  ScalarObserver* observer() const { return observer_; }
  // Who a strand is, for builtins.
  Who WhoIs(const State& state, const Strand& strand) const {
    const Cta& cta = state.ctas[strand.cta];
    return {code_of(cta).bound, cta, strand.threads.first_warp};
  }
  const Code& code(int kernel) const { return *codes_[kernel]; }
  const Code& code_of(const Cta& cta) const { return *codes_[cta.kernel]; }
  const Guide& guide(int kernel) const { return *guides_[kernel]; }
  const Guide& guide_of(const Cta& cta) const { return *guides_[cta.kernel]; }
  size_t kernels() const { return codes_.size(); }
  const CompiledOp& op_of(const State& state, const InFlight& f) const {
    return code_of(state.ctas[f.cta]).ops[f.op];
  }
  // The op a strand stands at, or nullptr at control code.
  const CompiledOp* op_at(const State& state, const Strand& strand) const;
  ir::ConcreteOp ConcreteOf(const State& state, const InFlight& f) const;
  // The operands of the op a strand stands at, evaluated.
  bool Concrete(const State& state, const Strand& strand, const CompiledOp& op,
                ir::ConcreteOp& out);
  // What the strand is blocked on, if its next op blocks.
  bool BlockedOn(State& state, int32_t strand, Signal& signal);
  // The phase of an mbarrier that must complete before the strand can pass the
  // wait that it is blocked at. Empty: its op waits for no mbarrier.
  BarrierUses Awaits(State& state, int32_t strand);

  // Two neighbouring strands that wait at one place for the same thing, with
  // the same scalars and nothing in flight, become one: `strand` ends inside
  // `other`. False: they differ. The caller knows that both wait.
  bool MergeWaiting(State& state, int32_t strand, int32_t other);

  // How many threads end the open round of a named barrier that somebody has
  // entered.
  int32_t ExpectedAt(const State& state, int32_t cta, int32_t id) const;

  // For reports: "`full[1]`", "CTA (3, 0)".
  std::string BarrierName(const Cta& cta, int32_t index) const;
  static std::string CtaName(const Cta& cta);
  std::string RoleName(const State& state, const Strand& strand) const;

  void Report(const State& state, int32_t cta, const CompiledOp* op,
              ir::Code code, std::string message, std::string help,
              bool warning = false);

  // For guides.

  // The strand has come to its end.
  void Exit(State& state, int32_t strand, StepResult& result);
  // `warps` of the strand from `first_warp` on, which are its first or its last
  // but not all, are one of their own from now on, and stand at `pc`.
  int32_t SplitOff(State& state, int32_t strand, int first_warp, int warps,
                   int32_t pc, StepResult& result);
  // Divides it until an expression that so varies has one value in each.
  void SplitForVaries(State& state, int32_t strand, Varies varies,
                      StepResult& result);
  // It goes round and round, and comes to no op.
  void ReportLoop(const State& state, int32_t strand, ir::Span loop,
                  StepResult& result);
  // As Report without an op, of a place in the text.
  void ReportAt(const State& state, int32_t cta, ir::Span span, ir::Code code,
                std::string message, std::string help);
  // What of the program is not followed.
  void AddLimit(std::string limit);
  void AddWays(std::string ways);
  // A strand cannot be followed any further, though the program may go on.
  void AddNotFollowed(std::string why);

 private:
  friend class EffectRunner;

  // nullptr: an operand has no value, which was reported.
  ir::ConcreteOp* Evaluated(const State& state, const Strand& strand,
                            const CompiledOp& op);
  const ir::ConcreteOp& Restored(const State& state, const InFlight& f);

  // `other` ends; its threads continue in `strand`. Both stand at one place;
  // `forced`: as an op of the warpgroup needs both.
  void Absorb(State& state, int32_t strand, int32_t other, bool forced);
  static void JoinGroups(State& state, int32_t strand, int32_t other);
  void MoveData(State& state, const InFlight& f, const CompiledOp& op,
                const ir::ConcreteOp& concrete);
  void ClcAnswer(State& state, int32_t cta, const ir::ConcreteOp& concrete,
                 bool canceled, const std::array<int32_t, 3>& first_cta);
  int32_t LaunchCta(State& state, int32_t cluster, int rank);
  bool Execute(State& state, int32_t strand, const CompiledOp& op,
               StepResult& result);
  void Issue(State& state, int32_t strand, const CompiledOp& op,
             const ir::ConcreteOp& concrete, StepResult& result);
  void RetireCta(State& state, int32_t cta);
  void MaybeEndNamed(State& state, int32_t cta, int32_t id);
  void MaybeEndCluster(State& state, int32_t cluster);
  void LeaveRounds(State& state, const Strand& strand);
  bool TryMerge(State& state, int32_t strand);
  bool MayMerge(const State& state, const Strand& a, const Strand& b) const;
  void FinishNamed(State& state, int32_t strand, StepResult& result);
  void Raise(Signal::Kind kind, int32_t id, int32_t index = 0) {
    signals_.push_back({kind, id, index});
  }

  std::vector<const Code*> codes_;
  std::vector<const Guide*> guides_;                // by kernel
  std::vector<std::unique_ptr<Guide>> own_guides_;  // of `.tile` code
  DataPort* data_ = nullptr;
  ScalarObserver* observer_ = nullptr;
  Grouping grouping_ = Grouping::kTogether;
  std::vector<Signal> signals_;
  std::vector<std::string> limits_, ways_, not_followed_;
  std::vector<ir::Diagnostic> findings_;
  // Of each: the kernel, and the op's index into its code, or -1.
  std::vector<std::pair<int32_t, int32_t>> found_at_;
  ir::EffectSink sink_;  // reused
  // Each op as it was last executed, by kernel: the operands that vary are
  // written over, so that nothing is copied.
  std::vector<std::vector<ir::ConcreteOp>> executed_;
  const ir::ConcreteOp* last_ = nullptr;
};

}  // namespace tilesim::machine

#endif  // TILESIM_SIM_MACHINE_MACHINE_H_
