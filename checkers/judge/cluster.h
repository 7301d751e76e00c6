// One cluster at one instance of the sizes, in all its schedules: by the order
// of one run if that run stands for all, else by searching them.
#ifndef TILESIM_CHECKERS_JUDGE_CLUSTER_H_
#define TILESIM_CHECKERS_JUDGE_CLUSTER_H_

#include <cstdint>
#include <string>
#include <vector>

#include "checkers/footprint/fragments.h"
#include "checkers/judge/assumed.h"
#include "checkers/order/certificate.h"
#include "checkers/report/findings.h"
#include "checkers/report/reasons.h"
#include "checkers/run/log.h"
#include "checkers/run/runner.h"

namespace tilesim::checkers::judge {

struct ClusterVerdict {
  run::Log log;  // of the canonical run
  report::Findings findings;
  bool holds = false;  // the canonical run stands for all
  bool all_interleavings = false;
  bool cut = false;              // its run was, as too long
  bool same_accesses = false;    // every schedule has the accesses of the log
  std::vector<run::Log> orders;  // else: a run for each order that was found
  report::Reasons open;
  int64_t states = 0;  // states searched
  Assumed assumed;
};

// Certify, and whether control reads the same values in every schedule.
order::Certificate CertifyValues(const run::Log& log,
                                 footprint::Fragments& fragments,
                                 report::Findings& findings);

// Clusters of the grid that run side by side: all, where they are few and
// decide over global memory where others go; else one.
int64_t SideBySide(const machine::Code& code);

// Of a size for which it is shown already that all is right, and the same in
// all schedules. It does not hold if that is not what is seen.
ClusterVerdict VerdictOfShown(const machine::Code& code,
                              const run::RunOptions& run);

// What this one schedule shows to be wrong.
ClusterVerdict VerdictOfOneSchedule(const machine::Code& code,
                                    const run::RunOptions& run,
                                    footprint::Fragments& fragments);

ClusterVerdict JudgeCluster(const machine::Code& code,
                            const run::RunOptions& run, int64_t max_states,
                            footprint::Fragments& fragments);

}  // namespace tilesim::checkers::judge

#endif  // TILESIM_CHECKERS_JUDGE_CLUSTER_H_
