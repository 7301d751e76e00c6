// `tilesim run FILE --replay W`: a finding's schedule again.
#ifndef TILESIM_CLI_REPLAY_H_
#define TILESIM_CLI_REPLAY_H_

#include <string>

#include "cli/exit_code.h"

namespace tilesim::cli {

struct ReplayOptions {
  std::string file;
  std::string witness;  // what `check --format json` printed
  int finding = 0;      // of the file, from 1; 0: the first with a witness
  std::string trace;
  std::string format = "text";
};

// kFindings: the schedule shows what it was found to show. kBadInput: it is
// no schedule of this program, or does not show it.
ExitCode ReplayWitness(const ReplayOptions& options);

}  // namespace tilesim::cli

#endif  // TILESIM_CLI_REPLAY_H_
