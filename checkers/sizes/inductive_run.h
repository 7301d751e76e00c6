// One canonical run for a family of sizes. Where the family's members part --
// one has left a loop that another is still in -- the walk goes on only if told
// how they meet again: that a stretch of the run happens once more for each
// turn of the loop that they differ by.
//
//   LoopSummary  turns [begin, end) of the run's scheduler happen `times` more
//   often
//
// It is shown by induction, at the stretch that the run itself has:
//
//   before  what has happened is the same for all members
//   step    with i repeats done and r to come, the stretch runs as it did, and
//           leaves everything as it found it: scalars moved on by what they
//           move on in every repeat, rings of slots turned on, the rest equal
//   after   with all repeats done the run goes on, the same for all members
//
// and the stretch must have happened before in the run, as often as it takes
// for everything that is judged together to lie within repeats, so that an
// order that holds in the run holds in the whole family (README.md).
#ifndef TILESIM_CHECKERS_SIZES_INDUCTIVE_RUN_H_
#define TILESIM_CHECKERS_SIZES_INDUCTIVE_RUN_H_

#include <array>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "absl/functional/function_ref.h"
#include "checkers/run/runner.h"
#include "checkers/sizes/answers.h"
#include "checkers/sizes/grid_flags.h"
#include "checkers/sizes/shared_words.h"
#include "checkers/sizes/state_rotation.h"
#include "checkers/sizes/symbolic_state.h"

namespace tilesim::checkers::sizes {

struct LoopSummary {
  int64_t begin = 0;  // turns
  int64_t end = 0;
  Polynomial times;
  Rotation rotation;  // of one repeat, in this run
  // Scalars that are not the same in every repeat, and had better decide
  // nothing: of the how-manieth of StrandsOf, which slot.
  std::set<std::pair<int32_t, int32_t>> forget;

  int64_t length() const { return end - begin; }
  // The first turn in which a walk looks at it.
  int64_t first() const { return begin - length(); }

  friend bool operator==(const LoopSummary&, const LoopSummary&) = default;
};

// A number that should vary by multiples of `by`, and does not.
struct Unfit {
  Polynomial number;
  int64_t by = 1;
};

// A comparison, when it was made.
struct TimedGuard {
  int64_t turn = 0;
  Guard guard;
};

// What a walk has noted, turn by turn.
struct RunNotes {
  std::vector<TimedGuard> guards;
  std::vector<int32_t> turns;    // the first event of each that was begun
  std::vector<int64_t> numbers;  // scalars that matter, turn by turn
  std::vector<size_t> first;     // of those, by turn
  std::vector<int32_t> strands;  // of the last turn

  // To the beginning of a turn.
  void BackTo(int64_t turn);
  std::span<const int64_t> NumbersOf(int64_t turn) const;
};

// A copy of a walk goes on from where it was copied.
class InductiveRun : public run::RunObserver {
 public:
  // Symbols from `fresh` on are free. `notes` must outlive the walk; copies of
  // it share them.
  InductiveRun(const machine::Code& code, SymbolicState shadow,
               std::vector<LoopSummary> repeats, Symbol fresh, RunNotes* notes);

  // Other repeats; those that it has looked at already are the same.
  void Replan(std::vector<LoopSummary> repeats);

  void Control(const machine::State& state, int32_t strand,
               const machine::Instr& instr, const machine::Who& who) override {
    symbolic_.Control(state, strand, instr, who);
  }
  void Divided(int32_t strand, int32_t other) override {
    symbolic_.Divided(strand, other);
  }
  void Absorbed(int32_t strand, int32_t other) override {
    symbolic_.Absorbed(strand, other);
  }
  bool Turn(const machine::State& state, const run::Log& log) override;
  void Executed(const machine::Machine& machine, const machine::State& state,
                int32_t strand, const run::Event& event) override;

  // --- after the run ---
  // The first repeat that does not hold; -1: none is known not to.
  int32_t failed() const { return failed_; }
  // Every repeat was come to, and shown.
  bool complete() const {
    return shown_ == repeats_.size() && !symbolic_.mistaken();
  }
  // Why the walk ended early; empty: it did not.
  const std::string& why() const { return why_; }
  const std::optional<Guard>& undecided() const {
    return symbolic_.undecided();
  }
  // What an op works on does not turn as its ring does.
  const std::optional<Unfit>& unfit() const { return unfit_; }
  // Whether a number that was compared is at least 0, as far as is known.
  std::optional<bool> AtLeast0(const Polynomial& number) const {
    return symbolic_.AtLeast0(number);
  }
  // Slots of a ring that shares memory with others: only whole turns of it are
  // a repeat.
  int64_t whole_turns() const { return whole_turns_; }
  // Repeats that the run should have more, at least; 0: enough.
  int64_t lacking() const { return lacking_; }
  // Scalars that it found different at its end.
  const std::set<std::pair<int32_t, int32_t>>& differ() const {
    return differ_;
  }
  // What the CTAs do to flags.
  const GridFlags& flags() const { return flags_; }
  const std::vector<TimedGuard>& guards() const { return notes_->guards; }
  const std::vector<int32_t>& turns() const { return notes_->turns; }
  // Whether every scalar moved on evenly, or back and forth, in stretches of
  // `length` turns up to `end`, as far as these were the last `copies`.
  bool MovedEvenly(int64_t end, int64_t length, int64_t copies) const;
  // The innermost repeat that the walk ended in; -1: none.
  int32_t inside() const {
    return active_.empty() ? -1 : active_.back().repeat;
  }

 private:
  using Scalars = std::vector<SymbolicState::Slots>;  // of StrandsOf
  struct Active {
    int32_t repeat;
    Symbol done, left;
    machine::State state;
    Scalars scalars;  // as the stretch begins, with `done`
    Scalars moved;    // what a repeat adds
    std::vector<Polynomial> worlds, turned;  // likewise, of rings
    Answers answers, answers_moved;          // likewise
  };

  void explore::Snapshot(const machine::State& state, int32_t repeat);
  void Begin(const machine::State& state, int32_t repeat);
  void End(const machine::State& state, const run::Log& log);
  void Substitute(Symbol symbol, const Polynomial& value);
  bool EndsAsBegun(const machine::State& state, const Active& a);
  bool pipeline::Alone(int32_t decl) const;
  bool InMemoryOfItsOwn(const run::Event& event) const;
  bool SlotsAlike(const LoopSummary& repeat,
                  absl::FunctionRef<bool(int32_t, int64_t)> alike);
  bool SeenOften(const run::Log& log, const LoopSummary& repeat);
  std::vector<Symbolic> ElementOf(const machine::CompiledOp& op, int operand,
                                  int32_t strand, const machine::Who& who);
  void NamesElements(const machine::State& state, const machine::CompiledOp& op,
                     const run::Event& event, int32_t strand,
                     const machine::Who& who);
  void Signalled(const machine::CompiledOp& op, const run::Event& event,
                 int32_t strand, const machine::Who& who);
  void Wrote(const machine::CompiledOp& op, const run::Event& event,
             int32_t strand);
  bool FollowsRings(const machine::CompiledOp& op, const run::Event& event,
                    int32_t strand, const machine::Who& who);
  std::optional<Symbolic> IndexOf(const machine::CompiledOperand& c,
                                  int32_t strand, const machine::Who& who);
  absl::InlinedVector<int32_t, 2> RingsMeant(const run::Event& event,
                                             int operand) const;
  bool FollowsRing(int32_t ring, const Symbolic& index);
  bool FollowsPhase(int32_t ring, const Symbolic& index, int64_t slot,
                    const Symbolic& parity);
  bool Fits(const Polynomial& number, int64_t by);
  Scalars ScalarsOf(const machine::State& state);
  void NoteNumbers(const machine::State& state);
  void Fail(std::string why);

  const machine::Code& code_;
  SymbolicState symbolic_;
  std::vector<LoopSummary> repeats_;
  Symbol fresh_;
  std::vector<Active> active_;
  std::vector<Scalars> before_;  // by repeat, one repeat earlier
  std::vector<std::vector<Polynomial>> worlds_before_;
  std::vector<Answers> answers_before_;
  // By how much rings are turned further than in the run.
  std::vector<Polynomial> worlds_;
  Answers answers_;
  SharedWords words_;
  GridFlags flags_;
  RunNotes* notes_;
  std::set<std::pair<int32_t, int32_t>> differ_;
  std::optional<Unfit> unfit_;
  int64_t whole_turns_ = 1;
  int64_t lacking_ = 0;
  size_t shown_ = 0;
  int32_t failed_ = -1;
  std::string why_;
};

}  // namespace tilesim::checkers::sizes

#endif  // TILESIM_CHECKERS_SIZES_INDUCTIVE_RUN_H_
