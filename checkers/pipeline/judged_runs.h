// Which runs of a cluster stand for all its schedules.
#ifndef TILESIM_CHECKERS_PIPELINE_JUDGED_RUNS_H_
#define TILESIM_CHECKERS_PIPELINE_JUDGED_RUNS_H_

#include <optional>
#include <vector>

#include "checkers/judge/cluster.h"
#include "checkers/program/check.h"

namespace tilesim::checkers::pipeline {

// One that stands for all, or one for each order that the schedules have; of
// the verdict, which must outlive them.
inline std::vector<program::JudgedRun> RunsOf(const judge::ClusterVerdict& v) {
  std::vector<program::JudgedRun> out;
  std::optional<order::Order::Kind> all;
  if (v.holds) all = order::Order::Kind::kNoFlags;
  if (v.same_accesses) out.push_back({&v.log, all});
  for (const run::Log& log : v.orders)
    out.push_back({&log, order::Order::Kind::kMemory});
  return out;
}

}  // namespace tilesim::checkers::pipeline

#endif  // TILESIM_CHECKERS_PIPELINE_JUDGED_RUNS_H_
