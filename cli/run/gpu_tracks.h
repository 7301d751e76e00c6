// What a trace shows of the whole GPU, beside the CTAs that were recorded:
// which CTAs ran on which SM, how busy the units were, and the critical path,
// step by step, with arrows through the tracks that it passes.
#ifndef TILESIM_CLI_RUN_GPU_TRACKS_H_
#define TILESIM_CLI_RUN_GPU_TRACKS_H_

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "sim/machine/machine.h"
#include "sim/timing/stats.h"
#include "traces/timeline.h"

namespace tilesim::cli {

// Of the whole GPU: everything, or the critical path alone, for what shows the
// rest in its own way.
enum class GpuTracks : uint8_t { kAll, kPath };

using FileOfSpan = std::function<std::string(ir::Span)>;

// `recorded`: the processes of CTAs, by the number of their launch; `file_of`:
// the name of an included file, "" of the program's own.
void AddGpuTracks(const machine::Machine& machine,
                  const timing::RunStats& stats,
                  const std::map<int32_t, traces::ProcessId>& recorded,
                  const FileOfSpan& file_of, GpuTracks which,
                  traces::Timeline& timeline);

// A step of the critical path, where the timeline draws it.
struct DrawnStep {
  traces::TrackId track{};
  traces::Cycle from = 0, to = 0;
};
// In the order of time; steps that no track shows are left out.
std::vector<DrawnStep> DrawnPath(
    const machine::Machine& machine, const timing::RunStats& stats,
    const std::map<int32_t, traces::ProcessId>& recorded,
    const traces::Timeline& timeline);

// "CTA (3, 0)", with its kernel's name if there are several.
std::string NameOfCta(const machine::Machine& machine,
                      const timing::CtaRun& cta);

}  // namespace tilesim::cli

#endif  // TILESIM_CLI_RUN_GPU_TRACKS_H_
