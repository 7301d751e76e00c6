// A timeline for tests: small enough to read, with one of everything.
//
//   SM 0 / CTA (0,0) rank 0
//     producer  |ISSUE|WAIT_MMA      |       0..1000
//     mma       |WAIT_TMA |ISSUE_MMA |       0..1000, one nested slice
//     TMA         |load a[0]|                a flow to mma's wait
//     counter     stages full
//   L2                                       belongs to no SM

#ifndef TILESIM_TRACES_SAMPLE_TIMELINE_H_
#define TILESIM_TRACES_SAMPLE_TIMELINE_H_

#include "traces/timeline.h"

namespace tilesim::traces {

Timeline SampleTimeline();

}  // namespace tilesim::traces

#endif  // TILESIM_TRACES_SAMPLE_TIMELINE_H_
