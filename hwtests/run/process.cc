#include "hwtests/run/process.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <system_error>
#include <thread>

#include "absl/status/status.h"
#include "ir/cat.h"

namespace tilesim::hwtests {
namespace {

using Clock = std::chrono::steady_clock;
constexpr std::chrono::milliseconds kPoll(2);

[[noreturn]] void Exec(const std::vector<std::string>& command) {
  std::vector<char*> argv;
  for (const std::string& arg : command)
    argv.push_back(const_cast<char*>(arg.c_str()));
  argv.push_back(nullptr);
  // stdout of the command is its answer: a child has nothing to say there.
  int null = open("/dev/null", O_WRONLY);
  if (null >= 0) dup2(null, STDOUT_FILENO);
  execvp(argv[0], argv.data());
  _exit(127);
}

std::string TemporaryRoot() {
  const char* tmp = std::getenv("TMPDIR");
  return tmp == nullptr ? "/tmp" : tmp;
}

Clock::time_point After(double seconds) {
  return Clock::now() + std::chrono::duration_cast<Clock::duration>(
                            std::chrono::duration<double>(seconds));
}

ProcessEnd EndOf(int status) {
  if (WIFEXITED(status)) return {false, WEXITSTATUS(status)};
  return {false, -WTERMSIG(status)};
}

}  // namespace

absl::StatusOr<ProcessEnd> RunProcess(const std::vector<std::string>& command,
                                      double timeout_s,
                                      const std::string& ready) {
  pid_t child = fork();
  if (child < 0) return absl::InternalError("fork failed");
  if (child == 0) Exec(command);
  bool started = ready.empty();
  auto deadline = After(started ? timeout_s : kStartSeconds);
  int status = 0;
  while (true) {
    pid_t done = waitpid(child, &status, WNOHANG);
    if (done == child) return EndOf(status);
    if (done < 0 && errno != EINTR)
      return absl::InternalError("waitpid failed");
    if (!started && access(ready.c_str(), F_OK) == 0) {
      started = true;
      deadline = After(timeout_s);
    }
    if (Clock::now() >= deadline) break;
    std::this_thread::sleep_for(kPoll);
  }
  kill(child, SIGKILL);
  waitpid(child, &status, 0);
  return ProcessEnd{true, -SIGKILL};
}

// Without a lock file (a read-only place) runs are not kept apart.
DeviceTurn::DeviceTurn() {
  const std::string name = ir::Cat(TemporaryRoot(), "/tilesim_device.lock");
  file_ = open(name.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
  while (file_ >= 0 && flock(file_, LOCK_EX) != 0 && errno == EINTR) {
  }
}

DeviceTurn::~DeviceTurn() {
  if (file_ >= 0) close(file_);
}

ExchangeDirectory::ExchangeDirectory(const std::string& keep)
    : keep_(!keep.empty()) {
  std::error_code error;
  if (keep_) {
    std::filesystem::create_directories(keep, error);
    if (!error) path_ = keep;
    return;
  }
  std::string name = ir::Cat(TemporaryRoot(), "/tilesim_hw_XXXXXX");
  if (mkdtemp(name.data()) != nullptr) path_ = name;
}

ExchangeDirectory::~ExchangeDirectory() {
  if (keep_ || path_.empty()) return;
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

}  // namespace tilesim::hwtests
