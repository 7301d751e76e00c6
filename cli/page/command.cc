// tilesim report: one HTML page about a program, which needs no network.
#include "cli/command.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <utility>

#include "cli/check_files.h"
#include "cli/complain.h"
#include "cli/fingerprint.h"
#include "cli/interrupt.h"
#include "cli/output.h"
#include "cli/page/page.h"
#include "cli/page/page_data.h"
#include "cli/run/hints.h"
#include "cli/run/recorder.h"
#include "cli/run/report_of.h"
#include "cli/run/timed_run.h"
#include "fmt/format.h"
#include "traces/filter.h"
#include "traces/read_trace.h"
#include "traces/summary.h"
#include "traces/trace_diff.h"

namespace tilesim::cli {
namespace {

// Of a page that opens at once.
constexpr int64_t kMostPageEvents = 60'000;
// CTAs of the SM on which the run ends: the first one, and the last ones.
constexpr size_t kLastCtas = 3;
constexpr int64_t kPageWitnessEvents = 60'000;

struct Options {
  RunOptions run;
  std::string out;
  std::string sms, ctas;
  std::string sweep, beside;
  std::string format = "text";
  bool no_check = false;
};

class ReportCommand {
 public:
  explicit ReportCommand(Options options) : options_(std::move(options)) {
    options_.run.lines = true;
  }

  int Run() {
    const std::atomic<bool>& stop = CatchInterrupt();
    const RunOptions& o = options_.run;
    std::vector<NamedFile> inputs = FilesOf("--in", o.in);
    inputs.push_back({"FILE", o.file});
    inputs.push_back({"--sweep", options_.sweep});
    inputs.push_back({"--beside", options_.beside});
    if (!SparesInputs({{"-o", options_.out}}, inputs)) return kBadInput;
    if (!options_.sweep.empty() && !ReadSweep()) return kBadInput;
    if (ExitCode e = ChooseCtas(stop); e != kClean) return e;
    TimedRun run(options_.run);
    if (ExitCode e = run.Prepare(); e != kClean) return e;
    if (!options_.beside.empty() && !MayStandBeside(run)) return kBadInput;
    const auto list = [](const auto& set) {
      return std::vector<int64_t>(set.begin(), set.end());
    };
    if (!NumbersFrom0("--trace-sm", list(sms_),
                      static_cast<int64_t>(run.arch().sms)) ||
        !NumbersFrom0("--trace-cta", list(ctas_), run.MostCtas()))
      return kBadInput;
    Recorder recorder(
        run.machine(), Info(run),
        [this](int sm, int64_t cta) {
          return (sms_.empty() || sms_.contains(sm)) &&
                 (ctas_.empty() || ctas_.contains(cta));
        },
        &run.loaded().source);
    if (ExitCode e = run.Simulate(&recorder, stop); e != kClean) return e;
    if (o.hints) FillHints(run, stop);
    if (!options_.no_check) Check();
    if (stop) return kInterrupted;
    std::optional<PageJson> data = DataOf(run, recorder);
    if (!data || !WriteFile(options_.out, PageOf(Title(run), *data)))
      return kBadInput;
    if (options_.format == "json") {
      PrintAnswer(AnswerOf(*data));
    } else {
      fmt::print("{}: {}\n", options_.out, Verdict(run));
    }
    return ExitOf(run);
  }

 private:
  bool ReadSweep() {
    absl::StatusOr<PageJson> sweep = SweepJson(options_.sweep);
    if (sweep.ok()) {
      sweep_ = std::move(*sweep);
      return true;
    }
    Complain("{}", std::string(sweep.status().message()));
    return false;
  }

  // Whether --beside is a trace of this program, and whose.
  bool MayStandBeside(const TimedRun& run) {
    absl::StatusOr<traces::TraceFile> other =
        traces::ReadTraceFile(options_.beside);
    if (!other.ok()) {
      Complain("--beside: {}", std::string(other.status().message()));
      return false;
    }
    traces::TraceFile own;
    own.program = options_.run.file;
    own.source = TextFingerprint(run.loaded().source);
    if (!traces::SameProgram(own, *other)) {
      Complain("--beside {} is a trace of {}{}", options_.beside,
               other->program,
               other->program == own.program ? ", with another text" : "");
      return false;
    }
    for (const auto& [name, size] : SizesOf(run.machine()))
      own.sizes[name] = size;
    if (const std::string sizes = traces::OtherSizes(own, *other);
        !sizes.empty()) {
      Complain("--beside {} is a trace of other sizes: {}", options_.beside,
               sizes);
      return false;
    }
    beside_modelled_ = other->modelled;
    return true;
  }

  // What was asked for; otherwise the run without values says on which SM it
  // ends, and that SM's first and last CTAs are recorded.
  ExitCode ChooseCtas(const std::atomic<bool>& stop) {
    for (const auto& [option, text, set] :
         {std::tuple("--trace-sm", &options_.sms, &sms_),
          std::tuple("--trace-cta", &options_.ctas, &ctas_)}) {
      if (text->empty()) continue;
      std::optional<Chosen> chosen = ParseChosen(*text);
      if (!chosen) {
        Complain("{} {}: expected numbers and ranges, as in 0-3,7, or all",
                 option, *text);
        return kBadInput;
      }
      set->insert(chosen->numbers.begin(), chosen->numbers.end());
    }
    if (!options_.sms.empty() || !options_.ctas.empty()) return kClean;
    RunOptions probe = options_.run;
    probe.timing_only = true;
    probe.quiet = true;
    probe.lines = false;
    TimedRun run(probe);
    if (ExitCode e = run.Prepare(); e != kClean) return e;
    if (ExitCode e = run.Simulate(nullptr, stop); e != kClean) return e;
    ChooseFrom(run.stats());
    return kClean;
  }

  void ChooseFrom(const timing::RunStats& stats) {
    const auto& steps = stats.path_steps;
    const int32_t last = steps.empty() ? 0 : steps.back().cta;
    const int sm = last < 0 || stats.ctas_run.empty()
                       ? 0
                       : stats.ctas_run[static_cast<size_t>(last)].sm;
    sms_ = {sm};
    std::vector<int64_t> here;
    for (const timing::CtaRun& c : stats.ctas_run) {
      if (c.sm == sm) here.push_back(c.linear);
    }
    for (size_t i = 0; i < here.size(); ++i) {
      if (i == 0 || i + kLastCtas >= here.size()) ctas_.insert(here[i]);
    }
  }

  static traces::TimelineInfo Info(const TimedRun& run) {
    traces::TimelineInfo info;
    info.program = run.options().file;
    info.arch = run.arch().name;
    info.clock_khz = static_cast<int64_t>(run.arch().clock_mhz * 1000);
    return info;
  }

  void Check() {
    CheckRequest check;
    // Read once already, without complaint.
    check.options.defines = *ParseOverrides(options_.run.defines);
    check.options.witness_events = kPageWitnessEvents;
    checked_.emplace(CheckOne(check, options_.run.file));
  }

  // Nothing, said on stderr: the trace to show beside it is none.
  std::optional<PageJson> DataOf(TimedRun& run, Recorder& recorder) {
    traces::Timeline whole = recorder.Finish(run.stats(), GpuTracks::kPath);
    traces::Filter part;
    part.max_events = kMostPageEvents;
    traces::Timeline timeline = traces::ApplyFilter(whole, part);
    if (!options_.beside.empty()) {
      absl::Status added = traces::AddTraceFile(
          options_.beside,
          beside_modelled_ ? "modelled: " : "measured: ", timeline);
      if (!added.ok()) {
        Complain("--beside: {}", std::string(added.message()));
        return std::nullopt;
      }
    }
    // No process was filtered out, so that their numbers are as recorded.
    const CheckedFile* checked = checked_ ? &*checked_ : nullptr;
    PageJson data = {
        {"run", traces::JsonSummary(run.report())},
        {"sources", SourcesJson(run.report())},
        {"timeline", TimelineJson(timeline,
                                  DrawnPath(run.machine(), run.stats(),
                                            recorder.recorded(), timeline),
                                  "cycles")},
        {"gpu", GpuJson(run)},
        {"findings", FindingsJson(checked, run.report())},
        {"check", checked == nullptr ? PageJson() : CheckJson(*checked)}};
    if (!sweep_.is_null()) data["sweep"] = sweep_;
    return data;
  }

  static std::string Title(TimedRun& run) {
    std::vector<std::string> names;
    for (const traces::KernelReport& k : run.report().kernels)
      names.push_back(k.name);
    if (names.empty()) names.push_back(run.report().program);
    return fmt::format("{} on {}", fmt::join(names, ", "), run.arch().name);
  }

  // What `run --lines --format json` says of the file, what `check` does, and
  // where the page is.
  Json AnswerOf(const PageJson& data) const {
    Json file = data.at("run");
    file["check"] = data.at("check");
    file["page"] = options_.out;
    return {{"schema", 1}, {"files", Json::array({std::move(file)})}};
  }

  std::string Verdict(TimedRun& run) const {
    const traces::RunReport& r = run.report();
    std::string out = r.finished ? fmt::format("{:.2f} us, bound by {}",
                                               r.time_us(), r.bound_by)
                                 : "it does not end";
    if (checked_ && checked_->checked())
      out +=
          fmt::format("; check: {}", checkers::Name(checked_->report->verdict));
    return out;
  }

  // As `run` and `check` would: what was found counts before what is open.
  ExitCode ExitOf(const TimedRun& run) const {
    const ExitCode ran = run.exit();
    if (ran != kClean || !checked_) return ran;
    return checked_->exit;
  }

  Options options_;
  std::set<int64_t> sms_, ctas_;
  bool beside_modelled_ = false;
  std::optional<CheckedFile> checked_;
  PageJson sweep_ = nullptr;
};

}  // namespace

void AddReport(Command app, int& exit) {
  auto o = std::make_shared<Options>();
  Command report = app.AddCommand(
      "report",
      "One HTML page: times, source, time line, findings step by step.");
  AddRunOptions(report, o->run);
  report.AddOption("-o,--output", o->out, "the page to write").Required();
  report.AddOption("--trace-sm", o->sms,
                   "SMs whose CTAs the time line shows: 0-3,7 or all; that "
                   "on which the run ends");
  report.AddOption("--trace-cta", o->ctas,
                   "CTAs, by linear index; the first one of that SM and its "
                   "last ones");
  report.AddOption("--sweep", o->sweep,
                   "what `sweep --format json` printed: its table and plot");
  report.AddOption("--beside", o->beside,
                   "a trace of `hw --trace`, or of `run --trace`: its tracks "
                   "below the model's");
  report.AddFlag("--no-check", o->no_check,
                 "leave out what `check` says of every schedule");
  report.AddOption("--format", o->format, "text or json, on stdout")
      .OneOf({"text", "json"});
  report.Footer(
      "examples:\n"
      "  tilesim report examples/hopper/hgemm_v08.tile -o report.html\n"
      "  tilesim sweep gemm.tile -D STAGES=2..6 --format json > s.json;"
      " tilesim report gemm.tile --sweep s.json -o report.html\n");
  report.OnCall([o, &exit] { exit = ReportCommand(*o).Run(); });
}

}  // namespace tilesim::cli
