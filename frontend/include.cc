#include "frontend/include.h"

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "frontend/parser.h"
#include "ir/cat.h"
#include "ir/values/read_file.h"

namespace tilesim::frontend {
namespace {

constexpr int64_t kMaxFileBytes = int64_t{1} << 24;
constexpr size_t kMaxFiles = 64;

class Includer {
 public:
  Includer(const ir::Source& source, ir::Diagnostics& diagnostics)
      : source_(source), diagnostics_(diagnostics) {}

  // The functions of all that these includes name.
  std::vector<ir::Fn> All(const std::vector<ir::Include>& includes,
                          const std::string& from) {
    open_.push_back(Canonical(from));
    std::vector<ir::Fn> out;
    for (const ir::Include& i : includes) {
      std::filesystem::path path(i.path);
      if (path.is_relative())
        path = std::filesystem::path(from).parent_path() / path;
      std::vector<ir::Fn> some = One(i, path.lexically_normal().string());
      std::move(some.begin(), some.end(), std::back_inserter(out));
    }
    open_.pop_back();
    return out;
  }

 private:
  // Two names of one file are the same. A file that is not there has its own.
  static std::string Canonical(const std::string& path) {
    std::error_code error;
    std::filesystem::path out = std::filesystem::weakly_canonical(path, error);
    return error ? path : out.string();
  }

  // A pipe may never end, and a program does not read devices.
  static absl::StatusOr<std::string> Read(const std::string& path) {
    std::error_code error;
    auto type = std::filesystem::status(path, error).type();
    using Type = std::filesystem::file_type;
    bool readable = type == Type::regular || type == Type::directory ||
                    type == Type::not_found;
    if (readable) return values::ReadFile(path, kMaxFileBytes);
    return absl::NotFoundError(
        ir::Cat("cannot read ", path, ": it is no regular file"));
  }

  std::vector<ir::Fn> One(const ir::Include& include, const std::string& path) {
    std::string name = Canonical(path);
    if (std::find(open_.begin(), open_.end(), name) != open_.end()) {
      diagnostics_.Error("include/cycle", include.span,
                         ir::Cat("`", include.path, "` includes itself"));
      return {};
    }
    if (!read_.insert(name).second) return {};
    auto text = Read(path);
    if (!text.ok() || read_.size() > kMaxFiles) {
      diagnostics_
          .Error("include/missing", include.span,
                 text.ok()
                     ? ir::Cat("more than ", kMaxFiles, " files are included")
                     : std::string(text.status().message()))
          .help = "a path is relative to the file that has the `include`";
      return {};
    }
    auto own = std::make_shared<const std::string>(std::move(*text));
    source_.places->push_back({path, own, "", include.span});
    auto place = static_cast<int32_t>(source_.places->size());
    ir::Program program =
        Parser(*own, Parser::Holds::kFunctions, place, diagnostics_).Run();
    std::vector<ir::Fn> out = All(program.includes, path);
    std::move(program.functions.begin(), program.functions.end(),
              std::back_inserter(out));
    return out;
  }

  const ir::Source& source_;
  ir::Diagnostics& diagnostics_;
  std::vector<std::string> open_;  // from the program to the file being read
  std::set<std::string> read_;
};

}  // namespace

bool Include(ir::Program& program, const ir::Source& source,
             ir::Diagnostics& diagnostics) {
  size_t before = diagnostics.errors();
  std::vector<ir::Fn> included =
      Includer(source, diagnostics).All(program.includes, source.path);
  program.functions.insert(program.functions.begin(),
                           std::make_move_iterator(included.begin()),
                           std::make_move_iterator(included.end()));
  program.includes.clear();
  return diagnostics.errors() == before;
}

}  // namespace tilesim::frontend
