// The tilesim command: one file a subcommand. Each adds itself to the command
// and leaves its exit code in `Exit`.
#ifndef TILESIM_CLI_COMMAND_H_
#define TILESIM_CLI_COMMAND_H_

#include <string>
#include <vector>

#include "cli/arguments.h"
#include "cli/exit_code.h"
#include "cli/numbers.h"

namespace tilesim::cli {

void AddRun(Command app, int& exit);
void AddReport(Command app, int& exit);
void AddCheck(Command app, int& exit);
void AddReduce(Command app, int& exit);
void AddSweep(Command app, int& exit);
void AddHw(Command app, int& exit);
void AddTrace(Command app, int& exit);
void AddLower(Command app, int& exit);
void AddPtx(Command app, int& exit);
void AddFmt(Command app, int& exit);
void AddCalibrate(Command app, int& exit);
void AddExplain(Command app, int& exit);
void AddLsp(Command app, int& exit);
void AddCompletion(Command app, int& exit);
void AddMan(Command app, int& exit);

// The options of what times a program: for which architecture, with which of
// its parameters changed.
inline void AddArch(Command to, std::string& arch,
                    std::vector<std::string>& set) {
  to.AddOption("--arch", arch,
               "h200, h100_sxm, h800_pcie, b200, or a file that `calibrate` "
               "wrote");
  to.AddOption("--set", set,
               "NAME=VALUE: what if a parameter of the arch were that?")
      .OneValueEach();
}

}  // namespace tilesim::cli

#endif  // TILESIM_CLI_COMMAND_H_
