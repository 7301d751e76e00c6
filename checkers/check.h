// The verifier: what is wrong with a program in any schedule, or that nothing
// is.
//
//   CheckOptions options;
//   options.defines["K"] = 512;
//   CheckReport report = Check(program, options);
//   for (const CheckFinding& f : report.findings) ... f.diagnostic ...
//
// Each cluster is run once at a few instances of the sizes, and judged by its
// order; where that run does not stand for all schedules, they are searched.
// Those instances stand for all sizes where that can be shown (sizes/).
// report.scope says which sizes the verdict is about, and whether it holds for
// all interleavings (README.md).
#ifndef TILESIM_CHECKERS_CHECK_H_
#define TILESIM_CHECKERS_CHECK_H_

#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "checkers/run/move.h"
#include "checkers/witness/story.h"
#include "ir/bind.h"
#include "ir/diagnostic.h"
#include "ir/program.h"

namespace tilesim::checkers {

// Rules that sources disagree on, made errors (README.md).
inline constexpr std::string_view kStrictSwitches[] = {"proxy-war",
                                                       "tensor-war"};

// What must hold of a kernel whose sizes are given, before it means anything:
// frontend::CheckBound.
using Legality =
    std::function<void(const ir::BoundKernel& bound, ir::Diagnostics& found)>;

struct CheckOptions {
  // How often loops go around in the sizes that are checked; 0: all sizes.
  int64_t trips = 0;
  ir::Overrides defines;
  std::set<std::string, std::less<>> strict;  // of kStrictSwitches
  // Of the GPU. 0: for a kernel that asks, in all sizes as many as the GPU has
  // that its target is for, and in some as few as it can be launched with.
  int64_t sm_count = 0;
  int64_t max_events = 100'000;
  // Positions that a search of schedules may look at, for each cluster. 0:
  // 100,000, or 10,000 where sizes that were not run are open anyway.
  int64_t max_states = 0;
  Legality legality;  // of the sizes that are run; absent: it was looked at
  // Events that may be replayed to find each finding a short witness; 0: none
  // is looked for.
  int64_t witness_events = 0;
};

enum class Verdict : uint8_t { kClean, kFindings, kIncomplete };
std::string_view Name(Verdict verdict);

// What to run to see a finding.
struct Sighting {
  std::string kernel;
  ir::Overrides sizes;   // every parameter, and the constants given
  int64_t sm_count = 0;  // of the GPU it was bound for
  int64_t cluster = 0;   // -1: between clusters
};

struct CheckFinding {
  ir::Diagnostic diagnostic;
  bool every_schedule = false;  // else: some schedule has it
  int64_t times = 1;            // in this run
  Sighting seen;                // first
  run::Path witness;            // a schedule that has it; may be empty
  std::vector<witness::Step> story;  // of the witness
};

struct CheckScope {
  bool all_interleavings = false;  // else one run: bounded
  // Every permitted value of every parameter that -D does not fix, together.
  bool all_sizes = false;
  std::set<std::string> all_of;  // parameters that were checked for all values
  int64_t trips = 0;             // most executions of one op in the run
  // The values that were checked, not in all combinations.
  std::map<std::string, std::set<int64_t>> params;
  std::set<int64_t> sms;  // of the GPUs that it is about, if a kernel asks
  int64_t clusters = 0;   // of all grids that were checked
  int64_t clusters_checked = 0;
  int64_t states = 0;  // positions that were searched; 0: order decided
};

struct CheckReport {
  Verdict verdict = Verdict::kIncomplete;
  CheckScope scope;
  std::vector<CheckFinding> findings;
  std::vector<std::string> open;  // why the verdict is no proof
  ir::Diagnostics errors;         // sizes that do not fit: nothing was checked
};

CheckReport Check(const ir::Program& program, const CheckOptions& options);

}  // namespace tilesim::checkers

#endif  // TILESIM_CHECKERS_CHECK_H_
