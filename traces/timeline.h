// What happened when: the vocabulary that the simulator (and, later, probes
// on real hardware) speak, and that every trace writer reads.
//
// A Timeline holds processes; a process holds tracks; a track holds slices.
// Flows are arrows between two tracks, counters are curves of one process.
//
//   process  SM 12 / CTA (3,0) rank 1
//     track    producer      |ISSUE_TMA|WAIT empty[0]   |ISSUE_TMA|
//     track    TMA                 |load a[0]       |
//                                                   \ flow "full[0]"
//     track    mma           |WAIT full[0]            |ISSUE_MMA  |
//     counter  stages full   ______________________/----------\____
//
//   Timeline timeline(TimelineInfo{.program = "gemm.tile", .arch = "h200",
//                                  .clock_khz = 1'980'000});
//   ProcessId cta = timeline.AddProcess(
//       {.name = "SM 12 / CTA (3,0)", .sort_index = 12, .sm = 12, .cta = 3});
//   TrackId mma = timeline.AddTrack(
//       {.process = cta, .name = "mma", .kind = TrackKind::kRole});
//   timeline.AddSlice({.track = mma, .name = "WAIT_TMA",
//                      .category = Category::kWait, .start = 0, .end = 640,
//                      .line = 31,
//                      .args = {{"barrier", "full[0]"}, {"phase", 0}}});
//
// Units: SM clock cycles from the start of the launch, always. A cycle names
// the instant at which that cycle begins, so a slice [start, end) lasts
// end - start cycles and its neighbour starts at `end`.
//
// Slices of one track must nest or follow each other; operations of a unit
// that overlap go to lanes (lanes.h). Nothing is judged while recording;
// Validate() says what a writer would have to refuse, tiling.h judges the law
// of complete tracks.
//
// Strings are interned and a slice is 40 bytes (an argument 16), so a million
// slices take about 100 MB. Not thread-safe. Movable, not copyable.

#ifndef TILESIM_TRACES_TIMELINE_H_
#define TILESIM_TRACES_TIMELINE_H_

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "absl/types/span.h"

namespace tilesim::traces {

using Cycle = int64_t;

// Handles are indices into one Timeline, in the order of creation.
enum class StringId : uint32_t {};
enum class ProcessId : uint32_t {};
enum class TrackId : uint32_t {};

enum class Category : uint8_t { kWork, kWait, kIdle };

enum class TrackKind : uint8_t {
  kRole,     // a warp role of a CTA: must tile its lifetime (tiling.h)
  kUnit,     // hardware: TMA, tensor core, L2, HBM ...
  kStage,    // a slot of a shared-memory ring: who holds it
  kTmem,     // a range of tensor-memory columns
  kBarrier,  // an mbarrier: one slice a phase
};

// The word used in trace files: "work", "wait" or "idle".
std::string_view CategoryName(Category category);

// What the whole timeline is about.
struct TimelineInfo {
  std::string program{};  // as the user named the file
  std::string arch{};     // "h200"
  int64_t clock_khz = 0;  // SM clock; 1'980'000 is 1980 MHz
  // What a cycle is if it is none of a clock: "the number of a step".
  std::string time_axis{};
  std::string source{};  // fingerprint of the program's text; empty: not known
  // Its parameters, in the order of the text: traces of other sizes have no
  // steps in common. Empty: not known, or it has none.
  std::vector<std::pair<std::string, int64_t>> sizes{};
  std::optional<int64_t> seed{};        // of what its inputs were drawn from
  std::optional<int64_t> run_cycles{};  // of the run, of which this may be part
};

// What a filter left out (filter.h); all zero when nothing is missing.
struct Omission {
  std::string filter{};    // what was asked for, in words; empty if unfiltered
  bool truncated = false;  // an event limit cut it short
  int64_t slices = 0;
  int64_t flows = 0;
  int64_t counters = 0;
};

struct Process {
  std::string name{};
  int64_t sort_index = 0;
  int64_t sm = -1;   // -1: belongs to no SM (L2, HBM, launcher)
  int64_t cta = -1;  // linear CTA index; -1: belongs to no CTA
};

struct Track {
  ProcessId process{};
  std::string name{};
  TrackKind kind = TrackKind::kRole;
  int64_t sort_index = 0;  // within its process
  Cycle birth = 0;         // of the agent; SetLifetime, read by tiling.h
  Cycle death = 0;
};

// An argument given to AddSlice: {"phase", 3} or {"barrier", "full[0]"}.
struct Arg {
  std::string_view key;
  std::variant<int64_t, std::string_view> value;

  Arg(std::string_view k, std::string_view v) : key(k), value(v) {}
  Arg(std::string_view k, const char* v) : key(k), value(std::string_view(v)) {}
  Arg(std::string_view k, const std::string& v)
      : key(k), value(std::string_view(v)) {}
  template <typename Int, typename = std::enable_if_t<std::is_integral_v<Int>>>
  Arg(std::string_view k, Int v) : key(k), value(static_cast<int64_t>(v)) {}
};

// One bar of the timeline, as a recorder gives it. The views need to live
// only until AddSlice returns.
struct SliceSpec {
  TrackId track{};
  std::string_view name{};  // "ISSUE_TMA", "WAIT_MMA": the probes' own words
  Category category = Category::kWork;
  Cycle start = 0;
  Cycle end = 0;
  int32_t line = 0;  // in the program's file; 0: no line
  // Usual keys: barrier, phase, tile, iteration, bytes. Writers add "cycle",
  // "cycles" and "line" of their own.
  std::vector<Arg> args{};
};

// One bar as it is kept.
struct Slice {
  Cycle start;
  Cycle end;
  TrackId track;
  StringId name;
  int32_t line;
  uint32_t first_arg;  // Timeline::Args
  uint16_t num_args;
  Category category;
};

struct KeptArg {
  StringId key;
  bool is_string;
  int64_t value;  // the number, or the StringId of the text
};

// An arrow from what released (an arrive, a commit, a completion) to the wait
// it released. A cycle at the end of a slice belongs to that slice: write the
// completion's end and the wait's end.
struct FlowSpec {
  TrackId from_track{};
  Cycle from_cycle = 0;
  TrackId to_track{};
  Cycle to_cycle = 0;
  std::string_view name{};
};

struct Flow {
  Cycle from_cycle;
  Cycle to_cycle;
  TrackId from_track;
  TrackId to_track;
  StringId name;
};

// A new value of a curve: stages full, bytes in flight, TMEM columns live.
struct CounterSpec {
  ProcessId process{};
  std::string_view name{};
  Cycle cycle = 0;
  double value = 0;
};

struct Counter {
  Cycle cycle;
  double value;
  ProcessId process;
  StringId name;
};

class Timeline {
 public:
  explicit Timeline(TimelineInfo info) : info_(std::move(info)) {}
  Timeline(Timeline&&) = default;
  Timeline& operator=(Timeline&&) = default;

  ProcessId AddProcess(Process process);
  TrackId AddTrack(Track track);
  void SetLifetime(TrackId track, Cycle birth, Cycle death);
  void AddSlice(const SliceSpec& slice);
  void AddFlow(const FlowSpec& flow);
  void AddCounter(const CounterSpec& counter);

  const TimelineInfo& info() const { return info_; }
  void set_source(std::string source) { info_.source = std::move(source); }
  void set_sizes(std::vector<std::pair<std::string, int64_t>> sizes) {
    info_.sizes = std::move(sizes);
  }
  // Of a run whose clock is known at its end.
  void set_clock_khz(int64_t khz) { info_.clock_khz = khz; }
  void set_run_cycles(int64_t cycles) { info_.run_cycles = cycles; }
  const Omission& omission() const { return omission_; }
  void set_omission(Omission omission) { omission_ = std::move(omission); }

  const Process& process(ProcessId id) const;
  const Track& track(TrackId id) const;
  std::string_view Text(StringId id) const;
  absl::Span<const KeptArg> Args(const Slice& slice) const;

  // In the order of recording.
  absl::Span<const Process> processes() const { return processes_; }
  absl::Span<const Track> tracks() const { return tracks_; }
  absl::Span<const Slice> slices() const { return slices_; }
  absl::Span<const Flow> flows() const { return flows_; }
  absl::Span<const Counter> counters() const { return counters_; }
  absl::Span<const std::string_view> strings() const { return texts_; }

  // Indices in the one order in which every writer writes, whatever the order
  // of recording between tracks: slices by track, start, longer first (a
  // parent before its children), then as recorded; flows by arrival;
  // counters by process, name and cycle.
  std::vector<uint32_t> SlicesInOrder() const;
  std::vector<uint32_t> FlowsInOrder() const;
  std::vector<uint32_t> CountersInOrder() const;

  // InvalidArgument, in words, if no writer could show this timeline: no
  // clock, a slice or flow that ends before it starts or starts before cycle
  // 0, slices that cross on one track, a counter that is not a number.
  absl::Status Validate() const;

 private:
  StringId Intern(std::string_view text);
  absl::Status ValidateSlices() const;

  TimelineInfo info_;
  Omission omission_;
  std::vector<Process> processes_;
  std::vector<Track> tracks_;
  std::vector<Slice> slices_;
  std::vector<KeptArg> args_;
  std::vector<Flow> flows_;
  std::vector<Counter> counters_;
  // A deque never moves its elements, so the views into it stay good.
  std::deque<std::string> storage_;
  std::vector<std::string_view> texts_;
  absl::flat_hash_map<std::string_view, StringId> ids_;
};

}  // namespace tilesim::traces

#endif  // TILESIM_TRACES_TIMELINE_H_
