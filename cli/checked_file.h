// `tilesim check` of files, several at a time, and what becomes of each. How
// it is shown is up to a sink (check_sink.h).
#ifndef TILESIM_CLI_CHECKED_FILE_H_
#define TILESIM_CLI_CHECKED_FILE_H_

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "checkers/check.h"
#include "cli/command.h"
#include "ir/diagnostic.h"

namespace tilesim::cli {

struct CheckedFile {
  ir::Source source;      // its path, and its text if it could be read
  std::string failure;    // why nothing at all is known about it
  ir::Diagnostics texts;  // about its text, and sizes that do not fit
  std::optional<checkers::CheckReport> report;  // nothing: no such program
  ExitCode exit = kBadInput;

  bool checked() const { return report.has_value(); }
};

// What `check` is asked for.
struct CheckRequest {
  checkers::CheckOptions options;
  std::string launch;  // the description that files of PTX are launched by
};

// Each file on one of `jobs` threads. `done` is called on this thread, in the
// order of the paths, as soon as all before are there.
void CheckFiles(const std::vector<std::string>& paths,
                const CheckRequest& request, int jobs,
                const std::function<void(const CheckedFile&)>& done);

}  // namespace tilesim::cli

#endif  // TILESIM_CLI_CHECKED_FILE_H_
