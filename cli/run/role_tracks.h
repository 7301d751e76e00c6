// What the strands of a CTA did, as tracks that a reader can follow.
//
// Strands split and merge: a consumer of four warps is another strand after
// each `elect`. What stays is the threads, so a track is a thread, and shows
// what the strand did of which it was the first:
//
//   consumer (warps 0 to 3)  |wgmma|WAIT wgmma group|arrive|wgmma ...
//   consumer (warps 1 to 3)                         |WAIT  |with others
//
// While a thread is not the first of its strand, its track says so.
#ifndef TILESIM_CLI_RUN_ROLE_TRACKS_H_
#define TILESIM_CLI_RUN_ROLE_TRACKS_H_

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "traces/timeline.h"

namespace tilesim::cli {

class RoleTracks {
 public:
  // The first thread of a strand, in a process, and what it does: each role
  // that a thread plays has its own track.
  struct Seat {
    traces::ProcessId process{};
    int thread = 0;
    int role = -1;  // -1: none
    auto operator<=>(const Seat&) const = default;
  };
  struct Who {
    Seat seat;
    std::string name;  // "mma (warp 4, one lane)"
    bool has_role = false;
  };
  struct Bar {
    std::string name;
    traces::Category category = traces::Category::kWork;
    traces::Cycle from = 0, to = 0;
    int32_t line = 0;
    std::vector<std::pair<std::string, std::string>> text_args;
    std::vector<std::pair<std::string, int64_t>> int_args;
  };

  // Strands by their slots.
  void Start(int32_t strand, const Who& who, traces::Cycle at);
  void Add(int32_t strand, const Who& who, Bar bar);
  void End(int32_t strand, traces::Cycle at);
  // The bar that was added last, if there is one, shows something else.
  void NameLast(int32_t strand, const std::string& name,
                traces::Category category);
  bool Lives(int32_t strand) const { return live_.contains(strand); }
  traces::Cycle ToldUntil(int32_t strand) const {
    return live_.at(strand).done;
  }

  // Makes the tracks; a strand that still lives has lived until `end`.
  void Flush(traces::Cycle end, traces::Timeline& timeline);
  // After Flush: nullptr if nothing happened there.
  const traces::TrackId* TrackOf(const Seat& seat) const;

 private:
  // What one strand did while the same thread was its first.
  struct Segment {
    traces::Cycle from = 0, to = 0;
    std::vector<Bar> bars;
  };
  struct Log {
    traces::Cycle done = 0;  // told until here
    Seat seat;
    size_t segment = 0;
  };
  struct SeatLog {
    std::vector<Segment> segments;
    // By what it was called; names of roles count before others.
    std::map<std::pair<bool, std::string>, traces::Cycle> time_as;
    traces::TrackId track{};
  };

  void Sit(const Who& who, Log& log);
  void JoinRoleless();
  static void FillGaps(std::vector<Segment>& segments, const char* name);
  static void Draw(const Segment& segment, traces::TrackId track,
                   traces::Timeline& timeline);

  std::map<int32_t, Log> live_;
  std::map<Seat, SeatLog> seats_;
  std::map<Seat, Seat> joined_;  // of no role: whose track shows it
};

}  // namespace tilesim::cli

#endif  // TILESIM_CLI_RUN_ROLE_TRACKS_H_
