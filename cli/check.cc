#include "checkers/check.h"

#include <algorithm>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "absl/strings/numbers.h"
#include "cli/check_files.h"
#include "cli/check_sink.h"
#include "cli/color.h"
#include "cli/command.h"
#include "cli/complain.h"
#include "cli/input.h"
#include "cli/launch_input.h"
#include "cli/numbers.h"
#include "cli/output.h"
#include "cli/printed.h"
#include "cli/progress.h"
#include "cli/suppress.h"
#include "fmt/format.h"

namespace tilesim::cli {
namespace {

// Enough for a few hundred replays of a short schedule.
constexpr int64_t kWitnessEvents = 60'000;

struct Options {
  std::vector<std::string> files;
  std::vector<std::string> defines;
  std::vector<std::string> strict;
  std::string trips = "all";
  int64_t max_states = checkers::CheckOptions().max_states;
  int64_t sms = 0;
  int jobs = 0;
  std::string format = "text";
  std::string launch;
  std::string cache;
  std::string baseline, write_baseline, help_uri;
  std::string output;
};

// What is told when files differ: our own bug says most, then bad input, then
// findings, then incomplete.
ExitCode Worse(ExitCode a, ExitCode b) {
  for (ExitCode code : {kOurBug, kBadInput, kFindings, kIncomplete}) {
    if (a == code || b == code) return code;
  }
  return kClean;
}

std::unique_ptr<CheckSink> SinkOf(const Options& options) {
  if (options.format == "json") return JsonSink();
  return options.format == "sarif" ? SarifSink(options.help_uri) : TextSink();
}

// Which findings are known. Nothing, said on stderr: the file is no baseline.
std::optional<Baseline> BaselineOf(const Options& options) {
  if (options.baseline.empty()) return Baseline();
  absl::StatusOr<Baseline> read = Baseline::Read(options.baseline);
  if (read.ok()) return *std::move(read);
  Complain("--baseline: {}", std::string(read.status().message()));
  return std::nullopt;
}

// Of what is written, and where what is printed goes, too.
bool SparesInputs(const Options& options) {
  std::vector<NamedFile> inputs;
  for (const std::string& path : options.files)
    inputs.push_back({"FILE", path});
  if (!cli::SparesInputs({{"--write-baseline", options.write_baseline}},
                         inputs))
    return false;
  inputs.push_back({"--launch", options.launch});
  inputs.push_back({"--baseline", options.baseline});
  inputs.push_back({"--write-baseline", options.write_baseline});
  return PrintTo(options.output, inputs);
}

// What decides how an answer is shown, besides the program: of one that is
// kept, part of its key.
std::string ShownAs(const Options& options, const Baseline& known) {
  return fmt::format("{} {}{} {}", options.format,
                     static_cast<int>(PaintOn(stdout).coloured),
                     static_cast<int>(PaintOn(stderr).coloured), known.Text());
}

ExitCode ShowAll(CheckRequest request, const Options& options) {
  std::unique_ptr<CheckSink> sink = SinkOf(options);
  ExitCode exit = kClean;
  Progress progress("files");
  request.watched = progress.watched();
  CheckFiles(
      request, *sink,
      [&](const FileAnswer& file) {
        exit = Worse(exit, file.exit);
        progress.Clear();
        sink->Add(file.shown);
      },
      [&](int64_t files, const std::string& doing) {
        progress.Show(files, static_cast<int64_t>(request.paths.size()),
                      doing.empty() ? "" : " " + doing);
      });
  progress.Clear();
  sink->Finish(exit);
  return exit;
}

ExitCode CheckAll(CheckRequest request, const Options& options) {
  std::optional<Baseline> known = BaselineOf(options);
  if (!known || !SparesInputs(options)) return kBadInput;
  std::unique_ptr<VerdictCache> cache;
  if (!options.cache.empty()) {
    auto opened = VerdictCache::Open(options.cache);
    if (!opened.ok()) {
      Complain("{}", std::string(opened.status().message()));
      return kBadInput;
    }
    cache = std::move(*opened);
  }
  request.format = ShownAs(options, *known);
  bool writes = !options.write_baseline.empty();
  // What is kept was looked at already, and is in no baseline.
  request.cache = writes ? nullptr : cache.get();
  int gone = 0;
  std::mutex mutex;
  request.found = [&](CheckedFile& file) {
    std::lock_guard lock(mutex);
    if (writes) known->Add(file);
    gone += Suppress(file, *known);
  };
  ExitCode exit = ShowAll(request, options);
  if (gone > 0 && !writes)
    fmt::print(stderr,
               "tilesim: {} findings of {} are gone: write it anew "
               "(--write-baseline)\n",
               gone, options.baseline);
  if (writes && !WriteFile(options.write_baseline, known->Text()))
    return kBadInput;
  return exit;
}

// A launch description by itself stands for the PTX that it names. False: said
// on stderr why not.
bool TakePtxOfLaunch(CheckRequest& request) {
  const auto at =
      std::find_if(request.paths.begin(), request.paths.end(),
                   [](const std::string& path) { return IsLaunch(path); });
  if (at == request.paths.end()) return true;
  if (!request.launch.empty() || request.paths.size() > 1) {
    Complain("{} is a launch description: tilesim check KERNEL.ptx --launch {}",
             *at, *at);
    return false;
  }
  std::string failure;
  request.launch = *at;
  request.paths = PtxOf(request.launch, &failure);
  if (request.paths.empty()) Complain("{}", failure);
  return !request.paths.empty();
}

ExitCode Check(const Options& options) {
  std::optional<ir::Overrides> defines = ParseOverrides(options.defines);
  if (!defines) return kBadInput;
  CheckRequest request;
  request.launch = options.launch;
  checkers::CheckOptions& check = request.options;
  check.defines = std::move(*defines);
  check.max_states = options.max_states;
  check.sm_count = options.sms;
  if (options.trips != "all" &&
      (!absl::SimpleAtoi(options.trips, &check.trips) || check.trips < 1)) {
    Complain("--trips takes `all` or a number of iterations");
    return kBadInput;
  }
  if (!options.help_uri.empty() && options.format != "sarif") {
    Complain("--help-uri is for --format sarif");
    return kBadInput;
  }
  check.witness_events = kWitnessEvents;
  check.strict.insert(options.strict.begin(), options.strict.end());
  int cores = static_cast<int>(std::thread::hardware_concurrency());
  request.paths = options.files;
  request.jobs = options.jobs > 0 ? options.jobs : std::max(cores, 1);
  if (!TakePtxOfLaunch(request)) return kBadInput;
  return CheckAll(std::move(request), options);
}

void AddKnown(Command check, Options& o) {
  Option cache = check.AddOption(
      "--cache", o.cache,
      "a folder in which verdicts are kept: the same program, options and "
      "tilesim is not checked again");
  Option baseline =
      check.AddOption("--baseline", o.baseline,
                      "findings that are known, and neither shown nor counted");
  check
      .AddOption("--write-baseline", o.write_baseline,
                 "write such a file, of all that is found now")
      .Excludes(baseline)
      .Excludes(cache);
}

}  // namespace

void AddCheck(Command app, int& exit) {
  auto o = std::make_shared<Options>();
  Command check = app.AddCommand(
      "check", "Looks for races, missing waits and fences, and deadlocks.");
  check
      .AddOption("FILE", o->files,
                 ".tile files, .ptx with --launch, or launch descriptions "
                 "(.json) of .ptx beside them; - for stdin")
      .Required();
  check
      .AddOption("-D", o->defines,
                 "NAME=VALUE: a param or const; else every permitted value")
      .OneValueEach();
  check.AddOption("--trips", o->trips,
                  "all: every permitted size; N: some, in which the longest "
                  "loop goes around N times");
  check
      .AddOption(
          "--sms", o->sms,
          "SMs of the GPU, for a kernel that asks; else as few as it can "
          "be launched with, and as many as an H200 or B200 has")
      .Check(WholeNumber(1));
  check.AddOption("--launch", o->launch,
                  "how kernels of .ptx files are launched: JSON");
  std::vector<std::string> switches(ir::StrictSwitches().begin(),
                                    ir::StrictSwitches().end());
  switches.emplace_back(
      "ptx");  // the practice profile (checkers/pipeline/practice.h)
  check.AddOption("--strict", o->strict, "make this warning an error")
      .OneValueEach()
      .OneOf(switches);
  check
      .AddOption("--max-states", o->max_states,
                 "states a search of schedules may visit, for each "
                 "cluster; 100000, or 10000 where sizes are open anyway")
      .Check(WholeNumber(1));
  check
      .AddOption("--jobs,-j", o->jobs,
                 "files checked at a time; as many as there are cores")
      .Check(WholeNumber(1, kMostJobs));
  AddKnown(check, *o);
  check.AddOption("--format", o->format, "text, json or sarif")
      .OneOf({"text", "json", "sarif"});
  AddPrinted(check, o->output);
  check.AddOption("--help-uri", o->help_uri,
                  "with sarif: where the pages of checkers/explain are read, "
                  "https://...; rules hold their page, with or without");
  check.Footer(
      "examples:\n"
      "  tilesim check examples/hopper/hgemm_v07.tile\n"
      "  tilesim check gemm.tile -D K=640 --strict proxy-war\n"
      "  tilesim check *.tile --format sarif -o tilesim.sarif\n"
      "  tilesim check *.tile --write-baseline known.json;"
      " tilesim check *.tile --baseline known.json\n"
      "a finding that is known and kept: `// tilesim: allow(race/war) reason` "
      "on its line, or alone on the line above\n");
  check.OnCall([o, &exit] { exit = Check(*o); });
}

}  // namespace tilesim::cli
