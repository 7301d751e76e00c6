#include "traces/timeline.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <tuple>
#include <utility>

#include "fmt/format.h"

namespace tilesim::traces {
namespace {

template <typename Id>
size_t Index(Id id) {
  return static_cast<size_t>(id);
}

// Indices 0..size-1, stably sorted by `key(index)`: equal keys stay in the
// order of recording.
template <typename Key>
std::vector<uint32_t> SortedIndices(size_t size, Key key) {
  std::vector<uint32_t> order(size);
  std::iota(order.begin(), order.end(), 0u);
  std::stable_sort(order.begin(), order.end(),
                   [&](uint32_t a, uint32_t b) { return key(a) < key(b); });
  return order;
}

template <typename... Args>
absl::Status Refuse(fmt::format_string<Args...> format, Args&&... args) {
  return absl::InvalidArgumentError(
      fmt::format(format, std::forward<Args>(args)...));
}

// SM 0, mma: "WAIT_TMA" 0..640
std::string Describe(const Timeline& timeline, const Slice& slice) {
  const Track& track = timeline.track(slice.track);
  return fmt::format("{}, {}: \"{}\" {}..{}",
                     timeline.process(track.process).name, track.name,
                     timeline.Text(slice.name), slice.start, slice.end);
}

}  // namespace

std::string_view CategoryName(Category category) {
  switch (category) {
    case Category::kWork:
      return "work";
    case Category::kWait:
      return "wait";
    case Category::kIdle:
      return "idle";
  }
  return "";
}

ProcessId Timeline::AddProcess(Process process) {
  processes_.push_back(std::move(process));
  return static_cast<ProcessId>(processes_.size() - 1);
}

TrackId Timeline::AddTrack(Track track) {
  tracks_.push_back(std::move(track));
  return static_cast<TrackId>(tracks_.size() - 1);
}

void Timeline::SetLifetime(TrackId track, Cycle birth, Cycle death) {
  tracks_.at(Index(track)).birth = birth;
  tracks_.at(Index(track)).death = death;
}

void Timeline::AddSlice(const SliceSpec& slice) {
  const auto first_arg = static_cast<uint32_t>(args_.size());
  for (const Arg& arg : slice.args) {
    KeptArg kept{.key = Intern(arg.key), .is_string = false, .value = 0};
    if (const auto* text = std::get_if<std::string_view>(&arg.value)) {
      kept.is_string = true;
      kept.value = static_cast<int64_t>(Intern(*text));
    } else {
      kept.value = std::get<int64_t>(arg.value);
    }
    args_.push_back(kept);
  }
  slices_.push_back({.start = slice.start,
                     .end = slice.end,
                     .track = slice.track,
                     .name = Intern(slice.name),
                     .line = slice.line,
                     .first_arg = first_arg,
                     .num_args = static_cast<uint16_t>(slice.args.size()),
                     .category = slice.category});
}

void Timeline::AddFlow(const FlowSpec& flow) {
  flows_.push_back({.from_cycle = flow.from_cycle,
                    .to_cycle = flow.to_cycle,
                    .from_track = flow.from_track,
                    .to_track = flow.to_track,
                    .name = Intern(flow.name)});
}

void Timeline::AddCounter(const CounterSpec& counter) {
  counters_.push_back({.cycle = counter.cycle,
                       .value = counter.value,
                       .process = counter.process,
                       .name = Intern(counter.name)});
}

const Process& Timeline::process(ProcessId id) const {
  return processes_.at(Index(id));
}

const Track& Timeline::track(TrackId id) const { return tracks_.at(Index(id)); }

std::string_view Timeline::Text(StringId id) const {
  return texts_.at(Index(id));
}

absl::Span<const KeptArg> Timeline::Args(const Slice& slice) const {
  return absl::MakeConstSpan(args_).subspan(slice.first_arg, slice.num_args);
}

StringId Timeline::Intern(std::string_view text) {
  if (auto found = ids_.find(text); found != ids_.end()) return found->second;
  const auto id = static_cast<StringId>(texts_.size());
  texts_.push_back(storage_.emplace_back(text));
  ids_.emplace(texts_.back(), id);
  return id;
}

std::vector<uint32_t> Timeline::SlicesInOrder() const {
  return SortedIndices(slices_.size(), [this](uint32_t i) {
    const Slice& s = slices_[i];
    return std::tuple(s.track, s.start, -s.end);
  });
}

std::vector<uint32_t> Timeline::FlowsInOrder() const {
  return SortedIndices(flows_.size(), [this](uint32_t i) {
    const Flow& f = flows_[i];
    return std::tuple(f.to_cycle, f.from_cycle, f.to_track, f.from_track,
                      Text(f.name));
  });
}

std::vector<uint32_t> Timeline::CountersInOrder() const {
  return SortedIndices(counters_.size(), [this](uint32_t i) {
    const Counter& c = counters_[i];
    return std::tuple(c.process, Text(c.name), c.cycle);
  });
}

absl::Status Timeline::ValidateSlices() const {
  std::vector<const Slice*> open;  // the slices that hold the current one
  for (uint32_t i : SlicesInOrder()) {
    const Slice& slice = slices_[i];
    if (slice.end < slice.start) {
      return Refuse("{} ends before it starts", Describe(*this, slice));
    }
    if (slice.start < 0) {
      return Refuse("{} starts before cycle 0", Describe(*this, slice));
    }
    while (!open.empty() && (open.back()->track != slice.track ||
                             open.back()->end <= slice.start)) {
      open.pop_back();
    }
    if (!open.empty() && open.back()->end < slice.end) {
      return Refuse("{} crosses {}", Describe(*this, slice),
                    Describe(*this, *open.back()));
    }
    open.push_back(&slice);
  }
  return absl::OkStatus();
}

absl::Status Timeline::Validate() const {
  if (info_.clock_khz <= 0) return Refuse("the timeline has no clock");
  for (const Flow& flow : flows_) {
    if (flow.from_cycle < 0) {
      return Refuse("flow \"{}\" leaves before cycle 0", Text(flow.name));
    }
    if (flow.to_cycle < flow.from_cycle) {
      return Refuse(
          "flow \"{}\" arrives at cycle {}, before it leaves at cycle {}",
          Text(flow.name), flow.to_cycle, flow.from_cycle);
    }
  }
  for (const Counter& counter : counters_) {
    if (counter.cycle < 0) {
      return Refuse("counter \"{}\" counts before cycle 0", Text(counter.name));
    }
    if (!std::isfinite(counter.value)) {
      return Refuse("counter \"{}\" at cycle {} is not a finite number",
                    Text(counter.name), counter.cycle);
    }
  }
  return ValidateSlices();
}

}  // namespace tilesim::traces
