// A finding: what is wrong, where it was seen, and what is known of schedules
// that were not run. Checkers make them, the search and the judge of a cluster
// say in which schedules they occur, and the report prints them.
#ifndef TILESIM_CHECKERS_REPORT_FINDING_H_
#define TILESIM_CHECKERS_REPORT_FINDING_H_

#include <cstdint>
#include <list>
#include <string>
#include <vector>

#include "checkers/report/trace_step.h"
#include "checkers/run/lack.h"
#include "checkers/run/move.h"
#include "ir/bind.h"
#include "ir/diagnostic.h"

namespace tilesim::checkers::report {

// A finding as a replay must report it again.
struct Signature {
  ir::Code code;
  int32_t line = 0;
  int32_t column = 0;

  friend bool operator==(const Signature&, const Signature&) = default;
};

inline Signature SignatureOf(const ir::Diagnostic& d) {
  return {d.code, d.span.line, d.span.column};
}

// What to run to see it.
struct Provenance {
  static constexpr int64_t kBetweenClusters = -1;

  std::string kernel;
  ir::Overrides sizes;   // every parameter, and the constants given
  int64_t sm_count = 0;  // of the GPU it was bound for
  int64_t cluster = 0;   // of the grid, or kBetweenClusters
};

struct Finding {
  std::string key;    // equal: the same thing
  std::string place;  // of the text; empty: the key says it
  ir::Diagnostic diagnostic;
  // Every schedule has it; where that is not known, false. A checker says it of
  // its run, JudgeCluster of all schedules of a cluster, the report of the
  // program.
  bool every_schedule = true;
  // A failed condition of the certificate: that another schedule would do
  // something else is concluded, not seen.
  bool concluded = false;
  run::Path witness;  // a schedule that has it; may be empty
  // What comes of it in the witness; no code: nothing else is known.
  Signature consequence;
  run::Lack lack;       // for want of which it is there
  std::string because;  // the key of what it follows from; empty: nothing
  bool known = false;   // of a cluster: it was told of another one
  // Several do the same to one place, each for itself.
  bool of_each = false;
  // What follows from it, once all is told (FollowUp): of this finding, and
  // counted with it.
  std::vector<ir::Diagnostic> follows;
  // What this one stands for: the same thing at other places of the text, each
  // as it would be told there. An author may know of one place and not of
  // another (cli/suppress.h). Those have none themselves.
  std::list<Finding> elsewhere;
  std::list<Finding> follows_elsewhere;  // likewise, of what follows
  Provenance seen;                       // first
  Trace trace;                           // of the witness
  std::string no_witness;                // why there is none
};

}  // namespace tilesim::checkers::report

#endif  // TILESIM_CHECKERS_REPORT_FINDING_H_
