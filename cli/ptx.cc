#include "cli/command.h"
#include "cli/input.h"
#include "cli/output.h"
#include "fmt/format.h"
#include "ptx/text/parser.h"
#include "ptx/text/printer.h"

namespace tilesim::cli {
namespace {

struct PtxOptions {
  std::string file, out;
  bool rename = false;
  bool keep_lines = false;
};

int PrintPtx(const PtxOptions& o) {
  if (!SparesInputs({{"-o", o.out}}, {{"FILE", o.file}})) return kBadInput;
  std::optional<ir::Source> source = ReadSource(o.file);
  if (!source) return kBadInput;
  ir::Diagnostics diagnostics;
  std::optional<ptx::Module> module = ptx::Parse(*source, diagnostics);
  PrintDiagnostics(diagnostics, *source);
  if (!module) return kBadInput;
  std::string text = ptx::Print(
      *module, {.rename_registers = o.rename, .keep_lines = o.keep_lines});
  if (!o.out.empty() && o.out != "-")
    return WriteFile(o.out, text) ? kClean : kBadInput;
  fmt::print("{}", text);
  return kClean;
}

}  // namespace

void AddPtx(CLI::App& app, int& exit) {
  auto o = std::make_shared<PtxOptions>();
  CLI::App* ptx = app.add_subcommand(
      "ptx", "Reads PTX and prints it: one statement a line, no comments.");
  ptx->add_option("FILE", o->file, "a .ptx file")->required();
  ptx->add_flag("--rename", o->rename,
                "name registers by type and order of declaration");
  ptx->add_flag("--keep-lines", o->keep_lines,
                "leave each statement on its line");
  ptx->add_option("-o", o->out, "the file to write; stdout when absent");
  ptx->footer("examples:\n  tilesim ptx kernel.ptx --rename -o plain.ptx\n");
  ptx->callback([o, &exit] { exit = PrintPtx(*o); });
}

}  // namespace tilesim::cli
