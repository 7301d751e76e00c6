// A child process with a deadline, and a directory that goes away.
#ifndef TILESIM_HWTESTS_RUN_PROCESS_H_
#define TILESIM_HWTESTS_RUN_PROCESS_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"

namespace tilesim::hwtests {

struct ProcessEnd {
  bool killed = false;  // the deadline passed
  int exit_code = 0;    // or -signal
};

// Runs `command`, kills it after `timeout_s`. With `ready`, the time counts
// from when that file exists, for which it has kStartSeconds: a driver may take
// seconds to start. Internal error if it could not be started.
inline constexpr double kStartSeconds = 60;
absl::StatusOr<ProcessEnd> RunProcess(const std::vector<std::string>& command,
                                      double timeout_s,
                                      const std::string& ready = "");

// Runs on the device take turns, across processes, as long as one of these
// lives: two at once would falsify each other's times and hangs.
class DeviceTurn {
 public:
  DeviceTurn();
  ~DeviceTurn();
  DeviceTurn(const DeviceTurn&) = delete;
  DeviceTurn& operator=(const DeviceTurn&) = delete;

 private:
  int file_ = -1;
};

// A fresh directory under TMPDIR or /tmp, removed with its files at the end
// unless `keep` names one to use instead.
class ExchangeDirectory {
 public:
  explicit ExchangeDirectory(const std::string& keep);
  ~ExchangeDirectory();
  ExchangeDirectory(const ExchangeDirectory&) = delete;
  ExchangeDirectory& operator=(const ExchangeDirectory&) = delete;

  bool ok() const { return !path_.empty(); }
  const std::string& path() const { return path_; }
  std::string File(const std::string& name) const { return path_ + "/" + name; }

 private:
  std::string path_;
  bool keep_ = false;
};

}  // namespace tilesim::hwtests

#endif  // TILESIM_HWTESTS_RUN_PROCESS_H_
