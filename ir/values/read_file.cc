#include "ir/values/read_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "absl/strings/str_cat.h"

namespace tilesim::values {
namespace {

constexpr size_t kFirst = 1 << 16;

absl::Status CannotRead(const std::string& path, const char* why) {
  return absl::NotFoundError(absl::StrCat("cannot read ", path, ": ", why));
}

absl::StatusOr<std::string> ReadAll(int fd, const std::string& path,
                                    size_t limit) {
  struct stat info;
  if (fstat(fd, &info) != 0) return CannotRead(path, std::strerror(errno));
  if (S_ISDIR(info.st_mode)) return CannotRead(path, "it is a directory");
  // One byte beyond the limit shows that there is more.
  std::string bytes;
  size_t known = std::max<int64_t>(info.st_size, 0), used = 0;
  while (used <= limit) {
    if (used == bytes.size())
      bytes.resize(std::min(std::max({kFirst, known, 2 * used}), limit) + 1);
    ssize_t n = read(fd, bytes.data() + used, bytes.size() - used);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return CannotRead(path, std::strerror(errno));
    if (n == 0) {
      bytes.resize(used);
      return bytes;
    }
    used += static_cast<size_t>(n);
  }
  return absl::OutOfRangeError(absl::StrCat(
      "cannot read ", path, ": more than the ", limit, " bytes it may have"));
}

}  // namespace

absl::StatusOr<std::string> ReadFile(const std::string& path, int64_t limit) {
  int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return CannotRead(path, std::strerror(errno));
  absl::StatusOr<std::string> bytes =
      ReadAll(fd, path, static_cast<size_t>(limit));
  close(fd);
  return bytes;
}

}  // namespace tilesim::values
