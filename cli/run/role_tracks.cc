#include "cli/run/role_tracks.h"

#include <algorithm>
#include <iterator>

namespace tilesim::cli {
namespace {

using traces::Cycle;

// After the roles, whose threads a CTA has at most 1024 of.
constexpr int64_t kSortOthers = 2000;

}  // namespace

// A segment begins where the strand was told of last, so that what nobody told
// stays a hole in it.
void RoleTracks::Sit(const Who& who, Log& log) {
  auto& segments = seats_[who.seat].segments;
  log.seat = who.seat;
  log.segment = segments.size();
  segments.push_back({log.done, log.done, {}});
}

void RoleTracks::Start(int32_t strand, const Who& who, Cycle at) {
  Log& log = live_[strand];
  log.done = at;
  Sit(who, log);
}

void RoleTracks::Add(int32_t strand, const Who& who, Bar bar) {
  Log& log = live_.at(strand);
  if (log.seat != who.seat) Sit(who, log);
  log.done = bar.to;
  SeatLog& seat = seats_[who.seat];
  seat.time_as[{who.has_role, who.name}] += bar.to - bar.from;
  Segment& segment = seat.segments[log.segment];
  segment.to = bar.to;
  if (bar.to > bar.from) segment.bars.push_back(std::move(bar));
}

void RoleTracks::End(int32_t strand, Cycle at) {
  auto it = live_.find(strand);
  if (it == live_.end()) return;
  const Log& log = it->second;
  Segment& last = seats_[log.seat].segments[log.segment];
  last.to = std::max(last.to, at);
  live_.erase(it);
}

void RoleTracks::NameLast(int32_t strand, const std::string& name,
                          traces::Category category) {
  const Log& log = live_.at(strand);
  std::vector<Bar>& bars = seats_[log.seat].segments[log.segment].bars;
  if (bars.empty()) return;
  bars.back().name = name;
  bars.back().category = category;
}

// What a thread does outside of roles is shown with the role that it plays for
// longest.
void RoleTracks::JoinRoleless() {
  for (auto at = seats_.begin(); at != seats_.end();) {
    const Seat seat = at->first;
    if (seat.role >= 0) {
      ++at;
      continue;
    }
    auto longest = seats_.end();
    traces::Cycle most = -1;
    for (auto other = std::next(at);
         other != seats_.end() && other->first.process == seat.process &&
         other->first.thread == seat.thread;
         ++other) {
      traces::Cycle time = 0;
      for (const auto& [name, cycles] : other->second.time_as) time += cycles;
      if (time > most) longest = other;
      most = std::max(most, time);
    }
    if (longest == seats_.end()) {
      ++at;
      continue;
    }
    auto& segments = longest->second.segments;
    std::move(at->second.segments.begin(), at->second.segments.end(),
              std::back_inserter(segments));
    joined_[seat] = longest->first;
    at = seats_.erase(at);
  }
}

// Between segments the thread was not the first of its strand, or in another
// role. A strand that was taken along in the middle of an op may overlap its
// successor.
void RoleTracks::FillGaps(std::vector<Segment>& segments, const char* name) {
  std::stable_sort(
      segments.begin(), segments.end(),
      [](const Segment& a, const Segment& b) { return a.from < b.from; });
  for (size_t i = 0; i + 1 < segments.size(); ++i) {
    Segment& s = segments[i];
    Cycle next = segments[i + 1].from;
    if (s.to < next) {
      s.bars.push_back({name, traces::Category::kWait, s.to, next, 0, {}, {}});
    } else {
      while (!s.bars.empty() && s.bars.back().from >= next) s.bars.pop_back();
      if (!s.bars.empty()) s.bars.back().to = std::min(s.bars.back().to, next);
    }
    s.to = next;
  }
}

void RoleTracks::Draw(const Segment& segment, traces::TrackId track,
                      traces::Timeline& timeline) {
  for (const Bar& bar : segment.bars) {
    traces::SliceSpec slice;
    slice.track = track;
    slice.name = bar.name;
    slice.category = bar.category;
    slice.start = bar.from;
    slice.end = bar.to;
    slice.line = bar.line;
    for (const auto& [k, v] : bar.text_args) slice.args.emplace_back(k, v);
    for (const auto& [k, v] : bar.int_args) slice.args.emplace_back(k, v);
    timeline.AddSlice(slice);
  }
}

void RoleTracks::Flush(Cycle end, traces::Timeline& timeline) {
  while (!live_.empty()) End(live_.begin()->first, end);
  JoinRoleless();
  std::map<std::pair<traces::ProcessId, int>, int> roles;  // of a thread
  for (const auto& [seat, log] : seats_) ++roles[{seat.process, seat.thread}];
  for (auto& [seat, log] : seats_) {
    std::erase_if(log.segments,
                  [](const Segment& s) { return s.from == s.to; });
    if (log.segments.empty()) continue;
    auto most = std::max_element(log.time_as.begin(), log.time_as.end(),
                                 [](auto& a, auto& b) {
                                   return std::pair(a.first.first, a.second) <
                                          std::pair(b.first.first, b.second);
                                 });
    bool told = most != log.time_as.end();
    bool has_role = told && most->first.first;
    traces::Track track;
    track.process = seat.process;
    track.name = told ? most->first.second : "threads";
    track.kind = traces::TrackKind::kRole;
    track.sort_index = seat.thread + (has_role ? 0 : kSortOthers);
    log.track = timeline.AddTrack(std::move(track));
    const bool several = roles[{seat.process, seat.thread}] > 1;
    FillGaps(log.segments,
             several ? "with others, or in another role" : "with others");
    timeline.SetLifetime(log.track, log.segments.front().from,
                         log.segments.back().to);
    for (const Segment& segment : log.segments)
      Draw(segment, log.track, timeline);
  }
}

const traces::TrackId* RoleTracks::TrackOf(const Seat& seat) const {
  auto joined = joined_.find(seat);
  auto it = seats_.find(joined == joined_.end() ? seat : joined->second);
  bool drawn = it != seats_.end() && !it->second.segments.empty();
  return drawn ? &it->second.track : nullptr;
}

}  // namespace tilesim::cli
