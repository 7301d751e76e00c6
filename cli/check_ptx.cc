#include "cli/check_ptx.h"

#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "checkers/pipeline/judge_code.h"
#include "checkers/pipeline/run_some.h"
#include "cli/input.h"
#include "ptx/launch/launch.h"
#include "ptx/machine/lower.h"
#include "ptx/text/parser.h"

namespace tilesim::cli {
namespace {

std::string NameOf(const std::string& path) {
  return std::filesystem::path(path).filename().string();
}

std::string TextOf(const std::string& path,
                   const std::vector<ptx::LaunchError>& errors) {
  std::string out;
  for (const ptx::LaunchError& e : errors)
    out += (out.empty() ? "" : "\ntilesim: ") + path + ": error: " + e.where +
           (e.where.empty() ? "" : ": ") + e.message;
  return out;
}

// Each follows one store or load more of what goes through memory, at least.
constexpr int kMostAttempts = 12;

}  // namespace

bool IsPtx(std::string_view path) { return path.ends_with(".ptx"); }

void CheckPtx(const CheckRequest& request, CheckedFile& file) {
  const std::string& path = file.source.path;
  if (request.launch.empty()) {
    file.failure = path +
                   ": PTX is checked as it is launched: --launch LAUNCH.json "
                   "(tilesim ptx --skeleton writes one to fill in)";
    return;
  }
  absl::StatusOr<ir::Source> text = OpenSource(request.launch);
  if (!text.ok()) {
    file.failure = std::string(text.status().message());
    return;
  }
  std::vector<ptx::LaunchError> errors;
  std::optional<ptx::LaunchFile> launches = ptx::ReadLaunch(text->text, errors);
  std::optional<ptx::Module> module = ptx::Parse(file.source, file.texts);
  if (!launches) file.failure = TextOf(request.launch, errors);
  if (!launches || !module) return;
  size_t at = 0;
  auto other = [&](const ptx::Launch& l) {
    return !l.ptx.empty() && NameOf(l.ptx) != NameOf(path);
  };
  while (at < launches->launches.size() && other(launches->launches[at])) ++at;
  if (at == launches->launches.size()) {
    file.failure = request.launch + ": it has no launch of " + NameOf(path);
    return;
  }
  errors = ptx::Fits(*module, *launches, at);
  if (!errors.empty()) {
    file.failure = TextOf(request.launch, errors);
    return;
  }
  ptx::Followed followed;
  std::optional<ptx::Lowered> kernel;
  for (int attempt = 0; attempt < kMostAttempts; ++attempt) {
    kernel = ptx::Lower(*module, *launches, at, followed, file.texts);
    if (!kernel) return;
    checkers::pipeline::RunSome(*kernel->code, !followed.words.empty(),
                                request.options.max_events);
    if (!kernel->guide->Grow(followed)) break;
  }
  ptx::NameFound(*kernel);
  if (launches->launches.size() > 1)
    kernel->open.push_back("what launches do to each other was not looked at");
  checkers::CheckReport report = checkers::pipeline::CheckCode(
      *kernel->program, std::move(kernel->code), kernel->open, request.options);
  file.exit = ExitOf(report.verdict);
  file.report = std::move(report);
}

}  // namespace tilesim::cli
