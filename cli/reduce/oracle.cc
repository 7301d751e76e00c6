#include "cli/reduce/oracle.h"

#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <filesystem>
#include <utility>

#include "cli/output.h"
#include "frontend/check.h"
#include "frontend/parse.h"
#include "ir/cat.h"

namespace tilesim::cli::reduce {
namespace {

using checkers::CheckReport;
using checkers::report::Finding;

// "line 12 of `a`" as "line  of ``".
std::string WordsOf(const std::string& text) {
  std::string out;
  bool quoted = false;
  for (char c : text) {
    if (c == '`') quoted = !quoted;
    if (!quoted && std::isdigit(static_cast<unsigned char>(c)) == 0) out += c;
  }
  return out;
}

// A file in the folder for such files, gone when this is.
class TemporaryFile {
 public:
  explicit TemporaryFile(const std::string& text) {
    std::error_code error;
    path_ = std::filesystem::temp_directory_path(error) /
            ir::Cat("tilesim-reduce-", getpid(), ".tile");
    written_ = !error && WriteFile(path_, text);
  }
  ~TemporaryFile() {
    std::error_code ignored;
    std::filesystem::remove(path_, ignored);
  }
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;

  bool written() const { return written_; }
  const std::string& path() const { return path_; }

 private:
  std::string path_;
  bool written_ = false;
};

}  // namespace

bool Seen::Has(ir::Code code) const {
  return std::any_of(told.begin(), told.end(),
                     [&](const Told& t) { return t.diagnostic.code == code; });
}

// Where a line is taken out something may be unused: no other mistake.
std::set<ir::Code> Seen::Mistakes() const {
  std::set<ir::Code> out;
  for (const Told& t : told) {
    if (t.diagnostic.severity == ir::Severity::kError ||
        !t.diagnostic.code.name().starts_with("lint/"))
      out.insert(t.diagnostic.code);
  }
  return out;
}

std::optional<Seen> Oracle::Ask(const ir::Source& source) {
  std::optional<Seen> seen = See(source);
  if (!seen || !IsWanted(*seen) || !Kept(source)) return std::nullopt;
  if (!first_) first_ = seen;
  return seen;
}

std::optional<Seen> Oracle::See(const ir::Source& source) {
  Seen out;
  ir::Diagnostics texts;
  std::optional<ir::Program> program =
      frontend::Parse(source, texts, options_.defines);
  for (const ir::Diagnostic& d : texts.all()) out.told.push_back({d, false});
  out.rejected = !program;
  // What is no program is seen for its own mistakes only.
  if (out.rejected) {
    if (first_ && !first_->rejected) return std::nullopt;
    return out;
  }
  ++checked_;
  checkers::CheckOptions options = options_;
  options.legality = frontend::CheckBound;
  CheckReport report = checkers::Check(*program, options);
  for (const ir::Diagnostic& d : report.errors.all())
    out.told.push_back({d, false});
  out.rejected = report.errors.has_errors();
  out.verdict = report.verdict;
  if (!report.open.empty()) out.open = WordsOf(report.open.front());
  for (const Finding& f : report.findings) {
    bool none = wanted_.code && !out.Has(*wanted_.code);
    out.told.push_back({f.diagnostic, false});
    for (const ir::Diagnostic& d : f.follows) out.told.push_back({d, true});
    if (none && out.Has(*wanted_.code))
      out.sizes.insert(f.seen.sizes.begin(), f.seen.sizes.end());
  }
  return out;
}

bool Oracle::IsWanted(const Seen& seen) const {
  if (wanted_.code && !seen.Has(*wanted_.code)) return false;
  if (wanted_.verdict && (seen.rejected || seen.verdict != *wanted_.verdict))
    return false;
  if (!first_) return true;
  const std::set<ir::Code> had = first_->Mistakes(), has = seen.Mistakes();
  bool none_new = std::includes(had.begin(), had.end(), has.begin(), has.end());
  return none_new && seen.rejected == first_->rejected &&
         (wanted_.code || seen.open == first_->open);
}

bool Oracle::Kept(const ir::Source& source) const {
  if (wanted_.keep.empty()) return true;
  TemporaryFile file(source.text);
  if (!file.written()) return false;
  std::string command = ir::Cat(wanted_.keep, " '", file.path(), "'");
  int status = std::system(command.c_str());  // NOLINT(concurrency-mt-unsafe)
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

}  // namespace tilesim::cli::reduce
