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

// Why a finding is not shown (suppress.h).
struct Hidden {
  bool in_source = false;  // a comment allows it; else a baseline has it
  std::string reason;      // of the comment
};

struct CheckedFile {
  ir::Source source;      // its path, and its text if it could be read
  std::string failure;    // why nothing at all is known about it
  ir::Diagnostics texts;  // about its text, and sizes that do not fit
  std::optional<checkers::CheckReport> report;  // nothing: no such program
  std::vector<std::optional<Hidden>> hidden;    // by finding; none: all shown
  ExitCode exit = kBadInput;

  const Hidden* HiddenBy(size_t finding) const {
    bool is = finding < hidden.size() && hidden[finding];
    return is ? &*hidden[finding] : nullptr;
  }
  bool checked() const { return report.has_value(); }
};

// What `check` is asked for.
struct CheckRequest {
  checkers::CheckOptions options;
  std::string launch;  // the description that files of PTX are launched by
};

// A text, on this thread.
CheckedFile CheckSource(ir::Source source, const CheckRequest& request);

// Each file on one of `jobs` threads. `done` is called on this thread, in the
// order of the paths, as soon as all before are there; `waiting` every now and
// then, with the number of files that are done.
void CheckFiles(const std::vector<std::string>& paths,
                const CheckRequest& request, int jobs,
                const std::function<void(CheckedFile&)>& done,
                const std::function<void(int64_t)>& waiting);

}  // namespace tilesim::cli

#endif  // TILESIM_CLI_CHECKED_FILE_H_
