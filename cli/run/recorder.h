// Turns a timed run into a timeline: what --trace writes.
//
// One process a CTA; in it a track for each strand (named after its role), a
// track for each unit its operations ran on, each shared tile and tensor
// memory tile that operations filled or read, and each mbarrier, phase by
// phase. Flow arrows run from what completed a phase or group to the wait it
// released.
#ifndef TILESIM_CLI_RUN_RECORDER_H_
#define TILESIM_CLI_RUN_RECORDER_H_

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cli/run/gpu_tracks.h"
#include "cli/run/role_tracks.h"
#include "ir/diagnostic.h"
#include "sim/timing/observer.h"
#include "sim/timing/stats.h"
#include "traces/lanes.h"
#include "traces/timeline.h"

namespace tilesim::cli {

// Adds the parameters of a kernel that are not there yet.
void AddSizes(const ir::BoundKernel& kernel,
              std::vector<std::pair<std::string, int64_t>>& sizes);
// Of all kernels.
std::vector<std::pair<std::string, int64_t>> SizesOf(
    const machine::Machine& machine);

class Recorder : public timing::Observer {
 public:
  // `wants` decides by SM and linear CTA what is recorded. Of lines that are
  // not the source's own the file is told, if there is a source; it outlives
  // this.
  Recorder(const machine::Machine& machine, traces::TimelineInfo info,
           std::function<bool(int sm, int64_t cta)> wants,
           const ir::Source* source = nullptr);

  // The finished timeline, with tracks of the whole GPU. Call once, after the
  // run that `stats` are of.
  traces::Timeline Finish(const timing::RunStats& stats,
                          GpuTracks gpu = GpuTracks::kAll);
  // Of it: the processes of the CTAs that were recorded, by the number of their
  // launch.
  const std::map<int32_t, traces::ProcessId>& recorded() const {
    return recorded_;
  }

  bool OnCtaStart(const machine::State& state, int32_t cta, int sm,
                  timing::Cycle at) override;
  void OnStrandStart(const machine::State& state, int32_t strand,
                     timing::Cycle at) override;
  void OnStrandEnd(const machine::State& state, int32_t strand,
                   const machine::Signal* blocked_on,
                   timing::Cycle at) override;
  void OnWork(const machine::State& state, int32_t strand,
              const machine::CompiledOp* op, timing::Cycle from,
              timing::Cycle to) override;
  void OnWait(const machine::State& state, int32_t strand,
              const machine::Signal& signal, const timing::Source& source,
              timing::Cycle from, timing::Cycle to) override;
  void OnIssue(const machine::State& state, int32_t strand, int32_t inflight,
               timing::Cycle at) override;
  void OnOperation(const machine::State& state, int32_t inflight,
                   timing::Cycle from, timing::Cycle to) override;
  void OnPhase(const machine::State& state, const machine::BarrierUse& use,
               timing::Cycle at) override;

 private:
  using Bar = RoleTracks::Bar;
  // Counters of the loops around an op: "k", 5.
  using Turn = std::vector<std::pair<std::string, int64_t>>;
  struct Arrow {
    std::optional<RoleTracks::Seat> from_seat;  // none: from_track
    traces::TrackId from_track{};
    timing::Cycle from = 0;
    RoleTracks::Seat to_seat;
    timing::Cycle to = 0;
    std::string name;
  };
  struct CtaLog {
    traces::ProcessId process{};
    int sm = 0;
    std::map<std::string, std::unique_ptr<traces::Lanes>> lanes;
    std::map<int32_t, timing::Cycle> phase_start;  // by barrier
    std::map<int32_t, traces::TrackId> barrier_tracks;
    std::map<timing::Cycle, int64_t> bytes_in_flight;  // changes
    std::map<timing::Cycle, int64_t> tma_operations;
    std::map<timing::Cycle, int64_t> tensor_busy;
    std::map<timing::Cycle, int64_t> stages_full;
    std::map<std::string, bool> full;  // by stage
  };

  Turn TurnOf(const machine::State& state, int32_t strand, int kernel,
              size_t op) const;
  RoleTracks::Who WhoIs(const machine::State& state, int32_t strand) const;
  void AddArrow(const machine::State& state, const timing::Source& source,
                Arrow arrow);
  // `over`: what was waited for has come.
  void Describe(const machine::State& state, const machine::Signal& signal,
                bool over, Bar& bar) const;
  void RecordTiles(const machine::State& state, const machine::InFlight& f,
                   const ir::ConcreteOp& op, timing::Cycle from,
                   timing::Cycle to);
  traces::TrackId Lane(CtaLog& log, const std::string& name,
                       traces::TrackKind kind, int64_t sort, timing::Cycle from,
                       timing::Cycle to);
  void DrawArrows();
  void Curve(traces::ProcessId process, const char* name,
             const std::map<timing::Cycle, int64_t>& changes);

  // The included file that a place is in; empty: none.
  std::string FileOf(ir::Span span) const;

  const machine::Machine& machine_;
  const ir::Source* source_;
  traces::Timeline timeline_;
  std::function<bool(int, int64_t)> wants_;
  // Slots of the counters of the loops around each op, by kernel and op.
  std::vector<std::vector<std::vector<int32_t>>> loops_;
  std::map<int32_t, CtaLog> ctas_;  // live ones, by slot
  int32_t launches_ = 0;
  std::map<int32_t, traces::ProcessId> recorded_;
  std::map<int32_t, Turn> turns_;  // of operations in flight, by slot
  std::vector<CtaLog> ended_;
  RoleTracks roles_;
  std::map<int32_t, RoleTracks::Who> last_seen_;  // by strand slot
  std::vector<Arrow> arrows_;
  // Arrows from operations that have read their sources and still run, by
  // slot: where those are drawn is known at their end.
  std::map<int32_t, std::vector<Arrow>> early_;
  // Where the operation that is ending now was drawn.
  int32_t last_inflight_ = -1;
  traces::TrackId last_track_{};
  timing::Cycle last_end_ = -1;
};

}  // namespace tilesim::cli

#endif  // TILESIM_CLI_RUN_RECORDER_H_
