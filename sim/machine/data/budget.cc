#include "sim/machine/data/budget.h"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <optional>
#include <string>

#include "ir/cat.h"

namespace tilesim::machine {
namespace {

constexpr int64_t kKiB = 1 << 10;
constexpr int64_t kMiB = 1 << 20;

int64_t Ram() {
  return static_cast<int64_t>(sysconf(_SC_PHYS_PAGES)) * sysconf(_SC_PAGE_SIZE);
}

// "MemAvailable:   123 kB"
std::optional<int64_t> Available() {
  std::ifstream in("/proc/meminfo");
  std::string word;
  int64_t kib = 0;
  while (in >> word) {
    if (word == "MemAvailable:" && in >> kib) return kib * kKiB;
  }
  return std::nullopt;
}

// A file that holds one number; "max" and no file are no limit.
std::optional<int64_t> NumberIn(const char* path) {
  std::ifstream in(path);
  int64_t number = 0;
  if (in >> number) return number;
  return std::nullopt;
}

// What the control group may take in all: its cache counts as used, and would
// be given up first, so what it has now says little.
std::optional<int64_t> GroupLimit() {
  std::optional<int64_t> limit = NumberIn("/sys/fs/cgroup/memory.max");
  return limit ? limit
               : NumberIn("/sys/fs/cgroup/memory/memory.limit_in_bytes");
}

std::optional<int64_t> ProcessLimit() {
  rlimit limit;
  if (getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY)
    return std::nullopt;
  return static_cast<int64_t>(limit.rlim_cur);
}

std::string MiB(int64_t bytes) {
  std::string text = ir::Cat((bytes + kMiB - 1) / kMiB, " MiB");
  return bytes >= kTooManyBytes ? ir::Cat("more than ", text) : text;
}

}  // namespace

absl::Status Budget::Fits(int64_t more) const {
  int64_t needed = std::min(used + more, kTooManyBytes);
  if (needed <= limit) return absl::OkStatus();
  return absl::ResourceExhaustedError(ir::Cat(
      "the values of this run need ", MiB(needed), " of memory, and ",
      MiB(limit),
      " are free; try smaller sizes (-D), --values N or --timing-only"));
}

int64_t FreeBytes() {
  int64_t free = Ram();
  for (auto less : {Available(), GroupLimit(), ProcessLimit()})
    free = std::min(free, less.value_or(free));
  return free;
}

}  // namespace tilesim::machine
