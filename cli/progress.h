// How far a run is, and how long it will take: one line on a terminal,
// rewritten in place, for runs that take longer than a second. Where stderr is
// no terminal there is nothing.
//
//   Progress progress("CTAs");
//   progress.Show(120, 480);   // as often as you like
//
//   120 of 480 CTAs, 3 s [#####---------------]
//   0 of 132 CTAs, 3 s [--------------------] cycle 40,000
//   0 of 1 files, 3 s [--------------------] gemm, M = 128: cluster 3 of 20
#ifndef TILESIM_CLI_PROGRESS_H_
#define TILESIM_CLI_PROGRESS_H_

#include <chrono>
#include <cstdint>
#include <string_view>

namespace tilesim::cli {

class Progress {
 public:
  // Of what there are so many.
  explicit Progress(std::string_view unit);
  ~Progress() { Clear(); }
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  // `also` is said beside it: of what goes on while none of them is done.
  void Show(int64_t done, int64_t all, std::string_view also = "");
  // Whether there is anybody to see it.
  bool watched() const { return terminal_; }
  double seconds() const;
  // That all CTAs will take, if it goes on like this.
  double HoursFor(int64_t done, int64_t all) const;
  // Takes the line away, for something else to be said.
  void Clear();

 private:
  using Clock = std::chrono::steady_clock;

  std::string_view unit_;
  bool terminal_;
  bool shown_ = false;
  Clock::time_point start_, next_;
};

}  // namespace tilesim::cli

#endif  // TILESIM_CLI_PROGRESS_H_
