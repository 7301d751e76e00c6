#include "cli/check_ptx.h"

#include <filesystem>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "checkers/pipeline/judge_code.h"
#include "checkers/run/runner.h"
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

// Each follows one store more of what goes through shared memory, at least.
constexpr int kMostAttempts = 8;

// Runs a cluster to find the mbarriers that it uses: each has a place in the
// state, which is there before it runs.
void Discover(const ptx::Lowered& kernel, int64_t max_events) {
  const ir::BoundKernel& b = kernel.code->bound;
  const int64_t last = b.ctas() / b.cluster_size() - 1;
  checkers::run::RunOptions o;
  o.max_events = max_events;
  checkers::run::RunCluster(*kernel.code, o);
  o.cluster = last;
  if (last > 0) checkers::run::RunCluster(*kernel.code, o);
}

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
  std::set<int32_t> stores;
  std::optional<ptx::Lowered> kernel;
  for (int attempt = 0; attempt < kMostAttempts; ++attempt) {
    kernel = ptx::Lower(*module, *launches, at, stores, file.texts);
    if (!kernel) return;
    Discover(*kernel, request.options.max_events);
    const size_t before = stores.size();
    const std::set<int32_t>& wanted = kernel->guide->wanted_stores();
    stores.insert(wanted.begin(), wanted.end());
    if (stores.size() == before) break;
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
