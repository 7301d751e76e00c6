// Inductive runs of one family, each with other loop summaries than the one
// before. Two runs are the same up to the first turn in which a summary that is
// not in both is checked: each goes on from a state before that.
#ifndef TILESIM_CHECKERS_SIZES_INDUCTION_RESUMABLE_RUN_H_
#define TILESIM_CHECKERS_SIZES_INDUCTION_RESUMABLE_RUN_H_

#include <cstdint>
#include <memory>
#include <vector>

#include "checkers/run/environment.h"
#include "checkers/run/runner.h"
#include "checkers/sizes/induction/inductive_run.h"

namespace tilesim::checkers::sizes::induction {

class ResumableRun : public run::RunObserver {
 public:
  // All must outlive it; it stays where it is.
  ResumableRun(const machine::Code& code, int64_t cluster,
               const state::Family& family, int64_t max_events)
      : code_(code),
        cluster_(cluster),
        family_(family),
        max_events_(max_events) {}
  ResumableRun(const ResumableRun&) = delete;
  ResumableRun& operator=(const ResumableRun&) = delete;

  // Events that are new.
  int64_t Run(std::vector<LoopSummary> loops);

  // Of the last run.
  const InductiveRun& inductive() const { return *inductive_; }
  const RunNotes& notes() const { return notes_; }
  const run::Log& log() { return run_->log(); }

  bool Turn(const machine::State& state, const run::Log& log) override;
  void Executed(const machine::Machine& machine, const machine::State& state,
                int32_t strand, const run::Event& event) override {
    inductive_->Executed(machine, state, strand, event);
  }
  void Control(const machine::State& state, int32_t strand,
               const machine::Instr& instr, const machine::Who& who) override {
    inductive_->Control(state, strand, instr, who);
  }
  void Divided(int32_t strand, int32_t other) override {
    inductive_->Divided(strand, other);
  }
  void Absorbed(int32_t strand, int32_t other) override {
    inductive_->Absorbed(strand, other);
  }

 private:
  // At the beginning of a turn.
  struct Saved {
    int64_t turn;
    std::shared_ptr<const run::RunState> state;
    InductiveRun inductive;
  };

  void Begin();
  void Resume();
  void Save();
  void SetEnvironment();
  int64_t SameUpTo(const std::vector<LoopSummary>& loops) const;

  const machine::Code& code_;
  int64_t cluster_;
  const state::Family& family_;
  int64_t max_events_;
  run::Environment environment_;
  std::vector<LoopSummary> loops_;
  RunNotes notes_;
  std::unique_ptr<InductiveRun> inductive_;
  std::unique_ptr<run::CanonicalRun> run_;
  std::vector<Saved> saved_;
};

}  // namespace tilesim::checkers::sizes::induction

#endif  // TILESIM_CHECKERS_SIZES_INDUCTION_RESUMABLE_RUN_H_
