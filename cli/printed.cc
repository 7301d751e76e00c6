#include "cli/printed.h"

#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>

#include "cli/complain.h"
#include "cli/exit_code.h"

namespace tilesim::cli {
namespace {

// A command runs once.
struct Kept {
  std::string path;
  std::FILE* file = nullptr;  // in place of stdout, without a name
  int stdout_copy = -1;
};

Kept& EverythingKept() {
  static auto* const kKept = new Kept;
  return *kKept;
}

// False: errno says why.
bool Replace(Kept& kept) {
  kept.file = std::tmpfile();
  if (kept.file == nullptr || std::fflush(stdout) != 0) return false;
  kept.stdout_copy = dup(fileno(stdout));
  return kept.stdout_copy >= 0 && dup2(fileno(kept.file), fileno(stdout)) >= 0;
}

// All of it. False: errno says why.
bool Read(std::FILE* file, std::string& text) {
  std::rewind(file);
  char part[1 << 16];
  while (size_t n = std::fread(part, 1, sizeof(part), file))
    text.append(part, n);
  return std::ferror(file) == 0;
}

bool HasAnswer(int exit) {
  return exit == kClean || exit == kFindings || exit == kIncomplete;
}

}  // namespace

void AddPrinted(Command to, std::string& path) {
  to.AddOption("-o,--output", path,
               "the file to write what is printed to; stdout when absent");
}

bool PrintTo(const std::string& path, const std::vector<NamedFile>& named) {
  if (path.empty() || path == "-") return true;
  for (const NamedFile& other : named) {
    // The other may be an output that is not there yet.
    if (other.path != path && !SameFile(path, other.path)) continue;
    Complain("-o {}: {} names this file, too; name another one", path,
             other.option);
    return false;
  }
  Kept& kept = EverythingKept();
  kept.path = path;
  if (Replace(kept)) return true;
  Complain("-o {}: what is printed cannot be kept: {}", path,
           std::strerror(errno));
  return false;
}

int EndPrinted(int exit) {
  Kept& kept = EverythingKept();
  if (kept.stdout_copy < 0) return exit;
  std::string text;
  const bool read = std::fflush(stdout) == 0 && Read(kept.file, text);
  if (!read)
    Complain("-o {}: what is printed cannot be kept: {}", kept.path,
             std::strerror(errno));
  dup2(kept.stdout_copy, fileno(stdout));
  close(kept.stdout_copy);
  std::fclose(kept.file);
  kept.stdout_copy = -1;
  if (!read) return kBadInput;
  if (HasAnswer(exit)) return WriteFile(kept.path, text) ? exit : kBadInput;
  fmt::print("{}", text);
  return exit;
}

}  // namespace tilesim::cli
