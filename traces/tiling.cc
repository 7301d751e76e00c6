#include "traces/tiling.h"

#include <utility>
#include <vector>

#include "fmt/format.h"

namespace tilesim::traces {
namespace {

// Walks the slices of one role track in order and remembers how far its life
// is explained.
class RoleTrack {
 public:
  RoleTrack(const Timeline& timeline, const Track& track)
      : timeline_(timeline), track_(track), explained_(track.birth) {}

  // Each returns a violation in words, or nothing.
  std::optional<std::string> Add(const Slice& slice);
  std::optional<std::string> Finish() const;

 private:
  std::optional<std::string> AddOutermost(const Slice& slice);
  std::string Name(const Slice& slice) const;
  std::string Gap(Cycle until) const;

  template <typename... Args>
  std::string Say(fmt::format_string<Args...> format, Args&&... args) const {
    return fmt::format("{}, {}: {}", timeline_.process(track_.process).name,
                       track_.name,
                       fmt::format(format, std::forward<Args>(args)...));
  }

  const Timeline& timeline_;
  const Track& track_;
  Cycle explained_;                  // everything before it is
  const Slice* previous_ = nullptr;  // the last outermost slice
  std::vector<const Slice*> open_;   // the slices that hold the current one
};

std::string RoleTrack::Name(const Slice& slice) const {
  const std::string line =
      slice.line > 0 ? fmt::format(" (line {})", slice.line) : "";
  return fmt::format("\"{}\" {}..{}{}", timeline_.Text(slice.name), slice.start,
                     slice.end, line);
}

std::string RoleTrack::Gap(Cycle until) const {
  const std::string after =
      previous_ == nullptr ? "" : fmt::format(", after {}", Name(*previous_));
  return Say("cycles {}..{} are unexplained{}", explained_, until, after);
}

std::optional<std::string> RoleTrack::Add(const Slice& slice) {
  if (slice.end < slice.start) {
    return Say("{} ends before it starts", Name(slice));
  }
  if (timeline_.Text(slice.name).empty()) {
    return Say("{} at {}..{} has no name", CategoryName(slice.category),
               slice.start, slice.end);
  }
  while (!open_.empty() && open_.back()->end <= slice.start) open_.pop_back();
  if (open_.empty()) {
    if (auto violation = AddOutermost(slice)) return violation;
  } else if (open_.back()->end < slice.end) {
    return Say("{} overlaps {}", Name(slice), Name(*open_.back()));
  }
  open_.push_back(&slice);
  return std::nullopt;
}

std::optional<std::string> RoleTrack::AddOutermost(const Slice& slice) {
  if (slice.category == Category::kIdle) {
    return Say("{} is idle, neither work nor a wait", Name(slice));
  }
  if (slice.start < track_.birth || slice.end > track_.death) {
    return Say("{} lies outside its life {}..{}", Name(slice), track_.birth,
               track_.death);
  }
  if (slice.start > explained_) return Gap(slice.start);
  explained_ = slice.end;
  previous_ = &slice;
  return std::nullopt;
}

std::optional<std::string> RoleTrack::Finish() const {
  if (track_.death < track_.birth) {
    return Say("dies at cycle {}, before its birth at cycle {}", track_.death,
               track_.birth);
  }
  if (explained_ < track_.death) return Gap(track_.death);
  return std::nullopt;
}

}  // namespace

std::optional<std::string> FindTilingViolation(const Timeline& timeline) {
  const std::vector<uint32_t> order = timeline.SlicesInOrder();
  size_t next = 0;
  for (size_t t = 0; t < timeline.tracks().size(); ++t) {
    const Track& track = timeline.tracks()[t];
    RoleTrack role(timeline, track);
    for (; next < order.size(); ++next) {
      const Slice& slice = timeline.slices()[order[next]];
      if (slice.track != static_cast<TrackId>(t)) break;
      if (track.kind != TrackKind::kRole) continue;
      if (auto violation = role.Add(slice)) return violation;
    }
    if (track.kind != TrackKind::kRole) continue;
    if (auto violation = role.Finish()) return violation;
  }
  return std::nullopt;
}

}  // namespace tilesim::traces
