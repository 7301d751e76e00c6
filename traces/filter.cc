#include "traces/filter.h"

#include <algorithm>
#include <limits>
#include <string_view>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

namespace tilesim::traces {
namespace {

constexpr uint32_t kDropped = std::numeric_limits<uint32_t>::max();

// One event that passed the filter, before the limit on their number.
struct Candidate {
  enum class Kind : uint8_t { kSlice, kCounter, kFlow };  // order among equals
  Cycle cycle;
  Kind kind;
  uint32_t index;

  int64_t events() const { return kind == Kind::kFlow ? 2 : 1; }
};

class Selection {
 public:
  Selection(const Timeline& whole, const Filter& filter)
      : whole_(whole), filter_(filter), part_(whole.info()) {}

  Timeline Run() {
    CopyTracks();
    std::vector<Candidate> candidates = Candidates();
    const bool truncated = Limit(&candidates);
    for (const Candidate& candidate : candidates) Copy(candidate);
    SetOmission(truncated);
    return std::move(part_);
  }

 private:
  bool Passes(const Process& process) const {
    return (filter_.sms.empty() || process.sm < 0 ||
            absl::c_linear_search(filter_.sms, process.sm)) &&
           (filter_.ctas.empty() || process.cta < 0 ||
            absl::c_linear_search(filter_.ctas, process.cta));
  }
  bool Passes(Cycle start, Cycle end) const {
    return (!filter_.from || end >= *filter_.from) &&
           (!filter_.to || start <= *filter_.to);
  }
  bool Kept(TrackId id) const {
    return tracks_[static_cast<size_t>(id)] != kDropped;
  }
  TrackId NewId(TrackId id) const {
    return static_cast<TrackId>(tracks_[static_cast<size_t>(id)]);
  }

  void CopyTracks();
  std::vector<Candidate> Candidates() const;
  bool Limit(std::vector<Candidate>* candidates) const;
  void Copy(const Candidate& candidate);
  void CopySlice(const Slice& slice);
  void SetOmission(bool truncated);

  const Timeline& whole_;
  const Filter& filter_;
  Timeline part_;
  std::vector<uint32_t> processes_;  // old index -> new, or kDropped
  std::vector<uint32_t> tracks_;
};

void Selection::CopyTracks() {
  for (const Process& process : whole_.processes()) {
    processes_.push_back(Passes(process)
                             ? static_cast<uint32_t>(part_.AddProcess(process))
                             : kDropped);
  }
  for (Track track : whole_.tracks()) {
    const uint32_t process = processes_[static_cast<size_t>(track.process)];
    track.process = static_cast<ProcessId>(process);
    tracks_.push_back(process == kDropped
                          ? kDropped
                          : static_cast<uint32_t>(part_.AddTrack(track)));
  }
}

std::vector<Candidate> Selection::Candidates() const {
  std::vector<Candidate> out;
  for (uint32_t i = 0; i < whole_.slices().size(); ++i) {
    const Slice& slice = whole_.slices()[i];
    if (Kept(slice.track) && Passes(slice.start, slice.end)) {
      out.push_back({slice.start, Candidate::Kind::kSlice, i});
    }
  }
  for (uint32_t i = 0; i < whole_.counters().size(); ++i) {
    const Counter& counter = whole_.counters()[i];
    if (processes_[static_cast<size_t>(counter.process)] != kDropped &&
        Passes(counter.cycle, counter.cycle)) {
      out.push_back({counter.cycle, Candidate::Kind::kCounter, i});
    }
  }
  for (uint32_t i = 0; i < whole_.flows().size(); ++i) {
    const Flow& flow = whole_.flows()[i];
    if (Kept(flow.from_track) && Kept(flow.to_track) &&
        Passes(flow.from_cycle, flow.from_cycle) &&
        Passes(flow.to_cycle, flow.to_cycle)) {
      // Ordered by its arrival: then both slices that it joins come before.
      out.push_back({flow.to_cycle, Candidate::Kind::kFlow, i});
    }
  }
  return out;
}

// Drops the latest events beyond the limit. True if it dropped any.
bool Selection::Limit(std::vector<Candidate>* candidates) const {
  if (!filter_.max_events) return false;
  absl::c_stable_sort(*candidates, [](const Candidate& a, const Candidate& b) {
    return std::pair(a.cycle, a.kind) < std::pair(b.cycle, b.kind);
  });
  int64_t left = *filter_.max_events;
  const auto cut = absl::c_find_if(*candidates, [&](const Candidate& c) {
    left -= c.events();
    return left < 0;
  });
  if (cut == candidates->end()) return false;
  candidates->erase(cut, candidates->end());
  return true;
}

void Selection::Copy(const Candidate& candidate) {
  switch (candidate.kind) {
    case Candidate::Kind::kSlice:
      return CopySlice(whole_.slices()[candidate.index]);
    case Candidate::Kind::kCounter: {
      const Counter& counter = whole_.counters()[candidate.index];
      const size_t process = static_cast<size_t>(counter.process);
      return part_.AddCounter(
          {.process = static_cast<ProcessId>(processes_[process]),
           .name = whole_.Text(counter.name),
           .cycle = counter.cycle,
           .value = counter.value});
    }
    case Candidate::Kind::kFlow: {
      const Flow& flow = whole_.flows()[candidate.index];
      return part_.AddFlow({.from_track = NewId(flow.from_track),
                            .from_cycle = flow.from_cycle,
                            .to_track = NewId(flow.to_track),
                            .to_cycle = flow.to_cycle,
                            .name = whole_.Text(flow.name)});
    }
  }
}

void Selection::CopySlice(const Slice& slice) {
  SliceSpec spec{.track = NewId(slice.track),
                 .name = whole_.Text(slice.name),
                 .category = slice.category,
                 .start = slice.start,
                 .end = slice.end,
                 .line = slice.line,
                 .args = {}};
  for (const KeptArg& arg : whole_.Args(slice)) {
    const std::string_view key = whole_.Text(arg.key);
    if (arg.is_string) {
      spec.args.emplace_back(key,
                             whole_.Text(static_cast<StringId>(arg.value)));
    } else {
      spec.args.emplace_back(key, arg.value);
    }
  }
  part_.AddSlice(spec);
}

// Adds to what an earlier filter left out of `whole`.
void Selection::SetOmission(bool truncated) {
  Omission omission = whole_.omission();
  const std::string words = DescribeFilter(filter_);
  if (!omission.filter.empty() && !words.empty()) omission.filter += "; ";
  omission.filter += words;
  omission.truncated = omission.truncated || truncated;
  omission.slices += whole_.slices().size() - part_.slices().size();
  omission.flows += whole_.flows().size() - part_.flows().size();
  omission.counters += whole_.counters().size() - part_.counters().size();
  part_.set_omission(std::move(omission));
}

}  // namespace

std::string DescribeFilter(const Filter& filter) {
  std::vector<std::string> parts;
  if (!filter.sms.empty()) {
    parts.push_back(absl::StrCat("SM ", absl::StrJoin(filter.sms, ", ")));
  }
  if (!filter.ctas.empty()) {
    parts.push_back(absl::StrCat("CTA ", absl::StrJoin(filter.ctas, ", ")));
  }
  if (filter.from || filter.to) {
    parts.push_back(
        absl::StrCat("cycles ", filter.from ? absl::StrCat(*filter.from) : "",
                     "..", filter.to ? absl::StrCat(*filter.to) : ""));
  }
  if (filter.max_events) {
    parts.push_back(absl::StrCat("at most ", *filter.max_events, " events"));
  }
  return absl::StrJoin(parts, "; ");
}

Timeline ApplyFilter(const Timeline& whole, const Filter& filter) {
  return Selection(whole, filter).Run();
}

}  // namespace tilesim::traces
