#include "cli/command.h"
#include "cli/complain.h"
#include "cli/input.h"
#include "cli/output.h"
#include "fmt/format.h"
#include "frontend/bind.h"
#include "hwtests/emit/emit.h"

namespace tilesim::cli {
namespace {

struct LowerOptions {
  std::string file, target, out;
  std::vector<std::string> defines;
  bool standalone = false;
  bool debug = false;
  bool delays = false;
  std::string format = "text";
};

int Lower(const LowerOptions& o) {
  if (!SparesInputs({{"-o", o.out}}, {{"FILE", o.file}})) return kBadInput;
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
  std::string cuda;
  if (bound) {
    hwtests::EmitOptions options;
    options.standalone = o.standalone;
    options.debug = o.debug;
    options.delays = o.delays;
    options.file = o.file;
    cuda = hwtests::EmitCuda(loaded->program, *bound, options, diagnostics);
  }
  PrintDiagnostics(diagnostics, loaded->source);
  if (cuda.empty()) return kBadInput;
  if (o.format == "json") {
    Json file = {
        {"file", o.file}, {"target", ir::Name(target)}, {"cuda", cuda}};
    PrintAnswer({{"schema", 1}, {"files", Json::array({std::move(file)})}});
    return kClean;
  }
  if (o.out.empty() || o.out == "-") {
    fmt::print("{}", cuda);
    return kClean;
  }
  return WriteFile(o.out, cuda) ? kClean : kBadInput;
}

}  // namespace

void AddLower(CLI::App& app, int& exit) {
  auto o = std::make_shared<LowerOptions>();
  CLI::App* lower =
      app.add_subcommand("lower", "Writes a program as CUDA C++.");
  lower->add_option("FILE", o->file, "a .tile file; - for stdin")->required();
  lower->add_option("-D", o->defines, "NAME=VALUE: a param or const")
      ->allow_extra_args(false);
  lower->add_option("--target", o->target, ir::NamesOf(ir::kOnAll, " or "));
  lower->add_flag("--standalone", o->standalone,
                  "with a main that checks and times it");
  lower->add_flag("--debug", o->debug,
                  "bound every polling wait, and report where one expired");
  lower->add_flag("--delays", o->delays,
                  "sleep before ops, as hw --schedules does");
  CLI::Option* out =
      lower->add_option("-o", o->out, "the file to write; stdout when absent");
  lower->add_option("--format", o->format, "text or json, on stdout")
      ->check(CLI::IsMember({"text", "json"}))
      ->excludes(out);
  lower->footer(
      "examples:\n"
      "  tilesim lower examples/hopper/hgemm_v07.tile -o hgemm.cu\n"
      "  tilesim lower gemm.tile --standalone --target sm_90a -o gemm.cu\n");
  lower->callback([o, &exit] { exit = Lower(*o); });
}

}  // namespace tilesim::cli
