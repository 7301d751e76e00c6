#include "cli/suggest_word.h"

#include "CLI/CLI.hpp"

namespace tilesim::cli {
namespace {

// The command that was read last: what is left of the line is about it.
const CLI::App& Innermost(const CLI::App& app) {
  const CLI::App* at = &app;
  while (!at->get_subcommands().empty()) at = at->get_subcommands().back();
  return *at;
}

std::vector<std::string> CommandsOf(const CLI::App& app) {
  std::vector<std::string> out;
  for (const CLI::App* sub : app.get_subcommands(
           [](const CLI::App* s) { return !s->get_group().empty(); }))
    out.push_back(sub->get_name());
  return out;
}

std::vector<std::string> OptionsOf(const CLI::App& app) {
  std::vector<std::string> out;
  for (const CLI::Option* option : app.get_options()) {
    for (const std::string& name : option->get_lnames())
      out.push_back("--" + name);
  }
  return out;
}

// Whether the letters of `word` stand in `name` in their order, from its first.
bool Abbreviates(std::string_view word, std::string_view name) {
  if (word.empty() || word[0] != name[0]) return false;
  size_t at = 0;
  for (char c : name) at += at < word.size() && c == word[at] ? 1 : 0;
  return at == word.size();
}

// What is near a command that there is not, or is the only one that it may be
// short for.
std::string NearestCommand(const std::string& word,
                           const std::vector<std::string>& commands) {
  std::string near = DidYouMean(word, commands);
  std::vector<std::string> longer;
  for (const std::string& name : commands) {
    if (Abbreviates(word, name)) longer.push_back(name);
  }
  if (!near.empty() || longer.size() != 1) return near;
  return "; did you mean `" + longer[0] + "`?";
}

}  // namespace

std::string UsageText(const CLI::App& app, const CLI::ParseError& error) {
  const CLI::App& at = Innermost(app);
  std::vector<std::string> left = at.remaining();
  if (left.empty()) left = app.remaining();
  auto is = [&](CLI::ExitCodes code) {
    return error.get_exit_code() == static_cast<int>(code);
  };
  bool surplus = is(CLI::ExitCodes::ExtrasError) ||
                 (!CommandsOf(at).empty() && is(CLI::ExitCodes::RequiredError));
  if (!surplus || left.empty()) return error.what();
  const std::string& word = left.front();
  if (word.starts_with('-')) {
    std::string name = word.substr(0, word.find('='));
    return "no option `" + name + "`" + DidYouMean(name, OptionsOf(at));
  }
  if (&at == &app || !CommandsOf(at).empty())
    return "no command `" + word + "`" + NearestCommand(word, CommandsOf(at));
  return "`" + word + "` is one argument too many";
}

}  // namespace tilesim::cli
