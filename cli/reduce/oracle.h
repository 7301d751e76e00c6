// Whether a smaller program is still what is looked for.
#ifndef TILESIM_CLI_REDUCE_ORACLE_H_
#define TILESIM_CLI_REDUCE_ORACLE_H_

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "checkers/check.h"
#include "ir/code.h"
#include "ir/diagnostic.h"

namespace tilesim::cli::reduce {

struct Wanted {
  std::optional<ir::Code> code;  // of a finding, or of what follows from one
  // Or the verdict; of `incomplete` for the same reason.
  std::optional<checkers::Verdict> verdict;
  // A shell command that must succeed as well; its argument is the program, in
  // a file. Empty: none.
  std::string keep;
};

struct Seen {
  struct Told {
    ir::Diagnostic diagnostic;
    bool follows = false;  // from another
  };
  std::vector<Told> told;
  checkers::Verdict verdict = checkers::Verdict::kIncomplete;
  bool rejected = false;                 // no program, or not at these sizes
  std::map<std::string, int64_t> sizes;  // at which what is wanted was seen
  std::string open;  // why there is no proof, without names and numbers

  bool Has(ir::Code code) const;
  std::set<ir::Code> Mistakes() const;  // errors, and warnings of checks
};

class Oracle {
 public:
  Oracle(Wanted wanted, checkers::CheckOptions options)
      : wanted_(std::move(wanted)), options_(std::move(options)) {}

  // What is seen of a program; nothing: it is not what is looked for. From the
  // second time on it has no errors or warnings that the first had not, and is
  // open for the same reason: else another mistake may take the place of the
  // one that is looked for.
  std::optional<Seen> Ask(const ir::Source& source);
  // Programs that were checked, not only read.
  int64_t checked() const { return checked_; }

 private:
  std::optional<Seen> See(const ir::Source& source);
  bool IsWanted(const Seen& seen) const;
  bool Kept(const ir::Source& source) const;

  Wanted wanted_;
  checkers::CheckOptions options_;
  std::optional<Seen> first_;
  int64_t checked_ = 0;
};

}  // namespace tilesim::cli::reduce

#endif  // TILESIM_CLI_REDUCE_ORACLE_H_
