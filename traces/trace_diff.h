// Where two traces of the same program part: the model's and a GPU's, or two of
// either. Tracks of the same CTA are compared, line of the program by line: a
// role by the track of its first thread, all lanes of a unit as one. Tracks of
// tiles are left out: they show again what the units do.
//
//   absl::StatusOr<TraceFile> model = ReadTraceFile("model.json");
//   TraceDiff diff = DiffOf(*model, *gpu);
//
// The n-th time that a track is at a line in one trace stands beside the n-th
// time in the other. Cycles count from the start of the track. Two tracks part
// at the first step whose length differs by more than a quarter and more than
// kParts cycles.
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
  std::string file;  // base name of an included file; empty: the program's
  int32_t line = 0;
  std::string name;  // of its longest slice
  Cycle start = 0;   // from the start of the track
  Cycle cycles = 0;
  std::string op{};    // what is executed; empty: it only waits
  std::string wait{};  // what it waits for, without its number; empty: nothing
  Cycle waited = 0;    // of the cycles
};

// "CTA (0, 0, 0)", role or unit.
using RoleKey = std::pair<std::string, std::string>;
using RoleTraces = std::map<RoleKey, std::vector<LineStep>>;

struct TraceFile {
  std::string program{};  // as the file says it was named
  std::string source{};   // fingerprint of its text; empty: not known
  RoleTraces roles{};
  Cycle cycles = 0;      // from the first slice of a CTA to the last
  Cycle run_cycles = 0;  // of the run; 0: the file does not say
  double clock_mhz = 0;  // 0: not known
  int64_t omitted = 0;   // slices that did not fit into the file
  bool truncated = false;
  bool modelled = false;                   // by us: it shows the whole GPU
  std::map<std::string, int64_t> sizes{};  // empty: the file does not say
};

// Reads a file of chrome_trace.h, compressed or not. NotFound,
// InvalidArgument.
absl::StatusOr<TraceFile> ReadTraceFile(const std::string& path);
// Whether they are of one program, wherever it lay: of the same text, or, where
// a file does not say of which, of the same name.
bool SameProgram(const TraceFile& a, const TraceFile& b);
// "M is 256 in one, 4096 in the other", where both say their sizes and those
// are others; else "".
std::string OtherSizes(const TraceFile& a, const TraceFile& b);

struct LineDiff {
  std::string file;
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
  // A step parts them, or a line is executed more often in one.
  bool differs() const;
};

// Of what both have.
std::vector<RoleDiff> Diff(const RoleTraces& a, const RoleTraces& b);

// Where time differs over all tracks: work of an op, or a wait.
struct PartDiff {
  std::string name;  // "tma.load", "WAIT full"
  std::string file;
  int32_t line = 0;
  Cycle a = 0, b = 0;
};
// The largest difference first.
std::vector<PartDiff> Parts(const RoleTraces& a, const RoleTraces& b);

// Of one of the two files.
struct TraceSide {
  std::string name{};                // how the file is called
  Cycle cycles = 0, run_cycles = 0;  // as of a TraceFile
  double clock_mhz = 0;
  int64_t omitted = 0;
  bool truncated = false;
  // Tracks that the other lacks, how many of each name: "CTAs", "TMA b".
  std::map<std::string, int64_t> alone{};
};

struct TraceDiff {
  TraceSide a{}, b{};
  std::vector<PartDiff> parts{};
  std::vector<RoleDiff> roles{};  // the largest difference first
  std::vector<std::string> notes{};
  // Both are whole, have the same tracks, and no track differs.
  bool equal() const;
};
TraceDiff DiffOf(const TraceFile& a, const TraceFile& b);
// Begins with how long each took and the kShownParts largest parts; of tracks
// kShownRoles are shown.
inline constexpr size_t kShownParts = 5;
inline constexpr size_t kShownRoles = 4;
std::string DiffText(const TraceDiff& diff);
nlohmann::ordered_json DiffJson(const TraceDiff& diff);

}  // namespace tilesim::traces

#endif  // TILESIM_TRACES_TRACE_DIFF_H_
