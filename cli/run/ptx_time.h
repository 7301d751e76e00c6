// The time of the launches of a PTX module on the modelled GPU, by the clock of
// `.tile` programs.
//
//   PtxTime time(options, source, module, launches);
//   time.Run(nullptr, stop);
//   if (!time.failure().empty()) ...       why there is none
//   time.report()                          else the numbers
#ifndef TILESIM_CLI_RUN_PTX_TIME_H_
#define TILESIM_CLI_RUN_PTX_TIME_H_

#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cli/run/options.h"
#include "ir/diagnostic.h"
#include "ptx/launch/launch.h"
#include "ptx/machine/lower.h"
#include "ptx/text/module.h"
#include "sim/machine/data/memory.h"
#include "sim/timing/engine.h"
#include "traces/report.h"

namespace tilesim::cli {

class PtxTime {
 public:
  // All of them outlive it.
  PtxTime(const RunOptions& options, const ir::Source& source,
          const ptx::Module& module, const ptx::LaunchFile& launches)
      : options_(options),
        source_(source),
        module_(module),
        launches_(launches) {}

  // Makes an observer of a run, once the machine is there; may be empty.
  using Watch = std::function<timing::Observer*(const machine::Machine&,
                                                const arch::Arch&)>;
  void Run(const Watch& watch, const std::atomic<bool>& stop);

  bool timed() const { return failure_.empty() && stats_.finished; }
  // Why it has no time, and is not the launch's or the program's fault: it
  // could not be followed, or took too long.
  const std::string& failure() const { return failure_; }
  bool bad_input() const { return bad_input_; }
  // The program's: an access outside, a deadlock.
  const std::vector<ir::Diagnostic>& findings() const { return findings_; }
  const timing::RunStats& stats() const { return stats_; }
  const traces::RunReport& report() const { return report_; }
  // What the time leaves out, each with its line.
  const std::vector<std::string>& not_covered() const { return not_covered_; }

 private:
  bool Lower();
  bool MakeMemory();
  void RunEngine(const Watch& watch, const std::atomic<bool>& stop);
  bool Grown();
  void Judge();
  void FindUnpriced();
  bool Fail(std::string why);
  std::vector<const machine::Code*> Codes() const;

  const RunOptions& options_;
  const ir::Source& source_;
  const ptx::Module& module_;
  const ptx::LaunchFile& launches_;
  const arch::Arch* arch_ = nullptr;
  std::vector<std::pair<size_t, ptx::Lowered>> kernels_;  // by launch
  std::vector<ptx::Followed> followed_;                   // likewise
  std::shared_ptr<machine::ByteSets> sets_;
  std::unique_ptr<machine::Memory> memory_;
  std::optional<machine::Machine> machine_;
  std::optional<timing::Engine> engine_;
  timing::RunStats stats_;
  traces::RunReport report_;
  std::vector<ir::Diagnostic> findings_;
  std::vector<std::string> not_covered_;
  std::string failure_;
  bool bad_input_ = false;
};

}  // namespace tilesim::cli

#endif  // TILESIM_CLI_RUN_PTX_TIME_H_
