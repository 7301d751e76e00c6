#include "cli/progress.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <string>

#include "fmt/format.h"

namespace tilesim::cli {
namespace {

constexpr std::chrono::milliseconds kFirst(1000), kBetween(200);
constexpr int64_t kBar = 20;  // characters

// Of the terminal.
size_t Columns() {
  constexpr size_t kUsual = 80;
  winsize size{};
  if (ioctl(STDERR_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col < 2)
    return kUsual;
  return size.ws_col;
}

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
  std::string line =
      fmt::format("{} of {} {}, {} s [{:#<{}}{:-<{}}]{}", done, all, unit_,
                  seconds, "", filled, "", kBar - filled, also);
  // What does not fit on a line could not be taken away again.
  const size_t width = Columns() - 1;
  if (line.size() > width) line.resize(width);
  fmt::print(stderr, "\r\033[K{}", line);
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
