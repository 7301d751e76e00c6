// What `tilesim check` found of one file. How it is shown is up to a sink
// (check_sink.h).
#ifndef TILESIM_CLI_CHECKED_FILE_H_
#define TILESIM_CLI_CHECKED_FILE_H_

#include <optional>
#include <string>
#include <vector>

#include "checkers/check.h"
#include "cli/exit_code.h"
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

// What a verdict is told by.
inline ExitCode ExitOf(checkers::Verdict verdict) {
  switch (verdict) {
    case checkers::Verdict::kClean:
      return kClean;
    case checkers::Verdict::kFindings:
      return kFindings;
    case checkers::Verdict::kIncomplete:
      return kIncomplete;
  }
  return kOurBug;
}

}  // namespace tilesim::cli

#endif  // TILESIM_CLI_CHECKED_FILE_H_
