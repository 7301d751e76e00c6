#include <filesystem>

#include "cli/command.h"
#include "cli/complain.h"
#include "cli/input.h"
#include "cli/launch_description.h"
#include "cli/output.h"
#include "fmt/format.h"
#include "frontend/bind.h"
#include "hwtests/emit/emit.h"

namespace tilesim::cli {
namespace {

struct LowerOptions {
  std::string file, target, out, launch;
  std::vector<std::string> defines;
  bool standalone = false;
  bool debug = false;
  bool delays = false;
  std::string format = "text";
};

// The PTX that is made of the CUDA file: beside it, with the same name.
std::string PtxName(const LowerOptions& o) {
  const bool named = !o.out.empty() && o.out != "-";
  const std::filesystem::path cuda(named ? o.out : o.file);
  return cuda.stem().string() + ".ptx";
}

bool WriteText(const std::string& path, const std::string& text) {
  if (!path.empty() && path != "-") return WriteFile(path, text);
  fmt::print("{}", text);
  return true;
}

// False, said on stderr: options of which only one can be had.
bool OptionsAgree(const LowerOptions& o) {
  const bool to_stdout = o.out.empty() || o.out == "-";
  const char* why = nullptr;
  if (o.launch == "-" && to_stdout)
    why = "--launch - and the CUDA both go to stdout: give -o FILE";
  else if (!o.launch.empty() && o.launch != "-" && o.launch == o.out)
    why = "--launch and -o name the same file";
  if (why != nullptr) Complain("{}", why);
  return why == nullptr && SparesInputs({{"-o", o.out}, {"--launch", o.launch}},
                                        {{"FILE", o.file}});
}

int Lower(const LowerOptions& o) {
  if (!OptionsAgree(o)) return kBadInput;
  auto defines = ParseOverrides(o.defines);
  auto loaded = defines ? ParseFile(o.file, *defines) : nullptr;
  if (loaded == nullptr) return kBadInput;
  ir::Target target = loaded->program.kernels[0].target;
  if (!o.target.empty() && o.target != ir::Name(target)) {
    Complain("{} is written for {}, not {}", o.file, ir::Name(target),
             o.target);
    return kBadInput;
  }
  ir::Diagnostics diagnostics;
  auto bound = frontend::BindProgram(loaded->program, *defines,
                                     ir::InfoOf(target).sms, diagnostics);
  std::optional<hwtests::Lowered> lowered;
  if (bound) {
    hwtests::EmitOptions options;
    options.standalone = o.standalone;
    options.debug = o.debug;
    options.delays = o.delays;
    options.file = o.file;
    if (o.out != "-") options.out = o.out;
    lowered = hwtests::Lower(loaded->program, *bound, options, diagnostics);
  }
  PrintDiagnostics(diagnostics, loaded->source);
  if (!lowered || diagnostics.has_errors()) return kBadInput;
  if (o.format == "json") {
    Json file = {{"file", o.file},
                 {"target", ir::Name(target)},
                 {"cuda", lowered->cuda}};
    PrintAnswer({{"schema", 1}, {"files", Json::array({std::move(file)})}});
    return kClean;
  }
  if (!WriteText(o.out, lowered->cuda)) return kBadInput;
  if (o.launch.empty()) return kClean;
  const ptx::LaunchFile launch = DescribeLaunch(lowered->plan, PtxName(o));
  return WriteText(o.launch, ptx::WriteLaunch(launch)) ? kClean : kBadInput;
}

}  // namespace

void AddLower(Command app, int& exit) {
  auto o = std::make_shared<LowerOptions>();
  Command lower = app.AddCommand("lower", "Writes a program as CUDA C++.");
  lower.AddOption("FILE", o->file, "a .tile file; - for stdin").Required();
  lower.AddOption("-D", o->defines, "NAME=VALUE: a param or const")
      .OneValueEach();
  lower.AddOption("--target", o->target, ir::NamesOf(ir::kOnAll, " or "));
  lower.AddFlag("--standalone", o->standalone,
                "with a main that checks and times it");
  lower.AddFlag("--debug", o->debug,
                "bound every polling wait, and report where one expired");
  lower.AddFlag("--delays", o->delays,
                "sleep before ops, as hw --schedules does");
  Option out =
      lower.AddOption("-o", o->out, "the file to write; stdout when absent");
  Option launch =
      lower.AddOption("--launch", o->launch,
                      "the file to write how it is launched to, as JSON, for "
                      "the PTX that nvcc makes of it");
  lower.AddOption("--format", o->format, "text or json, on stdout")
      .OneOf({"text", "json"})
      .Excludes(out)
      .Excludes(launch);
  lower.Footer(
      "examples:\n"
      "  tilesim lower examples/hopper/hgemm_v07.tile -o hgemm.cu\n"
      "  tilesim lower gemm.tile --standalone --target sm_90a -o gemm.cu\n"
      "  tilesim lower gemm.tile -o gemm.cu --launch gemm.json && "
      "nvcc -ptx -arch=sm_90a gemm.cu\n");
  lower.OnCall([o, &exit] { exit = Lower(*o); });
}

}  // namespace tilesim::cli
