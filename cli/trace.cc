// tilesim trace: about trace files, of the model and of a GPU.
#include <memory>
#include <string>

#include "cli/command.h"
#include "cli/complain.h"
#include "fmt/format.h"
#include "traces/trace_diff.h"

namespace tilesim::cli {
namespace {

struct Options {
  std::string a, b;
  std::string format = "text";
};

int Diff(const Options& o) {
  absl::StatusOr<traces::TraceFile> one = traces::ReadTraceFile(o.a);
  absl::StatusOr<traces::TraceFile> two = traces::ReadTraceFile(o.b);
  for (const absl::Status& status : {one.status(), two.status()}) {
    if (status.ok()) continue;
    Complain("{}", std::string(status.message()));
    return kBadInput;
  }
  if (!traces::SameProgram(*one, *two)) {
    Complain(
        "{} is a trace of {}, {} of {}{}: only traces of one "
        "program have lines in common",
        o.a, one->program, o.b, two->program,
        one->program == two->program ? ", with another text" : "");
    return kBadInput;
  }
  if (const std::string other = traces::OtherSizes(*one, *two);
      !other.empty()) {
    Complain("{} and {} are traces of other sizes: {}", o.a, o.b, other);
    return kBadInput;
  }
  traces::TraceDiff diff = traces::DiffOf(*one, *two);
  if (diff.roles.empty()) {
    Complain("the traces have no CTA and role in common");
    return kBadInput;
  }
  diff.a.name = o.a;
  diff.b.name = o.b;
  if (o.format == "json") {
    PrintAnswer(traces::DiffJson(diff));
  } else {
    fmt::print("{}", traces::DiffText(diff));
  }
  return diff.equal() ? kClean : kFindings;
}

}  // namespace

void AddTrace(Command app, int& exit) {
  Command trace = app.AddCommand("trace", "About trace files.");
  trace.MustNameCommand();
  trace.Footer(
      "example:\n"
      "  tilesim trace diff model.json gpu.json\n");
  Command diff = trace.AddCommand(
      "diff", "Where two traces of a program part, role by role.");
  auto o = std::make_shared<Options>();
  diff.AddOption("A", o->a, "a trace file").Required();
  diff.AddOption("B", o->b, "another").Required();
  diff.AddOption("--format", o->format, "text or json").OneOf({"text", "json"});
  diff.Footer(
      "A and B are traces of `run --trace` or `hw --trace`: of the model, of a "
      "GPU, or both of the model.\n"
      "cycles: those of a step's executions added up, which may overlap; "
      "`from` "
      "is the cycle at which one began.\n"
      "exit codes: 0 no step differs, 1 a step differs, or a track or a part "
      "of "
      "a trace is missing\n"
      "example:\n"
      "  tilesim run gemm.tile --trace model.json --trace-cta 0\n"
      "  tilesim hw gemm.tile --trace gpu.json\n"
      "  tilesim trace diff model.json gpu.json\n");
  diff.OnCall([o, &exit] { exit = Diff(*o); });
}

}  // namespace tilesim::cli
