// Shards of one sweep put together.
#ifndef TILESIM_CLI_SWEEP_MERGE_H_
#define TILESIM_CLI_SWEEP_MERGE_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "cli/sweep/sweep.h"
#include "ir/diagnostic.h"

namespace tilesim::cli {

struct NamedSweep {
  std::string path;
  Sweep sweep;
};

// What one run of the whole grid says. Errors, for people: a file that is no
// shard, is of another sweep or was interrupted, a shard that is there twice or
// not at all.
absl::StatusOr<Sweep> Merge(const std::vector<NamedSweep>& shards);

// A sweep that `sweep --format json` printed.
absl::StatusOr<NamedSweep> SweepIn(const ir::Source& printed);

}  // namespace tilesim::cli

#endif  // TILESIM_CLI_SWEEP_MERGE_H_
