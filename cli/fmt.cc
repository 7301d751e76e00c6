#include "cli/command.h"
#include "cli/complain.h"
#include "cli/input.h"
#include "cli/launch_input.h"
#include "cli/output.h"
#include "fmt/format.h"
#include "frontend/parse.h"
#include "ir/printer.h"

namespace tilesim::cli {
namespace {

// What became of one file. What comes on stdin goes to stdout.
struct Formatted {
  int exit = kBadInput;
  bool was = false;       // in the one layout already
  std::string text = {};  // of stdin, where the answer is JSON
};

Formatted FormatFile(const std::string& path, bool check, bool json) {
  if (!IsNoPtx(path)) return {};
  std::optional<ir::Source> source = ReadSource(path);
  if (!source) return {};
  ir::Diagnostics diagnostics;
  std::optional<ir::Program> program =
      frontend::ParseSyntax(*source, diagnostics);
  PrintDiagnostics(diagnostics, *source);
  if (!program) return {};
  std::string text = ir::Print(*program);
  bool was = text == source->text;
  if (check && !was && !json) fmt::print("{}\n", source->path);
  if (check) return {was ? kClean : kFindings, was};
  if (path == kStdin) {
    if (!json) fmt::print("{}", text);
    return {kClean, was, std::move(text)};
  }
  bool written = was || WriteFile(path, text);
  return {written ? kClean : kBadInput, was};
}

}  // namespace

void AddFmt(Command app, int& exit) {
  struct Options {
    std::vector<std::string> files;
    bool check = false;
    std::string format = "text";
  };
  auto o = std::make_shared<Options>();
  Command fmt = app.AddCommand("fmt", "Rewrites programs in the one layout.");
  fmt.AddOption("FILE", o->files, ".tile files; - for stdin, to stdout")
      .Required();
  fmt.AddFlag("--check", o->check,
              "only name the files that would change; exit 1 if any");
  fmt.AddOption("--format", o->format,
                "text or json: which files were in the one layout before")
      .OneOf({"text", "json"});
  fmt.Footer(
      "examples:\n"
      "  tilesim fmt gemm.tile\n"
      "  tilesim fmt --check *.tile\n"
      "  tilesim fmt - < gemm.tile\n");
  fmt.OnCall([o, &exit] {
    bool json = o->format == "json";
    Json files = Json::array();
    for (const std::string& file : o->files) {
      Formatted one = FormatFile(file, o->check, json);
      exit = std::max(exit, one.exit);
      files.push_back({{"file", file}, {"formatted", one.was}});
      if (file == kStdin && !o->check)
        files.back()["text"] = std::move(one.text);
    }
    if (json && exit != kBadInput)
      PrintAnswer({{"schema", 1}, {"files", std::move(files)}});
  });
}

}  // namespace tilesim::cli
