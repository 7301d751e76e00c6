#include "cli/progress.h"

#include <unistd.h>

#include <algorithm>

#include "fmt/format.h"

namespace tilesim::cli {
namespace {

constexpr std::chrono::milliseconds kFirst(1000), kBetween(200);
constexpr int64_t kBar = 20;  // characters

}  // namespace

Progress::Progress(std::string_view unit)
    : unit_(unit),
      terminal_(isatty(STDERR_FILENO) != 0),
      start_(Clock::now()),
      next_(start_ + kFirst) {}

void Progress::Show(int64_t done, int64_t all, std::string_view also) {
  if (!terminal_) return;
  Clock::time_point now = Clock::now();
  if (now < next_) return;
  next_ = now + kBetween;
  shown_ = true;
  auto seconds =
      std::chrono::duration_cast<std::chrono::seconds>(now - start_).count();
  int64_t filled = all > 0 ? kBar * std::min(done, all) / all : 0;
  fmt::print(stderr, "\r\033[K{} of {} {}, {} s [{:#<{}}{:-<{}}]{}", done, all,
             unit_, seconds, "", filled, "", kBar - filled, also);
}

double Progress::seconds() const {
  return std::chrono::duration<double>(Clock::now() - start_).count();
}

double Progress::HoursFor(int64_t done, int64_t all) const {
  constexpr double kSecondsPerHour = 3600;
  return seconds() / kSecondsPerHour * static_cast<double>(all) /
         static_cast<double>(done);
}

void Progress::Clear() {
  if (shown_) fmt::print(stderr, "\r\033[K");
  shown_ = false;
}

}  // namespace tilesim::cli
