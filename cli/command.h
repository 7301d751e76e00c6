// The tilesim command: one file a subcommand. Each adds itself to the CLI11
// app and leaves its exit code in `Exit`.
#ifndef TILESIM_CLI_COMMAND_H_
#define TILESIM_CLI_COMMAND_H_

#include <string>
#include <vector>

#include "CLI/CLI.hpp"
#include "cli/numbers.h"

namespace tilesim::cli {

// docs/architecture.md 5; a contract.
enum ExitCode : int {
  kClean = 0,
  kFindings = 1,
  kBadInput = 2,
  kIncomplete = 3,
  kNoDevice = 4,
  kOurBug = 70,
  kInterrupted = 130,  // Ctrl-C, as shells count it
};

void AddRun(CLI::App& app, int& exit);
void AddReport(CLI::App& app, int& exit);
void AddCheck(CLI::App& app, int& exit);
void AddReduce(CLI::App& app, int& exit);
void AddSweep(CLI::App& app, int& exit);
void AddHw(CLI::App& app, int& exit);
void AddTrace(CLI::App& app, int& exit);
void AddLower(CLI::App& app, int& exit);
void AddPtx(CLI::App& app, int& exit);
void AddFmt(CLI::App& app, int& exit);
void AddCalibrate(CLI::App& app, int& exit);
void AddExplain(CLI::App& app, int& exit);
void AddLsp(CLI::App& app, int& exit);
void AddCompletion(CLI::App& app, int& exit);
void AddMan(CLI::App& app, int& exit);

// The options of what times a program: for which architecture, with which of
// its parameters changed.
inline void AddArch(CLI::App& to, std::string& arch,
                    std::vector<std::string>& set) {
  to.add_option("--arch", arch,
                "h200, h100_sxm, h800_pcie, b200, or a file that `calibrate` "
                "wrote");
  to.add_option("--set", set,
                "NAME=VALUE: what if a parameter of the arch were that?")
      ->allow_extra_args(false);
}

}  // namespace tilesim::cli

#endif  // TILESIM_CLI_COMMAND_H_
