#include "cli/check_files.h"

#include <algorithm>
#include <atomic>
#include <exception>
#include <future>
#include <new>
#include <optional>
#include <thread>
#include <utility>

#include "cli/input.h"
#include "frontend/check.h"
#include "frontend/parse.h"

namespace tilesim::cli {
namespace {

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

class FileCheck {
 public:
  FileCheck(const CheckRequest& request, const CheckSink& sink)
      : request_(request), sink_(sink) {}

  // What one file does to the command must not hide the others.
  FileAnswer Answer(const std::string& path) {
    file_.source.path = path;
    try {
      std::optional<ir::Program> program = Read();
      if (!program) return Shown();
      if (request_.cache == nullptr) return Checked(*program);
      std::string key = request_.cache->KeyOf(file_.source, request_.options,
                                              request_.format);
      std::optional<FileAnswer> known = request_.cache->Find(key);
      if (known) return *known;
      FileAnswer answer = Checked(*program);
      if (file_.checked()) request_.cache->Keep(key, answer);
      return answer;
    } catch (const std::bad_alloc&) {
      file_.failure = path + ": out of memory; try smaller sizes (-D)";
    } catch (const std::exception& error) {
      file_.failure = path + ": internal error: " + error.what();
      file_.exit = kOurBug;
    }
    return Shown();
  }

 private:
  FileAnswer Shown() const { return {sink_.Shown(file_), file_.exit}; }

  std::optional<ir::Program> Read() {
    absl::StatusOr<ir::Source> source = OpenSource(file_.source.path);
    if (!source.ok()) {
      file_.failure = std::string(source.status().message());
      return std::nullopt;
    }
    file_.source = std::move(*source);
    return frontend::Parse(file_.source, file_.texts, request_.options.defines);
  }

  FileAnswer Checked(const ir::Program& program) {
    checkers::CheckOptions legal = request_.options;
    legal.legality = frontend::CheckBound;
    legal.own_sizes = OwnSizes(file_.source);
    checkers::CheckReport report = checkers::Check(program, legal);
    if (report.errors.has_errors()) {
      file_.texts = std::move(report.errors);
      return Shown();
    }
    file_.exit = ExitOf(report.verdict);
    file_.report = std::move(report);
    return Shown();
  }

  const CheckRequest& request_;
  const CheckSink& sink_;
  CheckedFile file_;
};

}  // namespace

void CheckFiles(const CheckRequest& request, const CheckSink& sink,
                const std::function<void(const FileAnswer&)>& done) {
  const std::vector<std::string>& paths = request.paths;
  std::vector<std::promise<FileAnswer>> answers(paths.size());
  std::atomic<size_t> next{0};
  auto work = [&] {
    for (size_t i = next++; i < paths.size(); i = next++)
      answers[i].set_value(FileCheck(request, sink).Answer(paths[i]));
  };
  std::vector<std::jthread> threads;
  size_t count = std::min(static_cast<size_t>(request.jobs), paths.size());
  for (size_t i = 0; i < count; ++i) threads.emplace_back(work);
  for (std::promise<FileAnswer>& answer : answers)
    done(answer.get_future().get());
}

}  // namespace tilesim::cli
