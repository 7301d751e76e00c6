#include "traces/sample_timeline.h"

namespace tilesim::traces {
namespace {

void AddProducer(Timeline* timeline, ProcessId cta) {
  const TrackId producer =
      timeline->AddTrack({.process = cta, .name = "producer", .sort_index = 0});
  timeline->SetLifetime(producer, 0, 1000);
  timeline->AddSlice({.track = producer,
                      .name = "ISSUE_TMA",
                      .end = 40,
                      .line = 30,
                      .args = {{"tile", 0}, {"bytes", 32768}}});
  timeline->AddSlice({.track = producer,
                      .name = "WAIT_MMA",
                      .category = Category::kWait,
                      .start = 40,
                      .end = 1000,
                      .line = 29,
                      .args = {{"barrier", "empty[0]"}, {"phase", 0}}});
}

TrackId AddMma(Timeline* timeline, ProcessId cta) {
  const TrackId mma =
      timeline->AddTrack({.process = cta, .name = "mma", .sort_index = 1});
  timeline->SetLifetime(mma, 0, 1000);
  timeline->AddSlice({.track = mma,
                      .name = "WAIT_TMA",
                      .category = Category::kWait,
                      .end = 640,
                      .line = 36,
                      .args = {{"barrier", "full[0]"}, {"phase", 0}}});
  timeline->AddSlice({.track = mma,
                      .name = "ISSUE_MMA",
                      .start = 640,
                      .end = 1000,
                      .line = 37,
                      .args = {{"iteration", 0}}});
  timeline->AddSlice({.track = mma, .name = "k = 0", .start = 640, .end = 641});
  return mma;
}

TrackId AddTma(Timeline* timeline, ProcessId cta) {
  const TrackId tma = timeline->AddTrack({.process = cta,
                                          .name = "TMA",
                                          .kind = TrackKind::kUnit,
                                          .sort_index = 10});
  timeline->AddSlice({.track = tma,
                      .name = "load a[0]",
                      .start = 38,
                      .end = 634,
                      .line = 31,
                      .args = {{"bytes", 32768}}});
  return tma;
}

}  // namespace

Timeline SampleTimeline() {
  Timeline timeline(
      {.program = "ring.tile", .arch = "h200", .clock_khz = 1'980'000});
  const ProcessId cta = timeline.AddProcess(
      {.name = "SM 0 / CTA (0,0) rank 0", .sort_index = 0, .sm = 0, .cta = 0});
  timeline.AddProcess({.name = "L2", .sort_index = 1000});
  AddProducer(&timeline, cta);
  const TrackId mma = AddMma(&timeline, cta);
  const TrackId tma = AddTma(&timeline, cta);
  timeline.AddFlow({.from_track = tma,
                    .from_cycle = 634,
                    .to_track = mma,
                    .to_cycle = 640,
                    .name = "full[0]"});
  timeline.AddCounter({.process = cta, .name = "stages full", .cycle = 0});
  timeline.AddCounter(
      {.process = cta, .name = "stages full", .cycle = 634, .value = 1});
  return timeline;
}

}  // namespace tilesim::traces
