// Reads on the GPU of this machine what an architecture is, or takes readings
// that were made before.
#include <unistd.h>

#include <filesystem>
#include <optional>

#include "cli/command.h"
#include "cli/complain.h"
#include "cli/device.h"
#include "cli/output.h"
#include "fmt/format.h"
#include "hwtests/run/process.h"
#include "ir/cat.h"
#include "ir/values/read_file.h"
#include "sim/arch/calibrate/write.h"

namespace tilesim::cli {
namespace {

// Each program has 60 s (run.sh); there are some fifteen, of some seconds.
constexpr double kPatienceSeconds = 900;

struct CalibrateOptions {
  std::string arch = "h200", out, readings, programs, format = "text";
};

// Readings take some megabytes.
constexpr int64_t kMostReadingBytes = 64 << 20;

absl::StatusOr<std::string> TextOf(const std::string& path) {
  return values::ReadFile(path, kMostReadingBytes);
}

// Where `build.sh build/calibrate` puts them, beside build/tilesim.
std::string ProgramsBeside() {
  std::error_code error;
  auto self = std::filesystem::read_symlink("/proc/self/exe", error);
  return error ? "calibrate" : (self.parent_path() / "calibrate").string();
}

// machine.csv of run.sh: time, name, driver, power limit.
void ReadMachine(const std::string& text, arch::Machine& machine) {
  std::string* const parts[] = {&machine.date, &machine.gpu, &machine.driver};
  size_t at = 0;
  for (std::string* part : parts) {
    const size_t end = std::min(text.find(", ", at), text.size());
    *part = text.substr(at, end - at);
    at = std::min(end + 2, text.size());
  }
  machine.date = machine.date.substr(0, machine.date.find(' '));
  for (char& c : machine.date) c = c == '/' ? '-' : c;
}

// Runs the microbenchmarks; exit code beside nothing.
std::optional<arch::Readings> Measure(const CalibrateOptions& o, int& exit) {
  const std::string programs =
      o.programs.empty() ? ProgramsBeside() : o.programs;
  const std::string script = programs + "/run.sh";
  exit = kNoDevice;
  if (access(script.c_str(), X_OK) != 0) {
    Complain(
        "no microbenchmarks in {}: `hwtests/calibrate/build.sh {}` compiles "
        "them (with nvcc), --programs says where they are, and --readings FILE "
        "takes readings that were made before",
        programs, programs);
    return std::nullopt;
  }
  const hwtests::ExchangeDirectory folder("");
  const hwtests::DeviceTurn turn;
  auto end = hwtests::RunProcess({script, folder.path()}, kPatienceSeconds);
  auto text = TextOf(folder.File("readings.jsonl"));
  auto machine = TextOf(folder.File("machine.csv"));
  if (!end.ok() || end->killed || end->exit_code != 0 || !text.ok() ||
      !machine.ok()) {
    Complain(
        "the microbenchmarks did not end well on this machine: is there a GPU "
        "for which they were compiled?");
    return std::nullopt;
  }
  std::string error;
  auto readings = arch::Readings::Parse(*text, &error);
  if (!readings) {
    Complain("what the microbenchmarks wrote: {}", error);
    exit = kOurBug;
    return std::nullopt;
  }
  ReadMachine(*machine, readings->machine);
  return readings;
}

std::optional<arch::Readings> Recorded(const std::string& path, int& exit) {
  exit = kBadInput;
  auto text = TextOf(path);
  if (!text.ok()) {
    Complain("{}", std::string(text.status().message()));
    return std::nullopt;
  }
  std::string error;
  auto readings = arch::Readings::Parse(*text, &error);
  if (!readings) Complain("{}: {}", path, error);
  return readings;
}

// The architecture has the name of the file without its ending.
std::string NameOf(const CalibrateOptions& o) {
  if (o.out.empty() || o.out == "-") return o.arch;
  return std::filesystem::path(o.out).stem().string();
}

Json AnswerOf(const CalibrateOptions& o, const arch::Readings& readings,
              const arch::Calibrated& made, bool to_file) {
  Json kept = Json::array();
  for (const std::string& name : made.kept) kept.push_back(name);
  Json file = {{"file", o.readings.empty() ? Json() : Json(o.readings)},
               {"gpu", readings.machine.gpu},
               {"base", o.arch},
               {"from_readings", made.from_readings},
               {"parameters", arch::Params().size()},
               {"without_readings", std::move(kept)},
               {"output", to_file ? Json(o.out) : Json()},
               {"arch", made.text}};
  return {{"schema", 1}, {"files", Json::array({std::move(file)})}};
}

int RunCalibrate(const CalibrateOptions& o) {
  if (!SparesInputs({{"-o", o.out}}, {{"--readings", o.readings}}))
    return kBadInput;
  const arch::Arch* base = arch::FindArch(o.arch);
  if (base == nullptr) {
    Complain("no architecture `{}`", o.arch);
    return kBadInput;
  }
  int exit = kClean;
  auto readings =
      o.readings.empty() ? Measure(o, exit) : Recorded(o.readings, exit);
  if (!readings) return exit;
  const arch::Calibrated made = arch::Calibrate(*readings, *base, NameOf(o));
  std::string error;
  if (!arch::ParseArch(made.text, &error)) {
    Complain("these readings make no architecture: {}", error);
    return kBadInput;
  }
  const bool to_file = !o.out.empty() && o.out != "-";
  if (to_file && !WriteFile(o.out, made.text)) return kBadInput;
  if (o.format == "json") {
    PrintAnswer(AnswerOf(o, *readings, made, to_file));
    return kClean;
  }
  std::string kept;
  for (const std::string& name : made.kept)
    ir::Append(&kept, kept.empty() ? "" : ", ", name);
  fmt::print(
      stderr,
      "{} of {} parameters are from readings; the others are as {} has "
      "them{}{}\n",
      made.from_readings, arch::Params().size(), base->name,
      kept.empty() ? "" : "; without the readings that they need: ", kept);
  if (!to_file) fmt::print("{}", made.text);
  return kClean;
}

}  // namespace

void AddCalibrate(Command app, int& exit) {
  auto o = std::make_shared<CalibrateOptions>();
  Command calibrate = app.AddCommand(
      "calibrate",
      "Measures this machine's GPU and writes the file of its architecture, "
      "which `run --arch FILE.toml` takes.");
  calibrate.AddOption(
      "--arch", o->arch,
      "what parameters are that nothing reads: h200 (default), h100_sxm ...");
  calibrate.AddOption("-o", o->out, "NAME.toml; stdout when absent");
  calibrate.AddOption("--programs", o->programs,
                      "the microbenchmarks as hwtests/calibrate/build.sh left "
                      "them; calibrate/ beside this command when absent");
  calibrate
      .AddOption("--readings", o->readings,
                 "calibration.json or readings.jsonl: measures nothing")
      .Excludes("--programs");
  calibrate.AddOption("--format", o->format, "text or json, on stdout")
      .OneOf({"text", "json"});
  calibrate.Footer(
      "examples:\n"
      "  tilesim calibrate -o mine.toml; tilesim run gemm.tile --arch "
      "mine.toml\n"
      "  tilesim calibrate --readings calibration.json -o mine.toml\n");
  calibrate.OnCall([o, &exit] { exit = RunCalibrate(*o); });
}

}  // namespace tilesim::cli
