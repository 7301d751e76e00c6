// What a command says to the shell.
#ifndef TILESIM_CLI_EXIT_CODE_H_
#define TILESIM_CLI_EXIT_CODE_H_

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

}  // namespace tilesim::cli

#endif  // TILESIM_CLI_EXIT_CODE_H_
