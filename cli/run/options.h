// What a timed run is asked: options that `run` and `report` share.
#ifndef TILESIM_CLI_RUN_OPTIONS_H_
#define TILESIM_CLI_RUN_OPTIONS_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cli/command.h"
#include "traces/filter.h"

namespace tilesim::cli {

struct RunOptions {
  std::string file;
  std::vector<std::string> defines;
  std::string arch;
  std::vector<std::string> set;
  bool timing_only = false;
  std::string values;
  std::vector<std::string> in, out, expect;
  double tolerance = 0;  // of --expect, relative
  uint64_t seed = 0;
  int jobs = 1;  // threads
  int64_t max_cycles = 0;
  std::string l2 = "warm";
  bool lines = false;
  bool hints = false;
  std::string launch;  // of a .ptx FILE
  bool quiet = false;  // findings are in a report, not on stderr
  std::string baseline;
};

// FILE, -D, --arch, --set and the others above.
void AddRunOptions(Command to, RunOptions& options);

// "0-3,7" or "all": numbers that a trace shows; nothing: it is neither.
struct Chosen {
  bool all = false;
  std::vector<int64_t> numbers;
};
std::optional<Chosen> ParseChosen(const std::string& text);

}  // namespace tilesim::cli

#endif  // TILESIM_CLI_RUN_OPTIONS_H_
