#include "cli/checked_file.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <exception>
#include <future>
#include <new>
#include <thread>
#include <utility>

#include "cli/check_ptx.h"
#include "cli/input.h"
#include "frontend/check.h"
#include "frontend/lint.h"
#include "frontend/parse.h"

namespace tilesim::cli {
ExitCode ExitOf(checkers::Verdict verdict) {
  switch (verdict) {
    case checkers::Verdict::kClean:
      return kClean;
    case checkers::Verdict::kFindings:
      return kFindings;
    case checkers::Verdict::kIncomplete:
      return kIncomplete;
  }
  return kOurBug;
}

namespace {

void Check(const CheckRequest& request, CheckedFile& file) {
  const checkers::CheckOptions& options = request.options;
  if (IsPtx(file.source.path)) return CheckPtx(request, file);
  auto program = frontend::Parse(file.source, file.texts, options.defines);
  if (!program) return;
  frontend::LintText(file.source, file.texts);
  checkers::CheckOptions legal = options;
  legal.legality = frontend::CheckBound;
  legal.own_sizes = OwnSizes(file.source);
  checkers::CheckReport report = checkers::Check(*program, legal);
  if (report.errors.has_errors()) {
    file.texts = std::move(report.errors);
    return;
  }
  file.exit = ExitOf(report.verdict);
  file.report = std::move(report);
}

CheckedFile CheckOne(const std::string& path, const CheckRequest& request) {
  absl::StatusOr<ir::Source> source = OpenSource(path);
  if (source.ok()) return CheckSource(*std::move(source), request);
  CheckedFile file;
  file.source.path = path;
  file.failure = std::string(source.status().message());
  return file;
}

}  // namespace

// What one file does to the command must not hide the others.
CheckedFile CheckSource(ir::Source source, const CheckRequest& request) {
  CheckedFile file;
  file.source = std::move(source);
  const std::string& path = file.source.path;
  try {
    Check(request, file);
  } catch (const std::bad_alloc&) {
    file.failure = path + ": out of memory; try smaller sizes (-D)";
  } catch (const std::exception& error) {
    file.failure = path + ": internal error: " + error.what();
    file.exit = kOurBug;
  }
  return file;
}

void CheckFiles(const std::vector<std::string>& paths,
                const CheckRequest& request, int jobs,
                const std::function<void(CheckedFile&)>& done,
                const std::function<void(int64_t)>& waiting) {
  constexpr std::chrono::milliseconds kPatience(200);
  std::vector<std::promise<CheckedFile>> answers(paths.size());
  std::atomic<size_t> next{0};
  std::atomic<int64_t> finished{0};
  auto work = [&] {
    for (size_t i = next++; i < paths.size(); i = next++) {
      answers[i].set_value(CheckOne(paths[i], request));
      ++finished;
    }
  };
  std::vector<std::jthread> threads;
  size_t count = std::min(static_cast<size_t>(jobs), paths.size());
  for (size_t i = 0; i < count; ++i) threads.emplace_back(work);
  for (std::promise<CheckedFile>& answer : answers) {
    std::future<CheckedFile> coming = answer.get_future();
    while (coming.wait_for(kPatience) != std::future_status::ready)
      waiting(finished);
    CheckedFile file = coming.get();
    done(file);
  }
}

}  // namespace tilesim::cli
