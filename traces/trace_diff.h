// Where two traces of the same program part: the model's and a GPU's, or two of
// either. Roles of the same CTA are compared, each by the track of its first
// thread, line of the program by line.
//
//   absl::StatusOr<TraceFile> model = ReadTraceFile("model.json");
//   for (const RoleDiff& d : Diff(model->roles, gpu->roles)) ...
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
#include "nlohmann/json.hpp"
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
  std::string op{};    // what is executed; empty: it only waits
  std::string wait{};  // what it waits for, without its number; empty: nothing
  Cycle waited = 0;    // of the cycles
};

// "CTA (0, 0, 0)", role.
using RoleKey = std::pair<std::string, std::string>;
using RoleTraces = std::map<RoleKey, std::vector<LineStep>>;

struct TraceFile {
  std::string program;  // as the file says it was named
  RoleTraces roles;
};

// Reads a file of chrome_trace.h, compressed or not. NotFound,
// InvalidArgument.
absl::StatusOr<TraceFile> ReadTraceFile(const std::string& path);
// Whether two names are of one program, wherever it lay.
bool SameProgram(const TraceFile& a, const TraceFile& b);

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

// Where time differs over all roles that both have: work of an op, or a wait.
struct PartDiff {
  std::string name;  // "tma.load", "WAIT full"
  int32_t line = 0;
  Cycle a = 0, b = 0;
};
// The largest difference first.
std::vector<PartDiff> Parts(const RoleTraces& a, const RoleTraces& b);

struct TraceDiff {
  std::string a, b;  // how the files are called
  std::vector<PartDiff> parts;
  std::vector<RoleDiff> roles;
  bool equal() const;  // no step of any role parts them
};
TraceDiff DiffOf(const TraceFile& a, const TraceFile& b);
// Begins with the kShownParts largest parts.
inline constexpr size_t kShownParts = 5;
std::string DiffText(const TraceDiff& diff);
nlohmann::ordered_json DiffJson(const TraceDiff& diff);

}  // namespace tilesim::traces

#endif  // TILESIM_TRACES_TRACE_DIFF_H_
