#include "checkers/check.h"

#include <algorithm>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "absl/strings/numbers.h"
#include "cli/check_files.h"
#include "cli/check_sink.h"
#include "cli/command.h"
#include "cli/input.h"
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
};

// What is told when files differ: our own bug says most, then bad input, then
// findings, then incomplete.
ExitCode Worse(ExitCode a, ExitCode b) {
  for (ExitCode code : {kOurBug, kBadInput, kFindings, kIncomplete}) {
    if (a == code || b == code) return code;
  }
  return kClean;
}

std::unique_ptr<CheckSink> SinkOf(const std::string& format) {
  if (format == "json") return JsonSink();
  return format == "sarif" ? SarifSink() : TextSink();
}

ExitCode CheckAll(CheckRequest request, const std::string& folder) {
  std::unique_ptr<VerdictCache> cache;
  if (!folder.empty()) {
    auto opened = VerdictCache::Open(folder);
    if (!opened.ok()) {
      fmt::print(stderr, "tilesim: {}\n",
                 std::string(opened.status().message()));
      return kBadInput;
    }
    cache = std::move(*opened);
  }
  request.cache = cache.get();
  std::unique_ptr<CheckSink> sink = SinkOf(request.format);
  ExitCode exit = kClean;
  CheckFiles(request, *sink, [&](const FileAnswer& file) {
    exit = Worse(exit, file.exit);
    sink->Add(file.shown);
  });
  sink->Finish(exit);
  return exit;
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
    fmt::print(stderr, "tilesim: --trips takes `all` or a number of turns\n");
    return kBadInput;
  }
  check.witness_events = kWitnessEvents;
  check.strict.insert(options.strict.begin(), options.strict.end());
  int cores = static_cast<int>(std::thread::hardware_concurrency());
  request.paths = options.files;
  request.jobs = options.jobs > 0 ? options.jobs : std::max(cores, 1);
  request.format = options.format;
  return CheckAll(std::move(request), options.cache);
}

}  // namespace

void AddCheck(CLI::App& app, int& exit) {
  auto o = std::make_shared<Options>();
  CLI::App* check = app.add_subcommand(
      "check", "Looks for races, missing waits and fences, and deadlocks.");
  check->add_option("FILE", o->files, ".tile files, or .ptx with --launch")
      ->required();
  check
      ->add_option("-D", o->defines,
                   "NAME=VALUE: a param or const; else every permitted value")
      ->allow_extra_args(false);
  check->add_option("--trips", o->trips,
                    "all: every permitted size; N: some, in which the longest "
                    "loop goes around N times");
  check
      ->add_option(
          "--sms", o->sms,
          "SMs of the GPU, for a kernel that asks; else as few as it can "
          "be launched with, and as many as an H200 or B200 has")
      ->check(CLI::PositiveNumber);
  check->add_option("--launch", o->launch,
                    "how kernels of .ptx files are launched: JSON");
  std::vector<std::string> switches(ir::StrictSwitches().begin(),
                                    ir::StrictSwitches().end());
  switches.emplace_back(
      "ptx");  // the practice profile (checkers/pipeline/practice.h)
  check->add_option("--strict", o->strict, "make this warning an error")
      ->allow_extra_args(false)
      ->check(CLI::IsMember(switches));
  check
      ->add_option("--max-states", o->max_states,
                   "positions a search of schedules may look at, for each "
                   "cluster; 100000, or 10000 where sizes are open anyway")
      ->check(CLI::PositiveNumber);
  check
      ->add_option("--jobs,-j", o->jobs,
                   "files checked at a time; as many as there are cores")
      ->check(CLI::PositiveNumber);
  check->add_option("--cache", o->cache,
                    "a folder in which verdicts are kept: the same program, "
                    "options and tilesim is not checked again");
  check->add_option("--format", o->format, "text, json or sarif")
      ->check(CLI::IsMember({"text", "json", "sarif"}));
  check->footer(
      "examples:\n"
      "  tilesim check examples/hopper/hgemm_v07.tile\n"
      "  tilesim check gemm.tile -D K=640 --strict proxy-war\n"
      "  tilesim check *.tile --format sarif > tilesim.sarif\n");
  check->callback([o, &exit] { exit = Check(*o); });
}

}  // namespace tilesim::cli
