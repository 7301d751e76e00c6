// Lanes: tracks for operations of one unit that are in flight together.
//
// Viewers draw only slices that nest or follow each other, but a TMA engine
// has many copies in flight. Each goes to the first lane that is free:
//
//   TMA      |load a[0]        |load a[2]       |
//   TMA #2        |load b[0]        |load b[2]       |
//   TMA #3             |load a[1]   |
//
//   Lanes tma(&timeline, {.process = cta, .name = "TMA",
//                         .kind = TrackKind::kUnit, .sort_index = 10});
//   timeline.AddSlice({.track = tma.Take(start, end), .name = "load a[0]",
//   ...});

#ifndef TILESIM_TRACES_LANES_H_
#define TILESIM_TRACES_LANES_H_

#include <string>
#include <vector>

#include "traces/timeline.h"

namespace tilesim::traces {

class Lanes {
 public:
  // `timeline` must outlive this. No track exists before the first Take.
  Lanes(Timeline* timeline, Track first);

  // The track for an operation that runs from `start` to `end`; makes a new
  // one, named "NAME #n" and sorted behind, when all are taken. Any order of
  // calls is right; the order of the starts needs the fewest lanes.
  TrackId Take(Cycle start, Cycle end);

 private:
  struct Lane {
    TrackId track;
    Cycle free_from;
  };

  Timeline* timeline_;
  Track first_;
  std::vector<Lane> lanes_;
};

}  // namespace tilesim::traces

#endif  // TILESIM_TRACES_LANES_H_
