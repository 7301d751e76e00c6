// tilesim: tile programs run, timed and explained without a GPU.
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <exception>
#include <memory>
#include <new>
#include <string>
#include <system_error>

#include "cli/command.h"
#include "cli/documents.h"
#include "cli/version.h"
#include "fmt/format.h"

namespace {

constexpr char kExamples[] =
    "examples:\n"
    "  tilesim run examples/hopper/hgemm_v07.tile\n"
    "  tilesim run gemm.tile -D M=8192 --timing-only --trace gemm.json.gz\n"
    "  tilesim explain op/tma.load\n"
    "exit codes: 0 clean, 1 findings, 2 bad input, 3 incomplete, 4 no device "
    "or toolchain, 70 a bug in tilesim, 130 interrupted\n";

// `tilesim help COMMAND` is `tilesim COMMAND --help`.
void AddHelp(CLI::App& app, int& exit) {
  auto name = std::make_shared<std::string>();
  CLI::App* help = app.add_subcommand("help", "What a command does.");
  help->add_option("COMMAND", *name, "all of them when absent");
  help->callback([&app, name, &exit] {
    CLI::App* of = name->empty() ? &app : nullptr;
    for (CLI::App* one : app.get_subcommands([](CLI::App*) { return true; })) {
      if (one->get_name() == *name) of = one;
    }
    if (of == nullptr) {
      fmt::print(stderr, "tilesim: no command `{}`; see tilesim help\n", *name);
      exit = tilesim::cli::kBadInput;
      return;
    }
    // Of `app` help() would be that of the command that was named: `help`.
    fmt::print("{}", of == &app
                         ? app.get_formatter()->make_help(
                               &app, app.get_name(), CLI::AppFormatMode::Normal)
                         : of->help(app.get_name()));
  });
}

int Main(int argc, char** argv) {
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
  tilesim::cli::AddRun(app, exit);
  tilesim::cli::AddCheck(app, exit);
  tilesim::cli::AddLower(app, exit);
  tilesim::cli::AddSweep(app, exit);
  tilesim::cli::AddHw(app, exit);
  tilesim::cli::AddTrace(app, exit);
  tilesim::cli::AddFmt(app, exit);
  tilesim::cli::AddPtx(app, exit);
  tilesim::cli::AddCalibrate(app, exit);
  tilesim::cli::AddExplain(app, exit);
  AddHelp(app, exit);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    int code = app.exit(error);
    return code == 0 ? tilesim::cli::kClean : tilesim::cli::kBadInput;
  }
  return exit;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    int code = Main(argc, argv);
    if (std::fflush(stdout) == 0) return code;
    fmt::print(stderr, "tilesim: cannot write to stdout: {}\n",
               std::strerror(errno));
    return tilesim::cli::kBadInput;
  } catch (const std::bad_alloc&) {
    fmt::print(stderr,
               "tilesim: out of memory; try smaller sizes (-D), "
               "--values N or --timing-only\n");
    return tilesim::cli::kBadInput;
  } catch (const std::system_error& error) {  // fmt::print
    std::fprintf(stderr, "tilesim: %s\n", error.what());
    return tilesim::cli::kBadInput;
  } catch (const std::exception& error) {
    fmt::print(stderr, "tilesim: internal error: {}\n", error.what());
    return tilesim::cli::kOurBug;
  }
}
