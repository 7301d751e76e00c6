#include "traces/lanes.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"

namespace tilesim::traces {

Lanes::Lanes(Timeline* timeline, Track first)
    : timeline_(timeline), first_(std::move(first)) {}

TrackId Lanes::Take(Cycle start, Cycle end) {
  const auto free = std::find_if(
      lanes_.begin(), lanes_.end(),
      [start](const Lane& lane) { return lane.free_from <= start; });
  if (free != lanes_.end()) {
    free->free_from = end;
    return free->track;
  }
  Track track = first_;
  track.sort_index += static_cast<int64_t>(lanes_.size());
  if (!lanes_.empty()) absl::StrAppend(&track.name, " #", lanes_.size() + 1);
  lanes_.push_back({.track = timeline_->AddTrack(track), .free_from = end});
  return lanes_.back().track;
}

}  // namespace tilesim::traces
