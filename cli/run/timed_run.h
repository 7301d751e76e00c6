// One program on the modelled GPU, step by step: what `run` and `report` do
// before they show anything.
//
//   TimedRun run(options);
//   if (ExitCode e = run.Prepare(); e != kClean) return e;   said on stderr
//   if (ExitCode e = run.Simulate(observer, stop); e != kClean) return e;
//   run.report()   the numbers; run.exit() what the command ends with
#ifndef TILESIM_CLI_RUN_TIMED_RUN_H_
#define TILESIM_CLI_RUN_TIMED_RUN_H_

#include <atomic>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cli/input.h"
#include "cli/progress.h"
#include "cli/run/expect.h"
#include "cli/run/options.h"
#include "sim/machine/data/memory.h"
#include "sim/timing/engine.h"
#include "traces/report.h"

namespace tilesim::cli {

class TimedRun {
 public:
  explicit TimedRun(RunOptions options) : options_(std::move(options)) {}
  TimedRun(const TimedRun&) = delete;
  TimedRun& operator=(const TimedRun&) = delete;

  // Reads the program and its inputs, and makes the machine.
  ExitCode Prepare();
  // Runs it and judges its values. Findings are said on stderr and kept.
  ExitCode Simulate(timing::Observer* observer, const std::atomic<bool>& stop);
  // --out. False, said on stderr: it cannot be written.
  bool WriteOutputs();

  const RunOptions& options() const { return options_; }
  const Loaded& loaded() const { return *loaded_; }
  const arch::Arch& arch() const { return *arch_; }
  const machine::Machine& machine() const { return *machine_; }
  // Of the kernel that has most.
  int64_t MostCtas() const;
  const timing::RunStats& stats() const { return stats_; }
  traces::RunReport& report() { return report_; }
  ExitCode exit() const;
  void NoteOurBug() { our_bug_ = true; }

 private:
  ExitCode Interrupted() const;
  ExitCode Unfinished() const;
  bool MakeMemory();
  bool ReadInputs(machine::MemoryOptions& o);
  const ir::BoundDecl* GlobalNamed(const std::string& name) const;
  bool ReadExpected();
  bool NamesOutputs() const;
  bool MayWriteOutputs() const;
  bool TakesTooLong(int64_t done, int64_t all) const;
  void RunEngine(timing::Observer* observer, const std::atomic<bool>& stop);
  void CheckResults(const std::atomic<bool>& stop);
  void CheckCoverage();
  void CompareValues(const std::atomic<bool>& stop);
  void CompareWithFiles(const std::atomic<bool>& stop);
  void CompareWithSlowRule();
  void AddFinding(const ir::Diagnostic& d);

  RunOptions options_;
  std::unique_ptr<Loaded> loaded_;
  const arch::Arch* arch_ = nullptr;
  std::unique_ptr<machine::Memory> memory_;
  std::optional<machine::Machine> machine_;
  std::optional<timing::Engine> engine_;
  std::optional<Progress> progress_;
  std::atomic<bool> stop_ = false;
  bool takes_too_long_ = false;
  int64_t ctas_done_ = 0;
  std::vector<Expectation> expected_;
  timing::RunStats stats_;
  std::vector<ir::Diagnostic> deadlock_;
  traces::RunReport report_;
  int findings_ = 0;
  bool not_compared_ = false;  // --expect asks for what is not there
  bool our_bug_ = false;
};

}  // namespace tilesim::cli

#endif  // TILESIM_CLI_RUN_TIMED_RUN_H_
