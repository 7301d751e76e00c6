#include "cli/help.h"

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "CLI/CLI.hpp"
#include "cli/command.h"
#include "cli/command_table.h"
#include "cli/complain.h"
#include "cli/completion_words.h"
#include "cli/json.h"
#include "cli/suggest_word.h"
#include "fmt/format.h"

namespace tilesim::cli {
namespace {

using Words = std::vector<std::string>;

Json JsonOf(const OptionRow& o) {
  return {{"names", o.names},
          {"doc", o.doc},
          {"positional", o.positional},
          {"takes_value", o.takes_value},
          {"takes_several", o.takes_several},
          {"required", o.required},
          {"values", o.values}};
}

Json JsonOf(const CommandRow& row) {
  Json options = Json::array();
  for (const OptionRow& o : row.options) options.push_back(JsonOf(o));
  return {{"command", fmt::format("{}", fmt::join(row.words, " "))},
          {"doc", row.doc},
          {"examples", row.examples},
          {"options", std::move(options)},
          {"commands", row.commands}};
}

// Of a command and those below it.
void Print(Command app, const Words& words) {
  Json commands = Json::array();
  for (const CommandRow& row : CommandTable(app, CompletionWords)) {
    if (row.words.size() >= words.size() &&
        std::equal(words.begin(), words.end(), row.words.begin()))
      commands.push_back(JsonOf(row));
  }
  PrintAnswer({{"schema", 1}, {"commands", std::move(commands)}});
}

// nullptr: there is none.
CLI::App* Named(CLI::App& app, const Words& words) {
  CLI::App* of = &app;
  for (const std::string& word : words) {
    const auto below = of->get_subcommands(
        [&](const CLI::App* sub) { return sub->get_name() == word; });
    if (below.empty()) return nullptr;
    of = below.front();
  }
  return of;
}

int Help(CLI::App& app, const Words& words, bool json) {
  CLI::App* of = Named(app, words);
  if (of == nullptr) {
    Words known;
    for (const CommandRow& row : CommandTable(Command(&app), CompletionWords))
      known.push_back(fmt::format("{}", fmt::join(row.words, " ")));
    const std::string name = fmt::format("{}", fmt::join(words, " "));
    Complain("no command `{}`; see tilesim help{}", name,
             DidYouMean(name, known));
    return kBadInput;
  }
  if (json) {
    Print(Command(&app), words);
    return kClean;
  }
  std::string above = app.get_name();
  for (size_t i = 0; i + 1 < words.size(); ++i) above += " " + words[i];
  // Of `app` help() would be that of the command that was named: `help`.
  fmt::print("{}", of == &app ? app.get_formatter()->make_help(
                                    &app, above, CLI::AppFormatMode::Normal)
                              : of->help(above));
  return kClean;
}

}  // namespace

void AddHelp(Command app, int& exit) {
  auto words = std::make_shared<Words>();
  auto format = std::make_shared<std::string>("text");
  Command help = app.AddCommand("help", "What a command does.");
  help.AddOption("COMMAND", *words, "such as: run; trace diff");
  help.AddOption("--format", *format, "text or json").OneOf({"text", "json"});
  help.OnCall([app, words, format, &exit] {
    exit = Help(app.app(), *words, *format == "json");
  });
}

void PrintHelpAsJson(Command app) {
  Words words;
  for (const CLI::App* of = &app.app(); !of->get_subcommands().empty();) {
    of = of->get_subcommands().front();
    words.push_back(of->get_name());
  }
  Print(app, words);
}

}  // namespace tilesim::cli
