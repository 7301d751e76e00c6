// tilesim completion SHELL: what completes commands and options on the line of
// a shell, made of the tables that the command itself reads.
#include <functional>
#include <memory>
#include <string>

#include "cli/command.h"
#include "cli/command_table.h"
#include "cli/complain.h"
#include "cli/completion_words.h"
#include "fmt/format.h"

namespace tilesim::cli {
namespace {

// In single quotes, for any of the shells.
std::string Quoted(std::string_view text) {
  std::string out = "'";
  for (char c : text) out += c == '\'' ? "'\\''" : std::string(1, c);
  return out + "'";
}

std::string PathOf(const CommandRow& row) {
  return fmt::format("{}", fmt::join(row.words, " "));
}

// A file unless the words are known.
bool IsFile(const OptionRow& o) { return o.values.empty(); }

// --- bash --------------------------------------------------------------------

std::string BashCase(const CommandRow& row) {
  std::vector<std::string> words = row.commands, firsts;
  std::string values;
  for (const OptionRow& o : row.options) {
    if (o.positional) {
      firsts.insert(firsts.end(), o.values.begin(), o.values.end());
      continue;
    }
    words.insert(words.end(), o.names.begin(), o.names.end());
    if (!o.takes_value) continue;
    values += fmt::format("        {}) words={} ;;\n", fmt::join(o.names, "|"),
                          Quoted(fmt::format("{}", fmt::join(o.values, " "))));
  }
  words.insert(words.end(), firsts.begin(), firsts.end());
  return fmt::format(
      "    {})\n      words={}\n      case \"$before\" in\n{}      esac ;;\n",
      Quoted(PathOf(row)), Quoted(fmt::format("{}", fmt::join(words, " "))),
      values);
}

std::string Bash(const std::vector<CommandRow>& table) {
  std::string cases, paths;
  for (const CommandRow& row : table) {
    cases += BashCase(row);
    if (!row.words.empty()) paths += Quoted(PathOf(row)) + "|";
  }
  paths.pop_back();
  return fmt::format(
      R"(# bash completion of tilesim; made by `tilesim completion bash`
_tilesim() {{
  local word=${{COMP_WORDS[COMP_CWORD]}} before=${{COMP_WORDS[COMP_CWORD-1]}}
  local path="" i words=""
  for ((i = 1; i < COMP_CWORD; ++i)); do
    case "${{path:+$path }}${{COMP_WORDS[i]}}" in
      {}) path="${{path:+$path }}${{COMP_WORDS[i]}}" ;;
    esac
  done
  case "$path" in
{}  esac
  COMPREPLY=($(compgen -W "$words" -- "$word"))
  if [[ ${{#COMPREPLY[@]}} -eq 0 ]]; then
    compopt -o default
  fi
}}
COMP_WORDBREAKS=${{COMP_WORDBREAKS//:}}
complete -F _tilesim tilesim
)",
      paths, cases);
}

// --- zsh ---------------------------------------------------------------------

// A description in brackets must not end them.
std::string ZshDoc(std::string_view text) {
  std::string out;
  for (char c : text) {
    if (c == '[' || c == ']' || c == ':' || c == '\\') out += '\\';
    out += c;
  }
  return out;
}

std::string ZshAction(const OptionRow& o) {
  if (IsFile(o)) return ":file:_files";
  return fmt::format(":word:({})",
                     ZshDoc(fmt::format("{}", fmt::join(o.values, " "))));
}

std::string ZshArguments(const CommandRow& row) {
  std::string out;
  for (const OptionRow& o : row.options) {
    std::string action = o.takes_value ? ZshAction(o) : "";
    if (o.positional) {
      out += " \\\n        " + Quoted("*" + action);
      continue;
    }
    for (const std::string& name : o.names)
      out += " \\\n        " +
             Quoted(fmt::format("*{}[{}]{}", name, ZshDoc(o.doc), action));
  }
  return out;
}

std::string Zsh(const std::vector<CommandRow>& table) {
  std::string cases, names;
  for (const CommandRow& row : table) {
    if (row.words.size() == 1)
      names +=
          "    " + Quoted(fmt::format("{}:{}", row.words[0], row.doc)) + "\n";
    cases += fmt::format("    {})\n      _arguments -s{}", Quoted(PathOf(row)),
                         ZshArguments(row));
    if (row.words.empty())
      cases += " \\\n        '1:command:->commands'";
    else if (!row.commands.empty())
      cases += fmt::format(" \\\n        '1:command:({})'",
                           fmt::join(row.commands, " "));
    cases += " ;;\n";
  }
  std::string paths;
  for (const CommandRow& row : table)
    if (!row.words.empty()) paths += Quoted(PathOf(row)) + "|";
  paths.pop_back();
  return fmt::format(R"(#compdef tilesim
# zsh completion of tilesim; made by `tilesim completion zsh`
_tilesim() {{
  local path_words="" i state
  local -a commands
  commands=(
{}  )
  for ((i = 2; i < CURRENT; ++i)); do
    case "${{path_words:+$path_words }}${{words[i]}}" in
      {}) path_words="${{path_words:+$path_words }}${{words[i]}}" ;;
    esac
  done
  case "$path_words" in
{}  esac
  [[ $state == commands ]] && _describe command commands
}}
if [[ $zsh_eval_context[-1] == loadautofunc ]]; then
  _tilesim "$@"
else
  compdef _tilesim tilesim
fi
)",
                     names, paths, cases);
}

// --- fish --------------------------------------------------------------------

std::string FishOption(const OptionRow& o, const std::string& when) {
  std::string out = fmt::format("complete -c tilesim -n {}", Quoted(when));
  for (const std::string& name : o.names) {
    bool is_long = name.starts_with("--");
    out += fmt::format(" -{} {}", is_long ? "l" : "s",
                       name.substr(is_long ? 2 : 1));
  }
  if (o.takes_value) out += IsFile(o) ? " -r -F" : " -x";
  if (!o.values.empty())
    out += " -a " + Quoted(fmt::format("{}", fmt::join(o.values, " ")));
  return out + " -d " + Quoted(o.doc) + "\n";
}

std::string Fish(const std::vector<CommandRow>& table) {
  std::string out =
      "# fish completion of tilesim; made by `tilesim completion fish`\n";
  for (const CommandRow& row : table) {
    std::string when = "__fish_use_subcommand";
    if (!row.words.empty()) {
      when = "__fish_seen_subcommand_from " + row.words[0];
      for (size_t i = 1; i < row.words.size(); ++i)
        when += "; and __fish_seen_subcommand_from " + row.words[i];
    }
    for (const CommandRow& below : table) {
      bool direct =
          below.words.size() == row.words.size() + 1 &&
          std::equal(row.words.begin(), row.words.end(), below.words.begin());
      if (direct)
        out += fmt::format("complete -c tilesim -n {} -f -a {} -d {}\n",
                           Quoted(when), below.words.back(), Quoted(below.doc));
    }
    for (const OptionRow& o : row.options) {
      if (!o.positional) out += FishOption(o, when);
      if (o.positional && !o.values.empty())
        out += fmt::format("complete -c tilesim -n {} -f -a {}\n", Quoted(when),
                           Quoted(fmt::format("{}", fmt::join(o.values, " "))));
    }
  }
  return out;
}

}  // namespace

void AddCompletion(Command app, int& exit) {
  auto shell = std::make_shared<std::string>();
  Command completion = app.AddCommand(
      "completion", "Prints what completes commands and options in a shell.");
  completion.AddOption("SHELL", *shell, "bash, zsh or fish")
      .Required()
      .OneOf({"bash", "zsh", "fish"});
  auto format = std::make_shared<std::string>("text");
  completion.AddOption("--format", *format, "text or json")
      .OneOf({"text", "json"});
  completion.Footer(
      "examples:\n"
      "  tilesim completion bash > ~/.local/share/bash-completion/completions/"
      "tilesim\n"
      "  tilesim completion zsh > \"${fpath[1]}/_tilesim\"\n"
      "  tilesim completion fish > ~/.config/fish/completions/tilesim.fish\n");
  completion.OnCall([app, shell, format, &exit] {
    std::vector<CommandRow> table = CommandTable(app, CompletionWords);
    const std::string script = *shell == "bash"  ? Bash(table)
                               : *shell == "zsh" ? Zsh(table)
                                                 : Fish(table);
    if (*format == "json")
      PrintAnswer({{"schema", 1}, {"shell", *shell}, {"script", script}});
    else
      fmt::print("{}", script);
    exit = kClean;
  });
}

}  // namespace tilesim::cli
