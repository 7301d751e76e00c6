// tilesim run: times a program on the modelled GPU, checks its values.
#include "cli/command.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cli/complain.h"
#include "cli/fingerprint.h"
#include "cli/input.h"
#include "cli/interrupt.h"
#include "cli/launch_input.h"
#include "cli/numbers.h"
#include "cli/output.h"
#include "cli/printed.h"
#include "cli/replay.h"
#include "cli/run/baseline.h"
#include "cli/run/hints.h"
#include "cli/run/ptx_run.h"
#include "cli/run/recorder.h"
#include "cli/run/timed_run.h"
#include "fmt/format.h"
#include "nlohmann/json.hpp"
#include "traces/chrome_trace.h"
#include "traces/filter.h"
#include "traces/summary.h"
#include "traces/tiling.h"

namespace tilesim::cli {
namespace {

struct CommandOptions {
  RunOptions run;
  bool values_only = false;
  std::string trace;
  std::string trace_sms, trace_ctas;
  int64_t trace_events = 200000;
  std::string format = "text";
  std::string output;
  std::string replay;
  int finding = 0;
};

// What is found stands in the report.
CommandOptions Quiet(CommandOptions options) {
  options.run.quiet = true;
  return options;
}

std::vector<NamedFile> OutputsOf(const CommandOptions& o) {
  std::vector<NamedFile> files = FilesOf("--out", o.run.out);
  files.push_back({"--trace", o.trace});
  return files;
}

std::vector<NamedFile> InputsOf(const CommandOptions& o) {
  std::vector<NamedFile> files = FilesOf("--in", o.run.in);
  for (const NamedFile& f : FilesOf("--expect", o.run.expect))
    files.push_back(f);
  files.push_back({"FILE", o.run.file});
  files.push_back({"--baseline", o.run.baseline});
  files.push_back({"--launch", o.run.launch});
  files.push_back({"--replay", o.replay});
  return files;
}

std::vector<NamedFile> NamedBeside(const CommandOptions& o) {
  std::vector<NamedFile> files = InputsOf(o);
  for (const NamedFile& f : OutputsOf(o)) files.push_back(f);
  return files;
}

// No restriction holds for everything.
bool Holds(const std::vector<int64_t>& chosen, int64_t number) {
  return chosen.empty() ||
         std::find(chosen.begin(), chosen.end(), number) != chosen.end();
}

class RunCommand {
 public:
  explicit RunCommand(CommandOptions options)
      : options_(Quiet(std::move(options))), run_(options_.run) {}

  int Run() {
    const std::atomic<bool>& stop = CatchInterrupt();
    if (!ComputesExpected() || !KeepsInputs() || !ChooseTrace())
      return kBadInput;
    if (IsPtx(options_.run.file))
      return IsOfPtx() ? RunPtx(OfPtx(), stop) : kBadInput;
    if (!options_.run.launch.empty()) {
      Complain("--launch says how a .ptx file is launched");
      return kBadInput;
    }
    if (ExitCode e = run_.Prepare(); e != kClean) return e;
    if (!NumbersFrom0("--trace-sm", part_.sms,
                      static_cast<int64_t>(run_.arch().sms)) ||
        !NumbersFrom0("--trace-cta", part_.ctas, run_.MostCtas()))
      return kBadInput;
    if (!ReadBaseline()) return kBadInput;
    if (!options_.trace.empty())
      Record(run_.machine(), run_.arch(), &run_.loaded().source);
    if (ExitCode e = run_.Simulate(recorder_ ? &*recorder_ : nullptr, stop);
        e != kClean)
      return e;
    if (options_.run.hints) FillHints(run_, stop);
    bool compared = Compare();
    // Files first: who reads the report may stop reading (`| head`).
    bool written = run_.WriteOutputs() && WriteTrace(run_.stats());
    Print();
    return compared && written ? run_.exit() : kBadInput;
  }

 private:
  bool KeepsInputs() const {
    return SparesInputs(OutputsOf(options_), InputsOf(options_));
  }

  bool ComputesExpected() const {
    const RunOptions& o = options_.run;
    if (o.expect.empty() || !o.timing_only) return true;
    Complain("--expect {}: --timing-only computes no values to compare",
             o.expect[0]);
    return false;
  }

  // Options that have a meaning for PTX: its sizes and constants are the
  // launch's.
  bool IsOfPtx() const {
    const RunOptions& o = options_.run;
    const std::pair<std::string_view, bool> others[] = {
        {"-D", !o.defines.empty()},
        {"--hints", o.hints},
        {"--baseline", !o.baseline.empty()}};
    for (const auto& [option, given] : others) {
      if (!given) continue;
      Complain(
          "{} is for .tile programs: what PTX is made of is not in its text",
          option);
      return false;
    }
    return true;
  }

  PtxRunOptions OfPtx() {
    PtxRunOptions o{
        options_.run, options_.values_only, options_.format, {}, {}};
    if (options_.trace.empty()) return o;
    o.watch = [this](const machine::Machine& machine, const arch::Arch& arch) {
      Record(machine, arch, nullptr);
      return &*recorder_;
    };
    o.write_trace = [this](const timing::RunStats& stats) {
      return WriteTrace(stats);
    };
    return o;
  }

  void Record(const machine::Machine& machine, const arch::Arch& arch,
              const ir::Source* source) {
    traces::TimelineInfo info;
    info.program = options_.run.file;
    info.arch = arch.name;
    info.clock_khz = static_cast<int64_t>(arch.clock_mhz * 1000);
    info.seed = options_.run.seed;
    if (source != nullptr) {
      info.source = TextFingerprint(*source);
    } else if (auto ptx = OpenSource(options_.run.file); ptx.ok()) {
      info.source = TextFingerprint(*ptx);
    }
    recorder_.emplace(
        machine, info,
        [this](int sm, int64_t cta) {
          return Holds(part_.sms, sm) && Holds(part_.ctas, cta);
        },
        source);
  }

  // What --trace records: two SMs unless something was chosen.
  bool ChooseTrace() {
    part_.max_events = options_.trace_events;
    const auto choose = [](const char* option, const std::string& text,
                           std::vector<int64_t>& numbers) {
      if (text.empty()) return true;
      std::optional<Chosen> chosen = ParseChosen(text);
      if (!chosen) {
        Complain(
            "{} {}: expected numbers and ranges, as in 0-3,7, "
            "or all",
            option, text);
        return false;
      }
      numbers = chosen->numbers;
      return true;
    };
    if (options_.trace_sms.empty() && options_.trace_ctas.empty())
      part_.sms = {0, 1};
    return choose("--trace-sm", options_.trace_sms, part_.sms) &&
           choose("--trace-cta", options_.trace_ctas, part_.ctas);
  }

  // Before the run: one of another program is of no use after it.
  bool ReadBaseline() {
    if (options_.run.baseline.empty()) return true;
    absl::StatusOr<EarlierRun> earlier = EarlierRun::Read(
        options_.run.baseline, run_.loaded().program.kernels[0].name);
    if (earlier.ok()) {
      earlier_ = std::move(*earlier);
      return true;
    }
    Complain("{}", std::string(earlier.status().message()));
    return false;
  }

  bool Compare() {
    traces::RunReport& report = run_.report();
    if (!earlier_ || !report.finished) return true;
    absl::StatusOr<traces::Baseline> baseline = earlier_->Beside(report);
    if (!baseline.ok()) {
      Complain("{}", std::string(baseline.status().message()));
      return false;
    }
    report.baseline = std::move(*baseline);
    return true;
  }

  bool WriteTrace(const timing::RunStats& stats) {
    if (!recorder_) return true;
    traces::Timeline timeline = recorder_->Finish(stats);
    if (auto gap = traces::FindTilingViolation(timeline);
        gap && stats.finished) {
      Complain("a trace with a hole is our bug: {}", *gap);
      run_.NoteOurBug();
    }
    const traces::Timeline part = traces::ApplyFilter(timeline, part_);
    absl::Status status = traces::WriteChromeTrace(part, options_.trace);
    if (!status.ok()) Complain("{}", std::string(status.message()));
    if (status.ok()) SayWhatIsCut(timeline, part);
    if (status.ok()) SayWhereThePathIs(stats);
    return status.ok();
  }

  // Its flows join CTAs that are in the trace: where nothing was chosen, it may
  // lie elsewhere.
  void SayWhereThePathIs(const timing::RunStats& stats) const {
    const auto& steps = stats.path_steps;
    if (!options_.trace_sms.empty() || !options_.trace_ctas.empty() ||
        steps.empty() || steps.back().cta < 0)
      return;
    const auto last = static_cast<size_t>(steps.back().cta);
    if (last >= stats.ctas_run.size()) return;
    const int sm = stats.ctas_run[last].sm;
    if (Holds(part_.sms, sm)) return;
    fmt::print(stderr,
               "tilesim: the critical path ends on SM {}, which {} does not "
               "hold: --trace-sm {} has its flows\n",
               sm, options_.trace, sm);
  }

  // A trace that ends before the run does is not taken for all of it.
  void SayWhatIsCut(const traces::Timeline& whole,
                    const traces::Timeline& part) const {
    if (!part.omission().truncated) return;
    traces::Cycle until = 0;
    for (const traces::Slice& s : part.slices())
      until = std::max(until, s.start);
    fmt::print(stderr,
               "tilesim: {} is cut short: it has {} of {} slices, and nothing "
               "that begins after cycle {}; --trace-events {} holds all\n",
               options_.trace, part.slices().size(), whole.slices().size(),
               until,
               whole.slices().size() + whole.counters().size() +
                   2 * whole.flows().size());
  }

  void Print() {
    const traces::RunReport& report = run_.report();
    if (options_.format == "json") {
      nlohmann::ordered_json out;
      out["schema"] = 1;
      out["files"] = nlohmann::ordered_json::array();
      out["files"].push_back(traces::JsonSummary(report));
      PrintAnswer(out);
    } else {
      fmt::print("{}", options_.values_only ? traces::ResultSummary(report)
                                            : traces::TextSummary(report));
    }
  }

  CommandOptions options_;
  traces::Filter part_;
  TimedRun run_;
  std::optional<Recorder> recorder_;
  std::optional<EarlierRun> earlier_;
};

void AddTraceOptions(Command run, CommandOptions& o) {
  Option trace =
      run.AddOption("--trace", o.trace,
                    "write a Chrome trace (.json or .json.gz) for Perfetto");
  run.AddOption("--trace-sm", o.trace_sms,
                "SMs to trace: 0-3,7 or all; default: 0 and 1")
      .Needs(trace);
  run.AddOption("--trace-cta", o.trace_ctas,
                "CTAs to trace, by linear index; default: all that run on the "
                "SMs of --trace-sm")
      .Needs(trace);
  run.AddOption("--trace-events", o.trace_events, "at most this many")
      .Check(WholeNumber(1))
      .Needs(trace);
}

void AddReplay(Command run, CommandOptions& o) {
  Option replay =
      run.AddOption("--replay", o.replay,
                    "what `check --format json` printed: runs the schedule "
                    "of a finding again");
  for (const char* other : {"-D",
                            "--arch",
                            "--set",
                            "--timing-only",
                            "--values-only",
                            "--values",
                            "--in",
                            "--out",
                            "--expect",
                            "--seed",
                            "--max-cycles",
                            "--trace-sm",
                            "--trace-cta",
                            "--trace-events",
                            "--lines",
                            "--hints",
                            "--baseline",
                            "--jobs",
                            "--l2",
                            "--launch"})
    replay.Excludes(run.option(other));
  run.AddOption(
         "--finding", o.finding,
         "number of the finding in that file, from 1; default: the first that "
         "has a schedule")
      .Check(WholeNumber(1))
      .Needs(replay);
}

}  // namespace

void AddRun(Command app, int& exit) {
  auto o = std::make_shared<CommandOptions>();
  Command run = app.AddCommand(
      "run",
      "Runs a program on the modelled GPU, checks its result, times it.");
  AddRunOptions(run, o->run);
  run.option("FILE").Describe(
      "a .tile file, or .ptx with --launch; - for stdin");
  run.AddOption("--baseline", o->run.baseline,
                "what `run --format json` printed before: prints what "
                "changed");
  run.AddFlag("--values-only", o->values_only, "values, prints no times")
      .Excludes("--timing-only")
      .Excludes("--hints")
      .Excludes("--baseline");
  run.AddOption("--launch", o->run.launch,
                "of a .ptx FILE: the JSON of its launches");
  run.AddOption("--expect", o->run.expect,
                "NAME=file.npy: what a global should hold, in its own type "
                "or f32")
      .OneValueEach();
  run.AddOption("--tolerance", o->run.tolerance,
                "of --expect: of an element, or of the mean size of all if "
                "that is more; else the same bits")
      .Check(Number(0, /*or_low=*/true))
      .Needs(run.option("--expect"));
  run.AddOption("--out", o->run.out, "NAME=file.npy").OneValueEach();
  run.AddFlag("--lines", o->run.lines,
              "beside each line of the source: how often it was executed, "
              "cycles, what it waited for and on whom")
      .Excludes("--values-only");
  AddTraceOptions(run, *o);
  AddReplay(run, *o);
  run.AddOption("--format", o->format, "text or json").OneOf({"text", "json"});
  AddPrinted(run, o->output);
  run.Footer(
      "examples:\n"
      "  tilesim run examples/hopper/hgemm_v07.tile\n"
      "  tilesim run gemm.tile -D M=512 -D N=512 --values all\n"
      "  tilesim run gemm.tile --lines --hints\n"
      "  tilesim run gemm.tile --timing-only --trace gemm.json.gz\n"
      "  tilesim run gemm.tile --format json -o old.json;"
      " tilesim run gemm.tile --baseline old.json\n"
      "  tilesim check gemm.tile --format json -o w.json;"
      " tilesim run gemm.tile --replay w.json\n");
  run.OnCall([o, &exit] {
    if (!PrintTo(o->output, NamedBeside(*o))) {
      exit = kBadInput;
      return;
    }
    exit = o->replay.empty() ? RunCommand(*o).Run()
                             : ReplayWitness({o->run.file, o->replay,
                                              o->finding, o->trace, o->format});
  });
}

}  // namespace tilesim::cli
