// Findings of `check` that are known and kept: those that a comment
// `// tilesim: allow(code) reason` names, and those of a baseline file. They
// are not shown and do not decide the exit code; the verdict stays `findings`,
// since nothing was proved of what comes after them. What was found at several
// places is one finding: it is known if each of them is; if not, it is told at
// the first that is not. What follows from one is told, unless it is known
// itself.
//
//   absl::StatusOr<Baseline> baseline =
//   Baseline::Read("tilesim.baseline.json"); Suppress(file, *baseline); //
//   file.hidden, file.exit
#ifndef TILESIM_CLI_SUPPRESS_H_
#define TILESIM_CLI_SUPPRESS_H_

#include <map>
#include <string>
#include <utility>

#include "absl/status/statusor.h"
#include "cli/checked_file.h"

namespace tilesim::cli {

// A file of findings: how many of a file have which fingerprint.
class Baseline {
 public:
  static absl::StatusOr<Baseline> Read(const std::string& path);

  void Add(const CheckedFile& file);
  // How many of which fingerprint a file has.
  std::map<std::string, int> Of(const std::string& path) const;
  std::string Text() const;

 private:
  struct Entry {
    std::string code;
    int count = 0;
  };
  // By path, as it was named, and fingerprint.
  std::map<std::pair<std::string, std::string>, Entry> entries_;
};

// Says which findings of the file are hidden and by what, and leaves out
// warnings about its text that a comment allows; an allow that hides nothing
// becomes a warning. A file that is no program is left as it is. The number of
// findings that the baseline has of it and that are gone.
int Suppress(CheckedFile& file, const Baseline& baseline);

}  // namespace tilesim::cli

#endif  // TILESIM_CLI_SUPPRESS_H_
