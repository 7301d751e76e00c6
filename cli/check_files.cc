#include "cli/check_files.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <exception>
#include <future>
#include <mutex>
#include <new>
#include <optional>
#include <thread>
#include <utility>

#include "cli/check_ptx.h"
#include "cli/input.h"
#include "frontend/check.h"
#include "frontend/lint.h"
#include "frontend/parse.h"
#include "ir/bind.h"
#include "ir/define.h"
#include "ir/target.h"

namespace tilesim::cli {
namespace {

// Kernels of libraries are long at the sizes that they are launched at, and
// judged by the one run.
CheckRequest Longer(CheckRequest request) {
  constexpr int64_t kEventsOfKernels = 2'000'000;
  request.options.max_events = kEventsOfKernels;
  return request;
}

class FileCheck {
 public:
  FileCheck(const CheckRequest& request, const std::string& path)
      : request_(request) {
    file_.source.path = path;
  }

  FileCheck(const CheckRequest& request, ir::Source source)
      : request_(request), is_read_(true) {
    file_.source = std::move(source);
  }

  CheckedFile Found() && {
    Guarded([this] {
      if (IsPtx(file_.source.path)) {
        if (Open()) CheckPtx(Longer(request_), file_);
      } else if (std::optional<ir::Program> program = Read()) {
        Check(*program);
      }
      if (request_.found) request_.found(file_);
    });
    return std::move(file_);
  }

  // Likewise, as it is shown. PTX is not kept.
  FileAnswer Answer(const CheckSink& sink) && {
    if (request_.cache == nullptr || IsPtx(file_.source.path))
      return Shown(sink, std::move(*this).Found());
    std::optional<FileAnswer> known;
    Guarded([&] {
      std::optional<ir::Program> program = Read();
      if (!program) return;
      std::string key = request_.cache->KeyOf(file_.source, request_.options,
                                              request_.format);
      known = request_.cache->Find(key);
      if (known) return;
      Check(*program);
      if (request_.found) request_.found(file_);
      if (file_.checked()) request_.cache->Keep(key, Shown(sink, file_));
    });
    return known ? *known : Shown(sink, file_);
  }

 private:
  static FileAnswer Shown(const CheckSink& sink, const CheckedFile& file) {
    return {sink.Shown(file), file.exit};
  }

  // What one file does to the command must not hide the others.
  template <typename Work>
  void Guarded(Work work) {
    const std::string& path = file_.source.path;
    try {
      work();
    } catch (const std::bad_alloc&) {
      file_.failure = path + ": out of memory; try smaller sizes (-D)";
    } catch (const std::exception& error) {
      file_.failure = path + ": internal error: " + error.what();
      file_.exit = kOurBug;
    }
  }

  bool Open() {
    if (is_read_) return true;
    absl::StatusOr<ir::Source> source = OpenSource(file_.source.path);
    is_read_ = source.ok();
    if (is_read_)
      file_.source = std::move(*source);
    else
      file_.failure = std::string(source.status().message());
    return is_read_;
  }

  std::optional<ir::Program> Read() {
    if (!Open()) return std::nullopt;
    return frontend::Parse(file_.source, file_.texts, request_.options.defines);
  }

  void Check(const ir::Program& program) {
    frontend::LintText(file_.source, file_.texts);
    checkers::CheckOptions legal = request_.options;
    legal.legality = frontend::CheckBound;
    legal.own_sizes = OwnSizes(file_.source);
    // What -D asks for is input: where no kernel may have it, nothing is
    // judged.
    if (!Permitted(program)) return;
    checkers::CheckReport report = checkers::Check(program, legal);
    if (report.errors.has_errors()) {
      file_.texts = std::move(report.errors);
      return;
    }
    file_.exit = ExitOf(report.verdict);
    file_.report = std::move(report);
  }

  bool IsGiven(const ir::Kernel& kernel, const ir::Span& param) const {
    return std::any_of(
        kernel.params.begin(), kernel.params.end(), [&](const ir::Param& p) {
          return p.span.line == param.line && p.span.column == param.column &&
                 request_.options.defines.count(p.name) != 0;
        });
  }

  bool Permitted(const ir::Program& program) {
    for (const ir::Kernel& kernel : program.kernels) {
      ir::Diagnostics said;
      ir::Bind(kernel, ir::DefinesOf(kernel, request_.options.defines),
               ir::InfoOf(kernel.target).sms, said);
      for (const ir::Diagnostic& d : said.all()) {
        const bool of_a_value = d.code == "type/domain";
        if (!of_a_value || !IsGiven(kernel, d.span)) continue;
        file_.texts.Error(d.code, d.span, d.message).help = d.help;
      }
    }
    return !file_.texts.has_errors();
  }

  const CheckRequest& request_;
  CheckedFile file_;
  bool is_read_ = false;
};

// By any of the threads.
class LastSaid {
 public:
  void Say(const std::string& what) {
    std::lock_guard lock(mutex_);
    what_ = what;
  }
  std::string Text() {
    std::lock_guard lock(mutex_);
    return what_;
  }

 private:
  std::mutex mutex_;
  std::string what_;
};

}  // namespace

CheckedFile CheckOne(const CheckRequest& request, const std::string& path) {
  return FileCheck(request, path).Found();
}

CheckedFile CheckSource(const CheckRequest& request, ir::Source source) {
  return FileCheck(request, std::move(source)).Found();
}

void CheckFiles(const CheckRequest& request, const CheckSink& sink,
                const std::function<void(const FileAnswer&)>& done,
                const Waiting& waiting) {
  constexpr std::chrono::milliseconds kPatience(200);
  const std::vector<std::string>& paths = request.paths;
  std::vector<std::promise<FileAnswer>> answers(paths.size());
  std::atomic<size_t> next{0};
  std::atomic<int64_t> finished{0};
  LastSaid last;
  CheckRequest each = request;
  if (request.watched)
    each.options.doing = [&last](const std::string& what) { last.Say(what); };
  auto work = [&] {
    for (size_t i = next++; i < paths.size(); i = next++) {
      answers[i].set_value(FileCheck(each, paths[i]).Answer(sink));
      ++finished;
    }
  };
  std::vector<std::jthread> threads;
  size_t count = std::min(static_cast<size_t>(request.jobs), paths.size());
  for (size_t i = 0; i < count; ++i) threads.emplace_back(work);
  for (std::promise<FileAnswer>& answer : answers) {
    std::future<FileAnswer> coming = answer.get_future();
    while (coming.wait_for(kPatience) != std::future_status::ready)
      waiting(finished, last.Text());
    done(coming.get());
  }
}

}  // namespace tilesim::cli
