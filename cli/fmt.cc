#include "cli/command.h"
#include "cli/input.h"
#include "cli/output.h"
#include "fmt/format.h"
#include "frontend/parse.h"
#include "ir/printer.h"

namespace tilesim::cli {
namespace {

// Returns the exit code for one file.
int FormatFile(const std::string& path, bool check) {
  std::optional<ir::Source> source = ReadSource(path);
  if (!source) return kBadInput;
  ir::Diagnostics diagnostics;
  std::optional<ir::Program> program =
      frontend::ParseSyntax(*source, diagnostics);
  PrintDiagnostics(diagnostics, *source);
  if (!program) return kBadInput;
  std::string text = ir::Print(*program);
  if (text == source->text) return kClean;
  if (check) {
    fmt::print("{}\n", path);
    return kFindings;
  }
  return WriteFile(path, text) ? kClean : kBadInput;
}

}  // namespace

void AddFmt(CLI::App& app, int& exit) {
  struct Options {
    std::vector<std::string> files;
    bool check = false;
  };
  auto o = std::make_shared<Options>();
  CLI::App* fmt =
      app.add_subcommand("fmt", "Rewrites programs in the one layout.");
  fmt->add_option("FILE", o->files, ".tile files")->required();
  fmt->add_flag("--check", o->check,
                "only name the files that would change; exit 1 if any");
  fmt->callback([o, &exit] {
    for (const std::string& file : o->files)
      exit = std::max(exit, FormatFile(file, o->check));
  });
}

}  // namespace tilesim::cli
