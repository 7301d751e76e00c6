#include "cli/replay_timeline.h"

#include <map>
#include <utility>

#include "ir/cat.h"
#include "traces/lanes.h"

namespace tilesim::cli {
namespace {

using checkers::report::Trace;
using checkers::report::TraceStep;
using traces::Cycle;

// Stuck waits get room at the end to be seen.
constexpr Cycle kAfter = 8;
constexpr int64_t kStepKhz = 1000;  // a step is a microsecond
constexpr int64_t kSortOperations = 1 << 12;

class Drawing {
 public:
  Drawing(const Trace& trace, const std::string& program)
      : trace_(trace),
        end_(static_cast<Cycle>(trace.size()) + kAfter),
        timeline_({.program = program,
                   .arch = "",
                   .clock_khz = kStepKhz,
                   .time_axis = "the number of a step of the schedule, not "
                                "time: a step is drawn as 1 us"}) {}

  traces::Timeline Draw() {
    for (size_t i = 0; i < trace_.size(); ++i) {
      const TraceStep& s = trace_[i];
      auto at = static_cast<Cycle>(i);
      if (s.operation >= 0) {
        Milestone(s, at);
      } else {
        OfWarp(s, at);
      }
    }
    for (auto& [warp, track] : warps_)
      timeline_.SetLifetime(track.id, 0, track.done);
    for (const auto& [id, o] : operations_) Operation(*o.step, o.from, end_);
    return std::move(timeline_);
  }

 private:
  struct WarpTrack {
    traces::TrackId id{};
    Cycle done = 0;  // drawn until here
    const TraceStep* inside =
        nullptr;  // its entry to the barrier it is inside of
  };
  struct Started {
    const TraceStep* step;
    Cycle from;
  };

  traces::ProcessId ProcessOf(int32_t cta) {
    auto [at, fresh] = processes_.try_emplace(cta);
    if (fresh)
      at->second = timeline_.AddProcess(
          {.name = ir::Cat("CTA ", cta, " (time: steps of a schedule)"),
           .sort_index = cta,
           .sm = -1,
           .cta = cta});
    return at->second;
  }

  // Named after the last role that the warp plays in the trace.
  WarpTrack& TrackOf(const TraceStep& s) {
    auto [at, fresh] = warps_.try_emplace({s.cta, s.warp});
    if (!fresh) return at->second;
    std::string name = s.who;
    for (const TraceStep& other : trace_) {
      bool same = other.cta == s.cta && other.warp == s.warp;
      if (same && other.operation < 0) name = other.who;
    }
    at->second.id = timeline_.AddTrack({.process = ProcessOf(s.cta),
                                        .name = std::move(name),
                                        .kind = traces::TrackKind::kRole,
                                        .sort_index = s.warp});
    return at->second;
  }

  void OfWarp(const TraceStep& s, Cycle at) {
    WarpTrack& track = TrackOf(s);
    if (track.inside != nullptr)
      Fill(track, RoundEnd(*track.inside, at), "WAIT " + track.inside->inside,
           track.inside);
    bool never = s.stuck && s.inside.empty();
    Fill(track, never ? end_ : at, GapName(s), &s);
    track.inside = s.inside.empty() ? nullptr : &s;
    if (never) return;
    Slice(track.id, s.op, traces::Category::kWork, at, at + 1, &s);
    track.done = at + 1;
    if (s.stuck) Fill(track, end_, "WAIT " + s.inside, &s);
    for (int32_t id : s.issued) operations_[id] = {&s, at};
  }

  // When the last to enter did so.
  Cycle RoundEnd(const TraceStep& entry, Cycle before) const {
    for (Cycle i = before; i-- > 0;) {
      const TraceStep& s = trace_[static_cast<size_t>(i)];
      if (s.cta == entry.cta && s.inside == entry.inside &&
          s.round == entry.round)
        return i + 1;
    }
    return before;
  }

  // Before its next op a warp waits, or others are chosen to move.
  static std::string GapName(const TraceStep& next) {
    if (!next.waits_for.empty()) return "WAIT " + next.waits_for;
    return next.stuck && next.inside.empty() ? "WAIT " + next.op
                                             : "others move";
  }

  void Fill(WarpTrack& track, Cycle until, const std::string& name,
            const TraceStep* step = nullptr) {
    if (until <= track.done) return;
    Slice(track.id, name, traces::Category::kWait, track.done, until, step);
    track.done = until;
  }

  void Milestone(const TraceStep& s, Cycle at) {
    auto started = operations_.find(s.operation);
    if (s.milestone != ir::Milestone::kDone || started == operations_.end())
      return;
    Operation(*started->second.step, started->second.from, at + 1);
    operations_.erase(started);
  }

  void Operation(const TraceStep& issue, Cycle from, Cycle to) {
    auto [lanes, fresh] =
        lanes_.try_emplace({issue.cta, issue.op}, &timeline_,
                           traces::Track{.process = ProcessOf(issue.cta),
                                         .name = issue.op,
                                         .kind = traces::TrackKind::kUnit,
                                         .sort_index = kSortOperations});
    Slice(lanes->second.Take(from, to), issue.op, traces::Category::kWork, from,
          to, &issue);
  }

  void Slice(traces::TrackId track, const std::string& name,
             traces::Category category, Cycle from, Cycle to,
             const TraceStep* s) {
    traces::SliceSpec slice{.track = track,
                            .name = name,
                            .category = category,
                            .start = from,
                            .end = to};
    if (s != nullptr) {
      slice.line = s->span.text_line();
      slice.args = {{"what", s->text}, {"who", s->who}};
    }
    timeline_.AddSlice(slice);
  }

  const Trace& trace_;
  Cycle end_;
  traces::Timeline timeline_;
  std::map<int32_t, traces::ProcessId> processes_;
  std::map<std::pair<int32_t, int32_t>, WarpTrack> warps_;
  std::map<int32_t, Started> operations_;  // in flight
  std::map<std::pair<int32_t, std::string>, traces::Lanes> lanes_;
};

}  // namespace

traces::Timeline ReplayTimeline(const Trace& trace,
                                const std::string& program) {
  return Drawing(trace, program).Draw();
}

}  // namespace tilesim::cli
