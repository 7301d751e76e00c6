#include "cli/run/gpu_tracks.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "ir/cat.h"
#include "traces/lanes.h"

namespace tilesim::cli {
namespace {

using timing::Cause;
using timing::PathStep;
using traces::Cycle;

// More CTAs than this are counted, not drawn.
constexpr size_t kMostCtas = 1 << 15;
constexpr int64_t kBeforeCtas = -1;  // sort index of the process

const machine::CompiledOp* OpOf(const machine::Machine& machine,
                                const timing::PathKey& key) {
  return key.op < 0 ? nullptr : &machine.code(key.kernel).ops[key.op];
}

// "tensor core: wgmma.mma_async"
std::string NameOf(const machine::Machine& machine, const PathStep& step) {
  std::string name(timing::kCauseNames[static_cast<int>(step.key.cause)]);
  const machine::CompiledOp* op = OpOf(machine, step.key);
  return op == nullptr ? name : ir::Cat(name, ": ", op->op->info->mnemonic);
}

void AddCtas(const machine::Machine& machine, const timing::RunStats& stats,
             traces::ProcessId gpu, traces::Timeline& timeline) {
  std::map<int16_t, std::unique_ptr<traces::Lanes>> lanes;
  const size_t drawn = std::min(stats.ctas_run.size(), kMostCtas);
  for (size_t i = 0; i < drawn; ++i) {
    const timing::CtaRun& c = stats.ctas_run[i];
    const Cycle end = c.end < 0 ? std::max(stats.cycles, c.start) : c.end;
    auto& lane = lanes[c.sm];
    if (lane == nullptr)
      lane = std::make_unique<traces::Lanes>(
          &timeline, traces::Track{.process = gpu,
                                   .name = ir::Cat("SM ", c.sm),
                                   .kind = traces::TrackKind::kUnit,
                                   .sort_index = 1 + c.sm});
    const std::string name = NameOfCta(machine, c);
    traces::SliceSpec slice;
    slice.track = lane->Take(c.start, end);
    slice.name = name;
    slice.start = c.start;
    slice.end = end;
    slice.args.emplace_back("cta", c.linear);
    timeline.AddSlice(slice);
  }
}

void AddLoad(const timing::RunStats& stats, traces::ProcessId gpu,
             traces::Timeline& timeline) {
  const auto add = [&](const char* name, Cycle at, double share) {
    traces::CounterSpec counter;
    counter.process = gpu;
    counter.name = name;
    counter.cycle = at;
    counter.value = share * 100;
    timeline.AddCounter(counter);
  };
  for (const timing::LoadSample& s : stats.load) {
    add("HBM, % busy", s.from, s.hbm);
    add("L2 ports, % busy", s.from, s.l2);
    add("tensor cores, % busy", s.from, s.tensor);
  }
}

void AddPath(const machine::Machine& machine, const timing::RunStats& stats,
             const FileOfSpan& file_of, traces::ProcessId gpu,
             traces::Timeline& timeline) {
  if (stats.path_steps.empty()) return;
  const traces::TrackId track =
      timeline.AddTrack({.process = gpu,
                         .name = "critical path",
                         .kind = traces::TrackKind::kUnit,
                         .sort_index = 0});
  for (const PathStep& step : stats.path_steps) {
    const std::string name = NameOf(machine, step);
    const std::string cta =
        step.cta < 0 ? "" : NameOfCta(machine, stats.ctas_run[step.cta]);
    traces::SliceSpec slice;
    slice.track = track;
    slice.name = name;
    slice.start = step.from;
    slice.end = step.to;
    std::string file;
    if (const machine::CompiledOp* op = OpOf(machine, step.key)) {
      slice.line = op->op->span.text_line();
      file = file_of(op->op->span);
    }
    if (!file.empty()) slice.args.emplace_back("file", file);
    if (step.cta >= 0) {
      slice.args.emplace_back("where", cta);
      slice.args.emplace_back("sm", stats.ctas_run[step.cta].sm);
    }
    timeline.AddSlice(slice);
  }
}

// Slices of recorded CTAs by process and line, which the path is looked up in.
class Drawn {
 public:
  explicit Drawn(const traces::Timeline& timeline) : timeline_(timeline) {
    for (size_t i = 0; i < timeline.slices().size(); ++i) {
      const traces::Slice& s = timeline.slices()[i];
      const traces::Track& track = timeline.track(s.track);
      const bool role = track.kind == traces::TrackKind::kRole;
      if (s.line > 0 && (role || track.kind == traces::TrackKind::kUnit))
        by_line_[{track.process, s.line}].push_back(i);
    }
    for (auto& [at, list] : by_line_) {
      std::sort(list.begin(), list.end(), [&](size_t a, size_t b) {
        return timeline.slices()[a].start < timeline.slices()[b].start;
      });
    }
  }

  // The slice of that line that is open for all of the step: what a role does
  // or waits for, or an operation; of several the one that ends at `end`.
  const traces::Slice* Of(traces::ProcessId process, int32_t line,
                          const PathStep& step, Cycle end) const {
    auto at = by_line_.find({process, line});
    if (at == by_line_.end()) return nullptr;
    const traces::Slice* best = nullptr;
    for (size_t i : at->second) {
      const traces::Slice& s = timeline_.slices()[i];
      if (s.start > step.from) break;
      // A wake is the end of a wait that began long before.
      if (s.end < step.to) continue;
      if (s.end == end) return &s;
      if (best == nullptr || s.end - s.start < best->end - best->start)
        best = &s;
    }
    return best;
  }

 private:
  const traces::Timeline& timeline_;
  std::map<std::pair<traces::ProcessId, int32_t>, std::vector<size_t>> by_line_;
};

// Of one op the path has several steps, one a cause: when the last of them
// ends.
Cycle EndOfOp(const std::vector<PathStep>& steps, size_t i) {
  const auto same = [&](const PathStep& next) {
    return next.cta == steps[i].cta && next.key.op == steps[i].key.op &&
           next.key.kernel == steps[i].key.kernel;
  };
  size_t last = i;
  while (last + 1 < steps.size() && same(steps[last + 1])) ++last;
  return steps[last].to;
}

}  // namespace

std::string NameOfCta(const machine::Machine& machine,
                      const timing::CtaRun& cta) {
  const ir::BoundKernel& b = machine.code(cta.kernel).bound;
  const int64_t x = cta.linear % b.grid[0];
  const int64_t y = cta.linear / b.grid[0] % b.grid[1];
  const int64_t z = cta.linear / b.grid[0] / b.grid[1];
  std::string name = ir::Cat("CTA (", x, ", ", y);
  if (b.grid[2] > 1) ir::Append(&name, ", ", z);
  name += ")";
  return machine.kernels() > 1 ? ir::Cat(b.kernel->name, ": ", name) : name;
}

std::vector<DrawnStep> DrawnPath(
    const machine::Machine& machine, const timing::RunStats& stats,
    const std::map<int32_t, traces::ProcessId>& recorded,
    const traces::Timeline& timeline) {
  const Drawn drawn(timeline);
  std::vector<DrawnStep> steps;
  for (size_t i = 0; i < stats.path_steps.size(); ++i) {
    const PathStep& step = stats.path_steps[i];
    auto process = recorded.find(step.cta);
    const machine::CompiledOp* op = OpOf(machine, step.key);
    if (process == recorded.end() || op == nullptr) continue;
    const traces::Slice* slice =
        drawn.Of(process->second, op->op->span.text_line(), step,
                 EndOfOp(stats.path_steps, i));
    if (slice != nullptr) steps.push_back({slice->track, step.from, step.to});
  }
  return steps;
}

void AddGpuTracks(const machine::Machine& machine,
                  const timing::RunStats& stats,
                  const std::map<int32_t, traces::ProcessId>& recorded,
                  const FileOfSpan& file_of, GpuTracks which,
                  traces::Timeline& timeline) {
  const std::vector<DrawnStep> path =
      DrawnPath(machine, stats, recorded, timeline);
  for (size_t i = 0; i + 1 < path.size(); ++i) {
    const DrawnStep &a = path[i], &b = path[i + 1];
    if (a.track == b.track || a.to != b.from) continue;
    timeline.AddFlow({.from_track = a.track,
                      .from_cycle = a.to,
                      .to_track = b.track,
                      .to_cycle = b.to,
                      .name = "critical path"});
  }
  std::string name = "GPU";
  if (which == GpuTracks::kAll && stats.ctas_run.size() > kMostCtas)
    name = ir::Cat("GPU (the first ", kMostCtas, " of ", stats.ctas_run.size(),
                   " CTAs)");
  const traces::ProcessId gpu =
      timeline.AddProcess({.name = name, .sort_index = kBeforeCtas});
  AddPath(machine, stats, file_of, gpu, timeline);
  if (which == GpuTracks::kPath) return;
  AddCtas(machine, stats, gpu, timeline);
  AddLoad(stats, gpu, timeline);
}

}  // namespace tilesim::cli
