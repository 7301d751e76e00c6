// A witness as JSON: what `check --format json` prints with each finding and
// `run --replay` reads.
//
//   "instance": {"kernel": "gemm", "params": {"K": 128}, "sms": 2,
//                "cluster": 0},
//   "witness": [{"cta": 0, "warp": 1, "line": 41, "what": "..."}, ...]
//
// A step is a warp's next op; with `operation` it is a milestone ("read" or
// "done") of the operation that this warp issued so many operations before.
// `line` and `what` are for people and are not read.
//
//   absl::StatusOr<Witness> w = ReadWitness(text, "gemm.tile", 0);
#ifndef TILESIM_CLI_WITNESS_JSON_H_
#define TILESIM_CLI_WITNESS_JSON_H_

#include <string>

#include "absl/status/statusor.h"
#include "checkers/check.h"
#include "checkers/report/findings.h"
#include "cli/json.h"

namespace tilesim::cli {

Json ProvenanceJson(const checkers::report::Provenance& seen);
Json WitnessJson(const checkers::report::Finding& finding);

Json FindingJson(const ir::Source& source,
                 const checkers::report::Finding& finding);

// What `run --replay` needs of a finding.
struct Witness {
  checkers::report::Signature signature;
  std::string message;
  bool every_schedule = false;
  checkers::report::Provenance seen;
  checkers::run::Path path;
};

// Of the file `file` (as it is named there, or the one of the same name in
// another folder) the finding number `number`, from 1; 0: the first that has a
// witness. Errors say what is wrong with the text, in the user's words.
absl::StatusOr<Witness> ReadWitness(const std::string& text,
                                    const std::string& file, int number);

}  // namespace tilesim::cli

#endif  // TILESIM_CLI_WITNESS_JSON_H_
