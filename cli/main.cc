// tilesim: tile programs run, timed and explained without a GPU.
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <exception>
#include <new>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "CLI/CLI.hpp"
#include "cli/color.h"
#include "cli/command.h"
#include "cli/complain.h"
#include "cli/documents.h"
#include "cli/help.h"
#include "cli/numbers.h"
#include "cli/printed.h"
#include "cli/suggest_word.h"
#include "cli/version.h"
#include "fmt/format.h"

namespace {

using std::string_view_literals::operator""sv;

constexpr char kExamples[] =
    "examples:\n"
    "  tilesim run examples/hopper/hgemm_v07.tile\n"
    "  tilesim run gemm.tile -D M=8192 --timing-only --trace gemm.json.gz\n"
    "  tilesim explain op/tma.load\n"
    "exit codes: 0 clean, 1 findings, 2 bad input, 3 incomplete, 4 no device "
    "or toolchain, 70 a bug in tilesim, 130 interrupted\n";

void AddColorEverywhere(CLI::App& app) {
  tilesim::cli::AddColor(tilesim::cli::Command(&app));
  for (CLI::App* sub : app.get_subcommands([](CLI::App*) { return true; }))
    AddColorEverywhere(*sub);
}

// Whatever an option takes, it does not take an empty text.
void RefuseEmptyTexts(CLI::App& app) {
  for (CLI::Option* option : app.get_options()) {
    if (option->get_items_expected_max() > 0)
      tilesim::cli::Option(option).Check(tilesim::cli::Something());
  }
  for (CLI::App* sub : app.get_subcommands([](CLI::App*) { return true; }))
    RefuseEmptyTexts(*sub);
}

// Of a line that may be wrong: CLI11 may not have come to it.
bool WantsJson(int argc, char** argv) {
  for (int i = 1; i < argc; ++i) {
    std::string_view word = argv[i];
    bool next = word == "--format" && i + 1 < argc;
    if (word == "--format=json" || (next && argv[i + 1] == "json"sv))
      return true;
  }
  return false;
}

// What --version, --licenses and --help say. False: it is the help of all.
bool SaidAsJson(CLI::App& app, const CLI::ParseError& error) {
  const std::string_view text = error.what();
  for (const auto& [key, said] :
       {std::pair("version", tilesim::cli::Version()),
        std::pair("licenses", tilesim::cli::Licenses())}) {
    if (text != said) continue;
    tilesim::cli::PrintAnswer({{"schema", 1}, {key, text}});
    return true;
  }
  if (dynamic_cast<const CLI::CallForHelp*>(&error) == nullptr) return false;
  tilesim::cli::PrintHelpAsJson(tilesim::cli::Command(&app));
  return true;
}

// What the command was asked about: its first argument.
std::string FileOf(const CLI::App& app) {
  for (const CLI::App* sub : app.get_subcommands()) {
    for (const CLI::Option* option : sub->get_options()) {
      if (option->get_positional() && !option->results().empty())
        return option->results()[0];
    }
    if (std::string below = FileOf(*sub); !below.empty()) return below;
  }
  return "";
}

// `file`: what the command was asked about, once that is known.
int Main(int argc, char** argv, std::string& file) {
  CLI::App app("Runs tile programs on a modelled GPU.", "tilesim");
  app.footer(kExamples);
  app.require_subcommand(1);
  app.set_version_flag("--version", std::string(tilesim::cli::Version()));
  app.add_flag_callback(
      "--licenses",
      [] {
        throw CLI::CallForVersion(std::string(tilesim::cli::Licenses()), 0);
      },
      "Prints the licences of tilesim and of what is linked into it.");
  int exit = tilesim::cli::kClean;
  tilesim::cli::Command command(&app);
  tilesim::cli::AddRun(command, exit);
  tilesim::cli::AddReport(command, exit);
  tilesim::cli::AddCheck(command, exit);
  tilesim::cli::AddLower(command, exit);
  tilesim::cli::AddReduce(command, exit);
  tilesim::cli::AddSweep(command, exit);
  tilesim::cli::AddHw(command, exit);
  tilesim::cli::AddTrace(command, exit);
  tilesim::cli::AddFmt(command, exit);
  tilesim::cli::AddPtx(command, exit);
  tilesim::cli::AddCalibrate(command, exit);
  tilesim::cli::AddExplain(command, exit);
  tilesim::cli::AddLsp(command, exit);
  tilesim::cli::AddCompletion(command, exit);
  tilesim::cli::AddMan(command, exit);
  tilesim::cli::AddHelp(command, exit);
  AddColorEverywhere(app);
  RefuseEmptyTexts(app);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0)
      return WantsJson(argc, argv) && SaidAsJson(app, error) ? 0
                                                             : app.exit(error);
    tilesim::cli::Complain("{}; `--help` lists what there is",
                           tilesim::cli::UsageText(app, error));
    exit = tilesim::cli::kBadInput;
  }
  file = FileOf(app);
  return exit;
}

// The same, and what is thrown as words and an exit code.
int Caught(int argc, char** argv, std::string& file) {
  try {
    return Main(argc, argv, file);
  } catch (const std::bad_alloc&) {
    tilesim::cli::Complain(
        "out of memory; try smaller sizes (-D), --values N or --timing-only");
    return tilesim::cli::kBadInput;
  } catch (const std::system_error&) {  // fmt::print
    throw;
  } catch (const std::exception& error) {
    tilesim::cli::Complain("internal error: {}", error.what());
    return tilesim::cli::kOurBug;
  }
}

}  // namespace

int main(int argc, char** argv) {
  try {
    std::string file;
    int code = Caught(argc, argv, file);
    if (code != tilesim::cli::kClean && WantsJson(argc, argv))
      tilesim::cli::AnswerComplaints(file, code);
    code = tilesim::cli::EndPrinted(code);
    if (std::fflush(stdout) == 0) return code;
    fmt::print(stderr, "tilesim: cannot write to stdout: {}\n",
               std::strerror(errno));
    return tilesim::cli::kBadInput;
  } catch (const std::system_error& error) {  // fmt::print
    std::fprintf(stderr, "tilesim: %s\n", error.what());
    return tilesim::cli::kBadInput;
  }
}
