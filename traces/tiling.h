// The law of traces: every interval of every agent is work or a named wait.
//
//   birth                                              death
//     |ISSUE_TMA|WAIT empty[0]      |ISSUE_TMA|           |
//                                             ^^^^^^^^^^^^^
//   "SM 0, producer: cycles 40..53 are unexplained, after "ISSUE_TMA" 30..40"
//
// A trace that obeys it hides nothing: the waits of a role and its work add
// up to its lifetime, so a summary cannot lose a cycle either.

#ifndef TILESIM_TRACES_TILING_H_
#define TILESIM_TRACES_TILING_H_

#include <optional>
#include <string>

#include "traces/timeline.h"

namespace tilesim::traces {

// Checks each track of kind kRole: its outermost slices tile [birth, death]
// without gap or overlap, none is idle or nameless, and every other slice
// lies inside the slice that holds it. Other kinds of track may have gaps.
//
// Returns the first violation in words (in the order of the tracks, then of
// time), or nothing. Judge the whole timeline: a filtered one has gaps of the
// filter's making.
std::optional<std::string> FindTilingViolation(const Timeline& timeline);

}  // namespace tilesim::traces

#endif  // TILESIM_TRACES_TILING_H_
