// Where two traces of the same program part: the model's and a GPU's, or two of
// either. Roles of the same CTA are compared, each by the track of its first
// thread, line of the program by line.
//
//   absl::StatusOr<RoleTraces> model = ReadRoleTraces("model.json");
//   for (const RoleDiff& d : Diff(*model, *gpu)) ...
//
// The n-th time that a role is at a line in one trace stands beside the n-th
// time in the other. Cycles count from the start of the role's track. Two
// traces part at the first step whose length differs by more than a quarter and
// more than kParts cycles.
#ifndef TILESIM_TRACES_TRACE_DIFF_H_
#define TILESIM_TRACES_TRACE_DIFF_H_

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "traces/timeline.h"

namespace tilesim::traces {

inline constexpr Cycle kParts = 64;

// A stretch in which a role was at one line, a wait and what follows it there
// together.
struct LineStep {
  int32_t line = 0;
  std::string name;  // of its longest slice
  Cycle start = 0;   // from the start of the track
  Cycle cycles = 0;
};

// "CTA (0, 0, 0)", role.
using RoleKey = std::pair<std::string, std::string>;
using RoleTraces = std::map<RoleKey, std::vector<LineStep>>;

// Reads a file of chrome_trace.h, compressed or not. NotFound,
// InvalidArgument.
absl::StatusOr<RoleTraces> ReadRoleTraces(const std::string& path);

struct LineDiff {
  int32_t line = 0;
  std::string name;
  int64_t times_a = 0, times_b = 0;
  Cycle cycles_a = 0, cycles_b = 0;  // all times added up
};

struct RoleDiff {
  RoleKey role;
  Cycle cycles_a = 0, cycles_b = 0;  // to the end of the last step
  // The first step where they part, as each has it.
  std::optional<std::pair<LineStep, LineStep>> parts;
  std::vector<LineDiff> lines;  // the largest difference first
};

// Of what both have.
std::vector<RoleDiff> Diff(const RoleTraces& a, const RoleTraces& b);
std::string DiffText(const std::vector<RoleDiff>& roles, const std::string& a,
                     const std::string& b);

}  // namespace tilesim::traces

#endif  // TILESIM_TRACES_TRACE_DIFF_H_
